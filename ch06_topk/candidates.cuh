// A block's set of candidates in shared memory.
//
// Threads add candidates; when there are too many, the block keeps the k best of them, and the k-th
// is its new floor: what does not reach it cannot be in the result. All threads of a block call
// everything here together, unless it says "any thread". The kernels own the shared memory.
#pragma once

#include <cstdint>

#include "job.cuh"
#include "warp_reduce.cuh"

namespace topk {

constexpr unsigned kThreads = 512;  ///< of every block that has a set
constexpr unsigned kWarps = kThreads / 32;

constexpr int kFewEach = 2;   ///< slots a thread of a set for few k
constexpr int kManyEach = 8;  ///< and for up to kMaxK,
constexpr int kLeanEach = 7;  ///< or so many, where shared memory has no room for that: see is_lean

/// Distinct: of the table of known ranks.
struct alignas(8) Known {
    unsigned ahead;   ///< all that is known has lower indices; 0: nothing is known
    unsigned factor;  ///< tells a rank's place
};

/// A block's static shared memory.
struct BlockState {
    Composite floor;            ///< what does not reach it is not in the result; 0: anything may be
    Composite others_floor[2];  ///< the other blocks' floor, for this pass and for the next
    Composite warp_best[kWarps];  ///< the best candidate of each warp
    unsigned candidates;          ///< in the set
    unsigned reaching[3];         ///< of kth_largest
    unsigned most[kWarps];        ///< of kth_largest: each warp's largest rank
    unsigned least[kWarps];       ///< and its least one, as complement
    unsigned ticket[2];           ///< of stream: the chunk after the next, in turns as others_floor
    Known known;                  ///< distinct
    bool few;                     ///< distinct: the sample has fewer different values than k
    unsigned place;               ///< of append_to_list: where this block's part of the list begins
    unsigned listed;              ///< of append_to_list: composites in the list of all blocks
    bool last;                    ///< of append_to_list: all other blocks have finished
};

/// How many of the block's kEach entries a thread reach `bound`. `round` counts the calls.
template <int kEach>
__device__ unsigned count_reaching(const Composite (&entries)[kEach], Composite bound,
                                   unsigned round, unsigned* counters) {
    unsigned mine = 0;
    if constexpr (kEach <= kFewEach) {
        // The barrier itself counts, one predicate a thread.
#pragma unroll
        for (int i = 0; i < kEach; ++i) mine += __syncthreads_count(entries[i] >= bound);
        return mine;
    } else {
#pragma unroll
        for (int i = 0; i < kEach; ++i) mine += entries[i] >= bound;
        // Three counters take turns, so that one barrier a round is enough: one is added to, the
        // one before may still be read, and the next is cleared.
        unsigned* const now = &counters[round % 3];
        mine = warp_sum(mine);
        if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(now, mine);
        if (threadIdx.x == 0) counters[(round + 1) % 3] = 0;
        __syncthreads();  // every warp has added
        return *now;
    }
}

/// The same, once. All threads together.
template <int kEach>
__device__ unsigned count_all(const Composite (&entries)[kEach], Composite bound,
                              BlockState* state) {
    if (threadIdx.x == 0) state->reaching[0] = 0;
    __syncthreads();  // the counter is cleared
    const unsigned count = count_reaching(entries, bound, 0, state->reaching);
    __syncthreads();  // it has been read
    return count;
}

/// A bound that at least k of the block's kEach entries a thread reach, and at most k + `slack`
/// where they differ; 0 if fewer than k entries are not 0. Without slack it keeps exactly the k
/// best. From the top bit down: a bit is set if k entries still reach the bound with it.
/// `distinct`: 0 as well where k > 1, and all ranks are the same.
template <int kEach>
__device__ Composite kth_largest(const Composite (&entries)[kEach], unsigned k, unsigned slack,
                                 BlockState* state, bool distinct = false) {
    unsigned most = 0;
    unsigned least = 0;  // as complement
#pragma unroll
    for (const Composite entry : entries) {
        most = max(most, rank_of(entry));
        least = max(least, entry != 0 ? ~rank_of(entry) : 0);
    }
    most = warp_max(most);
    least = warp_max(least);
    if (threadIdx.x % 32 == 0) {
        state->most[threadIdx.x / 32] = most;
        state->least[threadIdx.x / 32] = least;
    }
    if (threadIdx.x == 0) state->reaching[0] = 0;
    __syncthreads();  // the warps' ranks are known, and the first counter is cleared
    most = warp_max(state->most[threadIdx.x % kWarps]);
    least = ~warp_max(state->least[threadIdx.x % kWarps]);
    unsigned round = 0;
    unsigned reaching = count_reaching(entries, 1, round++, state->reaching);
    Composite bound = 0;
    if (distinct && most == least && k > 1) reaching = 0;
    if (reaching >= k && reaching <= k + slack) {
        bound = max(Composite{least} << 32, Composite{1});
    } else if (reaching >= k) {
        // Above the first bit in which two of them differ, all are the same.
        const unsigned differing = most ^ least;
        int bit = differing != 0 ? 63 - __clz(static_cast<int>(differing)) : 31;
        bound = Composite{most} << 32 & ~((Composite{2} << bit) - 1);
        for (; bit >= 0 && reaching > k + slack; --bit) {
            const Composite higher = bound | Composite{1} << bit;
            const unsigned count = count_reaching(entries, higher, round++, state->reaching);
            if (count < k) continue;
            bound = higher;
            reaching = count;
        }
    }
    __syncthreads();  // the counters have been read
    return bound;
}

/// kDistinct: no value twice; of equal ones the lowest index stays. The slots are then a hash table
/// (open addressing, linear probing), else an array. kEach: slots a thread.
template <bool kDistinct, int kEach>
struct CandidateSet {
    static constexpr bool kOnce = kDistinct;
    static constexpr unsigned kSlots = kThreads * kEach;
    /// Where more than this many are in, only the best k stay. One more of every thread always
    /// fits, and a hash table has at least 3/8 of its slots free, so that probes are short.
    static constexpr unsigned kLimit = kSlots * 5 / 8 - kThreads;
    /// At least; see groups_of. For few k, four groups of warps in each block: on a whole
    /// large grid still many more than k.
    static constexpr unsigned kGroups = kEach == kFewEach ? 4 : kWarps;
    static constexpr unsigned kWarpsAGroup = kWarps / kGroups;
    static constexpr unsigned kKnown = kEach == kFewEach ? 2048 : 4096;
    static constexpr unsigned kFactor = 0x9E3779B1u;  ///< of the hash function, as a rule
    static constexpr std::size_t kBytes = (kSlots + (kDistinct ? kKnown : 0)) * sizeof(Composite);

