// A floor that the whole grid agrees on, from the best of every warp.
//
// If k warps have each seen a different item as good as f or better, then the result holds nothing
// worse than f. So the k-th largest of the warps' bests is a floor; and where the warps are many
// more than k, it is not far below the k-th largest of all that they have seen.
#pragma once

#include "stream.cuh"

namespace topk {

/// Publishes `mine`, the best of this warp (the same in all its lanes), for the whole grid.
__device__ inline void publish(Composite* bests, Composite mine) {
    if (threadIdx.x % 32 == 0) bests[blockIdx.x * kWarps + threadIdx.x / 32] = mine;
}

/// Distinct: no rank is excluded. A barrier must follow.
template <class Set>
__device__ void exclude_nothing(const Set& set) {
    for (unsigned i = threadIdx.x; i < Set::kKnown; i += kThreads) set.excluded()[i] = ~0u;
}

/// Distinct, any thread: is this rank excluded?
template <class Set>
__device__ bool is_excluded(const Set& set, unsigned rank) {
    for (unsigned i = Set::template hash<Set::kKnown>(rank);; i = (i + 1) % Set::kKnown) {
        if (set.excluded()[i] == rank) return true;
        if (set.excluded()[i] == ~0u) return false;
    }
}

/// Distinct, any thread: excludes a rank; false if it was already, or is ~0, which means "empty".
template <class Set>
__device__ bool exclude(const Set& set, unsigned rank) {
    if (rank == ~0u) return false;
    for (unsigned i = Set::template hash<Set::kKnown>(rank);; i = (i + 1) % Set::kKnown) {
        const unsigned there = atomicCAS(&set.excluded()[i], ~0u, rank);
        if (there == ~0u) return true;
        if (there == rank) return false;
    }
}

/// The k-th largest of the published bests, of which there are `warps`; 0 if there are not k of
/// them. Distinct: the k-th largest of different values, all of which are excluded from now on;
/// `found` is false if there was none. All threads together.
template <bool kDistinct, int kEach>
__device__ Composite grid_floor(const CandidateSet<kDistinct, kEach>& set, const Composite* bests,
                                unsigned warps, bool& found) {
    // For few k, one group of warps a thread: fewer groups than warps, but still many more than k.
    constexpr int kGroups = kEach <= 2 ? 1 : 8;
    Composite entries[kGroups];
    bool any = false;
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
        entries[i] = 0;
        for (unsigned warp = i * kThreads + threadIdx.x; warp < warps; warp += kGroups * kThreads) {
            entries[i] = max(entries[i], __ldcg(&bests[warp]));
        }
        if constexpr (kDistinct) {
            if (entries[i] == 0) continue;
            if (exclude(set, rank_of(entries[i]))) {
                any = true;
            } else {
                entries[i] = 0;
            }
        }
    }
    found = true;
    if constexpr (kDistinct) found = __syncthreads_or(any);
    return kth_largest(entries, set.k, set.state->reaching);
}

/// A bijection of 64-bit words that scatters neighbours (the finaliser of splitmix64).
__device__ inline unsigned long long scatter(unsigned long long z) {
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/// Vectors that each thread takes as a sample of all the data, one from each of equally many
/// stretches, at a scattered place there: neither sorted data nor data with a period fool it.
template <class Key, int kVectorsEach>
struct Sample {
    using Vector = typename VectorOf<Key>::Type;
    Vector vectors[kVectorsEach];
    unsigned indices[kVectorsEach];  ///< of each vector's first key

    /// Needs n >= 4 * kVectorsEach * (threads of the grid).
    __device__ __forceinline__ void load(const Job<Key>& job) {
        const unsigned warps = gridDim.x * kWarps;
        const unsigned warp = blockIdx.x * kWarps + threadIdx.x / 32;
        const unsigned stretch = job.n / 4 / (warps * 32 * kVectorsEach);
#pragma unroll
        for (int i = 0; i < kVectorsEach; ++i) {
            // A warp's stretches are spread over all the data.
            const unsigned number = (i * 32 + threadIdx.x % 32) * warps + warp;
            const auto within = static_cast<unsigned>((scatter(number) >> 32) * stretch >> 32);
            const unsigned at = number * stretch + within;
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
