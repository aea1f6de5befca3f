// Keys as words: what every stage of this chapter sorts.
//
// A key is 32 bits that mean an int, an unsigned or a float. It is mapped, one to one, to an int
// with the same order. A key alone is sorted as that int. A key with a value is sorted as 64 bits:
// the order above, the key's position in the input below. So no two words are equal, any sort of
// the words is stable, and the values need not move until the end, when each is fetched by its
// position. Stable merges move key and value instead: Pair.
//
// At the end: what stages of main.cu and the two records do with words.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "../common/harness/cuda_check.hpp"
#include "../common/harness/key_order.hpp"

namespace sorting {

constexpr int kWarpSize = 32;
constexpr unsigned kFullMask = 0xffffffffu;

/// Positions are 32-bit numbers, and four times the length of a run must be one too.
constexpr std::size_t kMaxKeys = std::size_t{1} << 30;

constexpr unsigned divide_up(std::size_t a, std::size_t b) {
    return static_cast<unsigned>((a + b - 1) / b);
}

// ---- The order of keys -----------------------------------------------------------------------

enum class KeyType { signed_int, unsigned_int, floating };

template <class Key>
constexpr KeyType kTypeOf = std::is_same_v<Key, float>      ? KeyType::floating
                            : std::is_same_v<Key, unsigned> ? KeyType::unsigned_int
                                                            : KeyType::signed_int;

/// The order of the key whose bits these are.
__host__ __device__ inline int ordered_int_of_bits(std::uint32_t bits, KeyType type) {
    if (type == KeyType::signed_int) return static_cast<int>(bits);
    if (type == KeyType::unsigned_int) return tutorial::ordered_int(bits);
    float key;
    memcpy(&key, &bits, sizeof key);
    return tutorial::ordered_int(key);
}

/// The bits of the key that has this order.
__host__ __device__ inline std::uint32_t bits_of_ordered_int(int order, KeyType type) {
    if (type == KeyType::signed_int) return static_cast<std::uint32_t>(order);
    if (type == KeyType::unsigned_int) return tutorial::key_from_ordered_int<unsigned>(order);
    const float key = tutorial::key_from_ordered_int<float>(order);
    std::uint32_t bits;
    memcpy(&bits, &key, sizeof bits);
    return bits;
}

// ---- Words -----------------------------------------------------------------------------------

using KeyWord = int;         ///< a key alone
using PairWord = long long;  ///< a key with a value

template <class Word>
constexpr bool kHasValue = std::is_same_v<Word, PairWord>;

/// Past the end of the keys stands what no key comes after.
template <class Word>
constexpr Word kLast = std::numeric_limits<Word>::max();

template <class Word>
__host__ __device__ Word word_of(int order, unsigned position) {
    if constexpr (kHasValue<Word>) {
        const unsigned long long high = static_cast<unsigned>(order);
        return static_cast<Word>(high << 32 | position);
    } else {
        return order;
    }
}

template <class Word>
__host__ __device__ int order_in(Word word) {
    if constexpr (kHasValue<Word>) {
        return static_cast<int>(word >> 32);
    } else {
        return word;
    }
}

/// A key with its value, as a stable merge moves it: only the keys are compared.
struct alignas(8) Pair {
    std::uint32_t value;
    int order;
};

__host__ __device__ inline bool operator<(const Pair& a, const Pair& b) {
    return a.order < b.order;
}

/// What words are ordered by, where equal ones need not be told apart.
__host__ __device__ inline int sort_key(KeyWord word) { return word; }
__host__ __device__ inline int sort_key(const Pair& pair) { return pair.order; }

/// What a stage works on: n keys, and values with PairWord, to be sorted in place. Device memory;
/// for the host's row `keys` and `values` are host memory, and the rest is not used.
template <class Word>
struct Job {
    std::uint32_t* keys;
    std::uint32_t* values;  ///< nullptr with KeyWord
    std::size_t n;
    KeyType type;
    Word* words;                ///< n of them; with KeyWord this is the memory of the keys
    Word* spare;                ///< n more
    std::uint32_t* old_values;  ///< n of them, with PairWord
    void* scratch;              ///< scratch_bytes(n) of experiment.hpp, 16-byte aligned
    bool plain = false;  ///< `<` orders the keys as ordered_int_of_bits() does: for the libraries
};

/// The words of the keys, and a copy of the values.
template <class Word>
__global__ void pack_kernel(const std::uint32_t* keys, const std::uint32_t* values, unsigned n,
                            KeyType type, Word* words, std::uint32_t* old_values) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    words[i] = word_of<Word>(ordered_int_of_bits(keys[i], type), i);
    if constexpr (kHasValue<Word>) old_values[i] = values[i];
}

