// One read of all keys: what one_read and sample_floor have in common.
//
// Tile by tile, each thread holds 16 keys in registers, and compares the largest of each four ranks
// with the floor's. While no lane of its warp has a candidate, that and one vote is all there is to
// do.
#pragma once

#include "candidates.cuh"

namespace topk {

constexpr int kVectors = 4;                          ///< 16-byte reads in flight a thread
constexpr unsigned kTile = kThreads * kVectors * 4;  ///< keys
constexpr unsigned kBlocksPerSm = 2;                 ///< so that 64 registers a thread suffice

template <class Key>
struct VectorOf;
template <>
struct VectorOf<int> {
    using Type = int4;
};
template <>
struct VectorOf<float> {
    using Type = float4;
};

/// The keys of one thread in one tile. A warp's 32 vectors lie side by side.
template <class Key>
struct Tile {
    using Vector = typename VectorOf<Key>::Type;
    Vector vectors[kVectors];

    static constexpr unsigned kKeys = kVectors * 4;

    /// Where in the tile this thread's i-th key is.
    __device__ static unsigned offset(unsigned i) {
        return (i / 4 * kThreads + threadIdx.x) * 4 + i % 4;
    }

    __device__ __forceinline__ void load_vector(const Job<Key>& job, unsigned base, int i) {
        const auto* from = reinterpret_cast<const Vector*>(job.keys + base) + threadIdx.x;
        vectors[i] = __ldcs(from + i * kThreads);
    }

    __device__ __forceinline__ void load_full(const Job<Key>& job, unsigned base) {
#pragma unroll
        for (int i = 0; i < kVectors; ++i) load_vector(job, base, i);
    }

    /// Reads the tile that begins at key `base`; what is behind the last key is 0.
    __device__ __forceinline__ void load(const Job<Key>& job, unsigned base) {
        if (job.n - base >= kTile) return load_full(job, base);
        const auto key = [&](unsigned i) {
            return offset(i) < job.n - base ? job.keys[base + offset(i)] : Key{0};
        };
#pragma unroll
        for (int i = 0; i < kVectors; ++i) {
            vectors[i].x = key(4 * i);
            vectors[i].y = key(4 * i + 1);
            vectors[i].z = key(4 * i + 2);
            vectors[i].w = key(4 * i + 3);
        }
    }

