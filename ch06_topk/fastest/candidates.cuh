// The candidates of a block: a set in its shared memory, the k best of them, and their order.
//
// All threads of a block call each function here together, unless it says "any thread". The kernels
// own the shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/device_code.cuh"
#include "../topk.hpp"
#include "block.cuh"
#include "distinct_table.cuh"

namespace topk {

constexpr unsigned kMaxSmallK = 128;  ///< a k up to this one is small

// Slots per thread of a set:
constexpr int kSlotsForSmallK = 2;
constexpr int kSlotsForLargeK = kMaxSlots / kThreads;  ///< up to kMaxK

/// A block's static shared memory.
struct BlockState {
    KeyIndex threshold;              ///< nothing below is in the result; at least 1
    unsigned candidates;             ///< in the set
    unsigned hash_factor;            ///< distinct
    unsigned at_or_above[3];         ///< of kth_largest
    unsigned max_radix_key[kWarps];  ///< of kth_largest: each warp's largest
    unsigned min_radix_key[kWarps];  ///< and its smallest, as complement
    KeyIndex others_threshold[2];    ///< of stream: the other blocks', for this turn and the next
    unsigned ticket[2];              ///< of stream: the tile after the next
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
        // Three counters take turns, so that one barrier per round is enough: one is added to, the
        // previous one may still be read, and the next is cleared.
        unsigned* const now = &counters[round % 3];
        mine = warp_sum(mine);
        if (threadIdx.x % kWarpSize == 0 && mine != 0) atomicAdd(now, mine);
        if (threadIdx.x == 0) counters[(round + 1) % 3] = 0;
        __syncthreads();  // every warp has added
        return *now;
    }
}

