// A block's set of candidates in shared memory, for all versions in this folder.
//
// From the ladder: the threshold, and a list of the k best that a block shares. Adds: a set for k
// up to kMaxK, which is not kept sorted. Threads add candidates; when there are too many, the block
// keeps the k best of them, found bit by bit, and the k-th is its new threshold. With --distinct
// the set is a hash table, and a filter in front of it knows the values that were in it.
//
// All threads of a block call everything here together, unless it says "any thread". The kernels
// own the shared memory.
#pragma once

#include <cstdint>

namespace topk {

// ---- A warp's sum and maximum ----------------------------------------------------------------

// In every lane. One instruction from compute capability 8.0 on, five shuffles before.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

__device__ inline unsigned warp_sum(unsigned mine) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        mine += __shfl_xor_sync(kFullMask, mine, distance);
    }
    return mine;
}

__device__ inline unsigned warp_max(unsigned mine) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        mine = max(mine, __shfl_xor_sync(kFullMask, mine, distance));
    }
    return mine;
}

#else

__device__ inline unsigned warp_sum(unsigned mine) { return __reduce_add_sync(kFullMask, mine); }
__device__ inline unsigned warp_max(unsigned mine) { return __reduce_max_sync(kFullMask, mine); }

#endif

// ---- The set ---------------------------------------------------------------------------------

constexpr unsigned kThreads = 512;  ///< of every block that has a set
constexpr unsigned kWarps = kThreads / 32;

constexpr unsigned kMaxSmallK = 128;   ///< a k up to this one is small
constexpr unsigned kMaxSegmentK = 32;  ///< up to this one, best reads segments again

// Slots per thread of a set:
constexpr int kSlotsForSmallK = 2;
constexpr int kSlotsForLargeK = 8;        ///< up to kMaxK
constexpr int kSlotsForLittleMemory = 7;  ///< the same, see has_little_shared_memory

/// Distinct: which values have been in the set. The table itself is behind the set's slots.
struct alignas(8) SeenFilter {
    unsigned end_index;  ///< the highest index that was noted, and one; 0: nothing was
    unsigned factor;     ///< of the hash function
};

/// A block's static shared memory.
struct BlockState {
    KeyIndex threshold;            ///< what is below is not in the result; 0: anything may be
    KeyIndex others_threshold[2];  ///< the other blocks' threshold, for this pass and for the next
    KeyIndex warp_best[kWarps];    ///< the best candidate of each warp
    unsigned candidates;           ///< in the set
    unsigned at_or_above[3];       ///< of kth_largest
    unsigned max_radix_key[kWarps];  ///< of kth_largest: each warp's largest
    unsigned min_radix_key[kWarps];  ///< and its smallest, as complement
    unsigned ticket[2];              ///< of stream: the chunk after the next
    SeenFilter seen_filter;          ///< distinct
    bool few_values;                 ///< distinct: the sample has fewer different values than k
    unsigned position;  ///< of append_to_list: where this block's part of the list begins
    unsigned listed;    ///< of append_to_list: KeyIndexes in the list of all blocks
    bool last;          ///< of append_to_list: all other blocks have finished
};

