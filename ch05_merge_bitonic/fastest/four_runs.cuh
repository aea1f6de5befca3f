// Sweeps that merge four runs at a time, each by several blocks. From the ladder: equal shares,
// whose cuts merge_path finds between two runs. New: cuts of four runs, which are exact; and all
// sweeps but the last, whose parts may be merged one by one.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "../../common/harness/cuda_check.hpp"
#include "windows.cuh"

namespace sorting {

// ---- Many keys: where four runs are cut ------------------------------------------------------

// Four runs are merged at a time, by several blocks: where each block's four pieces begin, and how
// the block loads them.

constexpr unsigned kWays = 4;

/// What merges of four runs have in common. A group of runs is merged by several tiles.
struct Groups {
    unsigned n, run;           ///< keys in all; in a run
    unsigned share;            ///< keys that a block merges
    unsigned tiles_per_group;  ///< = divide_up(kWays * run, share)

    __host__ __device__ unsigned begin_of(unsigned group) const { return group * kWays * run; }
    /// Keys in run `way` of the group.
    __host__ __device__ unsigned length(unsigned group, unsigned way) const {
        const unsigned begin = begin_of(group) + way * run;
        return begin < n ? min(run, n - begin) : 0;
    }
};

constexpr unsigned kProbes = 4;                  ///< keys that are looked at in each run at a time
constexpr unsigned kCutLanes = kWays * kProbes;  ///< that work on a cut

/// Where each of the group's runs is cut so that `rank` keys lie before the cuts, and none of them
/// comes after any of the rest; keys that are equal count in the order of the runs. Half a warp
/// works it out, and the other half another cut; the lanes of `way` return that run's cut, the
/// first four of the half the first's.
///
/// It advances by blocks of 2^k keys, then 2^(k-1), ... 1: among the next blocks of all runs the
/// one with the least last key is surely part of the first `rank` as long as `rank` leaves room
/// for it and for what may precede that key in the other three blocks.
template <class SortKey>
__device__ unsigned cut_runs(const SortKey* from, Groups groups, unsigned group, unsigned rank) {
    constexpr unsigned kOneWay = (1u << kProbes) - 1;
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned first_lane = lane / kCutLanes * kCutLanes;  // of those that work on this cut
    const unsigned way = lane % kCutLanes / kProbes;
    const unsigned length = groups.length(group, way);
    const SortKey* run = from + groups.begin_of(group) + way * groups.run;
    unsigned cut = 0;
    unsigned left = rank;
    for (int level = 31 - __clz(static_cast<int>(groups.run)); level >= 0; --level) {
        const unsigned block = 1u << level;
        const unsigned slack = kWays * (block - 1);
        // Blocks to be taken, at most kProbes. None: the lanes of the other cut may have some.
        const unsigned take = left > slack ? ((left - slack - 1) >> level) + 1 : 0;
        const unsigned at = cut + (lane % kProbes + 1) * block - 1;
        const bool there = at < length;
        const int mine = there ? compared_key(run[at]) : kLast<int>;
        const unsigned all_there = __ballot_sync(kFullMask, there) >> first_lane;
        unsigned before = lane % kProbes;  // blocks whose last key precedes mine
#pragma unroll
        for (unsigned i = 1; i < kWays; ++i) {
            const unsigned other = way ^ i;
            const unsigned candidates = __popc(all_there >> (other * kProbes) & kOneWay);
            unsigned rank = 0;  // of mine among them, by a binary search over their lanes
#pragma unroll
            for (unsigned step = kProbes; step > 0; step /= 2) {
                const unsigned middle = rank + step - 1;
                const unsigned source = first_lane + (other * kProbes + middle) % kCutLanes;
                const int key = __shfl_sync(kFullMask, mine, source);
                const bool precedes = key < mine || (key == mine && other < way);
                if (middle < candidates && precedes) rank += step;
            }
            before += rank;
        }
        const unsigned votes = __ballot_sync(kFullMask, there && before < take) >> first_lane;
        cut += block * __popc(votes >> (way * kProbes) & kOneWay);
        left -= block * __popc(votes & ((1u << kCutLanes) - 1));
    }
    return cut;
}

/// Half a warp per cut: cuts[group * (tiles_per_group + 1) + tile] is where that tile begins in the
/// runs; `count` of them in all.
template <class SortKey>
__global__ void merge_best_cuts_kernel(const SortKey* from, Groups groups, unsigned count,
                                       unsigned* cuts) {
    const unsigned mine = (blockIdx.x * blockDim.x + threadIdx.x) / kCutLanes;
    const unsigned index = min(mine, count - 1);  // all lanes of a warp take part
    const unsigned group = index / (groups.tiles_per_group + 1);
    const unsigned tile = index % (groups.tiles_per_group + 1);
    const unsigned group_keys = min(groups.n - groups.begin_of(group), kWays * groups.run);
    const unsigned cut = cut_runs(from, groups, group, min(tile * groups.share, group_keys));
    const unsigned lane = threadIdx.x % kCutLanes;
    if (mine < count && lane % kProbes == 0) cuts[index * kWays + lane / kProbes] = cut;
}

/// A tile's four pieces, one after the other: key `at` of the tile is from[at + shift[its way]].
struct Pieces {
    unsigned start[kWays + 1], shift[kWays];
    unsigned before;  ///< keys of the result before the tile's

