// one_read: the kernel and its launcher.
//
// From the ladder: one_launch, step by step: read, keep candidates, append them to a list; the last
// block merges. Adds: the steps of stream.cuh, and a choice among the sets of candidate_set.cuh, by
// k, --distinct and the device's shared memory.
#pragma once

#include <algorithm>
#include <type_traits>

#include "stream.cuh"

namespace topk {

// one_read: as one_launch, but the next tile is on its way while this one is tested; candidates
// gather in a set in shared memory; blocks take tiles from a counter.
// Removes: idle memory; queues, and with them the limit of k to 32 keys.
// Remains: the threshold learns from the past only: what every block collects first is thrown away.
template <class Key, bool kDistinct, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm) one_read_kernel(TopKParams<Key> params) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kSlotsPerThread> set{slots, &state, params.k};
    start<Key>(set);
    Tile<Key> tile;
    tile.load(params, first_base(params.n), params.n);
    __syncthreads();  // the set is empty
    const KeyIndex threshold = stream(params, set, tile);
    if (append_to_list(params, set, threshold)) finish(params, set);
}

/// The largest grid whose blocks are all resident at once.
template <class Kernel>
unsigned resident_blocks(Kernel kernel, std::size_t bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
    int per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel,
                                                             static_cast<int>(kThreads), bytes));
    return std::min(static_cast<unsigned>(per_sm), kBlocksPerSm) * sm_count();
}

static_assert(kMaxSmallK <= CandidateSet<true, kSlotsForSmallK>::kLimit);
static_assert(kMaxK <= CandidateSet<true, kSlotsForLargeK>::kLimit);

/// Calls launch(distinct, slots_per_thread), both as std::integral_constant: the set that the
/// question needs.
template <class Key, class Launch>
void with_set(const TopKParams<Key>& params, const Launch& launch) {
    const auto with_distinct = [&](auto distinct) {
        if (params.k <= kMaxSmallK) {
            launch(distinct, std::integral_constant<int, kSlotsForSmallK>());
        } else {
            launch(distinct, std::integral_constant<int, kSlotsForLargeK>());
        }
    };
    if (params.distinct) {
        with_distinct(std::true_type());
    } else {
        with_distinct(std::false_type());
    }
}

template <class Key>
void one_read(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "one_read");
    with_set(params, [&](auto distinct, auto slots_per_thread) {
        constexpr std::size_t kBytes = CandidateSet<distinct, slots_per_thread>::kBytes;
        const auto kernel = one_read_kernel<Key, distinct, slots_per_thread>;
        static const unsigned max_blocks = resident_blocks(kernel, kBytes);
        kernel<<<std::min(max_blocks, tiles_of(params.n)), kThreads, kBytes>>>(params);
        CUDA_CHECK_LAUNCH();
    });
}

}  // namespace topk
