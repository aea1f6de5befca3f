// What a stage gets: the data, the question, and where the answer goes.
#pragma once

#include <cstddef>

#include "composite.cuh"

namespace topk {

constexpr unsigned kMaxK = 1024;

/// Indices have 32 bits; the rest is room, so that the end of the last tile has an index too.
constexpr std::size_t kMaxN = 0xFFFF0000u;

/// What the blocks of one launch share. All 0 between launches: the last block clears it.
struct Control {
    Composite floor;              ///< the highest floor that a block has found
    unsigned long long progress;  ///< blocks that have finished; above bit 32, composites listed
    unsigned taken;               ///< chunks that blocks have taken, beyond their first two
};

/// Scratch memory on the device. Its size: see scratch_sizes() in main.cu.
struct Scratch {
    Composite* list;       ///< what blocks hand to the next pass, or to the last block
    Composite* next_list;  ///< the same again, where a pass reads one and writes the other
    Composite* bests;      ///< one composite a warp, three times: see best_kernel
    Control* control;
};

/// The answer: best first. `indices` may be nullptr.
template <class Key>
struct Result {
    Key* keys;          ///< k of them, of which *count are written
    unsigned* indices;  ///< where each key is, the same way
    unsigned* count;    ///< how many there are: fewer than k if the data have no more

    /// Place i of the answer.
    __device__ void write(unsigned i, Composite item, unsigned flip) const {
        keys[i] = Order<Key>::key(rank_of(item), flip);
        if (indices != nullptr) indices[i] = index_of(item);
    }
};

template <class Key>
struct Job {
    const Key* keys;  ///< n keys; 16-byte aligned
    unsigned n;
    unsigned k;     ///< 1..kMaxK
    unsigned flip;  ///< see Order
    bool distinct;  ///< every value once
    Scratch scratch;
    Result<Key> result;
};

}  // namespace topk
