// The sum and the largest of a warp's numbers, in every lane: one instruction from compute
// capability 8.0 on, five shuffles before.
#pragma once

#include <cuda_runtime.h>

namespace topk {

constexpr unsigned kFullMask = 0xFFFFFFFFu;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

__device__ inline unsigned warp_sum(unsigned mine) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        mine += __shfl_xor_sync(kFullMask, mine, distance);
    }
    return mine;
}

__device__ inline unsigned warp_max(unsigned mine) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        mine = max(mine, __shfl_xor_sync(kFullMask, mine, distance));
    }
    return mine;
}

#else

__device__ inline unsigned warp_sum(unsigned mine) { return __reduce_add_sync(kFullMask, mine); }
__device__ inline unsigned warp_max(unsigned mine) { return __reduce_max_sync(kFullMask, mine); }

#endif

}  // namespace topk
