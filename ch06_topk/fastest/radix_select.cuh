// radix_select: the radix key of the k-th is found digit by digit, from histograms of all keys.
//
// Takes nothing from the ladder but 16-byte reads. Adds: any k. (The text says whose idea it is.)
// One cooperative launch. Every block has a part of the data of its own, in one piece, and keeps
// count of it: so it knows how many of its keys belong to the answer, and, when the others have
// said so too, where they go. Keys above the k-th are written, and of those that equal it the
// first.
#pragma once

#include <cooperative_groups.h>

#include "sample_threshold.cuh"

namespace topk {

constexpr unsigned kPasses = 3;          ///< digits of a radix key
constexpr unsigned kRow = kThreads * 4;  ///< keys that a block reads in one vector per thread
constexpr unsigned kBinsPerThread = kDigits / kThreads;
static_assert(kBinsPerThread == 4, "a thread reads its bins of the grid's histogram as one vector");

/// Of a radix key's three digits, 11, 11 and 10 bits, number `pass` begins at this bit.
__host__ __device__ constexpr unsigned digit_shift(unsigned pass) {
    return pass == 0 ? 21 : pass == 1 ? 10 : 0;
}

/// A block's static shared memory.
struct RadixState {
    unsigned counts[kDigits];  ///< of this block's keys, by the digit of this pass
    unsigned warp_sums[kWarps];
    unsigned digit;                 ///< of the k-th
    unsigned above;                 ///< keys of the grid with a higher digit
    unsigned inside;                ///< with this one
    unsigned greater;               ///< keys of this block that are surely in the answer
    unsigned greater_before;        ///< of such keys, those of the blocks before this one
    unsigned equal_before;          ///< and of those that equal the k-th
    unsigned tile_sums[2][kWarps];  ///< a warp's keys of the answer in this tile, and in the next
};

constexpr unsigned kAllTies = 0xFFFFFFFFu;  ///< all keys that equal the k-th are in the answer

/// Adds `mine` of all threads of the warp to `total`. One lane does it: lanes that add different
/// numbers to one word take turns.
__device__ inline void add_of_warp(unsigned mine, unsigned* total) {
    const unsigned sum = warp_sum(mine);
    if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(total, sum);
}

/// Counts the block's keys by their digit of this pass, of those whose digits before are `prefix`.
/// Must be called by all threads of the block.
template <class Key>
__device__ void count_digits(const TopKParams<Key>& params, unsigned begin, unsigned end,
                             unsigned pass, unsigned prefix, RadixState& state) {
    __syncthreads();  // the counts of the pass before have been read
    for (unsigned i = threadIdx.x; i < kDigits; i += kThreads) state.counts[i] = 0;
    __syncthreads();  // all counts are 0
    const unsigned shift = digit_shift(pass);
    const unsigned above = pass == 0 ? 0 : digit_shift(pass - 1);
    const unsigned mask = pass == 2 ? kDigits / 2 - 1 : kDigits - 1;
    for (unsigned base = begin; base < end; base += kTile) {
        Tile<Key> tile;
        tile.load(params, base, end);
        const bool is_full = end - base >= kTile;
#pragma unroll
        for (unsigned i = 0; i < 16; ++i) {
            const unsigned radix_key = tile.radix_key(i, params.order_mask);
            const bool is_value = KeyOrder<Key>::is_value(radix_key) &&
                                  (is_full || Tile<Key>::offset(i) < end - base);
            if (is_value && (pass == 0 || radix_key >> above == prefix)) {
                atomicAdd(&state.counts[radix_key >> shift & mask], 1u);
            }
        }
    }
    __syncthreads();  // all keys are counted
}

/// Finds the digit at which `left` keys of the grid, from the highest digit down, are reached; and
/// how many there are above it, and with it. Where there are fewer keys: digit 0, and all of them
/// are above or with it. Adds those of this block above it to state.greater. Must be called by all
/// threads of the block; the counts must not be changed before the next barrier.
__device__ inline void find_digit(const unsigned* grid_counts, unsigned left, RadixState& state) {
    const unsigned low =
        kDigits - kBinsPerThread * (threadIdx.x + 1);  // the lowest of this thread's
    const uint4 bins = __ldcg(reinterpret_cast<const uint4*>(grid_counts + low));
    const unsigned mine = bins.x + bins.y + bins.z + bins.w;
    const unsigned sum = warp_prefix_sum(mine);  // of this thread's bins and those above
    if (threadIdx.x % 32 == 31) state.warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();  // the warps' sums are known
    unsigned above = sum - mine;
    for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) above += state.warp_sums[warp];
    const bool is_last = threadIdx.x == kThreads - 1;
    if (above < left && (left <= above + mine || is_last)) {
        const unsigned counts[kBinsPerThread] = {bins.w, bins.z, bins.y,
                                                 bins.x};  // from the highest
        unsigned i = 0;
#pragma unroll
        for (unsigned j = 0; j + 1 < kBinsPerThread; ++j) {
            if (i == j && above + counts[j] < left) {
                above += counts[j];
                ++i;
            }
        }
        state.digit = low + kBinsPerThread - 1 - i;
        state.above = above;
        state.inside = i == 0 ? counts[0] : i == 1 ? counts[1] : i == 2 ? counts[2] : counts[3];
    }
    __syncthreads();  // the digit is known
    unsigned greater = 0;
#pragma unroll
    for (unsigned i = 0; i < kBinsPerThread; ++i) {
        if (low + i > state.digit) greater += state.counts[low + i];
    }
    if (greater != 0) atomicAdd(&state.greater, greater);
}