/// A bound that at least k of the block's entries, kSlotsPerThread per thread, reach, and at most k
/// + `slack` if they differ; 0 if fewer than k entries are not 0. Without slack it keeps exactly
/// the k best. From the top bit down: a bit is set if k entries still reach the bound with it.
/// Item: a KeyIndex or a radix key.
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
    if (threadIdx.x % kWarpSize == 0) {
        state->max_radix_key[threadIdx.x / kWarpSize] = max_radix_key;
        state->min_radix_key[threadIdx.x / kWarpSize] = min_radix_key;
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
        // Above the first bit in which two of them differ, all are equal.
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

/// visit(place, candidate) for each of at most kMost candidates; `place` is its rank, the best
/// first: the number of candidates that are better. Several threads count for each candidate.
template <unsigned kMost = kOrdered, class Visit>
__device__ __forceinline__ void in_order(const KeyIndex* candidates, unsigned count,
                                         const Visit& visit) {
    constexpr unsigned kLanes = kThreads / kMost;
    if (threadIdx.x / kWarpSize * kWarpSize / kLanes >= count) return;
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

/// What one thread offers to the set; 0: nothing.
template <unsigned kItems>
struct Items {
    KeyIndex item[kItems];

    __device__ __forceinline__ KeyIndex best() const {
        KeyIndex best = 0;
#pragma unroll
        for (const KeyIndex each : item) best = max(best, each);
        return best;
    }
};

/// Keeps the set's k best, and raises the threshold to the k-th, if there are k. A barrier must
/// come before, and one follows. Not inlined: it is rare, and the code around it should be short.
template <class Set>
__device__ __noinline__ void keep_best(Set set) {
    KeyIndex entries[Set::kSlots / kThreads];
    set.read(entries);
    const KeyIndex kth = kth_largest(entries, set.k, 0, set.state);
    if (threadIdx.x == 0) set.state->threshold = max(set.state->threshold, kth);
    set.refill(entries, max(kth, KeyIndex{1}));
}

/// Distinct: if there are only a few values, moves each to the place that is probed first, so that
/// one lookup finds it; each new factor of the hash function is another try. A barrier must come
/// before, and one follows.
template <class Set>
__device__ __noinline__ void move_apart(Set set) {
    constexpr unsigned kFewValues = 64;
    // Until the next barrier the number only grows, and only if it is already too large.
    const bool few = load_relaxed(&set.state->candidates) <= kFewValues;
    for (int attempt = 0; few && attempt < 8; ++attempt) {
        bool is_apart = true;
        for (unsigned slot = threadIdx.x; slot < Set::kSlots; slot += kThreads) {
            const KeyIndex there = set.slots[slot];
            is_apart &= there == 0 || set.table().first_place(there) == slot;
        }
        if (__syncthreads_and(is_apart)) return;
        if (threadIdx.x == 0) set.state->hash_factor = set.state->hash_factor * kHashFactor | 1;
        keep_best(set);
    }
}

/// kDistinct: no value twice; of equal ones the lowest index stays. Then the slots are a hash
/// table, otherwise an array. kSlotsPerThread: slots per thread.
template <bool kDistinct, int kSlotsPerThread>
struct CandidateSet {
    static constexpr bool kIsDistinct = kDistinct;
    static constexpr unsigned kSlots = kThreads * kSlotsPerThread;
    static_assert(kSlots <= kMaxSlots);  // see Control: as many groups publish
    static constexpr std::size_t kBytes = kSlots * sizeof(KeyIndex);
    /// If there are more than this many, only the best k stay. One more from every thread always
    /// fits, and a hash table has at least 3/8 of its slots free, so that probes are short.
    static constexpr unsigned kLimit = kSlots * 5 / 8 - kThreads;

    KeyIndex* slots;    ///< kBytes of shared memory
    BlockState* state;  ///< shared
    unsigned k;         ///< at most kLimit

    /// Distinct: the slots as a hash table.
    __device__ DistinctTable<kSlots> table() const { return {slots, state->hash_factor}; }

    /// Empties the set. A barrier must follow.
    __device__ void clear() const {
        if (threadIdx.x == 0) state->candidates = 0;
        if constexpr (kDistinct) {
            for (unsigned i = threadIdx.x; i < kSlots; i += kThreads) slots[i] = 0;
        }
    }

    /// Any thread. Returns whether the same thread may insert another one before the next barrier.
    /// Distinct: `*repeated` becomes true if the value was there already.
    __device__ bool insert(KeyIndex candidate, bool* repeated = nullptr) const {
        if constexpr (kDistinct) {
            if (!table().insert(candidate)) {
                if (repeated != nullptr) *repeated = true;
                return true;
            }
            return atomicAdd(&state->candidates, 1u) < kLimit;
        } else {
            const unsigned position = atomicAdd(&state->candidates, 1u);
            slots[position] = candidate;
            return position < kLimit;
        }
    }

    /// Inserts the threads' items that reach the threshold and `bound`. If the set is full, only
    /// the k best stay. A barrier follows.
    template <unsigned kItems>
    __device__ __forceinline__ void insert_items(Items<kItems>& mine, KeyIndex bound) const {
        while (true) {
            const KeyIndex threshold = max(state->threshold, bound);
            bool room = true;
#pragma unroll
            for (KeyIndex& item : mine.item) {
                if (item < threshold || !room) continue;
                room = insert(item);
                item = 0;
            }
            if (__syncthreads_and(room)) return;
            keep_best(*this);
        }
    }

    /// This thread's share of the slots; 0 if a slot is empty.
    __device__ void read(KeyIndex (&entries)[kSlotsPerThread]) const {
#pragma unroll
        for (int i = 0; i < kSlotsPerThread; ++i) {
            const unsigned slot = i * kThreads + threadIdx.x;
            entries[i] = kDistinct || slot < state->candidates ? slots[slot] : 0;
        }
    }

    /// Keeps the entries that reach `bound`, and no others. A barrier must come before.
    __device__ void refill(const KeyIndex (&entries)[kSlotsPerThread], KeyIndex bound) const {
        clear();
        __syncthreads();  // the set is empty
#pragma unroll
        for (const KeyIndex entry : entries) {
            if (entry >= bound) insert(entry);
        }
        __syncthreads();  // all are in
    }

    /// Fills the set with a list that other blocks have written. A barrier follows.
    __device__ void assign(const KeyIndex* list, unsigned count) const {
        for (unsigned i = threadIdx.x; i < count; i += kThreads) slots[i] = __ldcg(&list[i]);
        if (threadIdx.x == 0) state->candidates = count;
        __syncthreads();  // the set is complete
    }

    /// Writes the k best to the answer, in order. Needs barriers before and after. Leaves the set
    /// unusable.
    template <class Key>
    __device__ void write_sorted(const TopKResult<Key>& result, unsigned order_mask) const {
        const unsigned candidates = state->candidates;
        const bool crowded = candidates > max(k, kOrdered);
        if (kDistinct || crowded) {
            KeyIndex entries[kSlotsPerThread];
            read(entries);
            // A few more make no extra work for what follows.
            const unsigned room =
                max(kOrdered, k > 1 ? 2u << (31 - __clz(static_cast<int>(k - 1))) : 1);
            const KeyIndex bound = crowded ? kth_largest(entries, k, room - k, state) : 1;
            __syncthreads();  // all slots have been read, and their number
            CandidateSet<false, kSlotsPerThread>{slots, state, k}.refill(entries, bound);
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
                if (distance > kWarpSize || next > kWarpSize) {
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
