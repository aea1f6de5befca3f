// The k best for small k: the best of every cell is published, and block 0 reads the k best cells
// again.
//
// A cell is what one warp reads, or four of a block, keys side by side. If k cells are better than
// this one, each of them has a key that is better than all keys here; so the k best keys are in the
// k best cells. The bests are words that are never 0: whoever needs them reads them until they are
// there. All blocks but one are done when they have published theirs: nobody else waits for
// anybody.
#pragma once

#include <cuda/atomic>

#include "few_keys.cuh"

namespace topk {

constexpr unsigned kMaxReads = 8;  ///< vectors a thread
constexpr unsigned kMaxWarpsOfCell = 4;
constexpr unsigned kRowOfCell = 32 * 4;  ///< keys that a warp reads with one vector a lane
constexpr unsigned kPolledGroups = 64;   ///< of neighbouring threads: many more than k
constexpr unsigned kOrdered = 128;       ///< composites whose order is found by counting
constexpr Composite kNoKey = 1;          ///< a cell's word: there is no such cell

/// Shared memory of the block that collects.
struct Collector {
    alignas(16) unsigned bests[kPolledGroups];  ///< of counted_floor
    unsigned floor;                             ///< the same
    unsigned meet;             ///< of insert_rest: a thread asks the others to meet
    unsigned items;            ///< keys found in the cells
    unsigned wholes;           ///< cells of which one thread's keys are not enough
    unsigned whole[kFewerK];   ///< which
    Composite cells[kFewerK];  ///< the words of the best cells, the best first
};

// ---- All blocks: the words -------------------------------------------------------------------

/// The best rank of the keys.
template <unsigned kKeys, class Key>
__device__ __forceinline__ unsigned best_rank(const Key (&keys)[kKeys], unsigned flip) {
    Key best = keys[0];
    if (flip == Order<Key>::flip(true)) {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = Order<Key>::larger(best, keys[i]);
    } else {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = Order<Key>::smaller(best, keys[i]);
    }
    return Order<Key>::rank(best, flip);
}

/// The best rank of every 32nd of `count` keys from this lane's own on; 0 if there is none. Not
/// inlined: only the last cell is not full, and all others would step over this.
template <unsigned kKeys, class Key>
__device__ __noinline__ unsigned best_rank_of_part(const Key* keys, unsigned count, unsigned flip) {
    Key mine[kKeys];
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned at = i * 32 + threadIdx.x % 32;
        mine[i] = at < count ? keys[at] : Order<Key>::key(0, flip);
    }
    return best_rank(mine, flip);
}

/// The best rank of this lane's keys of the kReads rows at `base`, all of them asked for before the
/// first is used; 0 if there is none. Meanwhile, meanwhile().
template <unsigned kReads, bool kReadOnce, class Key, class Meanwhile>
__device__ __forceinline__ unsigned best_rank_of_lane(const Job<Key>& job, unsigned base,
                                                      const Meanwhile& meanwhile) {
    constexpr unsigned kKeys = kReads * 4;
    const unsigned left = base < job.n ? job.n - base : 0;
    if (left < kReads * kRowOfCell) {
        return best_rank_of_part<kKeys>(job.keys + base, left, job.flip);
    }
    using Vector = typename VectorOf<Key>::Type;
    const auto* const vectors = reinterpret_cast<const Vector*>(job.keys + base);
    Key keys[kKeys];
#pragma unroll
    for (unsigned i = 0; i < kReads; ++i) {
        const Vector* const from = vectors + i * 32 + threadIdx.x % 32;
        const Vector vector = kReadOnce ? __ldcs(from) : *from;
        keys[4 * i] = vector.x;
        keys[4 * i + 1] = vector.y;
        keys[4 * i + 2] = vector.z;
        keys[4 * i + 3] = vector.w;
    }
    meanwhile();
    return best_rank(keys, job.flip);
}

/// What is known of some threads' keys, each thread's together.
struct Bests {
    unsigned best;    ///< the best rank; 0 if there is none
    unsigned thread;  ///< who read it: of the cell, the first one
    unsigned second;  ///< the best rank that another thread has read, as good or not

    /// Of these and of those of later threads.
    __device__ __forceinline__ Bests with(const Bests& later) const {
        return {max(best, later.best), later.best > best ? later.thread : thread,
                max(min(best, later.best), max(second, later.second))};
    }
};

