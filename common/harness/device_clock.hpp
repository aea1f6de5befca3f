// Clocks that a kernel can read.
//
// clock64() counts the cycles of the calling multiprocessor. Each multiprocessor has its own
// counter, started at its own moment, so that only two readings on the same one can be subtracted:
// within a block, not across blocks. device_nanoseconds() is one clock for the whole device, but a
// coarse one: some GPUs advance it only every microsecond.
#pragma once

#include <cuda_runtime.h>

namespace tutorial {

/// The device's clock in nanoseconds since some fixed point (PTX: %globaltimer).
__device__ inline unsigned long long device_nanoseconds() {
#if defined(__CUDACC__)
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#else
    return emulator::globaltimer();
#endif
}

/// When one block started and ended, by both clocks.
struct BlockTime {
    long long start_cycles;
    long long end_cycles;
    unsigned long long start_ns;
    unsigned long long end_ns;
};

/// First statement of a kernel. `times`: one entry per block, or nullptr: then nothing is read.
__device__ inline void start_block_clock(BlockTime* times) {
    if (times == nullptr || threadIdx.x != 0) return;
    times[blockIdx.x].start_ns = device_nanoseconds();
    times[blockIdx.x].start_cycles = clock64();
}

/// Last statement of a kernel, reached by all threads of the block.
__device__ inline void stop_block_clock(BlockTime* times) {
    if (times == nullptr) return;
    __syncthreads();  // the block's last thread is done
    if (threadIdx.x != 0) return;
    times[blockIdx.x].end_cycles = clock64();
    times[blockIdx.x].end_ns = device_nanoseconds();
}

}  // namespace tutorial
