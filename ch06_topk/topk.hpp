// Keys, parameters and scratch memory: what main.cu, experiment.hpp and the files of fastest/
// share.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "../common/harness/device_code.cuh"
#include "../common/harness/device_info.hpp"

namespace topk {

using namespace tutorial;

// ---- A key and its index in one integer ------------------------------------------------------
//
// For the stages of fastest/. Read them with ints in mind, the largest first. The other questions
// are handled here:
// - A key becomes a radix key: its bits, changed so that unsigned order is key order. An int's
//   sign bit is inverted; of a negative float all bits are, of other floats the sign bit.
// - order_mask inverts all of them if the smallest are wanted (--smallest). So the larger radix key
//   is always the better one.
// - A KeyIndex has the radix key in its upper half and the complement of the key's index in the
//   lower one. Comparing two of these integers decides everything: of equal keys the one with the
//   lower index is the larger (--index). --distinct keeps the largest of each radix key.
// - 0 is the KeyIndex of no key and stands for "nothing". NaN is not a value, and becomes 0.

using KeyIndex = unsigned long long;

template <class Key>
struct KeyOrder;

template <>
struct KeyOrder<int> {
    static constexpr unsigned kMinRadixKey = 0;  ///< no value is below

    __host__ __device__ static unsigned order_mask(bool largest) {
        return largest ? 0x80000000u : 0x7FFFFFFFu;
    }
    __host__ __device__ static unsigned radix_key(int key, unsigned order_mask) {
        return static_cast<unsigned>(key) ^ order_mask;
    }
    __host__ __device__ static int key(unsigned radix_key, unsigned order_mask) {
        return static_cast<int>(radix_key ^ order_mask);
    }
    __host__ __device__ static bool is_value(unsigned /*radix_key*/) { return true; }
};

/// -inf < ... < -0 < +0 < ... < inf. NaN has radix key 0 in both directions.
template <>
struct KeyOrder<float> {
    static constexpr unsigned kMinRadixKey = 1;

    __host__ __device__ static unsigned order_mask(bool largest) {
        return largest ? 0u : 0xFFFFFFFFu;
    }
    __host__ __device__ static unsigned radix_key(float key, unsigned order_mask) {
        std::uint32_t bits = 0;
        memcpy(&bits, &key, sizeof bits);
        const unsigned turn = (bits >> 31) != 0 ? 0xFFFFFFFFu : 0x80000000u;
        return key != key ? 0u : bits ^ turn ^ order_mask;
    }
    __host__ __device__ static float key(unsigned radix_key, unsigned order_mask) {
        const unsigned ordered = radix_key ^ order_mask;
        const std::uint32_t bits = (ordered >> 31) != 0 ? ordered ^ 0x80000000u : ~ordered;
        float key = 0;
        memcpy(&key, &bits, sizeof key);
        return key;
    }
    __host__ __device__ static bool is_value(unsigned radix_key) {
        return radix_key >= kMinRadixKey;
    }
};

__host__ __device__ inline KeyIndex make_key_index(unsigned radix_key, unsigned index) {
    return static_cast<KeyIndex>(radix_key) << 32 | static_cast<unsigned>(~index);
}
__host__ __device__ inline unsigned radix_key_of(KeyIndex item) {
    return static_cast<unsigned>(item >> 32);
}
__host__ __device__ inline unsigned index_of(KeyIndex item) { return ~static_cast<unsigned>(item); }

/// The KeyIndex of key number `index`; 0 if the key is not a value.
template <class Key>
__host__ __device__ KeyIndex key_index_of(Key key, unsigned index, unsigned order_mask) {
    const unsigned radix_key = KeyOrder<Key>::radix_key(key, order_mask);
    return KeyOrder<Key>::is_value(radix_key) ? make_key_index(radix_key, index) : 0;
}

/// A KeyIndex stays as it is: a pass may read keys, or what an earlier pass left of them.
__host__ __device__ inline KeyIndex key_index_of(KeyIndex item, unsigned, unsigned) { return item; }

/// Four keys, read at once.
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

// ---- What a launcher gets --------------------------------------------------------------------

/// Up to this k the answer is in order, the best first. Above it is in the order of the data:
/// ordering half the data would be a sort (chapter 5).
constexpr unsigned kMaxK = 1024;

/// Indices have 32 bits; the rest is room, so that the end of the last tile also has an index.
constexpr std::size_t kMaxN = 0xFFFF0000u;

/// The answer: the best first.
template <class Key>
struct TopKResult {
    Key* keys;          ///< k of them, of which *count are written
    unsigned* indices;  ///< each key's index, in the same order; may be nullptr
    unsigned* count;    ///< how many there are: fewer than k if the data have no more