    /// visit(i, key) for the thread's 16 keys, unrolled, so that they stay in registers.
    template <class Visit>
    __device__ __forceinline__ void for_each(const Visit& visit) const {
#pragma unroll
        for (int i = 0; i < kVectors; ++i) {
            visit(4 * i, vectors[i].x);
            visit(4 * i + 1, vectors[i].y);
            visit(4 * i + 2, vectors[i].z);
            visit(4 * i + 3, vectors[i].w);
        }
    }
};

/// The warp's largest composite, in every lane.
__device__ inline Composite warp_largest(Composite mine) {
    const unsigned rank = warp_max(rank_of(mine));
    const unsigned low = rank_of(mine) == rank ? static_cast<unsigned>(mine) : 0;
    return static_cast<Composite>(rank) << 32 | warp_max(low);
}

/// No candidate yet. A barrier must follow.
template <class Set>
__device__ void start(const Set& set) {
    set.clear();
    if (threadIdx.x < kWarps) set.state->warp_best[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        set.state->known.factor = Set::kFactor;
        set.state->few = false;
        set.state->floor = 0;
        set.state->others_floor[0] = 0;
        set.state->others_floor[1] = 0;
    }
}

/// Blocks take tiles in chunks. Long chunks first, since between chunks the block meets; then
/// shorter and shorter ones, so that all blocks end together (guided self-scheduling:
/// Polychronopoulos and Kuck, 1987). visit(first, count, length): from tile `first` on there are
/// `count` chunks of `length` tiles. It says whether that is what was asked for. A length is for
/// data of which every block gets several such chunks. The chunks of one tile have no end.
template <class Visit>
__device__ __forceinline__ void find_chunk(unsigned tiles, const Visit& visit) {
    unsigned first = 0;
#pragma unroll
    for (unsigned length = 16; length > 1; length /= 4) {
        const unsigned count = (tiles - first) * 3ull / 4 / length;
        if (count < 4 * gridDim.x) continue;
        if (visit(first, count, length)) return;
        first += count * length;
    }
    visit(first, ~0u, 1u);
}

/// The first tile of chunk number `ticket`; beyond the data where there are no more.
__device__ inline unsigned chunk_first(unsigned ticket, unsigned tiles) {
    unsigned tile = 0;
    find_chunk(tiles, [&](unsigned first, unsigned count, unsigned length) {
        tile = first + ticket * length;
        if (ticket < count) return true;
        ticket -= count;
        return false;
    });
    return tile;
}

/// The tile behind the chunk that begins with this one.
__device__ inline unsigned chunk_end(unsigned tile, unsigned tiles) {
    unsigned end = 0;
    find_chunk(tiles, [&](unsigned first, unsigned count, unsigned length) {
        end = tile + length;
        return length == 1 || tile < first + count * length;
    });
    return end;
}

__host__ __device__ inline unsigned tiles_of(unsigned n) { return (n - 1) / kTile + 1; }

/// The first key of a tile. The last tile of the data, which may not be full, is number 0: it is
/// the first of its block, and no other read needs to look where the data end.
__device__ inline unsigned base_of(unsigned tile, unsigned n) {
    return (tile == 0 ? (n - 1) / kTile : tile - 1) * kTile;
}

/// Which of the thread's keys in the tile that begins at `base` may be candidates, one bit a key.
/// From then on the registers hold tile number `after`, if there is one: each vector is asked for
/// as soon as the one before has been looked at, so that the memory is never idle.
template <class Key, class Set>
__device__ __forceinline__ unsigned test_and_load(const Job<Key>& job, const Set& set,
                                                  Tile<Key>& tile, unsigned base, Composite floor,
                                                  unsigned after, unsigned tiles) {
    // The least rank that is of interest here; beyond ~0 there is none. Once the floor is (value,
    // index), equal values that come later have higher indices and need not be looked at.
    const bool behind = base > index_of(floor);
    const bool none = behind && rank_of(floor) == ~0u;
    const unsigned least =
        none ? ~0u : max(rank_of(floor) + (behind ? 1 : 0), Order<Key>::kLeastRank);
    const bool more = after < tiles;
    const Known known = Set::kOnce ? set.state->known : Known{};
    unsigned pending = 0;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
        const Key keys[4] = {tile.vectors[v].x, tile.vectors[v].y, tile.vectors[v].z,
                             tile.vectors[v].w};
        if (more) tile.load_vector(job, base_of(after, job.n), v);
        unsigned top = 0;
#pragma unroll
        for (const Key key : keys) top = max(top, Order<Key>::rank(key, job.flip));
        if (top < least) continue;
        if (known.ahead != 0 && base >= known.ahead) {
            // Distinct, and few different values: nearly always all are known.
            unsigned unknown = 0;
#pragma unroll
            for (const Key key : keys) {
                const unsigned rank = Order<Key>::rank(key, job.flip);
                if (rank >= least) unknown |= set.known_like(rank, known.factor) ^ rank;
            }
            if (unknown == 0) continue;
        }
#pragma unroll
        for (int i = 4 * v; i < 4 * v + 4; ++i) {
            const unsigned rank = Order<Key>::rank(keys[i % 4], job.flip);
            const Composite candidate = make_composite(rank, base + Tile<Key>::offset(i));
            const bool in = rank >= least && !(known.ahead != 0 && set.is_known(candidate));
            pending |= static_cast<unsigned>(in) << i;
        }
    }
    return none ? 0 : pending;
}

/// The first key of this block's first tile.
__device__ inline unsigned first_base(unsigned n) {
    return base_of(chunk_first(blockIdx.x, tiles_of(n)), n);
}

/// The highest floor that a block has found so far.
template <class Key>
__device__ Composite highest_floor(const Job<Key>& job) {
    return *static_cast<volatile Composite*>(&job.scratch.control->floor);
}

