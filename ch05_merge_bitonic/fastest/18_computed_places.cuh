// computed_places. From ordered_tiles: the passes into buckets. New: the sort of a bucket.
//
// A block sorts keys that are evenly spread between the least and the greatest, as in nearly every
// bucket: interpolation says where each key belongs, and comparisons only correct that (K.-D.
// Neubert, "The Flashsort1 Algorithm", Dr. Dobb's Journal, February 1998).
//
// The range of the keys is cut into bins of the same width. As in a pass of sample_sort, the keys
// of each bin are counted, and every key moves to its bin, after those of earlier bins. Keys that
// are out of order are then close together: chunks of 16 keys are sorted, and so are the chunks
// halfway between them. If one bin has so many keys that this is not enough, they are left to the
// windows.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "../../common/harness/device_code.cuh"
#include "../keys.hpp"
#include "15_register_buckets.cuh"
#include "17_ordered_tiles.cuh"
#include "bucket_sort.cuh"
#include "tiles.cuh"
#include "windows.cuh"

namespace sorting {

/// The dynamic shared memory of a block.
template <class S>
struct Interpolation {
    using SortKey = typename S::SortKey;
    static constexpr unsigned kChunk = 16;  ///< a bin of up to 9 keys lies in one chunk of the two
    static constexpr unsigned kBins = S::kTile / 2;
    alignas(16) SortKey tile[padded_index<SortKey>(S::kTile + kChunk)];
    alignas(16) unsigned next[padded_index<unsigned>(kBins)];  ///< where a bin's next key goes
    SortKey least[S::kWarps], greatest[S::kWarps];             ///< of each warp's keys
    unsigned of_warp[S::kWarps];

    static __device__ Interpolation& get() {
        return *reinterpret_cast<Interpolation*>(shared_tile<SortKey>());
    }
};

/// The bin of a key: bins have the same width, from the least key to the greatest.
template <class SortKey>
class Line {
  public:
    __device__ Line(SortKey least, SortKey greatest, unsigned bins) : least_(least) {
        const Distance range = static_cast<Distance>(greatest) - static_cast<Distance>(least);
        zeros_ = sizeof(SortKey) == 4 ? __clz(static_cast<int>(range))
                                      : __clzll(static_cast<long long>(range));
        // Rounded down, by more than the division's error: no key is beyond the last bin.
        const float steps = 0x1p32f * 0.999999f * static_cast<float>(bins);
        factor_ = static_cast<unsigned>(steps / __uint2float_ru(scaled(range)));
    }

    __device__ unsigned bin(SortKey key) const {
        return __umulhi(scaled(static_cast<Distance>(key) - static_cast<Distance>(least_)),
                        factor_);
    }

  private:
    using Distance = std::make_unsigned_t<SortKey>;

    /// A shift such that the range becomes a number of 32 bits.
    __device__ unsigned scaled(Distance distance) const {
        return static_cast<unsigned>(distance << zeros_ >> (8 * sizeof(SortKey) - 32));
    }

    SortKey least_;
    int zeros_;
    unsigned factor_;
};

/// Finds the least and the greatest of the block's keys; the thread has those in rows of 32 that
/// begin before `room`.
template <class S>
__device__ void find_range(const typename S::SortKey (&key)[S::kKeys], int room,
                           Interpolation<S>& shared, typename S::SortKey& least,
                           typename S::SortKey& greatest) {
    using SortKey = typename S::SortKey;
    const unsigned lane = threadIdx.x % kWarpSize;
    const auto in_warp = [&] {
        for (unsigned distance = kWarpSize / 2; distance > 0; distance /= 2) {
            least = min(least, __shfl_xor_sync(kFullMask, least, distance));
            greatest = max(greatest, __shfl_xor_sync(kFullMask, greatest, distance));
        }
    };
    least = kLast<SortKey>;
    greatest = kFirst<SortKey>;
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        least = min(least, key[i]);
        if (i * kWarp < room) greatest = max(greatest, key[i]);
    }
    in_warp();
    shared.least[threadIdx.x / kWarpSize] = least;
    shared.greatest[threadIdx.x / kWarpSize] = greatest;
    __syncthreads();  // all warps' are there
    least = shared.least[lane % S::kWarps];
    greatest = shared.greatest[lane % S::kWarps];
    in_warp();
}

/// Replaces the count of each bin by the sum of those before it.
template <class S>
__device__ void begin_bins(Interpolation<S>& shared) {
    constexpr unsigned kEach = Interpolation<S>::kBins / S::kThreads;
    unsigned* const mine = shared.next + padded_index<unsigned>(threadIdx.x * kEach);
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) sum += mine[i];
    unsigned all;
    unsigned before = sum_before(sum, shared.of_warp, all);
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
        const unsigned count = mine[i];
        mine[i] = before;
        before += count;
    }
}