    Composite* slots;   ///< kBytes of shared memory in all
    BlockState* state;  ///< shared
    unsigned k;         ///< at most kLimit

    /// Candidates that are in, or were before better ones put them out, as ranks and as indices:
    /// see is_known.
    __device__ unsigned* known_ranks() const { return reinterpret_cast<unsigned*>(slots + kSlots); }
    __device__ unsigned* known_indices() const { return known_ranks() + kKnown; }

    /// Multiplicative hashing (Knuth, "The art of computer programming", volume 3, section 6.4):
    /// the top bits of the product, as a part of kPlaces.
    template <unsigned kPlaces>
    __device__ static unsigned hash(unsigned rank, unsigned factor = kFactor) {
        return static_cast<unsigned>(std::uint64_t{rank * factor} * kPlaces >> 32);
    }

    /// Empties the set. A barrier must follow.
    __device__ void clear() const {
        if (threadIdx.x == 0) state->candidates = 0;
        if constexpr (kDistinct) {
            for (unsigned i = threadIdx.x; i < kSlots; i += kThreads) slots[i] = 0;
        }
    }

    /// Distinct: nothing is known. A barrier must follow.
    __device__ void forget_known() const {
        if constexpr (kDistinct) {
            // A free place holds a rank that is looked for elsewhere: 0 has place 0.
            for (unsigned i = threadIdx.x; i < kKnown; i += kThreads) known_ranks()[i] = free_at(i);
            if (threadIdx.x == 0) state->known.ahead = 0;
        }
    }

    /// Distinct: from now on exactly what is in is known. A barrier before.
    __device__ void note_known() const {
        if constexpr (kDistinct) {
            // Few values are put at places of their own, with another factor where two of them have
            // the same: then one look is enough.
            const bool few = state->candidates <= kApart;
            for (int attempt = 0;; ++attempt) {
                forget_known();
                if (threadIdx.x == 0 && attempt > 0) {
                    state->known.factor = state->known.factor * kFactor | 0x80000001u;
                }
                __syncthreads();  // nothing is known
                const bool are_apart = __syncthreads_and(note_all());
                if (are_apart || !few || attempt == kTries) break;
            }
        }
    }