/// Takes chunk after chunk until there are no more, and gathers what reaches the floor in the set.
/// The first tile is in `tile` already. Between two meetings of the block its warps go at their own
/// pace.
template <class Key, class Set>
__device__ __forceinline__ void stream(const Job<Key>& job, const Set& set, Tile<Key>& tile) {
    BlockState* const state = set.state;
    Control* const control = job.scratch.control;
    const unsigned tiles = tiles_of(job.n);
    Composite* const warp_best = &state->warp_best[threadIdx.x / 32];
    unsigned at = chunk_first(blockIdx.x, tiles);
    unsigned end = chunk_end(at, tiles);  // of the chunk
    unsigned next = chunk_first(gridDim.x + blockIdx.x, tiles);
    unsigned ticket = 0;
    const auto take_ticket = [&] {
        // It is needed a chunk later, so that nobody waits for it.
        if (threadIdx.x == 0 && next < tiles) {
            ticket = 2 * gridDim.x + atomicAdd(&control->taken, 1u);
        }
    };
    take_ticket();
    unsigned pending = 0;  // keys of tile `at` to be inserted, one bit each
    bool tested = false;   // tile `at` was, and the registers hold the one after it
    unsigned turn = 0;
    while (end <= tiles) {
        // What other blocks have found comes one pass late, for the same reason.
        Composite others_floor = 0;
        if (threadIdx.x == 0 && next < tiles) {
            others_floor = highest_floor(job);
        }
        const Composite floor = max(state->floor, state->others_floor[turn]);
        bool inserted = false;
        bool room = true;
        bool twice = false;  // distinct: a value came again
        for (; at < end; ++at) {
            const unsigned base = base_of(at, job.n);
            if (!tested) {
                const unsigned after = at + 1 < end ? at + 1 : next;
                pending = test_and_load(job, set, tile, base, floor, after, tiles);
            }
            tested = __any_sync(kFullMask, pending != 0);
            if (!tested) continue;
            // The few keys that are pending are read again: that is cheaper than to keep them all.
            // Best first, so that where they are many the next floor is high.
            Composite done = 0;  // distinct: the warp has no better key of this value to look at
            const bool known = Set::kOnce && state->known.ahead != 0;
            const bool few = Set::kOnce && (known || state->few);
            while (__any_sync(kFullMask, pending != 0 && room)) {
                Composite best = 0;
                unsigned best_bit = 0;
                for (unsigned rest = room ? pending : 0; rest != 0;) {
                    const unsigned i = (__ffs(static_cast<int>(rest)) - 1) / 4 * 4;
                    const unsigned first = base + Tile<Key>::offset(i);
#pragma unroll
                    for (unsigned j = 0; j < 4; ++j) {
                        const bool wanted = (rest >> (i + j) & 1) != 0 && first + j < job.n;
                        const Composite candidate =
                            wanted ? composite_of(job.keys[first + j], first + j, job.flip) : 0;
                        if (candidate == 0 || candidate < floor ||
                            (known && set.is_known(candidate)) ||
                            (rank_of(candidate) == rank_of(done) && candidate <= done)) {
                            pending &= ~(1u << (i + j));
                        } else if (best == 0 || (!few && candidate > best)) {
                            best = candidate;
                            best_bit = 1u << (i + j);
                        }
                    }
                    rest &= ~(15u << i);
                    if (few && !known && best != 0) break;  // any will do, and soon all are known
                }
                pending &= ~best_bit;
                inserted = inserted || best != 0;
                const Composite largest = warp_largest(best);
                if (threadIdx.x % 32 == 0) *warp_best = max(*warp_best, largest);
                if constexpr (Set::kOnce) {
                    // Of the lanes that have the warp's best value, one inserts it.
                    done = largest;
                    if (best != done && rank_of(best) == rank_of(done)) {
                        twice = twice || best != 0;
                        best = 0;
                    }
                }
                if (best != 0) room = set.insert(best, &twice);
                if (Set::kOnce && __any_sync(kFullMask, twice && __popc(pending) > 4)) break;
            }
            tested = __any_sync(kFullMask, pending != 0);
            if (tested) break;
            // A few values never fill the set, and come here key by key until the block meets and
            // notes them as known; so that it should, and soon.
            if (Set::kOnce && __any_sync(kFullMask, twice)) {
                ++at;
                break;
            }
        }
        turn = 1 - turn;
        if (threadIdx.x == 0) {
            state->others_floor[turn] = others_floor;
            state->ticket[turn] = ticket;
        }
        bool again = false;
        if (__syncthreads_or(inserted)) {
            const unsigned candidates = state->candidates;
            again = __syncthreads_or(at < end);
            if (candidates > max(set.k, Set::kLimit / 2)) {
                const Composite kth = set.keep_best();
                if (threadIdx.x == 0 && kth != 0) atomicMax(&control->floor, kth);
                // The registers were needed.
                const unsigned wanted = at + (tested ? 1 : 0);
                const unsigned held = wanted < end ? wanted : next;
                tile = Tile<Key>{};
                if (held < tiles) tile.load_full(job, base_of(held, job.n));
            }
            if (Set::kOnce && __syncthreads_or(twice)) set.note_known();
            __syncthreads();  // the set is ready for the next pass
        }
        if (again) continue;
        at = next;
        end = chunk_end(at, tiles);
        next = chunk_first(state->ticket[turn], tiles);
        take_ticket();
    }
    if (threadIdx.x == 0) state->floor = max(state->floor, state->others_floor[turn]);
    __syncthreads();  // the set and its floor are complete
}

