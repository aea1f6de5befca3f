// What a stage gets: the data, the question, and where the answer goes.
#pragma once

#include <cstddef>

#include "composite.cuh"

namespace topk {

/// Up to this k the answer is in order, the best first. Above it is in the order of the data:
/// whoever wants a sorted half of the data sorts (chapter 5).
constexpr unsigned kMaxK = 1024;

/// Indices have 32 bits; the rest is room, so that the end of the last tile has an index too.
constexpr std::size_t kMaxN = 0xFFFF0000u;

constexpr unsigned kDigits = 2048;  ///< of 11 bits: see radix_select.cuh

/// What the blocks of one launch share. All 0 between launches: what a launch uses, it clears.
struct Control {
    Composite floor;              ///< the highest floor that a block has found
    unsigned long long progress;  ///< blocks that have finished; above bit 32, composites listed
    unsigned taken;               ///< chunks that blocks have taken, beyond their first two
    alignas(16) unsigned digits[3][kDigits];  ///< of radix_select: keys with that digit
};

/// Scratch memory on the device. Its size: see scratch_sizes() in main.cu.
struct Scratch {
    Composite* list;       ///< what blocks hand to the next pass, or to the last block
    Composite* next_list;  ///< the same again, where a pass reads one and writes the other
    Composite* bests;      ///< one composite a warp, three times: see sample_floor_kernel
    Composite* words;      ///< one composite a cell: see cells.cuh. All 0 between launches
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
    unsigned k;     ///< at least 1, and no more than the stage takes
    unsigned flip;  ///< see Order
    bool distinct;  ///< every value once
    Scratch scratch;
    Result<Key> result;
};

}  // namespace topk