/// Of a warp, given the best of this lane, `mine`. All lanes together.
template <unsigned kWarpsOfCell>
__device__ __forceinline__ Bests bests_of_warp(unsigned mine) {
    const unsigned best = warp_max(mine);
    const unsigned lane = __ffs(static_cast<int>(__ballot_sync(kFullMask, mine == best))) - 1;
    const unsigned second = warp_max(threadIdx.x % 32 == lane ? 0 : mine);
    return {best, threadIdx.x / 32 % kWarpsOfCell * 32 + lane, second};
}

/// A cell's word: its best rank; below it as complement, so that of equal ranks the first cell is
/// the best, which cell that is; which thread of it read the best key; and how much better that is
/// than the keys of all other threads: by 2^gap at least, or, if gap is 0, perhaps not at all.
__device__ inline Composite make_word(unsigned rank, unsigned cell, unsigned thread, unsigned gap) {
    return Composite{rank} << 32 | static_cast<unsigned>(~(cell << 12 | thread << 5 | gap));
}
__device__ inline unsigned cell_of(Composite word) { return ~static_cast<unsigned>(word) >> 12; }
__device__ inline unsigned thread_of(Composite word) {
    return ~static_cast<unsigned>(word) >> 5 & 127;
}
__device__ inline unsigned gap_of(Composite word) { return ~static_cast<unsigned>(word) & 31; }

