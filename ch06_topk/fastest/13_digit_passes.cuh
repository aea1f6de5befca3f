// 13. digit_passes: the radix key of the k-th is found digit by digit, from histograms of all keys.
//
// From earlier stages: only 16-byte reads. New: no threshold and no candidates. A launch counts
// the keys by their highest digit, another chooses the digit of the k-th; then the same for its
// second and third digit; then one filters the keys that reach it. (The text says whose idea it
// is.)
#pragma once

#include <algorithm>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../topk.hpp"
#include "block.cuh"
#include "candidates.cuh"

namespace topk {

constexpr unsigned kBinsPerThread = kDigits / kThreads;
static_assert(kBinsPerThread == 4, "a thread reads its bins of the grid's histogram as one vector");

/// A block's static shared memory.
struct DigitState {
    unsigned counts[kDigits];  ///< of this block's keys, by the digit of this pass
    unsigned warp_sums[kWarps];
    unsigned digit;   ///< of the k-th
    unsigned above;   ///< keys of the grid with a higher digit
    unsigned inside;  ///< with this one
};

/// A block's part of the keys: a whole number of rows, so that its vectors are aligned.
struct Part {
    unsigned begin, end;
};
constexpr unsigned kRow = kThreads * 4;  ///< keys that a block reads in one vector per thread

__device__ inline Part part_of_block(unsigned n, unsigned keys_per_block) {
    const unsigned begin = blockIdx.x * keys_per_block;
    return {begin, n - begin > keys_per_block ? begin + keys_per_block : n};
}

/// Counts, by their digit of this pass, the block's keys whose higher digits are `prefix`.
/// All threads of the block must call it.
template <class Key>
__device__ void count_digits(const TopKParams<Key>& params, Part part, unsigned pass,
                             unsigned prefix, DigitState& state) {
    __syncthreads();  // the counts of the pass before have been read
    for (unsigned i = threadIdx.x; i < kDigits; i += kThreads) state.counts[i] = 0;
    __syncthreads();  // all counts are 0
    const unsigned begin_bit = digit_begin(pass);
    const unsigned end_bit = digit_end(pass);
    const unsigned mask = (1u << (end_bit - begin_bit)) - 1;
    for (unsigned base = part.begin; base < part.end; base += kTile) {
        Tile<Key> tile;
        tile.load(params, base, part.end);
        const bool is_full = part.end - base >= kTile;
#pragma unroll
        for (unsigned i = 0; i < 16; ++i) {
            const unsigned radix_key = tile.radix_key(i, params.order_mask);
            const bool is_value = KeyOrder<Key>::is_value(radix_key) &&
                                  (is_full || Tile<Key>::offset(i) < part.end - base);
            if (is_value && (pass == 0 || radix_key >> end_bit == prefix)) {
                atomicAdd(&state.counts[radix_key >> begin_bit & mask], 1u);
            }
        }
    }
    __syncthreads();  // all keys are counted
}

/// Adds the block's counts to the grid's. All threads of the block must call it.
__device__ inline void add_counts(const DigitState& state, unsigned* grid_counts) {
    for (unsigned i = threadIdx.x; i < kDigits; i += kThreads) {
        if (state.counts[i] != 0) atomicAdd(&grid_counts[i], state.counts[i]);
    }
}

/// Chooses the digit at which `left` keys of the grid, from the highest digit down, are reached;
/// and counts the keys above it, and with it. With fewer keys: digit 0, and all keys are above or
/// with it. All threads of the block must call it.
__device__ inline void choose_digit(const unsigned* grid_counts, unsigned left, DigitState& state) {
    const unsigned low =
        kDigits - kBinsPerThread * (threadIdx.x + 1);  // the lowest of this thread's
    const uint4 bins = __ldcg(reinterpret_cast<const uint4*>(grid_counts + low));
    const unsigned mine = bins.x + bins.y + bins.z + bins.w;
    const unsigned sum = warp_prefix_sum(mine);  // of this thread's bins and those above
    if (threadIdx.x % kWarpSize == kWarpSize - 1) state.warp_sums[threadIdx.x / kWarpSize] = sum;
    __syncthreads();  // the warps' sums are known
    unsigned above = sum - mine;
    for (unsigned warp = 0; warp < threadIdx.x / kWarpSize; ++warp) above += state.warp_sums[warp];
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
}

template <class Key>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    count_digits_kernel(TopKParams<Key> params, unsigned keys_per_block, unsigned pass) {
    __shared__ DigitState state;
    Control* const control = params.scratch.control;
    count_digits(params, part_of_block(params.n, keys_per_block), pass, control->prefix, state);
    add_counts(state, control->digits[pass]);
}

/// One block. Clears the digits that it has read.
template <class Key>
__global__ void __launch_bounds__(kThreads)
    choose_digit_kernel(TopKParams<Key> params, unsigned pass) {
    __shared__ DigitState state;
    Control* const control = params.scratch.control;
    const unsigned left = pass == 0 ? params.k : control->left;
    choose_digit(control->digits[pass], left, state);
    for (unsigned i = threadIdx.x; i < kDigits; i += kThreads) control->digits[pass][i] = 0;
    if (threadIdx.x != 0) return;
    control->left = left - min(left, state.above);
    control->prefix = control->prefix << (digit_end(pass) - digit_begin(pass)) | state.digit;
}

/// Writes the keys above the k-th to the list, and as many as are left of those that equal it: any.
template <class Key>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    filter_kernel(TopKParams<Key> params, unsigned keys_per_block) {
    Control* const control = params.scratch.control;
    const Part part = part_of_block(params.n, keys_per_block);
    const unsigned kth = max(control->prefix, KeyOrder<Key>::kMinRadixKey);
    for (unsigned base = part.begin; base < part.end; base += kTile) {
        Tile<Key> tile;
        tile.load(params, base, part.end);
#pragma unroll
        for (unsigned i = 0; i < kVectors * 4; ++i) {
            const unsigned radix_key = tile.radix_key(i, params.order_mask);
            const unsigned index = base + Tile<Key>::offset(i);
            if (radix_key < kth || index >= part.end) continue;
            // Reads first: with many such keys, nearly all come after the last one taken.
            if (radix_key == kth && (load_relaxed(&control->equal) >= control->left ||
                                     atomicAdd(&control->equal, 1u) >= control->left)) {
                continue;
            }
            params.scratch.list[atomicAdd(&control->listed, 1u)] = make_key_index(radix_key, index);
        }
    }
}

/// One block: sorts the list into the answer.
template <class Key>
__global__ void __launch_bounds__(kThreads) sort_list_kernel(TopKParams<Key> params) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    Control* const control = params.scratch.control;
    const CandidateSet<false, kSlotsForLargeK> set{slots, &state, params.k};
    set.assign(params.scratch.list, control->listed);
    set.write_sorted(params.result, params.order_mask);
    if (threadIdx.x == 0) control->prefix = control->left = control->equal = control->listed = 0;
}

