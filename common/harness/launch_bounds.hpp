// What __launch_bounds__ may ask for.
#pragma once

namespace tutorial {

/// Threads that a multiprocessor of the target device holds at once. Source: table
/// "Technical Specifications per Compute Capability" of NVIDIA's CUDA C++ Programming Guide.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800 && __CUDA_ARCH__ >= 750
constexpr unsigned kThreadsPerSm = 1024;
#elif defined(__CUDA_ARCH__) && \
    ((__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100)
constexpr unsigned kThreadsPerSm = 1536;
#else
constexpr unsigned kThreadsPerSm = 2048;
#endif

/// The second number of __launch_bounds__: `wanted` blocks of that many threads per multiprocessor,
/// or as many as it holds. A compiler that is asked for more ignores the number, and says so.
constexpr unsigned blocks_bound(unsigned wanted, unsigned threads) {
    return wanted * threads <= kThreadsPerSm ? wanted : kThreadsPerSm / threads;
}

}  // namespace tutorial