    __device__ Pieces(Groups groups, const unsigned* cuts, unsigned tile) {
        const unsigned group = tile / groups.tiles_per_group;
        const unsigned* const first_cut = cuts + (tile + group) * kWays;
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
__device__ void load_pieces(typename S::SortKey (&key)[S::kKeys], const typename S::SortKey* from,
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
        const typename S::SortKey* const mine = from + at;
#pragma unroll
        for (int i = 0; i < S::kKeys; ++i) key[i] = mine[i * kWarp];
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        at = first + i * kWarpSize;
        unsigned by = shift[0];
#pragma unroll
        for (unsigned way = 1; way < kWays; ++way) by = at >= start[way] ? shift[way] : by;
        if (at < start[kWays]) key[i] = from[at + by];
    }
}

// ---- Many keys: all sweeps -------------------------------------------------------------------

/// How many sweeps merge runs of `run` keys, four at a time, into one.
inline int sweeps_above(std::size_t n, std::size_t run) {
    int sweeps = 0;
    for (; run < n; run *= kWays) ++sweeps;
    return sweeps;
}

/// What is left to do of a sort: at most four sorted runs, and how to merge them. `left` is false
/// where nothing is.
template <class SortKey>
struct LastSweep {
    const SortKey* from = nullptr;
    Groups groups = {};  ///< one group
    /// Merges tiles [first, end): keys [first * groups.share, end * groups.share) of the result,
    /// as far as there are so many. In any order, each once. `beside_others`: other kernels may
    /// hold some of the multiprocessors.
    std::function<void(unsigned first, unsigned end, bool beside_others)> merge;

    bool left() const { return merge != nullptr; }
    unsigned tiles() const { return divide_up(groups.n, groups.share); }
    void merge_all() const {
        if (left()) merge(0, tiles(), false);
    }
};

/// What the keys of a sweep are: a pair is its key and its value, not a KeyIndex.
template <class SortKey>
using InSweeps = std::conditional_t<kHasValue<SortKey>, Pair, int>;

/// Merges n keys in sorted runs of `run` < n, four at a time, until one sweep is left, whose cuts
/// have been found; a tile is `share` keys of the result. merge(from, to, groups, cuts, tiles,
/// is_last, beside_others) does a sweep, or a part of the last one; from and to swap roles between
/// the sweeps.
template <class SortKey, class Merge>
LastSweep<SortKey> merge_up_to_last_sweep(SortKey* from, SortKey* to, unsigned n, std::size_t run,
                                          unsigned share, unsigned* cuts, const Merge& merge) {
    for (;; run *= kWays) {
        Groups groups = {n, static_cast<unsigned>(run), share,
                         divide_up(kWays * static_cast<unsigned>(run), share)};
        const unsigned whole = static_cast<unsigned>(n / (kWays * run));
        const unsigned rest = static_cast<unsigned>(n % (kWays * run));
        const unsigned tiles = whole * groups.tiles_per_group + divide_up(rest, share);
        const unsigned count =
            tiles + static_cast<unsigned>(divide_up<std::size_t>(n, kWays * run));
        merge_best_cuts_kernel<<<divide_up(count * kCutLanes, 128u), 128>>>(from, groups, count,
                                                                            cuts);
        CUDA_CHECK_LAUNCH();
        if (run * kWays >= n) {
            return {from, groups, [=](unsigned first, unsigned end, bool beside_others) {
                        merge(from, to, groups, cuts + first * kWays, end - first, true,
                              beside_others);
                        CUDA_CHECK_LAUNCH();
                    }};
        }
        merge(from, to, groups, cuts, tiles, false, false);
        CUDA_CHECK_LAUNCH();
        std::swap(from, to);
    }
}

}  // namespace sorting