    /// Any thread. Distinct: the known rank in the place where this one is looked for first.
    __device__ unsigned known_like(unsigned rank, unsigned factor) const {
        return known_ranks()[hash<kKnown>(rank, factor)];
    }

    /// Any thread. Distinct: was the same value in, with an index as low or lower, when candidates
    /// were last noted?
    __device__ bool is_known(Composite candidate) const {
        if constexpr (kDistinct) {
            const unsigned rank = rank_of(candidate);
            for (unsigned i = known_place(rank);; i = (i + 1) % kKnown) {
                const unsigned there = known_ranks()[i];
                if (there == rank) return known_indices()[i] <= index_of(candidate);
                if (there == free_at(i) || rank <= 1) return false;
            }
        }
        return false;
    }

    /// Any thread, while nobody inserts. Distinct: is the same value in, with an index as low or
    /// lower?
    __device__ bool holds(Composite candidate) const {
        for (unsigned i = hash<kSlots>(rank_of(candidate));; i = (i + 1) % kSlots) {
            const Composite there = slots[i];
            if (there == 0) return false;
            if (rank_of(there) == rank_of(candidate)) return there >= candidate;
        }
    }

    /// Any thread. Returns whether the same thread may insert another one before the next barrier.
    /// Distinct: `*again` becomes true if the value was in already.
    __device__ bool insert(Composite candidate, bool* again = nullptr) const {
        if constexpr (!kDistinct) {
            const unsigned place = atomicAdd(&state->candidates, 1u);
            slots[place] = candidate;
            return place < kLimit;
        } else {
            for (unsigned i = hash<kSlots>(rank_of(candidate));; i = (i + 1) % kSlots) {
                Composite before = 0;  // only that is overwritten: an empty slot, or a worse index
                while (true) {
                    const Composite there = atomicCAS(&slots[i], before, candidate);
                    if (there == 0 && before == 0) {
                        return atomicAdd(&state->candidates, 1u) < kLimit;
                    }
                    if (rank_of(there) != rank_of(candidate)) break;
                    if (again != nullptr) *again = true;
                    if (there == before || there >= candidate) return true;
                    before = there;
                }
            }
        }
    }

    /// This thread's share of the slots; 0 where there is nothing.
    __device__ void read(Composite (&entries)[kEach]) const {
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const unsigned slot = i * kThreads + threadIdx.x;
            entries[i] = kDistinct || slot < state->candidates ? slots[slot] : 0;
        }
    }

