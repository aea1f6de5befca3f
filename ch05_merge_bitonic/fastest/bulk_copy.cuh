// Copies from global to shared memory that go on while the block does other things: bulk
// asynchronous copies, of compute capability 9.0 and later. The copying hardware counts the bytes
// that have arrived at a barrier in shared memory, an mbarrier, at which threads that need them
// wait.
//
// Such copies are there where kBulkCopies is true. Elsewhere, on an older device, with a toolkit
// before CUDA 12.0 or on the emulator, the block's threads must copy; the rest of these
// functions then does nothing, and wait_for_copies() is the barrier behind that.
//
// Source: NVIDIA's PTX ISA, sections on cp.async.bulk, mbarrier and proxies.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace sorting {

#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && \
    __CUDACC_VER_MAJOR__ >= 12

constexpr bool kBulkCopies = true;

/// An address in shared memory, as instructions take it.
__device__ inline unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Must be called by one thread; a barrier of the block must follow.
__device__ inline void init_copies(std::uint64_t* arrived) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(arrived))
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// By the thread that starts copies, behind a barrier of the block: what any thread has read or
/// written where they will write comes before them. They reach memory by another way (PTX: another
/// proxy), on which a barrier alone says nothing.
__device__ inline void order_before_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// By one thread, once before each wait: so many bytes, a multiple of 16, will arrive.
__device__ inline void expect_copies(std::uint64_t* arrived, unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrived)),
        "r"(bytes)
        : "memory");
}

/// Starts a copy, by one thread. Both addresses, and the bytes, are multiples of 16.
__device__ inline void start_copy(void* to, const void* from, unsigned bytes,
                                  std::uint64_t* arrived) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(arrived))
        : "memory");
}

/// Must be called by all threads: waits until the expected bytes have arrived, and can be read.
/// `parity`: 0 in the first wait, 1 in the second, 0 in the third...
__device__ inline void wait_for_copies(std::uint64_t* arrived, unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
        asm volatile(
            "{\n.reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n}"
            : "=r"(done)
            : "r"(shared_address(arrived)), "r"(parity)
            : "memory");
    }
}

#else

constexpr bool kBulkCopies = false;

__device__ inline void init_copies(std::uint64_t*) {}
__device__ inline void order_before_copies() {}
__device__ inline void expect_copies(std::uint64_t*, unsigned) {}
__device__ inline void start_copy(void*, const void*, unsigned, std::uint64_t*) {}
__device__ inline void wait_for_copies(std::uint64_t*, unsigned) {
    __syncthreads();  // copied by other threads than will read
}

#endif

}  // namespace sorting