/// The word of a cell of `keys` keys.
template <class Key>
__device__ __forceinline__ Composite word_of_cell(const Job<Key>& job, unsigned cell, unsigned keys,
                                                  const Bests& bests) {
    const unsigned base = cell * keys;
    if (base >= job.n || !Order<Key>::is_value(bests.best)) return kNoKey;
    const unsigned ahead = job.n - base >= keys ? bests.best - bests.second : 0;
    return make_word(bests.best, cell, bests.thread,
                     ahead < 2 ? 0 : 31 - __clz(static_cast<int>(ahead)));
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

/// This thread's words of a batch: kAtOnce, which it asks for before it uses the first.
template <unsigned kAtOnce>
struct Words {
    static constexpr unsigned kBatch = kAtOnce * kThreads;  ///< words of all threads
    Composite word[kAtOnce];

    /// Those of the batch that begins with word `first`. Waits until they are there, and clears
    /// them, so that the next launch finds zeros again.
    __device__ __forceinline__ void take(Composite* words, unsigned first, unsigned count) {
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            word[i] = first + i * kThreads + word_of_thread(threadIdx.x) < count ? 0 : kNoKey;
        }
        Composite* const mine = words + first + threadIdx.x;
        bool are_there = false;
        for (; !are_there; let_others_run()) {
            Composite seen[kAtOnce];
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
                seen[i] = word[i] == 0 ? look_at(mine + i * kThreads) : 0;
            }
            are_there = true;
#pragma unroll
            for (unsigned i = 0; i < kAtOnce; ++i) {
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
        for (unsigned i = 0; i < kAtOnce; ++i) {
            bits |= static_cast<unsigned>(word[i] >= floor) << i;
        }
        return bits;
    }

    /// Word number `wanted`; without an index, which would move all of them to local memory.
    __device__ __forceinline__ Composite at(int wanted) const {
        Composite item = word[0];
#pragma unroll
        for (int i = 1; i < static_cast<int>(kAtOnce); ++i) item = i == wanted ? word[i] : item;
        return item;
    }
};

/// Inserts all words behind the first batch that reach the floor. Each warp goes at its own pace,
/// since other blocks still read, and since hardly a word reaches the floor; the block meets where
/// that is not so.
template <class Mine, class Set>
__device__ __forceinline__ void insert_rest(const Set& set, Composite* words, unsigned count,
                                            Composite floor, Collector& collector) {
    unsigned next = Mine::kBatch;
    bool more = true;
    while (more) {
        Mine mine;
        unsigned pending = 0;
        bool meet = false;
        while (next < count && !meet) {
            mine.take(words, next, count);
            next += Mine::kBatch;
            pending = mine.reaching(floor);
            // Two of so few: the floor is not what it should be.
            meet = __any_sync(kFullMask, (pending & (pending - 1)) != 0);
            if (!meet && __any_sync(kFullMask, pending != 0)) {
                const bool room = pending == 0 || set.insert(mine.best());
                pending = 0;
                meet = !__all_sync(kFullMask, room);
            }
            unsigned others = 0;
            if (threadIdx.x % 32 == 0) others = atomicOr(&collector.meet, meet ? 1u : 0u);
            meet = meet || __shfl_sync(kFullMask, others, 0) != 0;
        }
        more = __syncthreads_or(next < count || meet);
        if (!more && set.state->candidates <= Set::kLimit) return;
        const Composite best = pending != 0 ? mine.best() : 0;
        if (__syncthreads_count(best >= floor) > static_cast<int>(Set::kLimit / 4)) {
            floor = max(floor, counted_floor(best, set.k, collector));
        }
        if (threadIdx.x == 0) collector.meet = 0;
        if (set.keep_reaching(floor) > Set::kLimit) set.keep_best();
        floor = max(floor, set.state->floor);
        insert_pending(set, pending != 0 ? mine.reaching(floor) : 0,
                       [&](int i) { return mine.at(i); });
        floor = max(floor, set.state->floor);
        more = __syncthreads_or(next < count);
    }
}

/// Inserts all words that reach the floor, where they are more than kOrdered in the first batch, so
/// equal or in order, or where others are still to be taken. Not inlined: block 0 goes through its
/// code once, and waits for each line of it. All threads together.
template <bool kMayBeMore, class Mine, class Set>
__device__ __noinline__ void insert_all_words(Set set, Mine mine, Composite* words, unsigned count,
                                              Composite floor, Collector* collector) {
    const unsigned found = set.state->candidates;
    __syncthreads();  // all threads know
    if (found > kOrdered) {
        if (threadIdx.x == 0) set.state->candidates = 0;
        __syncthreads();  // the set is empty
        insert_pending(set, mine.reaching(floor), [&](int i) { return mine.at(i); });
    }
    if constexpr (kMayBeMore) {
        if (count > Mine::kBatch) insert_rest<Mine>(set, words, count, floor, *collector);
    }
}

/// The words of the k best cells to collector.cells, in order; of fewer cells, if not so many have
/// a key. Returns how many. `mine`: this thread's of the first of `count` words, and the others are
/// still to be taken, if there may be more than a batch. The set is empty, its floor 0, and
/// collector.meet 0. All threads together.
template <bool kMayBeMore, class Mine, class Set>
__device__ __forceinline__ unsigned best_cells(const Set& set, const Mine& mine, Composite* words,
                                               unsigned count, Collector& collector) {
    const Composite floor = max(counted_floor(mine.best(), set.k, collector), kNoKey + 1);
#pragma unroll 1
    for (unsigned bits = mine.reaching(floor); bits != 0; bits &= bits - 1) {
        const unsigned place = atomicAdd(&set.state->candidates, 1u);
        if (place < Set::kSlots) set.slots[place] = mine.at(__ffs(static_cast<int>(bits)) - 1);
    }
    __syncthreads();  // the words are in, if there is room
    unsigned found = set.state->candidates;
    if (found > kOrdered || (kMayBeMore && count > Mine::kBatch)) {
        insert_all_words<kMayBeMore>(set, mine, words, count, floor, &collector);
        found = set.state->candidates;
    }
    in_order<kOrdered>(set.slots, found, [&](unsigned place, Composite word) {
        if (place < set.k) collector.cells[place] = word;
    });
    __syncthreads();  // the cells are in order
    return min(found, set.k);
}

// ---- Block 0: their keys ---------------------------------------------------------------------

/// The best cells, in rows.
template <class Key, unsigned kReads, unsigned kWarpsOfCell>
struct CellsAgain {
    static constexpr unsigned kRows = kReads * kWarpsOfCell;  ///< of a cell
    using Vector = typename VectorOf<Key>::Type;
    const Key* keys;         ///< of the job, which must not be copied: see keys_of_cells
    unsigned n;              ///< of the job
    unsigned flip;           ///< of the job
    const Composite* cells;  ///< shared; `count` of them
    unsigned count;
    Composite least;  ///< what is worse is of no interest

    /// The index of the first key of a lane's vector in a row.
    __device__ __forceinline__ unsigned index(unsigned cell, unsigned row, unsigned lane) const {
        return (cell_of(cells[cell]) * kRows + row) * kRowOfCell + lane * 4;
    }

    /// The same for vector number i of those that the thread read that read the best key.
    __device__ __forceinline__ unsigned index_at_best(unsigned cell, unsigned i) const {
        const unsigned thread = thread_of(cells[cell]);
        return index(cell, thread / 32 * kReads + i, thread % 32);
    }

    /// Is no key of interest in this cell but among those that one thread read?
    __device__ __forceinline__ bool is_one_enough(unsigned cell) const {
        const unsigned gap = gap_of(cells[cell]);
        return gap > 0 && rank_of(cells[cell]) - (1u << gap) < rank_of(least);
    }

    /// The four keys at `index`; 0 behind the last one.
    __device__ __forceinline__ Vector load(unsigned index) const {
        if (index < n && n - index >= 4) return *reinterpret_cast<const Vector*>(keys + index);
        Vector part = {};
        if (index < n) part.x = keys[index];
        if (index < n && n - index > 1) part.y = keys[index + 1];
        if (index < n && n - index > 2) part.z = keys[index + 2];
        return part;
    }

    /// The keys that were loaded from `index`, or 0 where a key is not of interest.
    __device__ __forceinline__ void items(const Vector& loaded, unsigned index,
                                          Composite (&items)[4]) const {
        const Key four[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) {
            const Composite item = composite_of(four[j], index + j, flip);
            const bool there = index < n && j < n - index;
            items[j] = there && item >= least ? item : 0;
        }
    }

    /// Can a key of this cell be of interest? If not, nor can one of the cells behind it.
    __device__ __forceinline__ bool is_of_interest(unsigned cell) const {
        const unsigned first = cell_of(cells[cell]) * kRows * kRowOfCell;
        return make_composite(rank_of(cells[cell]), first) >= least;
    }
};

/// A warp's share of some rows: kAtOnce, which it asks for before it uses the first.
template <class Again>
struct Rows {
    /// As registers allow; of cells of one row no more than the k best cells have.
    static constexpr unsigned kAtOnce = Again::kRows == 1 || Again::kRows > kMaxReads ? 2 : 4;
    static constexpr unsigned kBatch = kAtOnce * kWarps;  ///< of all warps
    unsigned index[kAtOnce];
    typename Again::Vector loaded[kAtOnce];

    /// Those of the batch that begins with row `first` of `rows` in cells number(0), number(1)...
    template <class Number>
    __device__ __forceinline__ void load(const Again& again, unsigned first, unsigned rows,
                                         const Number& number) {
#pragma unroll
        for (unsigned i = 0; i < kAtOnce; ++i) {
            const unsigned row = first + threadIdx.x / 32 + i * kWarps;
            index[i] = row < rows ? again.index(number(row / Again::kRows), row % Again::kRows,
                                                threadIdx.x % 32)
                                  : again.n;
            loaded[i] = again.load(index[i]);
        }
    }
};

/// Puts the items that are not 0 into the slots. False if there are more than kOrdered: then not
/// all of them are there.
template <class Set>
__device__ __forceinline__ bool push(const Set& set, Collector& collector,
                                     const Composite (&items)[4]) {
    static_assert(kOrdered + kFewerK * kMaxReads + kThreads <= Set::kSlots);  // see collect_cells
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
__device__ __forceinline__ void push_whole(const Again& again, const Set& set,
                                           Collector& collector) {
    const unsigned rows = collector.wholes * Again::kRows;
    bool room = true;
#pragma unroll 1
    for (unsigned first = 0; first < rows && room; first += Rows<Again>::kBatch) {
        Rows<Again> mine;
        mine.load(again, first, rows, [&](unsigned i) { return collector.whole[i]; });
#pragma unroll
        for (unsigned i = 0; i < mine.kAtOnce; ++i) {
            Composite items[4];
            again.items(mine.loaded[i], mine.index[i], items);
            room = room && push(set, collector, items);
        }
    }
}

/// The k-th best of the threads' `best`; 0 if not so many groups of threads have one. The set is
/// empty then. All threads together.
template <class Set>
__device__ __forceinline__ Composite kth_of_threads(Composite best, const Set& set,
                                                    Collector& collector) {
    constexpr unsigned kMax = kFewerK * kThreads / kPolledGroups;  // all threads of k groups
    if (threadIdx.x == 0) set.state->candidates = 0;
    const Composite floor = counted_floor(best, set.k, collector);
    if (floor == 0) return 0;
    if (best >= floor) set.slots[atomicAdd(&set.state->candidates, 1u)] = best;
    __syncthreads();  // the bests that reach the floor are in
    in_order<kMax>(set.slots, set.state->candidates, [&](unsigned place, Composite item) {
        if (place == set.k - 1) set.state->floor = item;
    });
    __syncthreads();  // the k-th is known
    if (threadIdx.x == 0) set.state->candidates = 0;
    return set.state->floor;
}

/// Many keys of the cells are equal, or stand side by side: the best that each thread sees in the
/// first rows of the best cells tell what is of interest. Returns that, and what cells have it are
/// wanted whole. All threads together; a barrier must follow.
template <class Again, class Set>
__device__ __forceinline__ Composite raise_least(const Again& again, const Set& set,
                                                 Collector& collector) {
    constexpr int kEnough = kThreads / 8;  // threads with a key of interest: in more than k groups
    const unsigned rows = again.count * Again::kRows;
    Composite best = 0;
    bool are_enough = false;
#pragma unroll 1
    for (unsigned first = 0; first < rows && !are_enough; first += Rows<Again>::kBatch) {
        Rows<Again> mine;
        mine.load(again, first, rows, [](unsigned i) { return i; });
#pragma unroll
        for (unsigned i = 0; i < mine.kAtOnce; ++i) {
            Composite items[4];
            again.items(mine.loaded[i], mine.index[i], items);
#pragma unroll
            for (const Composite item : items) best = max(best, item);
        }
        are_enough = __syncthreads_count(best != 0) >= kEnough;
    }
    Again above = again;
    above.least = max(again.least, kth_of_threads(best, set, collector));
    const bool is_whole = threadIdx.x < again.count && above.is_of_interest(threadIdx.x);
    if (is_whole) collector.whole[threadIdx.x] = threadIdx.x;
    const auto wholes = static_cast<unsigned>(__syncthreads_count(is_whole));
    if (threadIdx.x == 0) {
        collector.wholes = wholes;
        collector.items = 0;
    }
    return above.least;
}

/// As a last resort: the cells that are wanted whole, a batch of rows after the other, of whose
/// keys only ever the k best stay. Then the set has no more than kLimit. All threads together.
template <class Again, class Set>
__device__ __forceinline__ void insert_whole(const Again& again, const Set& set,
                                             const Collector& collector) {
    const unsigned rows = collector.wholes * Again::kRows;
    if (threadIdx.x == 0) {
        set.state->floor = again.least;
        set.state->candidates = 0;
    }
    __syncthreads();  // all threads know the floor, and the set is empty
    for (unsigned first = 0; first < rows; first += Rows<Again>::kBatch) {
        Rows<Again> mine;
        mine.load(again, first, rows, [&](unsigned i) { return collector.whole[i]; });
#pragma unroll 1
        for (unsigned i = 0; i < mine.kAtOnce; ++i) {
            Composite items[4];
            unsigned index = mine.index[0];
            auto loaded = mine.loaded[0];
#pragma unroll
            for (unsigned j = 1; j < mine.kAtOnce; ++j) {
                index = j == i ? mine.index[j] : index;
                loaded = j == i ? mine.loaded[j] : loaded;
            }
            again.items(loaded, index, items);
            unsigned pending = 0;
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) pending |= static_cast<unsigned>(items[j] != 0) << j;
            if (!__syncthreads_or(pending != 0)) continue;
            insert_pending(set, pending, [&](int j) {
                return j == 0 ? items[0] : j == 1 ? items[1] : j == 2 ? items[2] : items[3];
            });
        }
    }
}

/// The keys of interest of cells of which one thread's are not enough, to those that are in.
/// Returns how many there are then. All threads together.
template <class Again, class Set>
__device__ __noinline__ unsigned with_whole_cells(Again again, Set set, Collector* collector) {
    constexpr unsigned kFewRows = 2 * Rows<Again>::kBatch;
    constexpr unsigned kFewCells = 8;  // of more, too many keys are as good as equal
#pragma unroll 1
    for (bool is_raised = false; true; is_raised = true) {
        const bool are_few = collector->wholes * Again::kRows <= kFewRows &&
                             (is_raised || collector->wholes <= kFewCells);
        if (are_few) push_whole(again, set, *collector);
        __syncthreads();  // all candidates are in, if they are few
        const unsigned count = collector->items;
        if (are_few && count <= kOrdered) return count;
        if (is_raised) break;
        again.least = raise_least(again, set, *collector);
        __syncthreads();  // the cells of interest are known
    }
    insert_whole(again, set, *collector);
    return set.state->candidates;
}

/// Which bit of `bits` is the n-th that is set, from 0 on.
__device__ inline unsigned nth_bit(unsigned bits, unsigned n) {
    for (; n > 0; --n) bits &= bits - 1;
    return __ffs(static_cast<int>(bits)) - 1;
}

/// The keys of the k best cells that may be of the k best keys to the set; only the k best, if they
/// are more than kOrdered. Returns how many. The set is empty, its floor 0, and so are
/// collector.items and .wholes. All threads together.
template <unsigned kReads, unsigned kWarpsOfCell, class Key, class Set>
__device__ __forceinline__ unsigned keys_of_cells(const Job<Key>& job, const Set& set,
                                                  unsigned cells, Collector& collector) {
    // At least k keys have the rank of the k-th word, or a better one.
    const unsigned least =
        max(cells == job.k ? rank_of(collector.cells[cells - 1]) : 0, Order<Key>::kLeastRank);
    // By value: a function that is not inlined would need the job's address, and every thread of
    // the grid would begin with a copy of the job in its local memory.
    using Again = CellsAgain<Key, kReads, kWarpsOfCell>;
    const Again again = {job.keys, job.n, job.flip, collector.cells, cells, Composite{least} << 32};

    if constexpr (Again::kRows == 1) {
        // So few cells that two of the best keys are often in one: all keys of the best cells.
        static_assert(kFewerK <= Rows<Again>::kBatch);
        Rows<Again> mine;
        mine.load(again, 0, cells, [](unsigned i) { return i; });
        bool room = true;
#pragma unroll
        for (unsigned i = 0; i < mine.kAtOnce; ++i) {
            Composite items[4];
            again.items(mine.loaded[i], mine.index[i], items);
            room = room && push(set, collector, items);
        }
    } else {
        // Of nearly every cell the keys of one thread are enough: for those a thread reads one
        // vector. The warps behind look which cells are not so, and read a row of them each
        // meanwhile.
        static_assert(kFewerK <= 32 && kFewerK * kReads <= kThreads / 2);
        const unsigned warps_in_front = (cells * kReads + 31) / 32;
        const unsigned warp = threadIdx.x / 32;
        unsigned index = job.n;
        if (warp < warps_in_front) {
            const unsigned cell = threadIdx.x / kReads;
            if (cell < cells && again.is_one_enough(cell)) {
                index = again.index_at_best(cell, threadIdx.x % kReads);
            }
        } else {
            const unsigned lane = threadIdx.x % 32;
            const bool is_whole = lane < cells && !again.is_one_enough(lane);
            const unsigned wholes = __ballot_sync(kFullMask, is_whole);  // one bit a cell
            const unsigned rows = __popc(wholes) * Again::kRows;
            const unsigned row = warp - warps_in_front;
            if (rows <= kWarps - warps_in_front) {
                const unsigned cell = nth_bit(wholes, row / Again::kRows);
                if (row < rows) index = again.index(cell, row % Again::kRows, lane);
            } else if (row == 0) {  // too many: later, all warps together
                if (is_whole) collector.whole[__popc(wholes & ((1u << lane) - 1))] = lane;
                if (lane == 0) collector.wholes = __popc(wholes);
            }
        }
        Composite items[4];
        again.items(again.load(index), index, items);
        push(set, collector, items);
    }
    __syncthreads();  // their candidates are in, and what other cells are left is known
    if (collector.wholes == 0 && collector.items <= kOrdered) return collector.items;
    return with_whole_cells(again, set, &collector);
}

/// In the block that collects: the k best keys of all cells, in order, to the result. The set is
/// empty, and its floor 0; so are collector.items and .wholes, and collector.meet is 0. All
/// threads together.
template <unsigned kReads, unsigned kWarpsOfCell, class Key, class Set>
__device__ __forceinline__ void collect_cells(const Job<Key>& job, const Set& set,
                                              Collector& collector) {
    // A batch is all the words there can be of cells of one warp: see cut_into_cells().
    constexpr bool kMayBeMore = kWarpsOfCell == kMaxWarpsOfCell;
    using Mine = Words<(kReads < 4 ? 1 : kReads)>;
    const unsigned count = gridDim.x * (kWarps / kWarpsOfCell);
    Mine mine;
    mine.take(job.scratch.words, 0, count);
    const unsigned cells = best_cells<kMayBeMore>(set, mine, job.scratch.words, count, collector);
    const unsigned keys = keys_of_cells<kReads, kWarpsOfCell>(job, set, cells, collector);
    in_order<kOrdered>(set.slots, keys, [&](unsigned place, Composite candidate) {
        if (place < job.k) job.result.write(place, candidate, job.flip);
    });
    if (threadIdx.x == 0) *job.result.count = min(keys, job.k);
}

}  // namespace topk
