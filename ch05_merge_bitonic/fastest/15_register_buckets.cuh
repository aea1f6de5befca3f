// register_buckets: a block sorts a bucket in registers, by windows. From kept_buckets: the sample,
// the buckets, and the moves.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../../common/harness/resident_blocks.hpp"
#include "../keys.hpp"
#include "12_sample_sort.cuh"
#include "13_kept_buckets.cuh"
#include "pack.cuh"
#include "tiles.cuh"
#include "windows.cuh"

namespace sorting {

/// How a block sorts the first `count` keys of a tile: by the network of the windows.
struct ByNetwork {
    template <class S>
    static constexpr std::size_t kBytes = S::kBytes;  ///< of shared memory

    template <class S>
    static __device__ void sort(typename S::SortKey (&key)[S::kKeys], unsigned count) {
        const unsigned used = divide_up(count, S::kWindow) * S::kWindow;
        sort_tile<S>(key, shared_tile<typename S::SortKey>(), used);
    }
};

/// What works together: one block. In 19_sample_best.cuh all blocks of a launch.
struct OneBlock {
    __device__ unsigned index() const { return 0; }
    __device__ unsigned count() const { return 1; }
    __device__ void sync() const {
        __syncthreads();  // the runs are stored before other warps read them
    }
};

/// Merges sorted runs of `run` of the keys [begin, end) in pairs, a window per warp. The last
/// level's result is unpacked.
template <class S, class Blocks>
__device__ void merge_level(const typename S::SortKey* from, typename S::SortKey* to,
                            unsigned begin, unsigned end, unsigned run, const Arrays& output,
                            const Blocks& blocks) {
    typename S::SortKey* const tile = shared_tile<typename S::SortKey>();
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    typename S::SortKey key[S::kKeys];
    const unsigned step = blocks.count() * S::kTile;
    for (unsigned at = blocks.index() * S::kTile + out; at < end - begin; at += step) {
        const unsigned first = at & ~(2 * run - 1);
        const unsigned a = begin + first;
        const unsigned b = min(a + run, end);
        const Runs runs = {a, b - a, b, min(b + run, end) - b};
        const unsigned count = min(S::kWindow, runs.b + runs.count_b - begin - at);
        load_window<false>(key, from, runs, at - first, count);
        clean_window(key, tile, out);
        to_striped(key, tile, out);
        if (2 * run >= end - begin) {
            store_sorted_window(key, output, begin + at, end);
        } else {
            store_window(key, to, begin + at, end);
        }
    }
}

/// Sorts the keys [begin, end) of `input`, and unpacks them. Tiles are sorted; if there are
/// several, they are stored in `packed` or `spare`, either of which may be where they have been,
/// and merged in pairs between these. The output's keys may share the memory of `packed`.
template <class S, class Sort, class Input, class Blocks>
__device__ void sort_and_merge(const Input& input, unsigned begin, unsigned end,
                               typename S::SortKey* packed, typename S::SortKey* spare,
                               const Arrays& output, const Blocks& blocks) {
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    bool in_spare = false;  // so that the last level does not read `packed`
    for (unsigned run = S::kTile; run < end - begin; run *= 2) in_spare = !in_spare;
    typename S::SortKey key[S::kKeys];
    const unsigned step = blocks.count() * S::kTile;
    for (unsigned at = blocks.index() * S::kTile; at < end - begin; at += step) {
        load_keys(key, input, begin + at + out, end);
        Sort::template sort<S>(key, min(end - begin - at, S::kTile));
        if (end - begin <= S::kTile) {
            store_sorted_window(key, output, begin + out, end);
        } else {
            store_window(key, in_spare ? spare : packed, begin + at + out, end);
        }
    }
    for (unsigned run = S::kTile; run < end - begin; run *= 2) {
        blocks.sync();
        merge_level<S>(in_spare ? spare : packed, in_spare ? packed : spare, begin, end, run,
                       output, blocks);
        in_spare = !in_spare;
    }
}

// register_buckets: as kept_buckets, but a bucket is sorted as bitonic_best sorts a tile: in
// windows that a warp holds in registers, and that are merged by half-cleaners.
// Removes: the serial merges in shared memory, which wait for it at each key.
// Remains: a search in global memory for each key; atomic additions there; stores far apart.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    register_buckets_kernel(const typename S::SortKey* moved, typename S::SortKey* packed,
                            typename S::SortKey* spare, const unsigned* ends, Arrays output) {
    const unsigned begin = blockIdx.x > 0 ? ends[blockIdx.x - 1] : 0;
    const unsigned end = ends[blockIdx.x];
    if (blockIdx.x % 2 == 0) {
        sort_and_merge<S, ByNetwork>(moved, begin, end, packed, spare, output, OneBlock());
        return;
    }
    for (unsigned i = begin + threadIdx.x; i < end; i += blockDim.x) {  // keys that are equal
        output.store(moved[i], i);
    }
}

template <class SortKey>
void register_buckets(SortParams<SortKey> params) {
    using S = Shape<SortKey, 16, 8>;
    if (params.n == 0) return;
    pack(params);
    const SampledBuckets<SortKey> in = move_to_kept_buckets(
        params.packed, params.spare, static_cast<unsigned>(params.n), params.scratch);
    allow_shared(register_buckets_kernel<S>, S::kBytes);
    register_buckets_kernel<S><<<in.buckets, S::kThreads, S::kBytes>>>(
        params.spare, params.packed, params.spare, in.ends, arrays_of(params));
    CUDA_CHECK_LAUNCH();
}

}  // namespace sorting