/// Appends the block's candidates that reach the floor, at most 2 k + 16, to the list of all
/// blocks, and draws a ticket. True in the block that draws the last one: then the list is
/// complete.
template <class Key, class Set, int kEach>
__device__ bool append_to_list(const Job<Key>& job, const Set& set, Composite (&entries)[kEach]) {
    BlockState* const state = set.state;
    if (state->candidates > 2 * set.k + 16) set.keep_best();
    set.read(entries);
    const Composite floor = state->floor;
    unsigned mine = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        if (entries[i] < floor) entries[i] = 0;
        mine += entries[i] != 0;
    }
    if (threadIdx.x == 0) state->reaching[0] = 0;
    __syncthreads();  // the counter is cleared
    unsigned place = mine != 0 ? atomicAdd(&state->reaching[0], mine) : 0;
    __syncthreads();  // all entries are counted
    unsigned long long* const progress = &job.scratch.control->progress;
    const unsigned long long appended = state->reaching[0];
    if (threadIdx.x == 0) {
        const unsigned long long before = appended != 0 ? atomicAdd(progress, appended << 32) : 0;
        state->place = static_cast<unsigned>(before >> 32);
    }
    __syncthreads();  // the block has its part of the list
    place += state->place;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        if (entries[i] != 0) job.scratch.list[place++] = entries[i];
    }
    __syncthreads();  // the block's entries are written
    if (threadIdx.x == 0) {
        __threadfence();  // release: they are visible before the ticket is
        const unsigned long long before = atomicAdd(progress, 1ull);
        __threadfence();  // acquire: who sees a block's ticket sees its entries
        state->last = static_cast<unsigned>(before) == gridDim.x - 1;
        state->listed = static_cast<unsigned>(before >> 32);
    }
    __syncthreads();  // all threads know
    return state->last;
}

/// In the last block: the k best of the list, in order, to the result. floor_of() may tell more of
/// the floor than the blocks have found. Leaves `control` as it was before the launch.
template <class Key, class Set, class Floor>
__device__ void finish(const Job<Key>& job, const Set& set, const Floor& floor_of) {
    constexpr int kLoads = 8;  // in flight a thread
    constexpr unsigned kRound = kThreads * kLoads;
    const unsigned listed = set.state->listed;
    const auto item = [&](unsigned first, unsigned i) {
        const unsigned at = first + i * kThreads + threadIdx.x;
        return at < listed ? job.scratch.list[at] : 0;
    };
    Composite items[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) items[i] = item(0, i);  // while the floor is found
    set.clear();
    const Composite floor = max(floor_of(), highest_floor(job));
    if (threadIdx.x == 0) set.state->floor = max(set.state->floor, floor);
    __syncthreads();  // the set is empty
    for (unsigned first = 0; first < listed; first += kRound) {
        Composite least = set.state->floor;
        unsigned pending = 0;  // one bit an item
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            if (first > 0) items[i] = item(first, i);
            pending |= static_cast<unsigned>(items[i] != 0 && items[i] >= least) << i;
        }
        bool again = true;
        while (again) {
            // Hardly any; they are read again, so that this is one short loop.
            bool twice = false;  // distinct: a value came again
            for (bool room = true; room && pending != 0; pending &= pending - 1) {
                if (twice && __popc(pending) > 4) break;
                const Composite candidate = item(first, __ffs(static_cast<int>(pending)) - 1);
                if (candidate >= least) room = set.insert(candidate, &twice);
            }
            again = __syncthreads_or(pending != 0);
            if (Set::kOnce && again) {
                // All blocks have found the same few values: most items are in already.
                for (unsigned rest = pending; rest != 0; rest &= rest - 1) {
                    if (set.holds(item(first, __ffs(static_cast<int>(rest)) - 1))) {
                        pending &= ~(rest & (0 - rest));
                    }
                }
            }
            const unsigned candidates = set.state->candidates;
            __syncthreads();  // all threads know how many candidates there are
            if (candidates > Set::kLimit) set.keep_best();
            least = set.state->floor;
        }
    }
    set.write_sorted(job.result, job.flip);
    if (threadIdx.x == 0) {
        job.scratch.control->floor = 0;
        job.scratch.control->progress = 0;
        job.scratch.control->taken = 0;
    }
}

}  // namespace topk
