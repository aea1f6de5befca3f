// A block's set of candidates in shared memory, for all versions in this folder.
//
// From the ladder: the threshold, and a list of the k best that a block shares. Adds: a set for k
// up to kMaxK, which is not kept sorted. Threads add candidates; when there are too many, the block
// keeps the k best of them, found bit by bit, and the k-th is its new threshold. With --distinct
// the set is a hash table, and a filter in front of it knows the values that were in it
// (seen_values.cuh).
//
// All threads of a block call everything here together, unless it says "any thread". The kernels
// own the shared memory.
#pragma once

#include "seen_values.cuh"

namespace topk {

constexpr unsigned kMaxSmallK = 128;   ///< a k up to this one is small
constexpr unsigned kMaxSegmentK = 32;  ///< up to this one, best reads segments again

// Slots per thread of a set:
constexpr int kSlotsForSmallK = 2;
constexpr int kSlotsForLargeK = 8;  ///< up to kMaxK

/// A block's static shared memory.
struct BlockState {
    KeyIndex threshold;            ///< what is below is not in the result; 0: anything may be
    KeyIndex others_threshold[2];  ///< the other blocks' threshold, for this pass and for the next
    unsigned warp_best[kWarps];    ///< the best radix key that each warp had for the set
    unsigned candidates;           ///< in the set
    unsigned at_or_above[3];       ///< of kth_largest
    unsigned max_radix_key[kWarps];  ///< of kth_largest: each warp's largest
    unsigned min_radix_key[kWarps];  ///< and its smallest, as complement
    unsigned ticket[2];              ///< of stream: the chunk after the next
    SeenFilter seen_filter;          ///< distinct
    unsigned listed;                 ///< of append_to_list: KeyIndexes in the list of all blocks
    bool last;                       ///< of append_to_list: all other blocks have finished
};

/// How many of the block's entries, kSlotsPerThread per thread, are at or above `bound`. `round`
/// counts the calls.
template <class Item, int kSlotsPerThread>
__device__ unsigned count_at_or_above(const Item (&entries)[kSlotsPerThread], Item bound,
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
template <class Item, int kSlotsPerThread>
__device__ unsigned count_all(const Item (&entries)[kSlotsPerThread], Item bound,
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
/// it. Item: a KeyIndex or a radix key.
template <class Item, int kSlotsPerThread>
__device__ Item kth_largest(const Item (&entries)[kSlotsPerThread], unsigned k, unsigned slack,
                            BlockState* state) {
    constexpr int kLowBits = 8 * sizeof(Item) - 32;  // below the radix key
    unsigned max_radix_key = 0;
    unsigned min_radix_key = 0;  // as complement
#pragma unroll
    for (const Item entry : entries) {
        const auto radix_key = static_cast<unsigned>(entry >> kLowBits);
        max_radix_key = max(max_radix_key, radix_key);
        min_radix_key = max(min_radix_key, entry != 0 ? ~radix_key : 0);
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
    unsigned at_or_above = count_at_or_above(entries, Item{1}, round++, state->at_or_above);
    Item bound = 0;
    if (at_or_above >= k && at_or_above <= k + slack) {
        bound = max(Item{min_radix_key} << kLowBits, Item{1});
    } else if (at_or_above >= k) {
        // Above the first bit in which two of them differ, all are the same.
        const unsigned differing = max_radix_key ^ min_radix_key;
        int bit = kLowBits + 31 - __clz(static_cast<int>(differing));
        bound = Item{max_radix_key} << kLowBits & ~(bit < 0 ? 0 : (Item{2} << bit) - 1);
        for (; bit >= 0 && at_or_above > k + slack; --bit) {
            const Item higher = bound | Item{1} << bit;
            const unsigned count = count_at_or_above(entries, higher, round++, state->at_or_above);
            if (count < k) continue;
            bound = higher;
            at_or_above = count;
        }
    }
    __syncthreads();  // the counters have been read
    return bound;
}

constexpr unsigned kOrdered = 128;  ///< up to this many, an order is found by counting

/// visit(place, candidate) for each of at most kOrdered candidates; `place` in their order, the
/// best first: it is the number of those that are better. Several threads count for one.
template <class Visit>
__device__ __forceinline__ void in_order(const KeyIndex* candidates, unsigned count,
                                         const Visit& visit) {
    constexpr unsigned kLanes = kThreads / kOrdered;
    if (threadIdx.x / 32 * 32 / kLanes >= count) return;
    const unsigned at = threadIdx.x / kLanes;
    const KeyIndex mine = at < count ? candidates[at] : 0;
    unsigned better = 0;
#pragma unroll 4
    for (unsigned i = threadIdx.x % kLanes; i < count; i += kLanes) better += candidates[i] > mine;
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        better += __shfl_xor_sync(kFullMask, better, distance);
    }
    if (at < count && threadIdx.x % kLanes == 0) visit(better, mine);
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
    /// Of large sets fewer places than slots: compute capability 7.5 has 64 KB of shared memory.
    using Seen = SeenValues<kSlotsPerThread == kSlotsForSmallK ? 2048 : 3072>;
    static constexpr std::size_t kBytes =
        (kSlots + (kDistinct ? Seen::kPlaces : 0)) * sizeof(KeyIndex);

    KeyIndex* slots;    ///< kBytes of shared memory in all
    BlockState* state;  ///< shared
    unsigned k;         ///< at most kLimit

    /// Distinct: what has been in the set.
    __device__ Seen seen() const {
        return {reinterpret_cast<unsigned*>(slots + kSlots), &state->seen_filter};
    }

    /// Where a radix key's place in the hash table is looked for first.
    __device__ static unsigned hash(unsigned radix_key) {
        return hash_of<kSlots>(radix_key, kHashFactor);
    }

    /// Empties the set. A barrier must follow.
    __device__ void clear() const {
        if (threadIdx.x == 0) state->candidates = 0;
        if constexpr (kDistinct) {
            for (unsigned i = threadIdx.x; i < kSlots; i += kThreads) slots[i] = 0;
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
            for (unsigned i = hash(radix_key_of(candidate));; i = (i + 1) % kSlots) {
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
        if (threadIdx.x == 0) state->threshold = max(before, kth);
        if constexpr (!kDistinct) {
            pack(entries, kth);
        } else {
            clear();
            __syncthreads();  // the set is empty
            for (const KeyIndex entry : entries) {
                if (entry >= kth) insert(entry);
            }
            __syncthreads();  // the best are back
        }
        return kth;
    }

    /// The k best to the answer, in order. Needs barriers before and after. Leaves the set
    /// unusable.
    template <class Key>
    __device__ void write_sorted(const TopKResult<Key>& result, unsigned order_mask) const {
        const unsigned candidates = state->candidates;
        const bool crowded = candidates > max(k, kOrdered);
        if (kDistinct || crowded) {
            KeyIndex entries[kSlotsPerThread];
            read(entries);
            // A few more are no more work for what follows.
            const unsigned room =
                max(kOrdered, k > 1 ? 2u << (31 - __clz(static_cast<int>(k - 1))) : 1);
            const KeyIndex bound = crowded ? kth_largest(entries, k, room - k, state) : 1;
            pack(entries, bound);
        }
        const unsigned count = state->candidates;
        if (threadIdx.x == 0) *result.count = min(count, k);
        const auto write = [&](unsigned position, KeyIndex item) {
            if (position < k) result.write(position, item, order_mask);
        };
        if (count <= kOrdered) return in_order(slots, count, write);
        sort(count);
        for (unsigned i = threadIdx.x; i < min(count, k); i += kThreads) write(i, slots[i]);
    }

  private:
    /// Fills the slots from the front with the entries that are not less than `bound`, which is not
    /// 0.
    __device__ void pack(const KeyIndex (&entries)[kSlotsPerThread], KeyIndex bound) const {
        const unsigned lane = threadIdx.x % 32;
        __syncthreads();  // all slots have been read, and their number
        if (threadIdx.x == 0) state->candidates = 0;
        __syncthreads();  // the count is cleared
#pragma unroll
        for (const KeyIndex entry : entries) {
            const unsigned some = __ballot_sync(kFullMask, entry >= bound);
            unsigned position = 0;
            if (lane == 0 && some != 0) position = atomicAdd(&state->candidates, __popc(some));
            position = __shfl_sync(kFullMask, position, 0) + __popc(some & ((1u << lane) - 1));
            if (entry >= bound) slots[position] = entry;
        }
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