/// Writes this block's keys of the answer, `count` in all, in the order of the data: those above
/// this radix key, and the first `ties` of those that equal it. Must be called by all threads of
/// the block.
template <class Key, class Write>
__device__ void write_in_order(const TopKParams<Key>& params, unsigned begin, unsigned end,
                               unsigned kth_radix_key, unsigned ties, unsigned count,
                               RadixState& state, const Write& write) {
    unsigned greater_before = 0;  // in the tiles before
    unsigned equal_before = 0;
    unsigned turn = 0;
    for (unsigned base = begin; base < end; base += kTile) {
        if (greater_before + min(equal_before, ties) == count) return;  // the rest is not in it
        Tile<Key> tile;
        tile.load(params, base, end);
        const bool is_full = end - base >= kTile;
        unsigned greater = 0;  // one bit per key
        unsigned equal = 0;
#pragma unroll
        for (unsigned i = 0; i < 16; ++i) {
            const unsigned radix_key = tile.radix_key(i, params.order_mask);
            const bool is_value = KeyOrder<Key>::is_value(radix_key) &&
                                  (is_full || Tile<Key>::offset(i) < end - base);
            greater |= static_cast<unsigned>(is_value && radix_key > kth_radix_key) << i;
            equal |= static_cast<unsigned>(is_value && radix_key == kth_radix_key) << i;
        }
        // How many there are in the warp before this thread's vectors; the equal ones from bit 16.
        unsigned before[4];
        unsigned of_warp = 0;
#pragma unroll
        for (unsigned v = 0; v < 4; ++v) {
            const unsigned mine = __popc(greater >> 4 * v & 15) | __popc(equal >> 4 * v & 15) << 16;
            const unsigned sum = warp_prefix_sum(mine);
            before[v] = of_warp + sum - mine;
            of_warp += __shfl_sync(kFullMask, sum, 31);
        }
        if (threadIdx.x % 32 == 0) state.tile_sums[turn][threadIdx.x / 32] = of_warp;
        __syncthreads();  // the warps' sums are known
        unsigned tile_sum = 0;
        unsigned warps_before = 0;
#pragma unroll 4
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            if (warp == threadIdx.x / 32) warps_before = tile_sum;
            tile_sum += state.tile_sums[turn][warp];
        }
#pragma unroll
        for (unsigned v = 0; v < 4; ++v) {
            unsigned number = greater_before + ((warps_before + before[v]) & 0xFFFF);
            unsigned number_equal = equal_before + ((warps_before + before[v]) >> 16);
#pragma unroll
            for (unsigned i = 4 * v; i < 4 * v + 4; ++i) {
                const bool is_greater = (greater >> i & 1) != 0;
                const bool is_equal = (equal >> i & 1) != 0;
                if (is_greater || (is_equal && number_equal < ties)) {
                    write(number + min(number_equal, ties), tile.radix_key(i, params.order_mask),
                          base + Tile<Key>::offset(i));
                }
                number += is_greater ? 1 : 0;
                number_equal += is_equal ? 1 : 0;
            }
        }
        greater_before += tile_sum & 0xFFFF;
        equal_before += tile_sum >> 16;
        turn = 1 - turn;
    }
}

