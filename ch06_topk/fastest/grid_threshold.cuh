// A threshold that the whole grid agrees on, from the best of every group of warps.
//
// From the ladder: the threshold that all blocks share. Adds: a threshold that is known before any
// candidate is. If k groups have each seen a different item as good as t or better, the result
// holds nothing worse than t. So the k-th largest of the groups' bests is a threshold; and where
// the groups are many more than k, it is not far below the k-th largest of all that they have seen.
#pragma once

#include "stream.cuh"

namespace topk {

/// With this many groups the threshold is one that few items reach: half as many again as k.
/// Distinct: twice as many, since two groups may have the same value as their best.
template <class Set>
constexpr unsigned groups_wanted(unsigned k) {
    return Set::kIsDistinct ? 2 * k : k + k / 2;
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
__device__ void note_best(const Set& set, KeyIndex best) {
    if (threadIdx.x % 32 == 0) set.state->warp_best[threadIdx.x / 32] = best;
}

/// Publishes the bests of this block's groups of warps for the whole grid. `warp_best` is complete
/// for each warp's first lane. Must be called by all threads of the block.
template <class Set>
__device__ void publish(const Set& set, KeyIndex* bests) {
    __syncthreads();  // the warps' bests are complete
    if (threadIdx.x < Set::kGroups) {
        const KeyIndex* const warps = set.state->warp_best + threadIdx.x * Set::kWarpsPerGroup;
        KeyIndex best = 0;
        for (unsigned i = 0; i < Set::kWarpsPerGroup; ++i) best = max(best, warps[i]);
        bests[blockIdx.x * Set::kGroups + threadIdx.x] = best;
    }
    __syncthreads();  // the warps' bests have been read
}

/// The same where each thread has a best of its own, `mine`, and groups may be parts of warps.
template <class Set>
__device__ void publish_best(const Set& set, KeyIndex mine, KeyIndex* bests, const Groups& groups) {
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

/// Distinct: a hash table of radix keys, in the memory of the seen values, which is not needed
/// then.
template <class Set>
__device__ unsigned* excluded(const Set& set) {
    return set.seen_radix_keys();
}
template <class Set>
constexpr unsigned kTableSlots = 2 * Set::kSeenSlots;

/// Distinct: no radix key is excluded. A barrier must follow.
template <class Set>
__device__ void exclude_nothing(const Set& set) {
    for (unsigned i = threadIdx.x; i < kTableSlots<Set>; i += kThreads) excluded(set)[i] = ~0u;
}

/// Distinct, any thread: is this radix key excluded?
template <class Set>
__device__ bool is_excluded(const Set& set, unsigned radix_key) {
    for (unsigned i = Set::template hash<kTableSlots<Set>>(radix_key);;
         i = (i + 1) % kTableSlots<Set>) {
        if (excluded(set)[i] == radix_key) return true;
        if (excluded(set)[i] == ~0u) return false;
    }
}

/// Distinct, any thread: excludes a radix key; false if it was already, or is ~0, which means
/// "empty".
template <class Set>
__device__ bool exclude(const Set& set, unsigned radix_key) {
    if (radix_key == ~0u) return false;
    for (unsigned i = Set::template hash<kTableSlots<Set>>(radix_key);;
         i = (i + 1) % kTableSlots<Set>) {
        const unsigned there = atomicCAS(&excluded(set)[i], ~0u, radix_key);
        if (there == ~0u) return true;
        if (there == radix_key) return false;
    }
}

/// Distinct: excludes the radix keys of the entries in [low, limit), and forgets an entry whose
/// radix key was excluded already. Must be called by all threads of the block.
template <class Set, int kBests>
__device__ void exclude_from(const Set& set, KeyIndex (&entries)[kBests], KeyIndex low,
                             KeyIndex limit) {
#pragma unroll
    for (int i = 0; i < kBests; ++i) {
        const bool mine = entries[i] != 0 && entries[i] >= low && entries[i] < limit;
        const unsigned some = __ballot_sync(kFullMask, mine);
        if (some == 0) continue;
        // Where all groups have the same best, the lanes of a warp would wait for each other.
        const unsigned radix_key = radix_key_of(entries[i]);
        const int leader = __ffs(static_cast<int>(some)) - 1;
        const bool first = radix_key != __shfl_sync(kFullMask, radix_key, leader) ||
                           static_cast<int>(threadIdx.x % 32) == leader;
        if (mine && !(first && exclude(set, radix_key))) entries[i] = 0;
    }
}

/// The k-th largest of the published bests of the grid's groups; 0 if there are not k of them.
/// Distinct: the k-th largest of different values that were not excluded; all of them are from now
/// on, and `*found` is how many there were. Must be called by all threads of the block.
template <bool kDistinct, int kSlotsPerThread>
__device__ KeyIndex grid_threshold(const CandidateSet<kDistinct, kSlotsPerThread>& set,
                                   const KeyIndex* bests, unsigned groups,
                                   unsigned* found = nullptr) {
    // For few k each thread takes the best of several groups: that is still many more than k.
    constexpr int kLoads = kSlotsPerThread == kSlotsForSmallK ? 3 : 8;
    constexpr int kBests = kSlotsPerThread == kSlotsForSmallK ? 1 : 8;
    KeyIndex loaded[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
        const unsigned group = i * kThreads + threadIdx.x;
        loaded[i] = group < groups ? __ldcg(&bests[group]) : 0;
    }
    KeyIndex entries[kBests] = {};
#pragma unroll
    for (int i = 0; i < kLoads; ++i) entries[i % kBests] = max(entries[i % kBests], loaded[i]);
    for (unsigned group = kLoads * kThreads + threadIdx.x; group < groups; group += kThreads) {
        entries[0] = max(entries[0], __ldcg(&bests[group]));
    }
    // It need not be exact: some more candidates cost less than some more rounds.
    KeyIndex threshold = kth_largest(entries, set.k, set.k / 4, set.state, kDistinct);
    if constexpr (kDistinct) {
        // Nearly always those that reach it are different, and the others need not be looked at.
        exclude_from(set, entries, threshold, ~KeyIndex{0});
        unsigned count = count_all(entries, threshold, set.state);
        if (threshold == 0 || count < set.k) {
            exclude_from(set, entries, 1, threshold);
            count = count_all(entries, 1, set.state);
            threshold = kth_largest(entries, set.k, set.k / 4, set.state);
        }
        if (found != nullptr) *found = count;
    }
    return threshold;
}

/// The block streams with this threshold; `few_values`: see BlockState. Must be called by all
/// threads of the block.
template <class Set>
__device__ void start_from(const Set& set, KeyIndex threshold, bool few_values = false) {
    if (threadIdx.x == 0) {
        set.state->threshold = threshold;
        set.state->few_values = few_values;
    }
    if (threadIdx.x < kWarps) set.state->warp_best[threadIdx.x] = 0;
    set.clear_seen();
    __syncthreads();  // all threads know the threshold, and nothing else
}

/// The block's threshold is at least this one. Must be called by all threads of the block.
template <class Set>
__device__ void raise_threshold(const Set& set, KeyIndex threshold) {
    if (threadIdx.x == 0) set.state->threshold = max(set.state->threshold, threshold);
    __syncthreads();  // all threads know the threshold
}

/// A bijection of 64-bit words that scatters neighbours (the finaliser of splitmix64).
__device__ inline unsigned long long scatter(unsigned long long z) {
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/// Vectors that a thread samples: more for more k.
template <int kSlotsPerThread>
constexpr int kSampleVectors = kSlotsPerThread == kSlotsForSmallK ? 2 : 4;

/// Vectors that each thread takes as a sample of all the data: from each of many stretches a warp
/// takes 32, side by side, at a scattered place. Neither sorted data nor data with a period fool
/// that; and it touches few pages of memory.
template <class Key, int kVectorsPerThread>
struct Sample {
    using Vector = typename VectorOf<Key>::Type;
    Vector vectors[kVectorsPerThread];
    unsigned indices[kVectorsPerThread];  ///< of each vector's first key

    /// Needs n >= 4 * kVectorsPerThread * (threads of the grid).
    __device__ __forceinline__ void load(const TopKParams<Key>& params) {
        const unsigned warps = gridDim.x * kWarps;
        const unsigned warp = blockIdx.x * kWarps + threadIdx.x / 32;
        const unsigned stretch =
            params.n / (4 * 32) / (warps * kVectorsPerThread);  // of 32 vectors
#pragma unroll
        for (int i = 0; i < kVectorsPerThread; ++i) {
            const unsigned number = i * warps + warp;
            const auto within = static_cast<unsigned>((scatter(number) >> 32) * stretch >> 32);
            const unsigned at = (number * stretch + within) * 32 + threadIdx.x % 32;
            vectors[i] = reinterpret_cast<const Vector*>(params.keys)[at];
            indices[i] = at * 4;
        }
    }

    /// The best of the thread's keys, without those of which skip(radix key) is true.
    template <class Skip>
    __device__ __forceinline__ KeyIndex best(unsigned order_mask, const Skip& skip) const {
        KeyIndex best = 0;
        const auto consider = [&](Key key, unsigned index) {
            const KeyIndex mine = key_index_of(key, index, order_mask);
            if (mine > best && !skip(radix_key_of(mine))) best = mine;
        };
#pragma unroll
        for (int i = 0; i < kVectorsPerThread; ++i) {
            consider(vectors[i].x, indices[i]);
            consider(vectors[i].y, indices[i] + 1);
            consider(vectors[i].z, indices[i] + 2);
            consider(vectors[i].w, indices[i] + 3);
        }
        return best;
    }
};

}  // namespace topk