/// Writes the key, and the value, of the word that belongs at `i`.
template <class Word>
__device__ void store_sorted(Word word, unsigned i, KeyType type, const std::uint32_t* old_values,
                             std::uint32_t* keys, std::uint32_t* values) {
    keys[i] = bits_of_ordered_int(order_in(word), type);
    if constexpr (kHasValue<Word>) values[i] = old_values[static_cast<std::uint32_t>(word)];
}

template <class Word>
__global__ void unpack_kernel(const Word* words, unsigned n, KeyType type,
                              const std::uint32_t* old_values, std::uint32_t* keys,
                              std::uint32_t* values) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) store_sorted(words[i], i, type, old_values, keys, values);
}

constexpr unsigned kPackThreads = 256;

/// Fills job.words. Ints alone are words already.
template <class Word>
void pack(const Job<Word>& job) {
    if (job.n == 0 || (!kHasValue<Word> && job.type == KeyType::signed_int)) return;
    pack_kernel<<<divide_up(job.n, kPackThreads), kPackThreads>>>(
        job.keys, job.values, static_cast<unsigned>(job.n), job.type, job.words, job.old_values);
    CUDA_CHECK_LAUNCH();
}

/// The sorted words, wherever they are, become the sorted keys and values.
template <class Word>
void unpack(const Job<Word>& job, const Word* sorted) {
    const bool in_place = !kHasValue<Word> && sorted == job.words;
    if (job.n == 0 || (in_place && job.type == KeyType::signed_int)) return;
    unpack_kernel<<<divide_up(job.n, kPackThreads), kPackThreads>>>(
        sorted, static_cast<unsigned>(job.n), job.type, job.old_values, job.keys, job.values);
    CUDA_CHECK_LAUNCH();
}

// ---- What is done with words --------------------------------------------------------------------

/// 1 and -1, but the compiler cannot know: see greater_of().
__constant__ unsigned kOne = 1;
__constant__ unsigned kMinusOne = 0xffffffffu;

/// The other one of `a` and `b`, where `least` is one of them: a + b - least, for pairs half by
/// half. A comparison, and a choice between two words, take the pipe that a network waits for; the
/// pipe that multiplies is idle. With a factor of 1 the compiler would add on the busy one.
__device__ inline KeyWord greater_of(KeyWord a, KeyWord b, KeyWord least) {
    const unsigned sum = static_cast<unsigned>(a) * kOne + static_cast<unsigned>(b);
    return static_cast<KeyWord>(static_cast<unsigned>(least) * kMinusOne + sum);
}
__device__ inline PairWord greater_of(PairWord a, PairWord b, PairWord least) {
    const auto low = [](PairWord word) { return static_cast<unsigned>(word); };
    const auto high = [](PairWord word) { return static_cast<unsigned>(word >> 32); };
    const unsigned sum_low = (low(a) - low(least)) * kOne + low(b);
    const unsigned sum_high = (high(a) - high(least)) * kOne + high(b);
    return static_cast<PairWord>(static_cast<unsigned long long>(sum_high) << 32 | sum_low);
}

/// Afterwards `low` does not come after `high`. 32 bits have instructions for min and max; 64 bits
/// are compared once. With `multiply` the greater is found by greater_of().
template <class Word>
__device__ void compare_exchange(Word& low, Word& high, bool multiply = false) {
    if constexpr (kHasValue<Word>) {
        const bool exchange = high < low;
        const Word least = exchange ? high : low;
        const Word chosen = exchange ? low : high;
        high = multiply ? greater_of(low, high, least) : chosen;
        low = least;
    } else {
        const Word least = min(low, high);
        high = multiply ? greater_of(low, high, least) : max(low, high);
        low = least;
    }
}

/// How often runs of `run` words must be merged in pairs until there is one.
inline int levels_above(std::size_t n, std::size_t run) {
    int levels = 0;
    for (; run < n; run *= 2) ++levels;
    return levels;
}

/// How many of the first `diagonal` words of the merge of a[0..count_a) and b[0..count_b) come from
/// a: where the merge path crosses that diagonal (Odeh, Green, Mwassi, Shmueli, Birk, 2012).
template <class Word>
__host__ __device__ unsigned merge_path_cut(const Word* a, unsigned count_a, const Word* b,
                                            unsigned count_b, unsigned diagonal) {
    unsigned low = diagonal < count_b ? 0 : diagonal - count_b;
    unsigned high = diagonal < count_a ? diagonal : count_a;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (b[diagonal - 1 - middle] < a[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

}  // namespace sorting
