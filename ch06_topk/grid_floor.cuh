// A floor that the whole grid agrees on, from the best of every group of warps.
//
// If k groups have each seen a different item as good as f or better, then the result holds nothing
// worse than f. So the k-th largest of the groups' bests is a floor; and where the groups are many
// more than k, it is not far below the k-th largest of all that they have seen.
#pragma once

#include "stream.cuh"

namespace topk {

/// So many groups tell a floor that few items reach: half as many again as k. Distinct: twice as
/// many, since two groups may have the same value as their best.
template <class Set>
constexpr unsigned groups_wanted(unsigned k) {
    return Set::kOnce ? 2 * k : k + k / 2;
}

/// How the threads of a grid are divided into groups of neighbours.
struct Groups {
    unsigned threads;  ///< of a group
    unsigned count;    ///< of the grid
};

/// Groups of warps, if they suffice; else parts of a warp, down to single threads. `full`: the
/// blocks with a full share of the keys, which are all blocks, or all but one.
template <class Set>
constexpr Groups groups_of(unsigned k, unsigned blocks, unsigned full) {
    unsigned threads = kThreads / Set::kGroups;
    while (threads > 1 && full * (kThreads / threads) < groups_wanted<Set>(k)) {
        threads = threads > 32 ? 16 : threads / 2;
    }
    return {threads, blocks * (kThreads / threads)};
}

/// Notes this warp's best, the same in all its lanes.
template <class Set>
__device__ void note_best(const Set& set, Composite best) {
    if (threadIdx.x % 32 == 0) set.state->warp_best[threadIdx.x / 32] = best;
}

/// Publishes the bests of this block's groups of warps for the whole grid. `warp_best` is complete
/// for each warp's first lane. All threads together.
template <class Set>
__device__ void publish(const Set& set, Composite* bests) {
    __syncthreads();  // the warps' bests are complete
    if (threadIdx.x < Set::kGroups) {
        const Composite* const warps = set.state->warp_best + threadIdx.x * Set::kWarpsAGroup;
        Composite best = 0;
        for (unsigned i = 0; i < Set::kWarpsAGroup; ++i) best = max(best, warps[i]);
        bests[blockIdx.x * Set::kGroups + threadIdx.x] = best;
    }
    __syncthreads();  // the warps' bests have been read
}

/// The same where each thread has a best of its own, `mine`, and groups may be parts of warps.
template <class Set>
__device__ void publish_best(const Set& set, Composite mine, Composite* bests,
                             const Groups& groups) {
    if (groups.threads >= 32) {
        note_best(set, warp_largest(mine));
        return publish(set, bests);
    }
    for (unsigned distance = 1; distance < groups.threads; distance *= 2) {
        mine = max(mine, __shfl_xor_sync(kFullMask, mine, distance));
    }
    const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
    if (thread % groups.threads == 0) bests[thread / groups.threads] = mine;
}

/// Distinct: a hash table of ranks, in the memory of what is known, which is not needed then.
template <class Set>
__device__ unsigned* excluded(const Set& set) {
    return set.known_ranks();
}
template <class Set>
constexpr unsigned kPlaces = 2 * Set::kKnown;

/// Distinct: no rank is excluded. A barrier must follow.
template <class Set>
__device__ void exclude_nothing(const Set& set) {
    for (unsigned i = threadIdx.x; i < kPlaces<Set>; i += kThreads) excluded(set)[i] = ~0u;
}

/// Distinct, any thread: is this rank excluded?
template <class Set>
__device__ bool is_excluded(const Set& set, unsigned rank) {
    for (unsigned i = Set::template hash<kPlaces<Set>>(rank);; i = (i + 1) % kPlaces<Set>) {
        if (excluded(set)[i] == rank) return true;
        if (excluded(set)[i] == ~0u) return false;
    }
}

/// Distinct, any thread: excludes a rank; false if it was already, or is ~0, which means "empty".
template <class Set>
__device__ bool exclude(const Set& set, unsigned rank) {
    if (rank == ~0u) return false;
    for (unsigned i = Set::template hash<kPlaces<Set>>(rank);; i = (i + 1) % kPlaces<Set>) {
        const unsigned there = atomicCAS(&excluded(set)[i], ~0u, rank);
        if (there == ~0u) return true;
        if (there == rank) return false;
    }
}

/// Distinct: excludes the ranks of the entries in [least, limit), and forgets an entry whose rank
/// was excluded already. All threads together.
template <class Set, int kBests>
__device__ void exclude_from(const Set& set, Composite (&entries)[kBests], Composite least,
                             Composite limit) {
#pragma unroll
    for (int i = 0; i < kBests; ++i) {
        const bool mine = entries[i] != 0 && entries[i] >= least && entries[i] < limit;
        const unsigned some = __ballot_sync(kFullMask, mine);
        if (some == 0) continue;
        // Where all groups have the same best, the lanes of a warp would wait for each other.
        const unsigned rank = rank_of(entries[i]);
        const int leader = __ffs(static_cast<int>(some)) - 1;
        const bool first = rank != __shfl_sync(kFullMask, rank, leader) ||
                           static_cast<int>(threadIdx.x % 32) == leader;
        if (mine && !(first && exclude(set, rank))) entries[i] = 0;
    }
}

/// The k-th largest of the published bests of the grid's groups; 0 if there are not k of them.
/// Distinct: the k-th largest of different values that were not excluded; all of them are from now
/// on, and `*found` is how many there were. All threads together.
template <bool kDistinct, int kEach>
__device__ Composite grid_floor(const CandidateSet<kDistinct, kEach>& set, const Composite* bests,
                                unsigned groups, unsigned* found = nullptr) {
    // For few k each thread takes the best of several groups: that is still many more than k.
    constexpr int kLoads = kEach == kFewEach ? 3 : 8;
    constexpr int kBests = kEach == kFewEach ? 1 : 8;
    Composite loaded[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
        const unsigned group = i * kThreads + threadIdx.x;
        loaded[i] = group < groups ? __ldcg(&bests[group]) : 0;
    }
    Composite entries[kBests] = {};
#pragma unroll
    for (int i = 0; i < kLoads; ++i) entries[i % kBests] = max(entries[i % kBests], loaded[i]);
    for (unsigned group = kLoads * kThreads + threadIdx.x; group < groups; group += kThreads) {
        entries[0] = max(entries[0], __ldcg(&bests[group]));
    }
    // It need not be exact: some more candidates cost less than some more rounds.
    Composite floor = kth_largest(entries, set.k, set.k / 4, set.state, kDistinct);
    if constexpr (kDistinct) {
        // Nearly always those that reach it are different, and the others need no look.
        exclude_from(set, entries, floor, ~Composite{0});
        unsigned count = count_all(entries, floor, set.state);
        if (floor == 0 || count < set.k) {
            exclude_from(set, entries, 1, floor);
            count = count_all(entries, 1, set.state);
            floor = kth_largest(entries, set.k, set.k / 4, set.state);
        }
        if (found != nullptr) *found = count;
    }
    return floor;
}

/// The block streams with this floor; `few`: see BlockState. All threads together.
template <class Set>
__device__ void start_from(const Set& set, Composite floor, bool few = false) {
    if (threadIdx.x == 0) {
        set.state->floor = floor;
        set.state->few = few;
    }
    if (threadIdx.x < kWarps) set.state->warp_best[threadIdx.x] = 0;
    set.forget_known();
    __syncthreads();  // all threads know the floor, and nothing else
}

/// The block's floor is at least this one. All threads together.
template <class Set>
__device__ void raise_floor(const Set& set, Composite floor) {
    if (threadIdx.x == 0) set.state->floor = max(set.state->floor, floor);
    __syncthreads();  // all threads know the floor
}

/// A bijection of 64-bit words that scatters neighbours (the finaliser of splitmix64).
__device__ inline unsigned long long scatter(unsigned long long z) {
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/// Vectors that a thread samples: more for more k.
template <int kEach>
constexpr int kSampleVectors = kEach == kFewEach ? 2 : 4;

/// Vectors that each thread takes as a sample of all the data: from each of many stretches a warp
/// takes 32, side by side, at a scattered place. Neither sorted data nor data with a period fool
/// that; and it touches few pages of memory.
template <class Key, int kVectorsEach>
struct Sample {
    using Vector = typename VectorOf<Key>::Type;
    Vector vectors[kVectorsEach];
    unsigned indices[kVectorsEach];  ///< of each vector's first key

    /// Needs n >= 4 * kVectorsEach * (threads of the grid).
    __device__ __forceinline__ void load(const Job<Key>& job) {
        const unsigned warps = gridDim.x * kWarps;
        const unsigned warp = blockIdx.x * kWarps + threadIdx.x / 32;
        const unsigned stretch = job.n / (4 * 32) / (warps * kVectorsEach);  // of 32 vectors
#pragma unroll
        for (int i = 0; i < kVectorsEach; ++i) {
            const unsigned number = i * warps + warp;
            const auto within = static_cast<unsigned>((scatter(number) >> 32) * stretch >> 32);
            const unsigned at = (number * stretch + within) * 32 + threadIdx.x % 32;
            vectors[i] = reinterpret_cast<const Vector*>(job.keys)[at];
            indices[i] = at * 4;
        }
    }

    /// The best of the thread's keys, without those of which skip(rank) is true.
    template <class Skip>
    __device__ __forceinline__ Composite best(unsigned flip, const Skip& skip) const {
        Composite best = 0;
        const auto consider = [&](Key key, unsigned index) {
            const Composite mine = composite_of(key, index, flip);
            if (mine > best && !skip(rank_of(mine))) best = mine;
        };
#pragma unroll
        for (int i = 0; i < kVectorsEach; ++i) {
            consider(vectors[i].x, indices[i]);
            consider(vectors[i].y, indices[i] + 1);
            consider(vectors[i].z, indices[i] + 2);
            consider(vectors[i].w, indices[i] + 3);
        }
        return best;
    }
};

}  // namespace topk
