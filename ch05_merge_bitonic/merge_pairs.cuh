// The sweeps of merge_best for keys with values: a thread merges a few pairs serially, and so equal
// keys keep their order without a position in the word; the values move with their keys.
#pragma once

#include "merge.cuh"
#include "merge_groups.cuh"
#include "tile.cuh"

namespace tutorial {

/// A block of kWarpsPerBlock warps, each thread of which sorts or merges kPairsPerThread. That
/// number is odd: then the threads of a warp, each of which writes its pairs one by one, write to
/// different banks, without free words between them.
template <int kPairsPerThread, int kWarpsPerBlock>
struct PairShape : Shape<Pair, kPairsPerThread, kWarpsPerBlock> {
    static_assert(kPairsPerThread % 2 != 0, "an even number would have bank conflicts");
    using Base = Shape<Pair, kPairsPerThread, kWarpsPerBlock>;
    /// What a block merges: two runs of any length end in it, and a thread works on one of them.
    static constexpr unsigned kShare = Base::kTile - kPairsPerThread;
    /// Registers for all pairs of a thread, and those beside them.
    static constexpr unsigned kBlocks = 65536 / Base::kThreads / (2 * kPairsPerThread + 30);
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
    for (int i = 0; i < S::kKeys; ++i) pair[i] = stripe[i * kWarpSize];
}

/// Stores a striped window as keys and values: the lane's first pair to place `first`, nothing from
/// `end` on.
template <int kPairs>
__device__ void store_apart(const Pair (&pair)[kPairs], unsigned first, unsigned end, KeyType type,
                            std::uint32_t* keys, std::uint32_t* values) {
#pragma unroll
    for (unsigned i = 0; i < kPairs; ++i) {
        const unsigned at = first + i * kWarpSize;
        if (at >= end) continue;
        keys[at] = bits_of_order(pair[i].order, type);
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
        merged[i].order = take_a ? head_a.order : head_b.order;
        if (i + 1 == kPairs) break;
        // No branch: the lanes of a warp disagree, and would go both ways one after the other.
        const Pair* const next = (take_a ? a : b) + 1;
        const Pair head = *next;
        a = take_a ? next : a;
        b = take_a ? b : next;
        head_a.value = take_a ? head.value : head_a.value;
        head_a.order = take_a ? head.order : head_a.order;
        head_b.value = take_a ? head_b.value : head.value;
        head_b.order = take_a ? head_b.order : head.order;
    }
}

/// Sorts tiles of pairs. A thread sorts its own by a network; then runs of 1, 2, 4, ... threads are
/// merged. Where there is only one tile it is stored as keys and values.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_pairs_kernel(std::uint32_t* keys, std::uint32_t* values, unsigned n, KeyType type,
                      Pair* pairs) {
    Pair* const tile = shared_tile<Pair>();
    std::uint32_t* const tile_values = reinterpret_cast<std::uint32_t*>(tile);
    int* const tile_orders = reinterpret_cast<int*>(tile_values + S::kTile);
    const unsigned begin = blockIdx.x * S::kTile;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned mine = threadIdx.x * S::kKeys;
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        const unsigned at = out + i * kWarpSize + lane;
        const bool there = begin + at < n;
        tile_orders[at] = there ? order_of_bits(keys[begin + at], type) : kLast<int>;
        tile_values[at] = there ? values[begin + at] : 0;
    }
    __syncwarp();  // loaded by other lanes than will sort
    PairWord word[S::kKeys];
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) word[i] = word_of<PairWord>(tile_orders[mine + i], i);
    sort_registers(word);
    Pair pair[S::kKeys];
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) {
        pair[i].order = order_in(word[i]);
        pair[i].value = tile_values[mine + static_cast<std::uint32_t>(word[i])];
    }
    if (threadIdx.x == 0) tile[S::kTile] = {};  // read, and never taken
    __syncthreads();  // all keys and values have been read before pairs take their place
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
    const Pieces pieces(groups, cuts);
    Pair word[S::kKeys];
    load_pieces<S>(word, from, pieces.start, pieces.shift, out);
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) tile[out + i * kWarpSize + lane] = word[i];
    __syncthreads();  // loaded by other threads than will merge

    // The first round: runs 0 and 1 by the block's first threads, runs 2 and 3 by the next ones.
    const unsigned(&start)[kWays + 1] = pieces.start;
    const unsigned total = start[kWays];
    const unsigned mine = threadIdx.x * S::kKeys;
    const unsigned begin_upper = (start[2] + S::kKeys - 1) / S::kKeys * S::kKeys;
    const bool upper = mine >= begin_upper;
    const Runs lower_runs = {0, start[1], start[1], start[2] - start[1]};
    const Runs upper_runs = {start[2], start[3] - start[2], start[3], total - start[3]};
    merge_share(word, tile, upper ? upper_runs : lower_runs, upper ? mine - begin_upper : mine);
    __syncthreads();  // all have read before the tile is written
#pragma unroll
    for (int i = 0; i < S::kKeys; ++i) tile[mine + i] = word[i];
    __syncthreads();  // the two runs are written before others read them

    // The second round.
    merge_share(word, tile, {0, start[2], begin_upper, total - start[2]}, mine);
    __syncthreads();  // all have read before the tile is written
    to_striped_pairs<S>(word, tile);
    const unsigned first = pieces.before + out + lane;
    const unsigned end = pieces.before + total;
    if (last_sweep) {
        store_apart(word, first, end, type, keys, values);
    } else {
        store_window(word, to, first, end);
    }
}

/// Tiles of SortShape sorted, then merged four at a time by blocks of MergeShape.
template <class SortShape, class MergeShape>
void merge_four_at_a_time(Job<PairWord> job) {
    if (job.n == 0) return;
    const unsigned n = static_cast<unsigned>(job.n);
    Pair* const from = reinterpret_cast<Pair*>(job.words);
    Pair* const to = reinterpret_cast<Pair*>(job.spare);
    allow_shared(sort_pairs_kernel<SortShape>, SortShape::kBytes);
    sort_pairs_kernel<SortShape>
        <<<divide_up(n, SortShape::kTile), SortShape::kThreads, SortShape::kBytes>>>(
            job.keys, job.values, n, job.type, from);
    CUDA_CHECK_LAUNCH();
    unsigned* const cuts = static_cast<unsigned*>(job.scratch);
    allow_shared(merge_pairs_kernel<MergeShape>, MergeShape::kBytes);
    const auto merge = [&](const Pair* runs, Pair* merged, const Groups& groups, unsigned blocks,
                           bool is_last) {
        merge_pairs_kernel<MergeShape><<<blocks, MergeShape::kThreads, MergeShape::kBytes>>>(
            runs, merged, groups, cuts, is_last, job.type, job.keys, job.values);
    };
    merge_in_sweeps(from, to, n, SortShape::kTile, MergeShape::kShare, cuts, merge);
}

}  // namespace tutorial
