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
    bool is_full;                               ///< of best_cells: the set has too many words
    unsigned items;                             ///< keys found in the cells
    Composite cells[kOrdered];                  ///< the words of the best cells, the best first
};

/// How many keys a cell has.
template <unsigned kReads>
constexpr unsigned kCell = kReads * 32 * 4;

/// The best rank of this lane's keys in the cell at `base`, all of them asked for before the first
/// is used; 0 if there is none.
template <unsigned kReads, bool kReadOnce, class Key>
__device__ __forceinline__ unsigned best_rank_of_lane(const Job<Key>& job, unsigned base) {
    constexpr unsigned kKeys = kReads * 4;
    const unsigned lane = threadIdx.x % 32;
    Key keys[kKeys];
    if (base < job.n && job.n - base >= kCell<kReads>) {
        using Vector = typename VectorOf<Key>::Type;
        const auto* const vectors = reinterpret_cast<const Vector*>(job.keys + base);
#pragma unroll
        for (unsigned i = 0; i < kReads; ++i) {
            const Vector* const from = vectors + i * 32 + lane;
            const Vector vector = kReadOnce ? __ldcs(from) : *from;
            keys[4 * i] = vector.x;
            keys[4 * i + 1] = vector.y;
            keys[4 * i + 2] = vector.z;
            keys[4 * i + 3] = vector.w;
        }
    } else {
#pragma unroll
        for (unsigned i = 0; i < kKeys; ++i) {
            const bool there = base < job.n && i * 32 + lane < job.n - base;
            keys[i] = there ? job.keys[base + i * 32 + lane] : Order<Key>::key(0, job.flip);
        }
    }
    Key best = keys[0];
    if (job.flip == Order<Key>::flip(true)) {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = Order<Key>::larger(best, keys[i]);
    } else {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = Order<Key>::smaller(best, keys[i]);
    }
    return Order<Key>::rank(best, job.flip);
}

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
/// zeros again. The set is empty, and collector.is_full false. All threads together.
template <class Set>
__device__ __forceinline__ unsigned best_cells(const Set& set, Composite* words,
                                               Collector& collector) {
    constexpr unsigned kAtOnce = 8;  // words that a thread asks for before it uses the first
    const unsigned count = gridDim.x * kWarps;
    volatile bool* const is_full = &collector.is_full;
    Composite floor = kNoKey + 1;
    unsigned next = 0;
    bool is_known = false;  // a floor, from the first words
    bool more = true;
    while (more) {
        Composite seen[kAtOnce] = {};
        unsigned pending = 0;
        // At its own pace, since other blocks still read; until a thread finds too many.
        while (next < count && pending == 0 && !(is_known && *is_full)) {
            bool are_there = false;
            for (; !are_there; let_others_run()) {
                are_there = true;
#pragma unroll
                for (unsigned i = 0; i < kAtOnce; ++i) {
                    const unsigned at = next + i * kThreads;
                    const bool is_mine = at + word_of_thread(threadIdx.x) < count;
                    seen[i] = is_mine ? look_at(words + at + threadIdx.x) : kNoKey;
                    are_there = are_there && seen[i] != 0;
                }
            }
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
                const unsigned at = next + i * kThreads;
                if (at + word_of_thread(threadIdx.x) < count) write(words + at + threadIdx.x, 0);
                pending |= static_cast<unsigned>(seen[i] >= floor) << i;
            }
            next += kAtOnce * kThreads;
            if (!is_known) break;
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
                if ((pending >> i & 1) == 0 || *is_full) continue;
                if (!set.insert(seen[i])) *is_full = true;
                pending &= ~(1u << i);
            }
        }
        Composite best = 0;
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            if ((pending >> i & 1) != 0) best = max(best, seen[i]);
        }
        if (!is_known) {
            floor = max(floor, counted_floor(best, set.k, collector));
        } else {
            // Few, but where the words before did not tell.
            if (__syncthreads_count(best >= floor) > static_cast<int>(Set::kLimit / 4)) {
                floor = max(floor, counted_floor(best, set.k, collector));
            }
            if (*is_full) {
                if (set.keep_reaching(floor) > Set::kLimit) set.keep_best();
                floor = max(floor, set.state->floor);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            if (seen[i] < floor) pending &= ~(1u << i);
        }
        insert_pending(set, pending, [&](int wanted) {
            Composite item = seen[0];
#pragma unroll
            for (int i = 1; i < static_cast<int>(kAtOnce); ++i) item = i == wanted ? seen[i] : item;
            return item;
        });
        if (threadIdx.x == 0) *is_full = false;
        floor = max(floor, set.state->floor);
        // All threads have asked for words equally often, the first time.
        more = is_known ? __syncthreads_or(next < count) : next < count;
        if (more && !is_known) __syncthreads();  // all threads know how many words are in
        is_known = true;
    }
    static_assert(Set::kLimit <= kOrdered);
    const unsigned found = set.state->candidates;
    in_order<kOrdered>(set.slots, found, [&](unsigned place, Composite word) {
        if (place < set.k) collector.cells[place] = word;
    });
    __syncthreads();  // the cells are in order
    return min(found, set.k);
}

