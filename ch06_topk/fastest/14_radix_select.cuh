// 14. radix_select: the same in one launch, and for any k.
//
// From the stage before: count_digits and choose_digit. New: grid-wide barriers instead of
// launches. Every block has its own contiguous part of the data, and keeps counts of it. So it
// knows how many of its keys belong to the answer, and where they go, once the others have
// published their counts. Keys above the k-th are written, and the first of those that equal it.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

#include "../../common/harness/device_code.cuh"
#include "../topk.hpp"
#include "13_digit_passes.cuh"
#include "block.cuh"
#include "candidates.cuh"

namespace topk {

/// The keys of the answer in some part of the data.
struct KeyCounts {
    unsigned greater;  ///< keys that are certainly in the answer
    unsigned equal;    ///< keys that equal the k-th
};

/// A block's static shared memory.
struct RadixState {
    DigitState digits;
    unsigned greater;              ///< keys of this block above the digits chosen so far
    KeyCounts before;              ///< of the blocks before this one
    unsigned of_warps[2][kWarps];  ///< a warp's keys of the answer in this tile, and in the next
};

/// What the grid knows after some passes.
struct Chosen {
    unsigned prefix;  ///< the digits of the k-th, so far
    unsigned left;    ///< keys of the answer that have these digits
    unsigned end;     ///< the digits so far lie above this bit
    bool whole;       ///< all keys with these digits are in the answer
};

constexpr unsigned kAllTies = 0xFFFFFFFFu;  ///< all keys that equal the k-th are in the answer

/// Adds `mine` of all threads of the warp to `total`. One lane adds: lanes that add different
/// numbers to one word would take turns.
__device__ inline void add_of_warp(unsigned mine, unsigned* total) {
    const unsigned sum = warp_sum(mine);
    if (threadIdx.x % kWarpSize == 0 && sum != 0) atomicAdd(total, sum);
}

/// Adds this block's keys above the chosen digit to state.greater. The counts must not be changed
/// before the next barrier.
__device__ inline void count_greater(RadixState& state) {
    const DigitState& digits = state.digits;
    const unsigned low = kDigits - kBinsPerThread * (threadIdx.x + 1);
    unsigned greater = 0;
#pragma unroll
    for (unsigned i = 0; i < kBinsPerThread; ++i) {
        if (low + i > digits.digit) greater += digits.counts[low + i];
    }
    if (greater != 0) atomicAdd(&state.greater, greater);
}

/// Counts and chooses digit after digit of the k-th, until all keys with these digits are in the
/// answer. All threads of the grid must call it.
template <class Key>
__device__ __forceinline__ Chosen choose_digits(const TopKParams<Key>& params, Part part,
                                                RadixState& state) {
    Chosen chosen = {0, params.k, 32, false};
    for (unsigned pass = 0; pass < kPasses && !chosen.whole; ++pass) {
        unsigned* const grid_counts = params.scratch.control->digits[pass];
        count_digits(params, part, pass, chosen.prefix, state.digits);
        add_counts(state.digits, grid_counts);
        cooperative_groups::this_grid().sync();  // all blocks have counted
        choose_digit(grid_counts, chosen.left, state.digits);
        count_greater(state);
        chosen.left -= min(chosen.left, state.digits.above);
        chosen.end = digit_begin(pass);
        chosen.prefix = chosen.prefix << (digit_end(pass) - chosen.end) | state.digits.digit;
        chosen.whole = state.digits.inside <= chosen.left;
    }
    return chosen;
}

/// Publishes this block's share, and adds up those of the blocks before it in state.before. All
/// threads of the grid must call it.
__device__ inline void compute_offsets(KeyCounts mine, KeyIndex* of_blocks, RadixState& state) {
    // Two counts in one integer: each has its half.
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = KeyIndex{mine.greater} << 32 | mine.equal;
    cooperative_groups::this_grid()
        .sync();  // all blocks have published theirs, and read all digits
    KeyCounts before = {0, 0};
    for (unsigned block = threadIdx.x; block < blockIdx.x; block += kThreads) {
        const KeyIndex counts = __ldcg(&of_blocks[block]);
        before.greater += static_cast<unsigned>(counts >> 32);
        before.equal += static_cast<unsigned>(counts);
    }
    add_of_warp(before.greater, &state.before.greater);
    add_of_warp(before.equal, &state.before.equal);
    __syncthreads();  // all warps have added
}

// Two counts of one tile in one word, so that one prefix sum adds both: half a word can count the
// keys of a tile.
static_assert(kTile < 1u << 16);
__device__ inline unsigned packed(unsigned greater, unsigned equal) {
    return greater | equal << 16;
}
__device__ inline unsigned greater_of(unsigned counts) { return counts & 0xFFFF; }
__device__ inline unsigned equal_of(unsigned counts) { return counts >> 16; }

/// Which of this thread's keys are certainly in the answer, and which equal the k-th: one bit each.
template <class Key>
__device__ __forceinline__ KeyCounts compare_with_kth(const TopKParams<Key>& params,
                                                      const Tile<Key>& tile, unsigned keys,
                                                      unsigned kth_radix_key) {
    KeyCounts bits = {0, 0};
#pragma unroll
    for (unsigned i = 0; i < kVectors * 4; ++i) {
        const unsigned radix_key = tile.radix_key(i, params.order_mask);
        const bool is_value =
            KeyOrder<Key>::is_value(radix_key) && (keys >= kTile || Tile<Key>::offset(i) < keys);
        bits.greater |= static_cast<unsigned>(is_value && radix_key > kth_radix_key) << i;
        bits.equal |= static_cast<unsigned>(is_value && radix_key == kth_radix_key) << i;
    }
    return bits;
}

/// before[v]: such keys of the tile before this thread's vector v. Returns how many the tile has.
/// All threads of the block must call it; of_warps is in use until the next barrier but one.
__device__ __forceinline__ unsigned sum_of_tile(KeyCounts bits, unsigned* of_warps,
                                                unsigned (&before)[kVectors]) {
    unsigned of_warp = 0;
#pragma unroll
    for (unsigned v = 0; v < kVectors; ++v) {
        const unsigned mine =
            packed(__popc(bits.greater >> 4 * v & 15), __popc(bits.equal >> 4 * v & 15));
        const unsigned sum = warp_prefix_sum(mine);
        before[v] = of_warp + sum - mine;
        of_warp += __shfl_sync(kFullMask, sum, kWarpSize - 1);
    }
    if (threadIdx.x % kWarpSize == 0) of_warps[threadIdx.x / kWarpSize] = of_warp;
    __syncthreads();  // the warps' sums are known
    unsigned of_tile = 0;
    unsigned warps_before = 0;
#pragma unroll 4
    for (unsigned warp = 0; warp < kWarps; ++warp) {
        if (warp == threadIdx.x / kWarpSize) warps_before = of_tile;
        of_tile += of_warps[warp];
    }
#pragma unroll
    for (unsigned v = 0; v < kVectors; ++v) before[v] += warps_before;
    return of_tile;
}

/// Writes this block's keys of the answer, `count` in all, in the order of the data: those above
/// this radix key, and the first `ties` of those that equal it. write(place, radix_key, index).
/// All threads of the block must call it.
template <class Key, class Write>
__device__ void filter(const TopKParams<Key>& params, Part part, unsigned kth_radix_key,
                       unsigned ties, unsigned count, RadixState& state, const Write& write) {
    KeyCounts done = {0, 0};  // in the tiles before
    unsigned turn = 0;
    for (unsigned base = part.begin; base < part.end; base += kTile) {
        if (done.greater + min(done.equal, ties) == count) return;  // the rest is not in the answer
        Tile<Key> tile;
        tile.load(params, base, part.end);
        const KeyCounts bits = compare_with_kth(params, tile, part.end - base, kth_radix_key);
        unsigned before[kVectors];
        const unsigned of_tile = sum_of_tile(bits, state.of_warps[turn], before);
#pragma unroll
        for (unsigned v = 0; v < kVectors; ++v) {
            unsigned number = done.greater + greater_of(before[v]);
            unsigned number_equal = done.equal + equal_of(before[v]);
#pragma unroll
            for (unsigned i = 4 * v; i < 4 * v + 4; ++i) {
                const bool is_greater = (bits.greater >> i & 1) != 0;
                const bool is_equal = (bits.equal >> i & 1) != 0;
                if (is_greater || (is_equal && number_equal < ties)) {
                    write(number + min(number_equal, ties), tile.radix_key(i, params.order_mask),
                          base + Tile<Key>::offset(i));
                }
                number += is_greater ? 1 : 0;
                number_equal += is_equal ? 1 : 0;
            }
        }
        done.greater += greater_of(of_tile);
        done.equal += equal_of(of_tile);
        turn = 1 - turn;
    }
}

// radix_select: digit_passes with grid-wide barriers; each block counts where its keys go.
// Removes: seven launches, and passes that the keys do not need; the sort of many keys, so that k
// may be any; of equal keys the first are taken.
// Remains: up to four reads of the data, where one_read has one; and four grid-wide barriers.
template <class Key>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    radix_select_kernel(TopKParams<Key> params, unsigned keys_per_block) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    __shared__ RadixState radix;
    const Part part = part_of_block(params.n, keys_per_block);
    if (threadIdx.x == 0) {
        radix.greater = 0;
        radix.before = {0, 0};
    }
    const Chosen chosen = choose_digits(params, part, radix);
    // The k-th radix key, or its digits so far, filled with zeros.
    const unsigned kth_radix_key = max(chosen.prefix << chosen.end, KeyOrder<Key>::kMinRadixKey);
    const unsigned inside = radix.digits.counts[radix.digits.digit];
    __syncthreads();  // all keys of this block above the digits are counted
    const KeyCounts mine = {radix.greater + (chosen.whole ? inside : 0), chosen.whole ? 0 : inside};
    KeyIndex* const of_blocks = params.scratch.next_list;
    compute_offsets(mine, of_blocks, radix);
    if (blockIdx.x == 0) {
        unsigned* const digits = params.scratch.control->digits[0];
        for (unsigned i = threadIdx.x; i < kPasses * kDigits; i += kThreads) digits[i] = 0;
    }
    const unsigned equal_before = min(radix.before.equal, chosen.whole ? 0 : chosen.left);
    const unsigned first = radix.before.greater + equal_before;
    const unsigned ties = chosen.whole ? kAllTies : chosen.left - equal_before;
    const unsigned count = mine.greater + min(mine.equal, ties);
    const bool in_data_order = params.k > kMaxK;
    filter(params, part, kth_radix_key, ties, count, radix,
           [&](unsigned place, unsigned radix_key, unsigned index) {
               const KeyIndex item = make_key_index(radix_key, index);
               if (in_data_order) {
                   params.result.write(first + place, item, params.order_mask);
               } else {
                   params.scratch.list[first + place] = item;
               }
           });
    const bool knows_length = blockIdx.x == gridDim.x - 1 && threadIdx.x == 0;
    if (in_data_order) {
        if (knows_length) *params.result.count = first + count;
        return;
    }
    KeyIndex* const length = of_blocks + gridDim.x;
    if (knows_length) *length = first + count;
    cooperative_groups::this_grid().sync();  // the list and its length are written
    if (blockIdx.x != 0) return;             // a list is short: one block sorts it
    const CandidateSet<false, kSlotsForLargeK> set{slots, &state, params.k};
    set.assign(params.scratch.list, static_cast<unsigned>(__ldcg(length)));
    set.write_sorted(params.result, params.order_mask);
}

template <class Key>
void radix_select(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "radix_select");
    constexpr std::size_t kBytes = CandidateSet<false, kSlotsForLargeK>::kBytes;
    static const unsigned max_blocks = resident_blocks(radix_select_kernel<Key>, kBytes);
    const unsigned keys_per_block = keys_of_block(params.n, max_blocks);
    const unsigned blocks = divide_up(params.n, keys_per_block);
    // Only a short list is sorted, in shared memory.
    const std::size_t bytes = params.k > kMaxK ? 0 : kBytes;
    launch_cooperative(radix_select_kernel<Key>, blocks, bytes, params, keys_per_block);
}

}  // namespace topk
