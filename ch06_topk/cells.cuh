// The k best for small k: every warp publishes the best of its cell, and block 0 reads the k best
// cells again.
//
// A cell is what one warp reads, keys side by side. If k cells are better than this one, each of
// them has a key that is better than all keys here; so the k best keys are in the k best cells. The
// bests are words that are never 0: whoever needs them reads them until they are there. All blocks
// but one are done when they have published theirs: nobody else waits for anybody.
#pragma once

#include <cuda/atomic>

#include "few_keys.cuh"

namespace topk {

constexpr unsigned kMostReads = 8;      ///< vectors a thread
constexpr unsigned kPolledGroups = 64;  ///< of neighbouring threads: many more than k
constexpr unsigned kOrdered = 128;      ///< composites whose order is found by counting
constexpr Composite kNoKey = 1;  ///< a cell's word: its index would be the last of 32 bits but one

/// Shared memory of the block that collects.
struct Collector {
    alignas(16) unsigned bests[kPolledGroups];  ///< of counted_floor
    unsigned floor;                             ///< the same
    unsigned items;                             ///< keys found in the cells
    Composite cells[kOrdered];                  ///< the words of the best cells, the best first
};

/// How many keys a cell has.
template <unsigned kReads>
constexpr unsigned kCell = kReads * 32 * 4;

template <unsigned kReads, class Key>
__device__ __forceinline__ bool is_full(const Job<Key>& job, unsigned base) {
    return base < job.n && job.n - base >= kCell<kReads>;
}

/// The keys of one lane in a cell: all of them are asked for before the first is used.
template <class Key, unsigned kReads, bool kReadOnce>
struct LaneOfCell {
    static constexpr unsigned kKeys = kReads * 4;
    Key keys[kKeys];
    bool full;

    /// Where in the cell this lane's i-th key is.
    __device__ static unsigned offset(bool full, unsigned i) {
        const unsigned lane = threadIdx.x % 32;
        return full ? (i / 4 * 32 + lane) * 4 + i % 4 : i * 32 + lane;
    }
    __device__ __forceinline__ unsigned offset(unsigned i) const { return offset(full, i); }

    /// The keys of the cell at `base`; behind the last one of rank 0.
    __device__ __forceinline__ void load(const Job<Key>& job, unsigned base) {
        full = is_full<kReads>(job, base);
        if (full) {
            using Vector = typename VectorOf<Key>::Type;
            const auto* const vectors = reinterpret_cast<const Vector*>(job.keys + base);
#pragma unroll
            for (unsigned i = 0; i < kReads; ++i) {
                const Vector* const from = vectors + i * 32 + threadIdx.x % 32;
                const Vector vector = kReadOnce ? __ldcs(from) : *from;
                keys[4 * i] = vector.x;
                keys[4 * i + 1] = vector.y;
                keys[4 * i + 2] = vector.z;
                keys[4 * i + 3] = vector.w;
            }
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            const bool there = base < job.n && offset(i) < job.n - base;
            keys[i] = there ? job.keys[base + offset(i)] : Order<Key>::key(0, job.flip);
        }
    }

    __device__ __forceinline__ unsigned rank(const Job<Key>& job, unsigned i) const {
        return Order<Key>::rank(keys[i], job.flip);
    }

    __device__ __forceinline__ unsigned best_rank(const Job<Key>& job) const {
        unsigned best = 0;
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) best = max(best, rank(job, i));
        return best;
    }
};

/// The word, as it is now. Others may write it meanwhile.
__device__ inline Composite look_at(Composite* word) {
    return cuda::atomic_ref<Composite, cuda::thread_scope_device>(*word).load(
        cuda::memory_order_relaxed);
}

__device__ inline void write(Composite* word, Composite value) {
    cuda::atomic_ref<Composite, cuda::thread_scope_device>(*word).store(value,
                                                                        cuda::memory_order_relaxed);
}

/// Reads the word and drops it: nobody waits for it, but its cache line comes.
__device__ inline void fetch(const volatile Composite* word) { static_cast<void>(*word); }

/// Lets others run: a CPU that imitates the device needs to be told. A GPU does not, and its
/// shortest sleep is longer than the trip to the word.
__device__ inline void let_others_run() {
#if !defined(__CUDACC__)
    __nanosleep(0);
#endif
}

/// Which of kThreads words thread `thread` reads, so that words of neighbouring cells go to threads
/// of different groups: the bests of sorted data stand side by side.
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

/// A composite that at least k of the threads' items reach, from the bests of groups of threads; 0
/// if there are not so many. `best`: this thread's. All threads together.
__device__ inline Composite counted_floor(Composite best, unsigned k, Collector& collector) {
    const unsigned rank =
        floor_of_groups<kPolledGroups>(rank_of(best), k, collector.bests, collector.floor);
    const bool reaches = rank_of(best) >= rank;
    const auto count = static_cast<unsigned>(__syncthreads_count(reaches));
    if (count <= 4 * k + 32) return Composite{rank} << 32;
    // Many are equal: of those at the floor the first are enough, found the same way.
    unsigned low = 0;
    if (reaches) low = rank_of(best) == rank ? static_cast<unsigned>(best) : ~0u;
    low = floor_of_groups<kPolledGroups>(low, k, collector.bests, collector.floor);
    return Composite{rank} << 32 | low;
}

