// The way from the sample to the answer where k is small: a floor that nobody meets for, and an end
// that counts.
//
// A block publishes the bests of its groups as words that are never 0. Whoever needs them reads
// them until they are there: one trip to memory and back, where a meeting of the grid takes three.
// The floor, and the order of the few keys that reach the end, are found by counting: see
// floor_of_groups.
#pragma once

#include <cuda/atomic>

#include "few_keys.cuh"

namespace topk {

constexpr unsigned kPolledGroups = 64;  ///< of neighbouring threads: many more than k
constexpr unsigned kOrdered = 128;      ///< candidates whose order is found by counting

/// Shared memory to count in.
struct Counting {
    alignas(16) unsigned bests[kPolledGroups];
    unsigned floor;
};

/// The word, as it is now. Others may write it meanwhile.
__device__ inline Composite look_at(Composite* word) {
    return cuda::atomic_ref<Composite, cuda::thread_scope_device>(*word).load(
        cuda::memory_order_relaxed);
}

/// Lets others run: a CPU that imitates the device needs to be told. A GPU does not, and its
/// shortest sleep is longer than the trip to the word.
__device__ inline void let_others_run() {
#if !defined(__CUDACC__)
    __nanosleep(0);
#endif
}

/// Which word thread `thread` reads first, so that words of neighbouring blocks go to threads of
/// different groups: the bests of sorted data stand side by side.
__device__ inline unsigned word_of_thread(unsigned thread) {
    constexpr unsigned kLanes = kThreads / kPolledGroups;
    return thread % kLanes * kPolledGroups + thread / kLanes;
}

/// Where word number `word` lies: the 32 words that a warp reads at once lie side by side.
__device__ inline unsigned place_of_word(unsigned word) {
    constexpr unsigned kLanes = kThreads / kPolledGroups;
    const unsigned within = word % kThreads;
    return word - within + within % kPolledGroups * kLanes + within / kPolledGroups;
}

/// Publishes the bests of this block's groups of warps in its words. `warp_best` is complete for
/// each warp's first lane. All threads together.
template <class Set>
__device__ void publish_words(const Set& set, Composite* words) {
    static_assert(Set::kGroups == kGroupsOfFew);
    __syncthreads();  // the warps' bests are complete
    if (threadIdx.x >= Set::kGroups) return;
    const Composite* const warps = set.state->warp_best + threadIdx.x * Set::kWarpsAGroup;
    Composite best = 1;  // no key: its index would be the last of 32 bits but one
    for (unsigned i = 0; i < Set::kWarpsAGroup; ++i) best = max(best, warps[i]);
    cuda::atomic_ref<Composite, cuda::thread_scope_device>(
        words[place_of_word(blockIdx.x * Set::kGroups + threadIdx.x)])
        .store(best, cuda::memory_order_relaxed);
}

/// A composite that at least k of the threads' items reach, from the bests of groups of threads; 0
/// if there are not so many. `best`: this thread's. All threads together.
__device__ inline Composite counted_floor(Composite best, unsigned k, Counting& counting) {
    const unsigned rank =
        floor_of_groups<kPolledGroups>(rank_of(best), k, counting.bests, counting.floor);
    const bool reaches = rank_of(best) >= rank;
    const auto count = static_cast<unsigned>(__syncthreads_count(reaches));
    if (count <= 4 * k + 32) return Composite{rank} << 32;
    // Many are equal: of those at the floor the first are enough, found the same way.
    unsigned low = 0;
    if (reaches) low = rank_of(best) == rank ? static_cast<unsigned>(best) : ~0u;
    low = floor_of_groups<kPolledGroups>(low, k, counting.bests, counting.floor);
    return Composite{rank} << 32 | low;
}

/// The best of this thread's share of the words; waits until they are there.
__device__ inline Composite polled_best(Composite* words) {
    constexpr unsigned kAtOnce = 3;
    const unsigned count = gridDim.x * kGroupsOfFew;
    Composite best = 0;
#pragma unroll 1
    for (unsigned first = 0; first < count; first += kAtOnce * kThreads) {
        Composite seen[kAtOnce];
        bool are_there = false;
        for (; !are_there; let_others_run()) {
            are_there = true;
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
                const unsigned at = first + i * kThreads;
                const bool is_mine = at + word_of_thread(threadIdx.x) < count;
                seen[i] = is_mine ? look_at(words + at + threadIdx.x) : 1;
                are_there = are_there && seen[i] != 0;
            }
        }
#pragma unroll
        for (const Composite one : seen) best = max(best, one);
    }
    return best;
}

/// In the last block: the k best of the list, in order, to the result. Leaves `control` as it was
/// before the launch.
template <class Key, class Set>
__device__ void finish_counting(const Job<Key>& job, const Set& set, Counting& counting) {
    constexpr unsigned kLoads = 8;  // in flight a thread
    constexpr unsigned kRound = kThreads * kLoads;
    Control* const control = job.scratch.control;
    const unsigned listed = set.state->listed;
    // The items of a block lie side by side, and are often all good: they go to different groups.
    const unsigned mine = word_of_thread(threadIdx.x);
    Composite round[kLoads];
    const auto load = [&](unsigned first) {
#pragma unroll
        for (unsigned i = 0; i < kLoads; ++i) {
            const unsigned at = first + i * kThreads + mine;
            round[i] = at < listed ? __ldcg(&job.scratch.list[at]) : 0;
        }
    };
    load(0);
    for (unsigned i = 0; i < gridDim.x * kGroupsOfFew; i += kThreads) {
        control->words[i + threadIdx.x] = 0;  // every block has read them
    }
    if (threadIdx.x == 0) set.state->candidates = 0;
    unsigned count = listed;
    if (listed <= kOrdered) {
        if (mine < listed) set.slots[mine] = round[0];
        __syncthreads();  // all candidates are in
    } else {
        const unsigned last = (listed - 1) / kRound * kRound;
        Composite best = 0;
        for (unsigned first = 0; first <= last; first += kRound) {
            if (first > 0) load(first);
#pragma unroll
            for (const Composite item : round) best = max(best, item);
        }
        const Composite floor = max(counted_floor(best, job.k, counting), Composite{1});
        for (unsigned first = last;; first -= kRound) {
            if (first < last) load(first);
#pragma unroll
            for (const Composite item : round) {
                if (item < floor) continue;
                const unsigned place = atomicAdd(&set.state->candidates, 1u);
                if (place < Set::kSlots) set.slots[place] = item;
            }
            if (first == 0) break;
        }
        __syncthreads();  // all candidates are in, if there is room
        count = set.state->candidates;
        if (count > Set::kSlots) {
            __syncthreads();  // all threads know
            return finish(job, set, [&] { return floor; });
        }
        if (count > kOrdered) {
            if (threadIdx.x == 0) set.state->floor = 0;
            set.keep_best();
            count = min(set.state->candidates, job.k);
        }
    }
    in_order<kOrdered>(set.slots, count, [&](unsigned place, Composite candidate) {
        if (place < job.k) job.result.write(place, candidate, job.flip);
    });
    if (threadIdx.x == 0) {
        *job.result.count = min(count, job.k);
        control->floor = 0;
        control->progress = 0;
        control->taken = 0;
    }
}

}  // namespace topk
