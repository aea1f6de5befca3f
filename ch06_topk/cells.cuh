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
constexpr Composite kNoKey = 1;         ///< a cell's word: there is no such cell

/// Shared memory of the block that collects.
struct Collector {
    alignas(16) unsigned bests[kPolledGroups];  ///< of counted_floor
    unsigned floor;                             ///< the same
    unsigned meet;             ///< of insert_rest: a thread asks the others to meet
    unsigned items;            ///< keys found in the cells
    unsigned wholes;           ///< cells of which one lane's keys are not enough
    unsigned whole[kFewerK];   ///< which
    Composite cells[kFewerK];  ///< the words of the best cells, the best first
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

/// A cell's word: its best rank; below it as complement, so that of equal ranks the first cell is
/// the best, which cell that is; which lane read the best key; and how much better that is than the
/// keys of all other lanes: by 2^gap at least, or, if gap is 0, perhaps not at all.
__device__ inline Composite make_word(unsigned rank, unsigned cell, unsigned lane, unsigned gap) {
    return Composite{rank} << 32 | static_cast<unsigned>(~(cell << 10 | lane << 5 | gap));
}
__device__ inline unsigned cell_of(Composite word) { return ~static_cast<unsigned>(word) >> 10; }
__device__ inline unsigned lane_of(Composite word) {
    return ~static_cast<unsigned>(word) >> 5 & 31;
}
__device__ inline unsigned gap_of(Composite word) { return ~static_cast<unsigned>(word) & 31; }

/// The word of a warp's cell. All lanes together.
template <unsigned kReads, bool kReadOnce, class Key>
__device__ __forceinline__ Composite word_of_cell(const Job<Key>& job, unsigned cell) {
    const unsigned base = cell * kCell<kReads>;
    const unsigned mine = best_rank_of_lane<kReads, kReadOnce>(job, base);
    const unsigned best = warp_max(mine);
    if (base >= job.n || !Order<Key>::is_value(best)) return kNoKey;
    const unsigned lane = __ffs(static_cast<int>(__ballot_sync(kEveryLane, mine == best))) - 1;
    const unsigned second = warp_max(threadIdx.x % 32 == lane ? 0 : mine);
    const bool is_full = job.n - base >= kCell<kReads>;
    const unsigned ahead = is_full ? best - second : 0;
    return make_word(best, cell, lane, ahead < 2 ? 0 : 31 - __clz(static_cast<int>(ahead)));
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
        __syncthreads();  // all threads know how many are in
    }
}

// ---- Block 0: the best cells -----------------------------------------------------------------

constexpr unsigned kWordsAtOnce = 8;  ///< that a thread asks for before it uses the first
constexpr unsigned kWordsOfBatch = kWordsAtOnce * kThreads;

/// This thread's words of a batch.
struct Words {
    Composite word[kWordsAtOnce];

    /// Those of the batch that begins with word `first`. Waits until they are there, and clears
    /// them, so that the next launch finds zeros again.
    __device__ __forceinline__ void take(Composite* words, unsigned first, unsigned count) {
#pragma unroll
        for (unsigned i = 0; i < kWordsAtOnce; ++i) {
            word[i] = first + i * kThreads + word_of_thread(threadIdx.x) < count ? 0 : kNoKey;
        }
        Composite* const mine = words + first + threadIdx.x;
        bool are_there = false;
        for (; !are_there; let_others_run()) {
            Composite seen[kWordsAtOnce];
#pragma unroll
            for (unsigned i = 0; i < kWordsAtOnce; ++i) {
                seen[i] = word[i] == 0 ? look_at(mine + i * kThreads) : 0;
            }
            are_there = true;
#pragma unroll
            for (unsigned i = 0; i < kWordsAtOnce; ++i) {
                if (seen[i] != 0) write(mine + i * kThreads, 0);
                word[i] |= seen[i];
                are_there = are_there && word[i] != 0;
            }
        }
    }

    __device__ __forceinline__ Composite best() const {
        Composite best = 0;
#pragma unroll
        for (const Composite each : word) best = max(best, each);
        return best;
    }

    /// Which of them reach the floor, one bit each.
    __device__ __forceinline__ unsigned reaching(Composite floor) const {
        unsigned bits = 0;
#pragma unroll
        for (unsigned i = 0; i < kWordsAtOnce; ++i) {
            bits |= static_cast<unsigned>(word[i] >= floor) << i;
        }
        return bits;
    }

    /// Word number `wanted`; without an index, which would move all of them to local memory.
    __device__ __forceinline__ Composite at(int wanted) const {
        Composite item = word[0];
#pragma unroll
        for (int i = 1; i < static_cast<int>(kWordsAtOnce); ++i)
            item = i == wanted ? word[i] : item;
        return item;
    }
};

// What is rare is not inlined: block 0 goes through its code once, and waits for each line of it.