// radix_select: the k-th largest is found digit by digit, 11 bits at a time, from a histogram of
// all keys' digits; then the keys that reach it are written, in the order of the data.
// Removes: any limit on k; all that depends on how many keys pass, since no key is compared with a
// threshold that is too low.
// Remains: up to four reads of the data, where one_read has one; and four grid-wide barriers.
template <class Key>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    radix_select_kernel(TopKParams<Key> params, unsigned keys_per_block) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    __shared__ RadixState radix;
    const auto grid = cooperative_groups::this_grid();
    const unsigned begin = blockIdx.x * keys_per_block;
    const unsigned end = params.n - begin > keys_per_block ? begin + keys_per_block : params.n;
    Control* const control = params.scratch.control;

    if (threadIdx.x == 0) {
        radix.greater = 0;
        radix.greater_before = 0;
        radix.equal_before = 0;
    }
    unsigned left = params.k;  // of the answer, with the digits `prefix` or higher ones
    unsigned prefix = 0;       // the digits of the k-th, so far
    unsigned pass = 0;
    bool whole = false;  // all keys with these digits are in the answer
    for (; pass < kPasses && !whole; ++pass) {
        count_digits(params, begin, end, pass, prefix, radix);
        for (unsigned i = threadIdx.x; i < kDigits; i += kThreads) {
            if (radix.counts[i] != 0) atomicAdd(&control->digits[pass][i], radix.counts[i]);
        }
        grid.sync();  // all blocks have counted
        find_digit(control->digits[pass], left, radix);
        left -= min(left, radix.above);
        prefix = prefix << (pass == 2 ? 10 : 11) | radix.digit;
        whole = radix.inside <= left;
    }
    // The k-th radix key, or its digits so far, filled with zeros.
    const unsigned kth_radix_key =
        max(prefix << digit_shift(pass - 1), KeyOrder<Key>::kMinRadixKey);
    const unsigned inside = radix.counts[radix.digit];
    __syncthreads();  // all keys of this block above the digits are counted
    const unsigned greater = radix.greater + (whole ? inside : 0);
    const unsigned equal = whole ? 0 : inside;
    KeyIndex* const of_blocks = params.scratch.next_list;  // two counts per block in one integer
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = KeyIndex{greater} << 32 | equal;
    grid.sync();  // all blocks have said how many they have, and read all digits

    if (blockIdx.x == 0) {
        unsigned* const digits = control->digits[0];
        for (unsigned i = threadIdx.x; i < kPasses * kDigits; i += kThreads) digits[i] = 0;
    }
    unsigned greater_mine = 0;
    unsigned equal_mine = 0;
    for (unsigned block = threadIdx.x; block < blockIdx.x; block += kThreads) {
        const KeyIndex counts = __ldcg(&of_blocks[block]);
        greater_mine += static_cast<unsigned>(counts >> 32);
        equal_mine += static_cast<unsigned>(counts);
    }
    add_of_warp(greater_mine, &radix.greater_before);
    add_of_warp(equal_mine, &radix.equal_before);
    __syncthreads();  // all warps have added
    const unsigned greater_before = radix.greater_before;
    const unsigned equal_before = min(radix.equal_before, whole ? 0 : left);
    const unsigned first = greater_before + equal_before;
    const unsigned ties = whole ? kAllTies : left - equal_before;
    const unsigned count = greater + min(equal, ties);
    const bool in_order = params.k > kMaxK;  // of the data
    write_in_order(params, begin, end, kth_radix_key, ties, count, radix,
                   [&](unsigned position, unsigned radix_key, unsigned index) {
                       const KeyIndex item = make_key_index(radix_key, index);
                       if (in_order) {
                           params.result.write(first + position, item, params.order_mask);
                       } else {
                           params.scratch.list[first + position] = item;
                       }
                   });
    if (in_order) {
        if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *params.result.count = first + count;
        return;
    }
    // Few: the last block sorts them.
    KeyIndex* const length = of_blocks + gridDim.x;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *length = first + count;
    grid.sync();  // the list and its length are written
    if (blockIdx.x != 0) return;
    const CandidateSet<false, kSlotsForLargeK> set{slots, &state, params.k};
    const auto listed = static_cast<unsigned>(__ldcg(length));
    for (unsigned i = threadIdx.x; i < listed; i += kThreads) {
        slots[i] = __ldcg(&params.scratch.list[i]);
    }
    if (threadIdx.x == 0) state.candidates = listed;
    __syncthreads();  // the set is complete
    set.write_sorted(params.result, params.order_mask);
}

template <class Key>
void radix_select(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "radix_select");
    constexpr std::size_t kBytes = CandidateSet<false, kSlotsForLargeK>::kBytes;
    static const unsigned max_blocks = resident_blocks(radix_select_kernel<Key>, kBytes);
    // A part is a whole number of rows, so that its vectors are aligned.
    const std::size_t rows = divide_up(divide_up(params.n, kRow), max_blocks);
    const auto keys_per_block = static_cast<unsigned>(rows * kRow);
    const auto blocks = static_cast<unsigned>(divide_up(params.n, keys_per_block));
    // Only few are sorted, in shared memory.
    const std::size_t bytes = params.k > kMaxK ? 0 : kBytes;
    launch_cooperative(radix_select_kernel<Key>, blocks, bytes, params, keys_per_block);
}

}  // namespace topk