/// Inserts item_of(i) for each bit i of `pending`, or fewer: only ever the k best stay. Then there
/// are at most kLimit in the set. All threads together.
template <class Set, class Item>
__device__ __forceinline__ void insert_pending(const Set& set, unsigned pending,
                                               const Item& item_of) {
    bool again = true;
    while (again) {
        for (bool room = true; room && pending != 0; pending &= pending - 1) {
            const Composite item = item_of(__ffs(static_cast<int>(pending)) - 1);
            if (item != 0 && item >= set.state->floor) room = set.insert(item);
        }
        again = __syncthreads_or(pending != 0);
        if (set.state->candidates > Set::kLimit) set.keep_best();
    }
}

/// The words of the k best cells to collector.cells, in order; of fewer cells, if not so many have
/// a key. Returns how many. Waits for the words, and clears them, so that the next launch finds
/// zeros again. All threads together.
template <class Set>
__device__ __forceinline__ unsigned best_cells(const Set& set, Composite* words,
                                               Collector& collector) {
    constexpr unsigned kAtOnce = 4;  // words that a thread asks for before it uses the first
    const unsigned count = gridDim.x * kWarps;
    Composite floor = kNoKey + 1;
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
                seen[i] = is_mine ? look_at(words + at + threadIdx.x) : kNoKey;
                are_there = are_there && seen[i] != 0;
            }
        }
        Composite best = 0;
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            const unsigned at = first + i * kThreads;
            if (at + word_of_thread(threadIdx.x) < count) write(words + at + threadIdx.x, 0);
            best = max(best, seen[i]);
        }
        // Few, but where the words before did not tell.
        if (__syncthreads_count(best >= floor) > static_cast<int>(Set::kLimit / 4)) {
            floor = max(floor, counted_floor(best, set.k, collector));
        }
        unsigned pending = 0;
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            pending |= static_cast<unsigned>(seen[i] >= floor) << i;
        }
        insert_pending(set, pending, [&](int wanted) {
            Composite item = seen[0];
#pragma unroll
            for (int i = 1; i < static_cast<int>(kAtOnce); ++i) item = i == wanted ? seen[i] : item;
            return item;
        });
        floor = max(floor, set.state->floor);
    }
    static_assert(Set::kLimit <= kOrdered);
    const unsigned found = set.state->candidates;
    in_order<kOrdered>(set.slots, found, [&](unsigned place, Composite word) {
        if (place < set.k) collector.cells[place] = word;
    });
    __syncthreads();  // the cells are in order
    return min(found, set.k);
}

/// In the block that collects: the k best keys of all cells, in order, to the result. All threads
/// together. The set is empty, and its floor 0; so is collector.items.
template <unsigned kReads, class Key, class Set>
__device__ __forceinline__ void collect_cells(const Job<Key>& job, const Set& set,
                                              Collector& collector) {
    const unsigned cells = best_cells(set, job.scratch.words, collector);
    // At least k keys have this rank, or a better one.
    const unsigned least =
        max(cells == job.k ? rank_of(collector.cells[cells - 1]) : 0, Order<Key>::kLeastRank);
    const unsigned warp = threadIdx.x / 32;
    using Lane = LaneOfCell<Key, kReads, false>;
    const auto base_of_cell = [&](unsigned at) {
        return at < cells ? index_of(collector.cells[at]) : 0;
    };
    // This lane's keys of cell number `at` that may be in the result, one bit a key.
    const auto reaching = [&](unsigned at, unsigned base) {
        unsigned bits = 0;
        if (at >= cells) return bits;
        Lane lane;
        lane.load(job, base);
#pragma unroll
        for (unsigned i = 0; i < Lane::kKeys; ++i) {
            const bool in = lane.rank(job, i) >= least && lane.offset(i) < job.n - base;
            bits |= static_cast<unsigned>(in) << i;
        }
        return bits;
    };
    // Hardly any; they are read again, so that this is one short loop.
    const auto item = [&](unsigned base, int i) {
        const unsigned index = base + Lane::offset(is_full<kReads>(job, base), i);
        return composite_of(job.keys[index], index, job.flip);
    };
    for (unsigned at = warp; at < cells; at += kWarps) {
        const unsigned base = base_of_cell(at);
        for (unsigned bits = reaching(at, base); bits != 0; bits &= bits - 1) {
            const unsigned place = atomicAdd(&collector.items, 1u);
            if (place >= Set::kSlots) break;
            set.slots[place] = item(base, __ffs(static_cast<int>(bits)) - 1);
        }
    }
    if (threadIdx.x == 0) {
        set.state->floor = 0;
        set.state->candidates = 0;
    }
    __syncthreads();  // all candidates are in, if there is room
    unsigned items = collector.items;
    if (items > kOrdered) {
        // Many are equal, or stand side by side: once more, and only ever the k best stay.
        for (unsigned first = 0; first < cells; first += kWarps) {
            const unsigned base = base_of_cell(first + warp);
            insert_pending(set, reaching(first + warp, base), [&](int i) { return item(base, i); });
            __syncthreads();  // all threads know how many are in
        }
        items = set.state->candidates;
    }
    in_order<kOrdered>(set.slots, items, [&](unsigned place, Composite candidate) {
        if (place < job.k) job.result.write(place, candidate, job.flip);
    });
    if (threadIdx.x == 0) *job.result.count = min(items, job.k);
}

}  // namespace topk