/// More words reached the floor than there is room for: they are equal, or in order.
template <class Set>
__device__ __noinline__ void insert_many(Set set, Words words, Composite floor) {
    if (threadIdx.x == 0) set.state->candidates = 0;
    __syncthreads();  // the set is empty
    insert_pending(set, words.reaching(floor), [&](int i) { return words.at(i); });
}

/// Inserts all words behind the first batch that reach the floor. Each warp goes at its own pace,
/// since other blocks still read, and since hardly a word reaches the floor; the block meets where
/// that is not so.
template <class Set>
__device__ __noinline__ void insert_rest(Set set, Composite* words, unsigned count, Composite floor,
                                         Collector* collector) {
    unsigned next = kWordsOfBatch;
    bool more = true;
    while (more) {
        Words mine;
        unsigned pending = 0;
        bool meet = false;
        while (next < count && !meet) {
            mine.take(words, next, count);
            next += kWordsOfBatch;
            pending = mine.reaching(floor);
            // Two of so few: the floor is not what it should be.
            meet = __any_sync(kEveryLane, (pending & (pending - 1)) != 0);
            if (!meet && __any_sync(kEveryLane, pending != 0)) {
                const bool room = pending == 0 || set.insert(mine.best());
                pending = 0;
                meet = !__all_sync(kEveryLane, room);
            }
            unsigned others = 0;
            if (threadIdx.x % 32 == 0) others = atomicOr(&collector->meet, meet ? 1u : 0u);
            meet = meet || __shfl_sync(kEveryLane, others, 0) != 0;
        }
        const Composite best = pending != 0 ? mine.best() : 0;
        if (__syncthreads_count(best >= floor) > static_cast<int>(Set::kLimit / 4)) {
            floor = max(floor, counted_floor(best, set.k, *collector));
        }
        if (threadIdx.x == 0) collector->meet = 0;
        if (set.keep_reaching(floor) > Set::kLimit) set.keep_best();
        floor = max(floor, set.state->floor);
        insert_pending(set, pending != 0 ? mine.reaching(floor) : 0,
                       [&](int i) { return mine.at(i); });
        floor = max(floor, set.state->floor);
        more = __syncthreads_or(next < count);
    }
}

/// The words of the k best cells to collector.cells, in order; of fewer cells, if not so many have
/// a key. Returns how many. The set is empty, its floor 0, and collector.meet 0. All threads
/// together.
template <class Set>
__device__ __forceinline__ unsigned best_cells(const Set& set, Composite* words,
                                               Collector& collector) {
    const unsigned count = gridDim.x * kWarps;
    Words mine;
    mine.take(words, 0, count);
    const Composite floor = max(counted_floor(mine.best(), set.k, collector), kNoKey + 1);
#pragma unroll
    for (const Composite word : mine.word) {
        if (word < floor) continue;
        const unsigned place = atomicAdd(&set.state->candidates, 1u);
        if (place < Set::kSlots) set.slots[place] = word;
    }
    __syncthreads();  // the words are in, if there is room
    unsigned found = set.state->candidates;
    if (found > kOrdered || count > kWordsOfBatch) {
        __syncthreads();  // all threads know
        if (found > kOrdered) insert_many(set, mine, floor);
        if (count > kWordsOfBatch) insert_rest(set, words, count, floor, &collector);
        found = set.state->candidates;
    }
    in_order<kOrdered>(set.slots, found, [&](unsigned place, Composite word) {
        if (place < set.k) collector.cells[place] = word;
    });
    __syncthreads();  // the cells are in order
    return min(found, set.k);
}

// ---- Block 0: their keys ---------------------------------------------------------------------

/// Rows of 32 vectors, 128 keys, of the best cells.
template <class Key, unsigned kReads>
struct CellsAgain {
    using Vector = typename VectorOf<Key>::Type;
    const Job<Key>& job;
    const Composite* cells;  ///< shared; `count` of them
    unsigned count;
    unsigned least;  ///< rank of interest

    /// The index of the first key of a lane's vector in a row.
    __device__ __forceinline__ unsigned index(unsigned cell, unsigned row, unsigned lane) const {
        return cell_of(cells[cell]) * kCell<kReads> + (row * 32 + lane) * 4;
    }

    /// Is no key of interest in this cell but among those of the lane that read the best?
    __device__ __forceinline__ bool is_one_enough(unsigned cell) const {
        const unsigned gap = gap_of(cells[cell]);
        return gap > 0 && rank_of(cells[cell]) - (1u << gap) < least;
    }

    /// The keys of the vector that begins at `index`, or 0 where a key is not of interest.
    __device__ __forceinline__ void load(unsigned index, Composite (&items)[4]) const {
        Key keys[4] = {};
        if (index < job.n && job.n - index >= 4) {
            const Vector v = *reinterpret_cast<const Vector*>(job.keys + index);
            keys[0] = v.x;
            keys[1] = v.y;
            keys[2] = v.z;
            keys[3] = v.w;
        } else {
            for (unsigned j = 0; j < 4; ++j) {
                if (index < job.n && j < job.n - index) keys[j] = job.keys[index + j];
            }
        }
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
            const Composite item = composite_of(keys[j], index + j, job.flip);
            const bool there = index < job.n && j < job.n - index;
            items[j] = there && rank_of(item) >= least ? item : 0;
        }
    }
};

