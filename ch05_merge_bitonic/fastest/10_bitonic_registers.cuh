// bitonic_registers: several steps per pass. From bitonic_shared, in main.cu: the tiles.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../keys.hpp"
#include "../merging.hpp"
#include "../tile_sizes.hpp"

namespace sorting {

// bitonic_registers: a thread loads the 2^s keys that s steps of a level compare with one another,
// does these steps in registers, and stores the keys.
// Removes: s - 1 of s sweeps over global memory.
// Remains: the steps in shared memory, with a barrier each; a sweep for every s steps.
template <int kSteps, class SortKey>
__global__ void bitonic_registers_kernel(SortKey* keys, unsigned n, unsigned i, unsigned min_j) {
    constexpr unsigned kKeys = 1u << kSteps;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned low = thread & (min_j - 1);
    const unsigned begin = (thread - low) * kKeys;
    // In a level's first step the upper half is the mirror image of the lower one.
    const unsigned upper_low = min_j * kKeys == i ? min_j - 1 - low : low;
    SortKey key[kKeys];
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
        const unsigned at = begin + k * min_j + (k < kKeys / 2 ? low : upper_low);
        key[k] = at < n ? keys[at] : kLast<SortKey>;
    }
    if (min_j * kKeys == i) {
#pragma unroll
        for (unsigned k = 0; k < kKeys / 2; ++k) compare_exchange(key[k], key[kKeys - 1 - k]);
    } else {
#pragma unroll
        for (unsigned k = 0; k < kKeys / 2; ++k) compare_exchange(key[k], key[k + kKeys / 2]);
    }
#pragma unroll
    for (unsigned distance = kKeys / 4; distance > 0; distance /= 2) {
#pragma unroll
        for (unsigned k = 0; k < kKeys; ++k) {
            if ((k & distance) == 0) compare_exchange(key[k], key[k + distance]);
        }
    }
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
        const unsigned at = begin + k * min_j + (k < kKeys / 2 ? low : upper_low);
        if (at < n) keys[at] = key[k];
    }
}

/// Does kSteps steps of level i, the last of distance min_j, in a pass.
template <int kSteps, class SortKey>
void bitonic_pass(SortKey* keys, unsigned n, unsigned i, unsigned min_j) {
    const unsigned threads = power_of_two(n) >> kSteps;
    bitonic_registers_kernel<kSteps>
        <<<divide_up(threads, kBitonicThreads), std::min(threads, kBitonicThreads)>>>(keys, n, i,
                                                                                      min_j);
    CUDA_CHECK_LAUNCH();
}

/// The steps of level i whose distance is at least `tile`, at most kMaxSteps of them per pass, and
/// as evenly as possible.
template <int kMaxSteps, class SortKey>
void bitonic_passes(SortKey* keys, unsigned n, unsigned i, unsigned tile) {
    int left = 0;
    for (unsigned j = i / 2; j >= tile; j /= 2) ++left;
    for (unsigned j = i; left > 0;) {
        const int passes = divide_up(left, kMaxSteps);
        const int steps = divide_up(left, passes);
        j >>= steps;
        left -= steps;
        if (steps == 1) bitonic_pass<1>(keys, n, i, j);
        if (steps == 2) bitonic_pass<2>(keys, n, i, j);
        if (steps == 3) bitonic_pass<3>(keys, n, i, j);
        if constexpr (kMaxSteps == 5) {  // bitonic_best
            if (steps == 4) bitonic_pass<4>(keys, n, i, j);
            if (steps == 5) bitonic_pass<5>(keys, n, i, j);
        }
    }
}

template <class SortKey>
void bitonic_registers(SortKey* keys, unsigned n) {
    if (n < 2) return;
    bitonic_in_tiles(keys, n, 2, kBitonicTile, 1);
    for (unsigned i = 2 * kBitonicTile; i < 2 * n; i *= 2) {
        bitonic_passes<3>(keys, n, i, kBitonicTile);
        bitonic_in_tiles(keys, n, i, i, kBitonicTile / 2);
    }
}

}  // namespace sorting