/// How many of the block's entries, kSlotsPerThread per thread, are at or above `bound`. `round`
/// counts the calls.
template <int kSlotsPerThread>
__device__ unsigned count_at_or_above(const KeyIndex (&entries)[kSlotsPerThread], KeyIndex bound,
                                      unsigned round, unsigned* counters) {
    unsigned mine = 0;
    if constexpr (kSlotsPerThread <= kSlotsForSmallK) {
        // The barrier itself counts, one predicate per thread.
#pragma unroll
        for (int i = 0; i < kSlotsPerThread; ++i) mine += __syncthreads_count(entries[i] >= bound);
        return mine;
    } else {
#pragma unroll
        for (int i = 0; i < kSlotsPerThread; ++i) mine += entries[i] >= bound;
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

/// The same, once. Must be called by all threads of the block.
template <int kSlotsPerThread>
__device__ unsigned count_all(const KeyIndex (&entries)[kSlotsPerThread], KeyIndex bound,
                              BlockState* state) {
    if (threadIdx.x == 0) state->at_or_above[0] = 0;
    __syncthreads();  // the counter is cleared
    const unsigned count = count_at_or_above(entries, bound, 0, state->at_or_above);
    __syncthreads();  // it has been read
    return count;
}

/// A bound that at least k of the block's entries, kSlotsPerThread per thread, reach, and at most
/// k + `slack` where they differ; 0 if fewer than k entries are not 0. Without slack it keeps
/// exactly the k best. From the top bit down: a bit is set if k entries still reach the bound with
/// it. `distinct`: 0 as well where k > 1, and all radix keys are the same.
template <int kSlotsPerThread>
__device__ KeyIndex kth_largest(const KeyIndex (&entries)[kSlotsPerThread], unsigned k,
                                unsigned slack, BlockState* state, bool distinct = false) {
    unsigned max_radix_key = 0;
    unsigned min_radix_key = 0;  // as complement
#pragma unroll
    for (const KeyIndex entry : entries) {
        max_radix_key = max(max_radix_key, radix_key_of(entry));
        min_radix_key = max(min_radix_key, entry != 0 ? ~radix_key_of(entry) : 0);
    }
    max_radix_key = warp_max(max_radix_key);
    min_radix_key = warp_max(min_radix_key);
    if (threadIdx.x % 32 == 0) {
        state->max_radix_key[threadIdx.x / 32] = max_radix_key;
        state->min_radix_key[threadIdx.x / 32] = min_radix_key;
    }
    if (threadIdx.x == 0) state->at_or_above[0] = 0;
    __syncthreads();  // the warps' radix keys are known, and the first counter is cleared
    max_radix_key = warp_max(state->max_radix_key[threadIdx.x % kWarps]);
    min_radix_key = ~warp_max(state->min_radix_key[threadIdx.x % kWarps]);
    unsigned round = 0;
    unsigned at_or_above = count_at_or_above(entries, 1, round++, state->at_or_above);
    KeyIndex bound = 0;
    if (distinct && max_radix_key == min_radix_key && k > 1) at_or_above = 0;
    if (at_or_above >= k && at_or_above <= k + slack) {
        bound = max(KeyIndex{min_radix_key} << 32, KeyIndex{1});
    } else if (at_or_above >= k) {
        // Above the first bit in which two of them differ, all are the same.
        const unsigned differing = max_radix_key ^ min_radix_key;
        int bit = differing != 0 ? 63 - __clz(static_cast<int>(differing)) : 31;
        bound = KeyIndex{max_radix_key} << 32 & ~((KeyIndex{2} << bit) - 1);
        for (; bit >= 0 && at_or_above > k + slack; --bit) {
            const KeyIndex higher = bound | KeyIndex{1} << bit;
            const unsigned count = count_at_or_above(entries, higher, round++, state->at_or_above);
            if (count < k) continue;
            bound = higher;
            at_or_above = count;
        }
    }
    __syncthreads();  // the counters have been read
    return bound;
}

/// kDistinct: no value twice; of equal ones the lowest index stays. The slots are then a hash table
/// (open addressing, linear probing), else an array. kSlotsPerThread: slots per thread.
template <bool kDistinct, int kSlotsPerThread>
struct CandidateSet {
    static constexpr bool kIsDistinct = kDistinct;
    static constexpr unsigned kSlots = kThreads * kSlotsPerThread;
    /// Where more than this many are in, only the best k stay. One more of every thread always
    /// fits, and a hash table has at least 3/8 of its slots free, so that probes are short.
    static constexpr unsigned kLimit = kSlots * 5 / 8 - kThreads;
    /// At least; see groups_of. For few k, four groups of warps in each block: on a whole
    /// large grid still many more than k.
    static constexpr unsigned kGroups = kSlotsPerThread == kSlotsForSmallK ? 4 : kWarps;
    static constexpr unsigned kWarpsPerGroup = kWarps / kGroups;
    static constexpr unsigned kSeenSlots = kSlotsPerThread == kSlotsForSmallK ? 2048 : 4096;
    static constexpr unsigned kFactor = 0x9E3779B1u;  ///< of the hash function, as a rule
    static constexpr std::size_t kBytes =
        (kSlots + (kDistinct ? kSeenSlots : 0)) * sizeof(KeyIndex);

    KeyIndex* slots;    ///< kBytes of shared memory in all
    BlockState* state;  ///< shared
    unsigned k;         ///< at most kLimit

    /// The table of what has been in the set, as radix keys and as indices: see was_seen.
    __device__ unsigned* seen_radix_keys() const {
        return reinterpret_cast<unsigned*>(slots + kSlots);
    }
    __device__ unsigned* seen_indices() const { return seen_radix_keys() + kSeenSlots; }

    /// Multiplicative hashing (Knuth, "The art of computer programming", volume 3, section 6.4):
    /// the top bits of the product, as a part of kTableSlots.
    template <unsigned kTableSlots>
    __device__ static unsigned hash(unsigned radix_key, unsigned factor = kFactor) {
        return static_cast<unsigned>(std::uint64_t{radix_key * factor} * kTableSlots >> 32);
    }

    /// Empties the set. A barrier must follow.
    __device__ void clear() const {
        if (threadIdx.x == 0) state->candidates = 0;
        if constexpr (kDistinct) {
            for (unsigned i = threadIdx.x; i < kSlots; i += kThreads) slots[i] = 0;
        }
    }

    /// Distinct: forgets all that was seen. A barrier must follow.
    __device__ void clear_seen() const {
        if constexpr (kDistinct) {
            // A free place holds a radix key that is looked for elsewhere: 0 has place 0.
            for (unsigned i = threadIdx.x; i < kSeenSlots; i += kThreads)
                seen_radix_keys()[i] = empty_mark(i);
            if (threadIdx.x == 0) state->seen_filter.end_index = 0;
        }
    }

    /// Distinct: from now on exactly what is in the set counts as seen. A barrier before.
    __device__ void record_seen() const {
        if constexpr (kDistinct) {
            // Few values get places of their own, by another factor where two of them have the
            // same: then one probe is enough.
            const bool few_values = state->candidates <= kApart;
            for (int attempt = 0;; ++attempt) {
                clear_seen();
                if (threadIdx.x == 0 && attempt > 0) {
                    state->seen_filter.factor = state->seen_filter.factor * kFactor | 0x80000001u;
                }
                __syncthreads();  // the table is empty
                const bool are_apart = __syncthreads_and(record_all());
                if (are_apart || !few_values || attempt == kTries) break;
            }
        }
    }

    /// Any thread. Distinct: the radix key in the place where this one is looked for first.
    __device__ unsigned probe(unsigned radix_key, unsigned factor) const {
        return seen_radix_keys()[hash<kSeenSlots>(radix_key, factor)];
    }

    /// Any thread. Distinct: was the same value in, with an index as low or lower, when the set was
    /// last recorded?
    __device__ bool was_seen(KeyIndex candidate) const {
        if constexpr (kDistinct) {
            const unsigned radix_key = radix_key_of(candidate);
            for (unsigned i = seen_slot(radix_key);; i = (i + 1) % kSeenSlots) {
                const unsigned there = seen_radix_keys()[i];
                if (there == radix_key) return seen_indices()[i] <= index_of(candidate);
                if (there == empty_mark(i) || radix_key <= 1) return false;
            }
        }
        return false;
    }

    /// Any thread, while no thread inserts. Distinct: is the same value in, with an index as low or
    /// lower?
    __device__ bool holds(KeyIndex candidate) const {
        for (unsigned i = hash<kSlots>(radix_key_of(candidate));; i = (i + 1) % kSlots) {
            const KeyIndex there = slots[i];
            if (there == 0) return false;
            if (radix_key_of(there) == radix_key_of(candidate)) return there >= candidate;
        }
    }

    /// Any thread. Returns whether the same thread may insert another one before the next barrier.
    /// Distinct: `*again` becomes true if the value was in already.
    __device__ bool insert(KeyIndex candidate, bool* again = nullptr) const {
        if constexpr (!kDistinct) {
            const unsigned position = atomicAdd(&state->candidates, 1u);
            slots[position] = candidate;
            return position < kLimit;
        } else {
            for (unsigned i = hash<kSlots>(radix_key_of(candidate));; i = (i + 1) % kSlots) {
                KeyIndex before = 0;  // only that is overwritten: an empty slot, or a worse index
                while (true) {
                    const KeyIndex there = atomicCAS(&slots[i], before, candidate);
                    if (there == 0 && before == 0) {
                        return atomicAdd(&state->candidates, 1u) < kLimit;
                    }
                    if (radix_key_of(there) != radix_key_of(candidate)) break;
                    if (again != nullptr) *again = true;
                    if (there == before || there >= candidate) return true;
                    before = there;
                }
            }
        }
    }

    /// This thread's share of the slots; 0 where there is nothing.
    __device__ void read(KeyIndex (&entries)[kSlotsPerThread]) const {
#pragma unroll
        for (int i = 0; i < kSlotsPerThread; ++i) {
            const unsigned slot = i * kThreads + threadIdx.x;
            entries[i] = kDistinct || slot < state->candidates ? slots[slot] : 0;
        }
    }

    /// Keeps the k best, and raises the threshold to the k-th, if there are k: then it returns
    /// that. Needs barriers before and after.
    __device__ KeyIndex keep_best() const {
        KeyIndex entries[kSlotsPerThread];
        __syncthreads();  // all insertions are done
        read(entries);
        const KeyIndex before = state->threshold;
        const KeyIndex kth = kth_largest(entries, k, 0, state);
        if (kth == 0) return 0;
        clear();
        if (threadIdx.x == 0) state->threshold = max(before, kth);
        __syncthreads();  // the set is empty
#pragma unroll
        for (int i = 0; i < kSlotsPerThread; ++i) {
            if (entries[i] < kth) entries[i] = 0;
            if (kDistinct && entries[i] != 0) insert(entries[i]);
        }
        if (!kDistinct) append(entries);
        __syncthreads();  // the best are back
        return kth;
    }

    /// The k best to the answer, in order. Needs barriers before and after. Leaves the set
    /// unusable.
    template <class Key>
    __device__ void write_sorted(const TopKResult<Key>& result, unsigned order_mask) const {
        const unsigned candidates = state->candidates;
        const bool crowded = candidates > max(k, kCounted);
        if (kDistinct || crowded) {
            KeyIndex entries[kSlotsPerThread];
            read(entries);
            // A few more are no more work for what follows.
            const unsigned room =
                max(kCounted, k > 1 ? 2u << (31 - __clz(static_cast<int>(k - 1))) : 1);
            const KeyIndex bound = crowded ? kth_largest(entries, k, room - k, state) : 1;
            pack(entries, bound);
        }
        const unsigned count = state->candidates;
        if (threadIdx.x == 0) *result.count = min(count, k);
        if (count <= kCounted) {
            // A candidate's place is the number of those that are better.
            if (threadIdx.x < count) {
                const KeyIndex mine = slots[threadIdx.x];
                unsigned better = 0;
#pragma unroll 8
                for (unsigned i = 0; i < count; ++i) better += slots[i] > mine;
                if (better < k) result.write(better, mine, order_mask);
            }
            return;
        }
        sort(count);
        for (unsigned i = threadIdx.x; i < min(count, k); i += kThreads) {
            result.write(i, slots[i], order_mask);
        }
    }

  private:
    static constexpr unsigned kCounted = 128;
    static constexpr unsigned kApart = 64;  ///< up to so many values find places of their own,
    static constexpr int kTries = 8;        ///< mostly in so many attempts

    __device__ unsigned seen_slot(unsigned radix_key) const {
        return hash<kSeenSlots>(radix_key, state->seen_filter.factor);
    }

    /// What a free place of the table holds: a radix key that is looked for elsewhere.
    __device__ static unsigned empty_mark(unsigned position) { return position == 0 ? 1 : 0; }

    /// Puts what is in the set into the empty table. Returns whether each of this thread's radix
    /// keys has the place where it is looked for first.
    __device__ bool record_all() const {
        bool are_apart = true;
        unsigned end_index = 0;
        for (unsigned slot = threadIdx.x; slot < kSlots; slot += kThreads) {
            const KeyIndex item = slots[slot];
            if (item == 0) continue;
            const unsigned radix_key = radix_key_of(item);
            unsigned i = seen_slot(radix_key);
            while (atomicCAS(&seen_radix_keys()[i], empty_mark(i), radix_key) != empty_mark(i)) {
                are_apart = false;
                i = radix_key > 1 ? (i + 1) % kSeenSlots : kSeenSlots;
                if (i == kSeenSlots) break;  // it looks like a free place, except in its own
            }
            if (i == kSeenSlots) continue;
            seen_indices()[i] = index_of(item);
            end_index = max(end_index, index_of(item) + 1);
        }
        end_index = warp_max(end_index);
        if (threadIdx.x % 32 == 0 && end_index != 0)
            atomicMax(&state->seen_filter.end_index, end_index);
        return are_apart;
    }

    /// Puts all entries that are not 0 behind the candidates of an array. Must be called by all
    /// lanes of the warp.
    __device__ void append(const KeyIndex (&entries)[kSlotsPerThread]) const {
        const unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < kSlotsPerThread; ++i) {
            const unsigned some = __ballot_sync(kFullMask, entries[i] != 0);
            unsigned position = 0;
            if (lane == 0 && some != 0) position = atomicAdd(&state->candidates, __popc(some));
            position = __shfl_sync(kFullMask, position, 0) + __popc(some & ((1u << lane) - 1));
            if (entries[i] != 0) slots[position] = entries[i];
        }
    }

    /// Fills the slots from the front with the entries that are not less than `bound`.
    __device__ void pack(KeyIndex (&entries)[kSlotsPerThread], KeyIndex bound) const {
#pragma unroll
        for (int i = 0; i < kSlotsPerThread; ++i) {
            if (entries[i] < bound) entries[i] = 0;
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
                    const KeyIndex a = slots[low];
                    const KeyIndex b = slots[high];
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
