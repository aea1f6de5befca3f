// Launches that overlap: the device prepares a kernel, and starts its blocks, while the previous
// one in the stream is still ending (CUDA: programmatic dependent launch; compute capability 9.0
// and later). In a row of short kernels the time between two of them is otherwise longer than the
// kernels.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <map>

#include "cuda_check.hpp"

namespace tutorial {

/// Waits until the launches before this one have ended and what they wrote can be read. Each thread
/// of a kernel that is launched with launch_programmatic() calls it before it touches memory. If
/// launches do not overlap there is nothing to wait for.
__device__ inline void grid_dependency_synchronize() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ < 12
    // CUDA 11.8 has the instruction, but no function for it.
    asm volatile("griddepcontrol.wait;" ::: "memory");
#else
    cudaGridDependencySynchronize();
#endif
#endif
}

/// Whether a kernel waits for the previous launch, as grid_dependency_synchronize() says: only if
/// it was compiled to PTX of compute capability 9.0 or later. On such a device that is not always
/// the case: code built for 8.0 runs there too, compiled again from its PTX, which has no such
/// wait.
template <class Kernel>
bool uses_programmatic_launch(Kernel* kernel) {
    static std::map<Kernel*, bool> known;  // asking takes as long as a launch: only once per kernel
    const auto found = known.find(kernel);
    if (found != known.end()) return found->second;
    cudaFuncAttributes attributes = {};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return known[kernel] = attributes.ptxVersion >= 90;
}

/// kernel<<<blocks, threads, shared_bytes>>>(arguments...) on the default stream, allowed to start
/// early if it then waits. What comes after it in the stream starts early only if it is also
/// launched this way.
template <class... Parameters, class... Arguments>
void launch_programmatic_with(std::size_t shared_bytes, void (*kernel)(Parameters...),
                              unsigned blocks, unsigned threads, Arguments... arguments) {
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &overlap;
    config.numAttrs = uses_programmatic_launch(kernel) ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/// The same without dynamic shared memory.
template <class... Parameters, class... Arguments>
void launch_programmatic(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                         Arguments... arguments) {
    launch_programmatic_with(0, kernel, blocks, threads, arguments...);
}

}  // namespace tutorial