/// Sorts 16 keys of the tile, in sorted runs of kRun.
template <unsigned kRun, class S>
__device__ void sort_chunk(Interpolation<S>& shared, unsigned begin) {
    using SortKey = typename S::SortKey;
    SortKey key[Interpolation<S>::kChunk];
#pragma unroll
    for (unsigned i = 0; i < Interpolation<S>::kChunk; i += kKeysPerVector<SortKey>) {
        load_vector(key + i, shared.tile + padded_index<SortKey>(begin + i));
    }
    sort_registers<kRun, kRun>(key);
#pragma unroll
    for (unsigned i = 0; i < Interpolation<S>::kChunk; i += kKeysPerVector<SortKey>) {
        store_vector(key + i, shared.tile + padded_index<SortKey>(begin + i));
    }
}

/// Sorts the first `count` keys of a tile, if they are evenly spread; past them is kLast. Striped.
/// Otherwise false, and the keys are in any order.
template <class S>
__device__ bool sort_by_interpolation(typename S::SortKey (&key)[S::kKeys], unsigned count) {
    using SortKey = typename S::SortKey;
    using Shared = Interpolation<S>;
    Shared& shared = Shared::get();
    const auto next_of = [&](const Line<SortKey>& line, SortKey key) {
        return shared.next + padded_index<unsigned>(line.bin(key));
    };
    for (unsigned i = threadIdx.x; i < padded_index<unsigned>(Shared::kBins); i += S::kThreads) {
        shared.next[i] = 0;
    }
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const int room = static_cast<int>(count - out - threadIdx.x % kWarpSize);
    SortKey least, greatest;
    find_range<S>(key, room, shared, least, greatest);  // and all bins are empty
    if (least == greatest) return true;
    const Line<SortKey> line(least, greatest, Shared::kBins);
    // Two keys of a thread in one bin are rare, unless most keys are in only a few bins: then
    // adding to the same counts would take a long time.
    constexpr int kMiddle = S::kKeys / 2;
    const bool meet = kMiddle * kWarp < room && line.bin(key[0]) == line.bin(key[kMiddle]);
    if (__syncthreads_count(meet) > static_cast<int>(S::kThreads / 16)) return false;
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        if (i * kWarp < room) atomicAdd(next_of(line, key[i]), 1u);
    }
    __syncthreads();  // all keys are counted
    begin_bins(shared);
    const unsigned used = divide_up(count, S::kWindow) * S::kWindow;
    __syncthreads();  // all bins have their beginnings
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        if (i * kWarp >= room) continue;
        shared.tile[padded_index<SortKey>(atomicAdd(next_of(line, key[i]), 1u))] = key[i];
    }
    for (unsigned at = count + threadIdx.x; at < used + Shared::kChunk; at += S::kThreads) {
        shared.tile[padded_index<SortKey>(at)] = kLast<SortKey>;
    }
    __syncthreads();  // the bins are in order
    const unsigned first = threadIdx.x * Shared::kChunk;
    constexpr unsigned kStep = S::kThreads * Shared::kChunk;
    constexpr unsigned kHalf = Shared::kChunk / 2;
    for (unsigned at = first; at < used; at += kStep) sort_chunk<1>(shared, at);
    __syncthreads();  // the chunks are sorted
    for (unsigned at = first + kHalf; at < used; at += kStep) sort_chunk<kHalf>(shared, at);
    __syncthreads();  // so are those halfway between them
    bool wrong = false;
    for (unsigned at = first + kHalf; at < used; at += kStep) {
        wrong |=
            shared.tile[padded_index<SortKey>(at)] < shared.tile[padded_index<SortKey>(at - 1)];
    }
    wrong = __syncthreads_or(wrong) != 0;
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) key[i] = kLast<SortKey>;
    if (out < used) load_striped(key, shared.tile, out);
    return !wrong;
}

/// How a block sorts the first `count` keys of a tile: by interpolation, or by the network if they
/// are unevenly spread.
struct ByPlaces {
    template <class S>
    static constexpr std::size_t kBytes = sizeof(Interpolation<S>);  ///< of shared memory

    template <class S>
    static __device__ void sort(typename S::SortKey (&key)[S::kKeys], unsigned count) {
        if (sort_by_interpolation<S>(key, count)) return;
        __syncwarp();  // all have read their window before it is written again
        ByNetwork::sort<S>(key, count);
    }
};

// computed_places: as ordered_tiles, but each key's place in its bucket is computed from the least
// and the greatest key.
// Removes: all but six of about 40 comparisons per key.
// Remains: for small n, a launch for each part of the sort; two moves of each key, for any n.
struct ComputedPlaces : OrderedTiles {
    using Sort = ByPlaces;
};

template <class SortKey>
void computed_places(SortParams<SortKey> params) {
    sort_by_sample<ComputedPlaces>(params);
}

}  // namespace sorting