    /// Entry i of the answer.
    __device__ void write(unsigned i, KeyIndex item, unsigned order_mask) const {
        keys[i] = KeyOrder<Key>::key(radix_key_of(item), order_mask);
        if (indices != nullptr) indices[i] = index_of(item);
    }
};

/// Slots of the largest set of candidates, and places where groups publish their best keys.
constexpr unsigned kMaxSlots = 4096;

// A radix key's digits, from the highest: digit number `pass` has the bits from digit_begin(pass)
// up to, but not including, digit_end(pass).
constexpr unsigned kDigitBits = 11;
constexpr unsigned kDigits = 1u << kDigitBits;            ///< values of the widest digit
constexpr unsigned kPasses = divide_up(32u, kDigitBits);  ///< digits of a radix key

__host__ __device__ constexpr unsigned digit_end(unsigned pass) { return 32 - kDigitBits * pass; }
__host__ __device__ constexpr unsigned digit_begin(unsigned pass) {
    return pass + 1 < kPasses ? digit_end(pass + 1) : 0;
}

/// What the blocks of one launch share. All 0 between launches: each launch clears what it uses.
struct Control {
    unsigned highest, finished;  ///< see ListScratch
    // Of the stages that compare keys with a threshold:
    KeyIndex threshold;            ///< the highest that a block has found
    unsigned long long progress;   ///< blocks that have finished; above bit 32, KeyIndexes listed
    unsigned taken;                ///< tiles that blocks have taken, beyond their first two
    unsigned bests[2][kMaxSlots];  ///< the groups' largest radix keys
    // Of the stages that select digit by digit:
    alignas(16) unsigned digits[kPasses][kDigits];  ///< keys with that digit
    unsigned prefix;                                ///< the digits of the k-th so far
    unsigned left;                                  ///< keys of the answer that have these digits
    unsigned equal, listed;  ///< keys that filter_kernel has found equal to the k-th; listed
};

/// Scratch memory on the device. Its size: see scratch_sizes().
struct Scratch {
    KeyIndex* list;       ///< what blocks pass to the next pass, or to the last block
    KeyIndex* next_list;  ///< a second one, if a pass reads one and writes the other
    KeyIndex* summaries;  ///< one for each segment: best. All 0 between launches
    Control* control;
};

/// How many entries each buffer of Scratch must hold.
struct ScratchSizes {
    std::size_t list, summaries;
    std::size_t all() const { return 2 * list + summaries; }
};

template <class Key>
struct TopKParams {
    const Key* keys;  ///< n keys; 16-byte aligned
    unsigned n;
    unsigned k;           ///< at least 1, and no more than the stage takes
    unsigned order_mask;  ///< see KeyOrder
    bool distinct;        ///< every value once
    Scratch scratch;
    TopKResult<Key> result;
};

/// The scratch memory of the first stages.
struct ListScratch {
    int* lists;          ///< k keys of each block
    int* next_lists;     ///< a second array, if a pass reads one and writes the other
    unsigned* highest;   ///< a radix key; 0 between launches
    unsigned* finished;  ///< blocks; 0 between launches
};

/// A launcher of a first stage: the k largest of n ints to `d_result`, the largest first.
using ListLauncher = void (*)(const int* d_keys, unsigned n, unsigned k, int* d_result,
                              const ListScratch& scratch);

inline ListScratch list_scratch(const Scratch& scratch) {
    return {reinterpret_cast<int*>(scratch.list), reinterpret_cast<int*>(scratch.next_list),
            &scratch.control->highest, &scratch.control->finished};
}

/// A launcher in the table, and the questions that it takes.
template <class Key>
struct TopK {
    void (*launch)(const TopKParams<Key>& params);
    unsigned max_k;
    unsigned max_k_distinct = 0;  ///< with --distinct; 0: it does not take that
    bool knows_indices = true;    ///< of equal keys it takes those with the lowest indices
    bool is_plain = false;        ///< the largest ints, and nothing else; it writes no count

    /// What it does not support of this question; empty: it supports all of it.
    std::string refuses(unsigned k, bool distinct, bool smallest, bool index) const {
        if (launch == nullptr) return "ints only";
        if (distinct && max_k_distinct == 0) return "no --distinct";
        if (smallest && is_plain) return "no --smallest";
        if (index && (is_plain || !knows_indices)) return "no --index";
        const unsigned limit = distinct ? max_k_distinct : max_k;
        return k > limit ? "k up to " + std::to_string(limit) : "";
    }
};

inline unsigned sm_count() { return static_cast<unsigned>(device_info().sm_count); }

/// Enough blocks for n items, but at most `per_sm` for each multiprocessor.
inline unsigned blocks_for(std::size_t n, unsigned items_per_block, unsigned per_sm) {
    return static_cast<unsigned>(std::min<std::size_t>(divide_up<std::size_t>(n, items_per_block),
                                                       std::size_t{per_sm} * sm_count()));
}

}  // namespace topk