/// How many keys each block gets, so that all blocks of a grid are resident.
inline unsigned keys_of_block(unsigned n, unsigned max_blocks) {
    return divide_up(divide_up(n, kRow), max_blocks) * kRow;
}

// digit_passes: histograms of a digit of all keys give the digit of the k-th, 11 bits at a time;
// then the keys that reach it are written, and sorted.
// Removes: candidates; all work that depends on how many keys reach a threshold that is too low.
// Remains: four reads of the data and eight launches; of keys that equal the k-th it takes any.
template <class Key>
void digit_passes(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "digit_passes");
    const unsigned keys_per_block = keys_of_block(params.n, kBlocksPerSm * sm_count());
    const unsigned blocks = divide_up(params.n, keys_per_block);
    for (unsigned pass = 0; pass < kPasses; ++pass) {
        count_digits_kernel<<<blocks, kThreads>>>(params, keys_per_block, pass);
        CUDA_CHECK_LAUNCH();
        choose_digit_kernel<<<1, kThreads>>>(params, pass);
        CUDA_CHECK_LAUNCH();
    }
    filter_kernel<<<blocks, kThreads>>>(params, keys_per_block);
    CUDA_CHECK_LAUNCH();
    constexpr std::size_t kBytes = CandidateSet<false, kSlotsForLargeK>::kBytes;
    sort_list_kernel<<<1, kThreads, kBytes>>>(params);
    CUDA_CHECK_LAUNCH();
}

}  // namespace topk
