// merge_best for many keys with values. From the ladder: the serial merge of merge_path, a few
// pairs per thread. Equal keys keep their order in it without an index in the key, and the values
// move with their keys. New: four runs per sweep, and no branch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "four_runs.cuh"
#include "tiles.cuh"

namespace sorting {

// ---- Many keys with values -------------------------------------------------------------------

/// A block of kWarpsPerBlock warps, each thread of which sorts or merges kPairsPerThread. That
/// number is odd: then the threads of a warp, each of which writes its pairs one by one, write to
/// different banks, without padding.
template <int kPairsPerThread, int kWarpsPerBlock>
struct PairShape : Shape<Pair, kPairsPerThread, kWarpsPerBlock> {
    static_assert(kPairsPerThread % 2 != 0, "an even number would have bank conflicts");
    using Base = Shape<Pair, kPairsPerThread, kWarpsPerBlock>;
    /// What a block merges: two runs of any length end in it, and a thread works on one of them.
    static constexpr unsigned kShare = Base::kTile - kPairsPerThread;
    /// Registers for all pairs of a thread, and those beside them.
    static constexpr unsigned kBlocks =
        blocks_bound(65536 / Base::kThreads / (2 * kPairsPerThread + 30), Base::kThreads);
    /// One pair more than a tile: merge_share() reads the pair behind a run.
    static constexpr std::size_t kBytes = sizeof(Pair) * (Base::kTile + 1);
};

/// From blocked to striped, through the warp's window of the tile.
template <class S>
__device__ void to_striped_pairs(Pair (&pair)[S::kKeys], Pair* tile) {
    Pair* const block = tile + threadIdx.x * S::kKeys;
    const Pair* const stripe =
        tile + threadIdx.x / kWarpSize * S::kWindow + threadIdx.x % kWarpSize;
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) block[i] = pair[i];
    __syncwarp();  // written by other lanes than will read
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) pair[i] = stripe[i * kWarp];
}

/// Unpacks a striped window: the lane's first pair to index `first`, nothing from
/// `end` on.
template <int kPairs>
__device__ void store_apart(const Pair (&pair)[kPairs], unsigned first, unsigned end, KeyType type,
                            std::uint32_t* keys, std::uint32_t* values) {
#pragma unroll
    for (unsigned i = 0; i < kPairs; ++i) {
        const unsigned at = first + i * kWarpSize;
        if (at >= end) continue;
        keys[at] = bits_of_ordered_int(pair[i].key, type);
        values[at] = pair[i].value;
    }
}

/// The thread's share of the merge of two runs of the tile: kPairs of it from `diagonal` on. Where
/// fewer are left, the rest is anything, and kPairs - 1 pairs behind the runs are read too; else
/// one.
template <int kPairs>
__device__ void merge_share(Pair (&merged)[kPairs], const Pair* tile, Runs runs,
                            unsigned diagonal) {
    diagonal = min(diagonal, runs.count_a + runs.count_b);
    const unsigned cut =
        merge_path_cut(tile + runs.a, runs.count_a, tile + runs.b, runs.count_b, diagonal);
    const Pair* a = tile + runs.a + cut;
    const Pair* b = tile + runs.b + (diagonal - cut);
    const Pair* const end_a = tile + runs.a + runs.count_a;
    const Pair* const end_b = tile + runs.b + runs.count_b;
    Pair head_a = *a;
    Pair head_b = *b;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
        const bool take_a = b >= end_b || (a < end_a && !(head_b < head_a));
        merged[i].value = take_a ? head_a.value : head_b.value;
        merged[i].key = take_a ? head_a.key : head_b.key;
        if (i + 1 == kPairs) break;
        // No branch: the lanes of a warp disagree, and would go both ways one after the other.
        const Pair* const next = (take_a ? a : b) + 1;
        const Pair head = *next;
        a = take_a ? next : a;
        b = take_a ? b : next;
        head_a.value = take_a ? head.value : head_a.value;
        head_a.key = take_a ? head.key : head_a.key;
        head_b.value = take_a ? head_b.value : head.value;
        head_b.key = take_a ? head_b.key : head.key;
    }
}

/// Sorts tiles of pairs. A thread sorts its own by a network; then runs of 1, 2, 4, ... threads are
/// merged. Where there is only one tile it is unpacked.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_pairs_kernel(std::uint32_t* keys, std::uint32_t* values, unsigned n, KeyType type,
                      Pair* pairs) {
    Pair* const tile = shared_tile<Pair>();
    std::uint32_t* const tile_values = reinterpret_cast<std::uint32_t*>(tile);
    int* const tile_keys = reinterpret_cast<int*>(tile_values + S::kTile);
    const unsigned begin = blockIdx.x * S::kTile;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned mine = threadIdx.x * S::kKeys;
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        const unsigned at = out + i * kWarpSize + lane;
        const bool there = begin + at < n;
        tile_keys[at] = there ? ordered_int_of_bits(keys[begin + at], type) : kLast<int>;
        tile_values[at] = there ? values[begin + at] : 0;
    }
    __syncwarp();  // loaded by other lanes than will sort
    KeyIndex key[S::kKeys];
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) key[i] = make_sort_key<KeyIndex>(tile_keys[mine + i], i);
    sort_registers(key);
    Pair pair[S::kKeys];
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        pair[i].key = ordered_int_in(key[i]);
        pair[i].value = tile_values[mine + static_cast<std::uint32_t>(key[i])];
    }
    if (threadIdx.x == 0) tile[S::kTile] = {};  // read, and never taken
    __syncthreads();  // all keys and values have been read before pairs overwrite them
