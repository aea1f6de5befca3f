// One read of all keys: what one_read and best have in common.
//
// Tile by tile, each thread holds 16 keys in registers and compares the largest of their ranks with
// the floor's. While nobody has a candidate, that and one vote a tile is all there is to do.
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

    /// Reads the tile that begins at key `base`; what is behind the last key is 0.
    __device__ __forceinline__ void load(const Job<Key>& job, unsigned base) {
        if (job.n - base >= kTile) {
            const auto* from = reinterpret_cast<const Vector*>(job.keys + base) + threadIdx.x;
#pragma unroll
            for (int i = 0; i < kVectors; ++i) vectors[i] = __ldcs(from + i * kThreads);
            return;
        }
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
    const unsigned rank = __reduce_max_sync(kEveryLane, rank_of(mine));
    const unsigned low = rank_of(mine) == rank ? static_cast<unsigned>(mine) : 0;
    return static_cast<Composite>(rank) << 32 | __reduce_max_sync(kEveryLane, low);
}

/// No candidate yet. A barrier must follow.
template <class Set>
__device__ void start(const Set& set) {
    set.clear();
    if (threadIdx.x < kWarps) set.state->warp_best[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        set.state->floor = 0;
        set.state->heard[0] = 0;
        set.state->heard[1] = 0;
    }
}

/// Takes this block's tiles, from `base` on, whose keys are in `tile` already; gathers what reaches
/// the floor in the set. Tiles are taken in ascending order. That matters: once the floor is
/// (value, index), equal values that come later have higher indices and need not be looked at.
template <class Key, class Set>
__device__ __forceinline__ void stream(const Job<Key>& job, const Set& set, Tile<Key>& tile,
                                       unsigned base) {
    BlockState* const state = set.state;
    const unsigned stride = gridDim.x * kTile;
    unsigned turn = 0;
    while (base < job.n) {
        // What other blocks have found comes one tile late, so that nobody waits for it.
        Composite heard = 0;
        if (threadIdx.x == 0)
            heard = *static_cast<volatile Composite*>(&job.scratch.control->floor);
        const Composite floor = max(state->floor, state->heard[turn]);
        // The least rank that is of interest in this tile; beyond ~0 there is none.
        const bool behind = base > index_of(floor);
        const bool none = behind && rank_of(floor) == ~0u;
        const unsigned least = max(rank_of(floor) + (behind ? 1 : 0), Order<Key>::kLeastRank);

        unsigned top = 0;
        tile.for_each([&](int, Key key) { top = max(top, Order<Key>::rank(key, job.flip)); });
        unsigned pending = 0;  // one bit a key
        if (top >= least && !none) {
            tile.for_each([&](int i, Key key) {
                const unsigned rank = Order<Key>::rank(key, job.flip);
                const bool in = rank >= least && !set.surely_has(rank);
                pending |= static_cast<unsigned>(in) << i;
            });
        }
        // From here the registers hold the next tile, which is on its way while the block votes.
        // The few keys that are pending are read again: that is cheaper than to keep them all.
        const bool more = job.n - base > stride;
        if (more) tile.load(job, base + stride);

        const auto take_best = [&](Composite floor_now) {
            Composite best = 0;
            unsigned best_bit = 0;
            for (unsigned rest = pending; rest != 0; rest &= rest - 1) {
                const unsigned i = __ffs(static_cast<int>(rest)) - 1;
                const unsigned bit = 1u << i;
                const unsigned index = base + Tile<Key>::offset(i);
                const Composite candidate =
                    index < job.n ? composite_of(job.keys[index], index, job.flip) : 0;
                if (candidate == 0 || candidate < floor || candidate < floor_now ||
                    set.covers(candidate)) {
                    pending ^= bit;
                } else if (candidate > best) {
                    best = candidate;
                    best_bit = bit;
                }
            }
            pending &= ~best_bit;
            return best;
        };
        const Composite found = take_best(floor);
        if (threadIdx.x == 0) state->heard[1 - turn] = heard;
        if (__syncthreads_or(found != 0)) {
            const Composite largest = warp_largest(found);
            Composite* const best = &state->warp_best[threadIdx.x / 32];
            if (threadIdx.x % 32 == 0 && largest > *best) *best = largest;
            const Composite before = state->floor;
            set.absorb(found, take_best);
            if (threadIdx.x == 0 && state->floor > before) {
                atomicMax(&job.scratch.control->floor, state->floor);
            }
        }
        if (!more) break;
        turn = 1 - turn;
        base += stride;
    }
    __syncthreads();  // the set is complete
}

/// Appends the block's candidates that reach the floor, at most k, to the list of all blocks, and
/// draws a ticket. True in the block that draws the last one: then the list is complete.
template <class Key, class Set, int kEach>
__device__ bool hand_over(const Job<Key>& job, const Set& set, Composite (&entries)[kEach]) {
    BlockState* const state = set.state;
    if (state->candidates > set.k) set.keep_best();
    set.read(entries);
    const Composite floor =
        max(state->floor, *static_cast<volatile Composite*>(&job.scratch.control->floor));
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
    if (threadIdx.x == 0 && state->reaching[0] != 0) {
        state->place = atomicAdd(&job.scratch.control->listed, state->reaching[0]);
    }
    __syncthreads();  // the block has its part of the list
    place += state->place;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        if (entries[i] != 0) job.scratch.list[place++] = entries[i];
    }
    __threadfence();  // the entries are visible before the ticket is
    __syncthreads();  // all threads' entries are
    if (threadIdx.x == 0) {
        state->last = atomicAdd(&job.scratch.control->ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();  // all threads know
    return state->last;
}

/// In the last block: the k best of the list, in order, to the result. `floor`: the least that is
/// of interest. Leaves `control` as it was before the launch.
template <class Key, class Set, int kEach>
__device__ void finish(const Job<Key>& job, const Set& set, Composite (&entries)[kEach],
                       Composite floor) {
    __threadfence();  // the tickets were seen before the list is read
    Control* const control = job.scratch.control;
    constexpr unsigned kRound = kThreads * kEach;
    const auto read = [&](unsigned first, unsigned listed) {
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const unsigned at = first + i * kThreads + threadIdx.x;
            entries[i] = at < listed ? __ldcg(&job.scratch.list[at]) : 0;
        }
    };
    const unsigned listed = *static_cast<volatile unsigned*>(&control->listed);
    set.clear();
    if (threadIdx.x == 0) set.state->floor = floor;
    __syncthreads();  // the set is empty
    const auto take_best = [&](Composite floor_now) {
        Composite best = 0;
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (entries[i] < floor_now || set.covers(entries[i])) entries[i] = 0;
            best = max(best, entries[i]);
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (entries[i] == best) entries[i] = 0;
        }
        return best;
    };
    for (unsigned first = 0; first < listed; first += kRound) {
        read(first, listed);
        const Composite found = take_best(set.state->floor);
        if (__syncthreads_or(found != 0)) set.absorb(found, take_best);
    }
    set.write_sorted(ResultOutput<Key>{job.result, job.flip});
    if (threadIdx.x == 0) *control = Control{0, 0, 0};
}

}  // namespace topk