/// Puts the items that are not 0 into the slots. False if there are more than kOrdered: then not
/// all of them are there.
template <class Set>
__device__ __forceinline__ bool push(const Set& set, Collector& collector,
                                     const Composite (&items)[4]) {
    static_assert(kOrdered + kFewerK * kMostReads + kThreads <= Set::kSlots);  // see collect_cells
    bool room = true;
#pragma unroll
    for (const Composite item : items) {
        if (item == 0 || !room) continue;
        const unsigned place = atomicAdd(&collector.items, 1u);
        set.slots[place] = item;
        room = place < kOrdered;
    }
    return room;
}

/// Pushes the keys of interest of the cells that are wanted whole, or so many that there are too
/// many. All threads together; a barrier must follow.
template <class Again, class Set>
__device__ __noinline__ void push_whole(Again again, unsigned reads, Set set,
                                        Collector* collector) {
    const unsigned rows = collector->wholes * reads;
    bool room = true;
    for (unsigned row = threadIdx.x / 32; row < rows && room; row += kWarps) {
        Composite mine[4];
        again.load(again.index(collector->whole[row / reads], row % reads, threadIdx.x % 32), mine);
        room = push(set, *collector, mine);
    }
}

/// Many keys of the cells are equal, or stand side by side: all cells are read once more, with a
/// floor from the best that each thread has seen, and only ever the k best stay. Then the set has
/// no more than kLimit. All threads together.
template <class Again, class Set>
__device__ __noinline__ void insert_again(Again again, unsigned reads, Set set) {
    const unsigned rows = again.count * reads;
    const unsigned warp = threadIdx.x / 32;
    const auto load = [&](unsigned row, Composite(&items)[4]) {
        again.load(again.index(row / reads, row % reads, threadIdx.x % 32), items);
    };
    Composite best[1] = {};
    for (unsigned row = warp; row < rows; row += kWarps) {
        Composite items[4];
        load(row, items);
#pragma unroll
        for (const Composite item : items) best[0] = max(best[0], item);
    }
    const Composite floor = kth_largest(best, set.k, set.k / 4, set.state);
    if (threadIdx.x == 0) {
        set.state->floor = floor;
        set.state->candidates = 0;
    }
    __syncthreads();  // all threads know the floor, and the set is empty
    for (unsigned first = 0; first < rows; first += kWarps) {
        Composite items[4] = {};
        if (first + warp < rows) load(first + warp, items);
        unsigned pending = 0;
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) pending |= static_cast<unsigned>(items[j] >= floor) << j;
        if (!__syncthreads_or(pending != 0)) continue;
        insert_pending(set, pending, [&](int j) {
            return j == 0 ? items[0] : j == 1 ? items[1] : j == 2 ? items[2] : items[3];
        });
    }
}

/// In the block that collects: the k best keys of all cells, in order, to the result. The set is
/// empty, and its floor 0; so are collector.items and .wholes, and collector.meet is 0. All
/// threads together.
template <unsigned kReads, class Key, class Set>
__device__ __forceinline__ void collect_cells(const Job<Key>& job, const Set& set,
                                              Collector& collector) {
    const unsigned cells = best_cells(set, job.scratch.words, collector);
    // At least k keys have the rank of the k-th word, or a better one.
    const unsigned least =
        max(cells == job.k ? rank_of(collector.cells[cells - 1]) : 0, Order<Key>::kLeastRank);
    const CellsAgain<Key, kReads> again = {job, collector.cells, cells, least};
    // Of nearly every cell the keys of one lane are enough: a thread reads one vector of them.
    static_assert(kFewerK * kReads <= kThreads);
    const unsigned cell = threadIdx.x / kReads;
    const unsigned row = threadIdx.x % kReads;
    if (cell < cells) {
        if (again.is_one_enough(cell)) {
            Composite items[4];
            again.load(again.index(cell, row, lane_of(collector.cells[cell])), items);
            push(set, collector, items);
        } else if (row == 0) {
            collector.whole[atomicAdd(&collector.wholes, 1u)] = cell;
        }
    }
    __syncthreads();  // their candidates are in, and the other cells are known
    if (collector.wholes != 0) {
        push_whole(again, kReads, set, &collector);
        __syncthreads();  // all candidates are in, if they are few
    }
    unsigned count = collector.items;
    if (count > kOrdered) {
        __syncthreads();  // all threads know
        insert_again(again, kReads, set);
        count = set.state->candidates;
    }
    in_order<kOrdered>(set.slots, count, [&](unsigned place, Composite candidate) {
        if (place < job.k) job.result.write(place, candidate, job.flip);
    });
    if (threadIdx.x == 0) *job.result.count = min(count, job.k);
}

}  // namespace topk