#pragma unroll 1
    for (unsigned run = S::kKeys; run < S::kTile; run *= 2) {
#pragma unroll
        for (int i = 0; i < S::kKeys; ++i) tile[mine + i] = pair[i];
        __syncthreads();  // the runs are written before others read them
        const unsigned first = mine / (2 * run) * (2 * run);
        merge_share(pair, tile, {first, run, first + run, run}, mine - first);
        __syncthreads();  // all have read before the tile is written
    }
    to_striped_pairs<S>(pair, tile);
    if (gridDim.x == 1) {
        store_apart(pair, begin + out + lane, n, type, keys, values);
    } else {
        store_window(pair, pairs, begin + out + lane, n);
    }
}

// merge_best, for pairs: a block merges four runs at a time, in two rounds in shared memory; each
// thread merges its share serially, without a branch.
// Removes: the comparisons of 64 bits; the random reads of the values at the end.
// Remains: lanes that read their pairs from the same bank by chance.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    merge_pairs_kernel(const Pair* from, Pair* to, Groups groups, const unsigned* cuts,
                       bool last_sweep, KeyType type, std::uint32_t* keys, std::uint32_t* values) {
    Pair* const tile = shared_tile<Pair>();
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const Pieces pieces(groups, cuts, blockIdx.x);
    Pair key[S::kKeys];
    load_pieces<S>(key, from, pieces.start, pieces.shift, out);
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) tile[out + i * kWarp + lane] = key[i];
    __syncthreads();  // loaded by other threads than will merge

    // The first round: runs 0 and 1 by the block's first threads, runs 2 and 3 by the next ones.
    const unsigned(&start)[kWays + 1] = pieces.start;
    const unsigned total = start[kWays];
    const unsigned mine = threadIdx.x * S::kKeys;
    const unsigned begin_upper = (start[2] + S::kKeys - 1) / S::kKeys * S::kKeys;
    const bool upper = mine >= begin_upper;
    const Runs lower_runs = {0, start[1], start[1], start[2] - start[1]};
    const Runs upper_runs = {start[2], start[3] - start[2], start[3], total - start[3]};
    merge_share(key, tile, upper ? upper_runs : lower_runs, upper ? mine - begin_upper : mine);
    __syncthreads();  // all have read before the tile is written
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) tile[mine + i] = key[i];
    __syncthreads();  // the two runs are written before others read them

    // The second round.
    merge_share(key, tile, {0, start[2], begin_upper, total - start[2]}, mine);
    __syncthreads();  // all have read before the tile is written
    to_striped_pairs<S>(key, tile);
    const unsigned first = pieces.before + out + lane;
    const unsigned end = pieces.before + total;
    if (last_sweep) {
        store_apart(key, first, end, type, keys, values);
    } else {
        store_window(key, to, first, end);
    }
}

/// Tiles of SortShape sorted, then merged four at a time by blocks of MergeShape, but for the last
/// sweep.
template <class SortShape, class MergeShape>
[[nodiscard]] LastSweep<Pair> merge_four_at_a_time(SortParams<KeyIndex> params) {
    if (params.n == 0) return {};
    const unsigned n = static_cast<unsigned>(params.n);
    Pair* const from = reinterpret_cast<Pair*>(params.packed);
    Pair* const to = reinterpret_cast<Pair*>(params.spare);
    allow_shared(sort_pairs_kernel<SortShape>, SortShape::kBytes);
    sort_pairs_kernel<SortShape>
        <<<divide_up(n, SortShape::kTile), SortShape::kThreads, SortShape::kBytes>>>(
            params.keys, params.values, n, params.type, from);
    CUDA_CHECK_LAUNCH();
    if (n <= SortShape::kTile) return {};
    unsigned* const cuts = static_cast<unsigned*>(params.scratch);
    allow_shared(merge_pairs_kernel<MergeShape>, MergeShape::kBytes);
    const auto merge = [params](const Pair* runs, Pair* merged, const Groups& groups,
                                const unsigned* cuts, unsigned tiles, bool is_last, bool) {
        merge_pairs_kernel<MergeShape><<<tiles, MergeShape::kThreads, MergeShape::kBytes>>>(
            runs, merged, groups, cuts, is_last, params.type, params.keys, params.values);
    };
    return merge_up_to_last_sweep(from, to, n, SortShape::kTile, MergeShape::kShare, cuts, merge);
}

}  // namespace sorting
