// Four runs are merged at a time, by several blocks: where each block's four pieces begin, and how
// the block loads them.
#pragma once

#include <utility>

#include "merge.cuh"
#include "tile.cuh"

namespace tutorial {

// ---- Where runs are cut ----------------------------------------------------------------------

constexpr unsigned kWays = 4;

/// What merges of four runs have in common. A group of runs is merged by several tiles.
struct Groups {
    unsigned n, run;           ///< words in all; in a run
    unsigned share;            ///< words that a block merges
    unsigned tiles_per_group;  ///< = divide_up(kWays * run, share)

    __host__ __device__ unsigned begin_of(unsigned group) const { return group * kWays * run; }
    /// Words in run `way` of the group.
    __host__ __device__ unsigned length(unsigned group, unsigned way) const {
        const unsigned begin = begin_of(group) + way * run;
        return begin < n ? min(run, n - begin) : 0;
    }
};

/// Where each of the group's runs is cut so that `rank` words lie before the cuts, and none of them
/// comes after any of the rest; words that are equal count in the order of the runs. A warp works
/// it out; the lanes of `way` return that run's cut, lanes 0..7 the first's.
///
/// It advances by blocks of 3^k words, then 3^(k-1), ... 1: among the next blocks of all runs the
/// one with the least last word is surely part of the first `rank` as long as `rank` leaves room
/// for it and for what may precede that word in the other three blocks.
template <class Word>
__device__ unsigned cut_runs(const Word* from, Groups groups, unsigned group, unsigned rank) {
    constexpr unsigned kTries = kWarpSize / kWays;
    constexpr unsigned kOneWay = (1u << kTries) - 1;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned way = lane / kTries;
    const unsigned length = groups.length(group, way);
    const Word* run = from + groups.begin_of(group) + way * groups.run;
    unsigned cut = 0;
    unsigned left = rank;
    unsigned block = 1;
    while (block <= groups.run / 3) block *= 3;
    for (; block > 0; block /= 3) {
        const unsigned slack = kWays * (block - 1);
        if (left <= slack) continue;
        const unsigned take = (left - slack - 1) / block + 1;  // blocks, at most kTries
        const unsigned at = cut + (lane % kTries + 1) * block - 1;
        const bool there = at < length;
        const KeyWord mine = there ? sort_key(run[at]) : kLast<KeyWord>;
        const unsigned all_there = __ballot_sync(kFullWarp, there);
        unsigned before = lane % kTries;  // blocks whose last word precedes mine
#pragma unroll
        for (unsigned i = 1; i < kWays; ++i) {
            const unsigned other = way ^ i;
            const unsigned candidates = __popc(all_there >> (other * kTries) & kOneWay);
            unsigned rank = 0;  // of mine among them, by a binary search over their lanes
#pragma unroll
            for (unsigned step = kTries; step > 0; step /= 2) {
                const unsigned middle = rank + step - 1;
                const unsigned source = (other * kTries + middle) % kWarpSize;
                const KeyWord word = __shfl_sync(kFullWarp, mine, source);
                const bool precedes = word < mine || (word == mine && other < way);
                if (middle < candidates && precedes) rank += step;
            }
            before += rank;
        }
        const unsigned votes = __ballot_sync(kFullWarp, there && before < take);
        cut += block * __popc(votes >> (way * kTries) & kOneWay);
        left -= block * __popc(votes);
    }
    return cut;
}

/// A warp a cut: cuts[group * (tiles_per_group + 1) + tile] is where that tile begins in the runs.
template <class Word>
__global__ void merge_best_cuts_kernel(const Word* from, Groups groups, unsigned count,
                                       unsigned* cuts) {
    const unsigned index = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize;
    if (index >= count) return;
    const unsigned group = index / (groups.tiles_per_group + 1);
    const unsigned tile = index % (groups.tiles_per_group + 1);
    const unsigned most = min(groups.n - groups.begin_of(group), kWays * groups.run);
    const unsigned cut = cut_runs(from, groups, group, min(tile * groups.share, most));
    const unsigned lane = threadIdx.x % kWarpSize;
    constexpr unsigned kTries = kWarpSize / kWays;
    if (lane % kTries == 0) cuts[index * kWays + lane / kTries] = cut;
}

/// A block's four pieces, one after the other: word `at` of the tile is from[at + shift[its way]].
struct Pieces {
    unsigned start[kWays + 1], shift[kWays];
    unsigned before;  ///< words of the result before the tile's

    __device__ Pieces(Groups groups, const unsigned* cuts) {
        const unsigned group = blockIdx.x / groups.tiles_per_group;
        const unsigned* const first_cut = cuts + (blockIdx.x + group) * kWays;
        start[0] = 0;
        before = groups.begin_of(group);
#pragma unroll
        for (unsigned way = 0; way < kWays; ++way) {
            const unsigned cut = first_cut[way];
            start[way + 1] = start[way] + first_cut[kWays + way] - cut;
            shift[way] = groups.begin_of(group) + way * groups.run + cut - start[way];
            before += cut;
        }
    }
};

/// Loads the warp's window at `out` of the pieces, one after the other as Pieces has them. Striped.
template <class S>
__device__ void load_pieces(typename S::Word (&word)[S::kKeys], const typename S::Word* from,
                            const unsigned (&start)[kWays + 1], const unsigned (&shift)[kWays],
                            unsigned out) {
    const unsigned first = out + threadIdx.x % kWarpSize;
    bool in_one = false;  // most windows lie in one piece
    unsigned at = first;
#pragma unroll
    for (unsigned way = 0; way < kWays; ++way) {
        if (out >= start[way] && out + S::kWindow <= start[way + 1]) {
            in_one = true;
            at = first + shift[way];
        }
    }
    if (in_one) {
        const typename S::Word* const mine = from + at;
#pragma unroll
        for (int i = 0; i < S::kKeys; ++i) word[i] = mine[i * kWarpSize];
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        at = first + i * kWarpSize;
        unsigned by = shift[0];
#pragma unroll
        for (unsigned way = 1; way < kWays; ++way) by = at >= start[way] ? shift[way] : by;
        if (at < start[kWays]) word[i] = from[at + by];
    }
}

// ---- All sweeps ------------------------------------------------------------------------------

/// How many sweeps merge runs of `run` words, four at a time, into one.
inline int sweeps_above(std::size_t n, std::size_t run) {
    int sweeps = 0;
    for (; run < n; run *= kWays) ++sweeps;
    return sweeps;
}

/// Merges n words in sorted runs of `run`, four at a time, until there is one run; a block merges
/// `share` words. merge(from, to, groups, blocks, is_last) does a sweep, with the cuts of its
/// blocks in `cuts`; from and to swap roles between the sweeps.
template <class Word, class Merge>
void merge_in_sweeps(Word* from, Word* to, unsigned n, std::size_t run, unsigned share,
                     unsigned* cuts, const Merge& merge) {
    for (; run < n; run *= kWays) {
        Groups groups = {n, static_cast<unsigned>(run), share, divide_up(kWays * run, share)};
        const unsigned whole = static_cast<unsigned>(n / (kWays * run));
        const unsigned rest = static_cast<unsigned>(n % (kWays * run));
        const unsigned blocks = whole * groups.tiles_per_group + divide_up(rest, share);
        const unsigned count = blocks + divide_up(n, kWays * run);
        merge_best_cuts_kernel<<<divide_up(count, 4), 4 * kWarpSize>>>(from, groups, count, cuts);
        CUDA_CHECK_LAUNCH();
        merge(from, to, groups, blocks, run * kWays >= n);
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
}

}  // namespace tutorial
