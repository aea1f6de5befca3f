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

/// Blocks that a multiprocessor's registers must have room for. Where its shared memory holds only
/// one block, that one may use all registers.
template <bool kDistinct, int kSlotsPerThread>
constexpr unsigned kMinBlocksPerSm =
    kDistinct&& kSlotsPerThread == kSlotsForLittleMemory ? 1 : kBlocksPerSm;

// one_read: as one_launch, but the next tile is on its way while this one is tested; candidates
// gather in a set in shared memory; blocks take chunks of tiles.
// Removes: idle memory; queues, and with them the limit of k to 32 keys.
// Remains: the threshold learns from the past only: what every block collects first is thrown away.
template <class Key, bool kDistinct, int kSlotsPerThread>
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm<kDistinct, kSlotsPerThread>)
    one_read_kernel(TopKParams<Key> params) {
    extern __shared__ KeyIndex slots[];
    __shared__ BlockState state;
    const CandidateSet<kDistinct, kSlotsPerThread> set{slots, &state, params.k};
    start(set);
    set.clear_seen();
    Tile<Key> tile;
    tile.load(params, first_base(params.n));
    __syncthreads();  // the set is empty
    stream(params, set, tile);
    KeyIndex entries[kSlotsPerThread];
    if (!append_to_list(params, set, entries)) return;
    finish(params, set, [] { return KeyIndex{0}; });
}

/// As many blocks as there are tiles, but no more than can be resident at once.
template <class Kernel>
unsigned resident_grid(Kernel kernel, std::size_t n, std::size_t bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
    int per_sm = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel,
                                                             static_cast<int>(kThreads), bytes));
    return blocks_for(n, kTile, std::min(static_cast<unsigned>(per_sm), kBlocksPerSm));
}

template <class Key, bool kDistinct, int kSlotsPerThread>
void launch_one_read(const TopKParams<Key>& params) {
    constexpr std::size_t kBytes = CandidateSet<kDistinct, kSlotsPerThread>::kBytes;
    static const unsigned max_blocks =
        resident_grid(one_read_kernel<Key, kDistinct, kSlotsPerThread>, kMaxN, kBytes);
    const unsigned grid = std::min(max_blocks, tiles_of(params.n));
    one_read_kernel<Key, kDistinct, kSlotsPerThread><<<grid, kThreads, kBytes>>>(params);
    CUDA_CHECK_LAUNCH();
}

static_assert(kMaxSmallK <= CandidateSet<true, kSlotsForSmallK>::kLimit);
static_assert(kMaxK <= CandidateSet<true, kSlotsForLargeK>::kLimit);
static_assert(kMaxK <= CandidateSet<true, kSlotsForLittleMemory>::kLimit);

/// Shared memory of a block with such a set.
template <bool kDistinct, int kSlotsPerThread>
constexpr std::size_t kBlockBytes = CandidateSet<kDistinct, kSlotsPerThread>::kBytes +
                                    sizeof(BlockState);

/// For more than kMaxSmallK: does a multiprocessor hold more blocks if a thread has
/// kSlotsForLittleMemory slots and not kSlotsForLargeK? That is so where it has 64 KB of shared
/// memory (compute capability 7.5).
template <bool kDistinct>
bool has_little_shared_memory(const DeviceInfo& device) {
    const int large = blocks_held(device, kThreads, kBlockBytes<kDistinct, kSlotsForLargeK>);
    const int reduced =
        blocks_held(device, kThreads, kBlockBytes<kDistinct, kSlotsForLittleMemory>);
    const int wanted = static_cast<int>(kBlocksPerSm);
    return std::min(large, wanted) < std::min(reduced, wanted);
}

/// Calls launch(distinct, slots_per_thread), both as std::integral_constant: the set that the
/// parameters and the device need.
template <class Key, class Launch>
void with_set(const TopKParams<Key>& params, const Launch& launch) {
    const auto with_distinct = [&](auto distinct) {
        if (params.k <= kMaxSmallK) {
            launch(distinct, std::integral_constant<int, kSlotsForSmallK>());
        } else if (has_little_shared_memory<distinct>(device_info())) {
            launch(distinct, std::integral_constant<int, kSlotsForLittleMemory>());
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
        launch_one_read<Key, distinct, slots_per_thread>(params);
    });
}

}  // namespace topk