/// The cells that are read again: all warps take rows of them, 32 vectors each.
template <class Key, unsigned kReads>
struct CellsAgain {
    using Vector = typename VectorOf<Key>::Type;
    static constexpr unsigned kAtOnce = kReads < 4 ? kReads + 1 : 5;
    static constexpr unsigned kStep = kAtOnce * kWarps;
    const Job<Key>& job;
    const Composite* cells;
    unsigned rows;
    unsigned least;  ///< rank of interest

    /// The index of the first key of this lane's vector in a row.
    __device__ __forceinline__ unsigned index(unsigned row) const {
        return index_of(cells[row / kReads]) + row % kReads * 128 + threadIdx.x % 32 * 4;
    }

    /// Which of this thread's vectors in the rows from `first` on, every kWarps-th, may hold a key
    /// of interest, one bit each. `top`: the best rank in them, and `top_row` its row.
    __device__ __forceinline__ unsigned reaching(unsigned first, unsigned& top,
                                                 unsigned& top_row) const {
        Vector vectors[kAtOnce] = {};
        unsigned full = 0;
        unsigned bits = 0;
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            const unsigned row = first + i * kWarps;
            const unsigned begin = row < rows ? index(row) : job.n;
            const bool is_full = begin < job.n && job.n - begin >= 4;
            // Without a branch, so that all are asked for before the first is used.
            if (job.n >= 4) {
                vectors[i] = *reinterpret_cast<const Vector*>(job.keys + (is_full ? begin : 0));
            }
            full |= static_cast<unsigned>(is_full) << i;
            bits |= static_cast<unsigned>(!is_full && begin < job.n) << i;  // the last of the data
        }
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            const Vector& v = vectors[i];
            const unsigned best = max(max(rank(v.x), rank(v.y)), max(rank(v.z), rank(v.w)));
            const bool reaches = (full >> i & 1) != 0 && best >= least;
            bits |= static_cast<unsigned>(reaches) << i;
            top_row = reaches && best > top ? first + i * kWarps : top_row;
            top = reaches ? max(top, best) : top;
        }
        return bits;
    }

    /// Key number `j` of the vector that begins at `index`, if it is of interest; else 0.
    __device__ Composite item(unsigned index, unsigned j) const {
        if (index >= job.n || j >= job.n - index) return 0;
        const Composite item = composite_of(job.keys[index + j], index + j, job.flip);
        return rank_of(item) >= least ? item : 0;
    }

  private:
    __device__ unsigned rank(Key key) const { return Order<Key>::rank(key, job.flip); }
};

/// In the block that collects: the k best keys of all cells, in order, to the result. The set is
/// empty, and its floor 0; so is collector.items. All threads together.
template <unsigned kReads, class Key, class Set>
__device__ __forceinline__ void collect_cells(const Job<Key>& job, const Set& set,
                                              Collector& collector) {
    const unsigned cells = best_cells(set, job.scratch.words, collector);
    // At least k keys have the rank of the k-th word, or a better one.
    const unsigned least =
        max(cells == job.k ? rank_of(collector.cells[cells - 1]) : 0, Order<Key>::kLeastRank);
    using Again = CellsAgain<Key, kReads>;
    const Again again = {job, collector.cells, cells * kReads, least};
    const unsigned warp = threadIdx.x / 32;
    volatile unsigned* const items = &collector.items;
    unsigned top = 0;
    unsigned top_row = warp;
#pragma unroll 1
    for (unsigned first = warp; first < again.rows; first += Again::kStep) {
        // Hardly any; they are read again, so that this is one short loop.
        for (unsigned bits = again.reaching(first, top, top_row); bits != 0; bits &= bits - 1) {
            const unsigned i = __ffs(static_cast<int>(bits)) - 1;
            const unsigned index = again.index(first + i * kWarps);
#pragma unroll 1
            for (unsigned j = 0; j < 4 && *items <= kOrdered; ++j) {
                const Composite item = again.item(index, j);
                if (item != 0) set.slots[atomicAdd(&collector.items, 1u)] = item;
            }
        }
    }
    static_assert(kOrdered + kThreads < Set::kSlots);
    if (threadIdx.x == 0) set.state->candidates = 0;
    __syncthreads();  // all candidates are in, if they are few
    unsigned count = *items;
    if (count > kOrdered) {
        // Many are equal, or stand side by side: once more, with a floor from the best that each
        // thread has seen, and only ever the k best stay.
        Composite best[1] = {};
        for (unsigned j = 4; j-- > 0 && top != 0;) {
            const Composite item = again.item(again.index(top_row), j);
            if (rank_of(item) == top) best[0] = item;
        }
        const Composite floor = kth_largest(best, job.k, job.k / 4, set.state);
        if (threadIdx.x == 0) set.state->floor = floor;
        __syncthreads();  // all threads know the floor
#pragma unroll 1
        for (unsigned first = 0; first < again.rows; first += Again::kStep) {
            const unsigned bits =
                first + warp < again.rows ? again.reaching(first + warp, top, top_row) : 0;
#pragma unroll 1
            for (unsigned j = 0; j < 4; ++j) {
                insert_pending(set, bits, [&](int i) {
                    return again.item(again.index(first + warp + i * kWarps), j);
                });
                __syncthreads();  // all threads know how many are in
            }
        }
        count = set.state->candidates;
    }
    in_order<kOrdered>(set.slots, count, [&](unsigned place, Composite candidate) {
        if (place < job.k) job.result.write(place, candidate, job.flip);
    });
    if (threadIdx.x == 0) *job.result.count = min(count, job.k);
}

}  // namespace topk