    /// Keeps the k best, and raises the floor to the k-th, if there are k: then it returns that.
    /// Barriers before and after.
    __device__ Composite keep_best() const {
        Composite entries[kEach];
        __syncthreads();  // all insertions are done
        read(entries);
        const Composite before = state->floor;
        const Composite kth = kth_largest(entries, k, 0, state);
        if (kth == 0) return 0;
        clear();
        if (threadIdx.x == 0) state->floor = max(before, kth);
        __syncthreads();  // the set is empty
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (entries[i] < kth) entries[i] = 0;
            if (kDistinct && entries[i] != 0) insert(entries[i]);
        }
        if (!kDistinct) append(entries);
        __syncthreads();  // the best are back
        return kth;
    }

    /// Keeps what is not less than `least`. Returns how many there are then. Not for a hash table.
    /// Barriers before and after.
    __device__ unsigned keep_reaching(Composite least) const {
        static_assert(!kDistinct);
        Composite entries[kEach];
        read(entries);
        pack(entries, least);
        const unsigned count = state->candidates;
        __syncthreads();  // all threads know how many have stayed
        return count;
    }

    /// The k best to the answer, in order. Barriers before and after. Leaves the set unusable.
    template <class Key>
    __device__ void write_sorted(const Result<Key>& result, unsigned flip) const {
        const unsigned candidates = state->candidates;
        const bool crowded = candidates > max(k, kCounted);
        if (kDistinct || crowded) {
            Composite entries[kEach];
            read(entries);
            // A few more are no more work for what follows.
            const unsigned room =
                max(kCounted, k > 1 ? 2u << (31 - __clz(static_cast<int>(k - 1))) : 1);
            const Composite least = crowded ? kth_largest(entries, k, room - k, state) : 1;
            pack(entries, least);
        }
        const unsigned count = state->candidates;
        if (threadIdx.x == 0) *result.count = min(count, k);
        if (count <= kCounted) {
            // A candidate's place is the number of those that are better.
            if (threadIdx.x < count) {
                const Composite mine = slots[threadIdx.x];
                unsigned better = 0;
#pragma unroll 8
                for (unsigned i = 0; i < count; ++i) better += slots[i] > mine;
                if (better < k) result.write(better, mine, flip);
            }
            return;
        }
        sort(count);
        for (unsigned i = threadIdx.x; i < min(count, k); i += kThreads) {
            result.write(i, slots[i], flip);
        }
    }

  private:
    static constexpr unsigned kCounted = 128;
    static constexpr unsigned kApart = 64;  ///< so few values find places of their own,
    static constexpr int kTries = 8;        ///< mostly in so many attempts

    __device__ unsigned known_place(unsigned rank) const {
        return hash<kKnown>(rank, state->known.factor);
    }

    /// What a free place among the known ranks holds.
    __device__ static unsigned free_at(unsigned place) { return place == 0 ? 1 : 0; }

    /// Notes what is in; nothing was known. Whether each of this thread's ranks has the place where
    /// it is looked for first.
    __device__ bool note_all() const {
        bool are_apart = true;
        unsigned ahead = 0;
        for (unsigned slot = threadIdx.x; slot < kSlots; slot += kThreads) {
            const Composite item = slots[slot];
            if (item == 0) continue;
            const unsigned rank = rank_of(item);
            unsigned i = known_place(rank);
            while (atomicCAS(&known_ranks()[i], free_at(i), rank) != free_at(i)) {
                are_apart = false;
                i = rank > 1 ? (i + 1) % kKnown : kKnown;
                if (i == kKnown) break;  // it looks like a free place, except in its own
            }
            if (i == kKnown) continue;
            known_indices()[i] = index_of(item);
            ahead = max(ahead, index_of(item) + 1);
        }
        ahead = warp_max(ahead);
        if (threadIdx.x % 32 == 0 && ahead != 0) atomicMax(&state->known.ahead, ahead);
        return are_apart;
    }

    /// Puts all entries that are not 0 behind the candidates of an array. All lanes together.
    __device__ void append(const Composite (&entries)[kEach]) const {
        const unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const unsigned some = __ballot_sync(kFullMask, entries[i] != 0);
            unsigned place = 0;
            if (lane == 0 && some != 0) place = atomicAdd(&state->candidates, __popc(some));
            place = __shfl_sync(kFullMask, place, 0) + __popc(some & ((1u << lane) - 1));
            if (entries[i] != 0) slots[place] = entries[i];
        }
    }

    /// Fills the slots from the front with the entries that are not less than `least`.
    __device__ void pack(Composite (&entries)[kEach], Composite least) const {
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (entries[i] < least) entries[i] = 0;
        }
        __syncthreads();  // all slots have been read, and their number
        if (threadIdx.x == 0) state->candidates = 0;
        __syncthreads();  // the count is cleared
        append(entries);
        __syncthreads();  // all candidates are in front
    }

    /// Bitonic sort of the first `count` slots, descending; chapter 5 explains it. A warp's 32
    /// pairs at distances up to 32 lie in 64 slots of its own, so that a barrier of the warp is
    /// enough there.
    __device__ void sort(unsigned count) const {
        unsigned size = 64;
        while (size < count) size *= 2;
        for (unsigned i = count + threadIdx.x; i < size; i += kThreads) slots[i] = 0;
        __syncthreads();  // slots without a candidate are 0
        for (unsigned run = 2; run <= size; run *= 2) {
            for (unsigned distance = run / 2; distance > 0; distance /= 2) {
                for (unsigned pair = threadIdx.x; pair < size / 2; pair += kThreads) {
                    const unsigned low = 2 * pair - (pair & (distance - 1));
                    const unsigned high = low + distance;
                    const Composite a = slots[low];
                    const Composite b = slots[high];
                    const bool descending = (low & run) == 0;
                    if ((a < b) == descending) {
                        slots[low] = b;
                        slots[high] = a;
                    }
                }
                const unsigned next = distance > 1 ? distance / 2 : run;
                if (distance > 32 || next > 32) {
                    __syncthreads();  // the next step crosses from warp to warp, or this one did
                } else {
                    __syncwarp();
                }
            }
        }
        __syncthreads();  // the sort is complete
    }
};

}  // namespace topk
