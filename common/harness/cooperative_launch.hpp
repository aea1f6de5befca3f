// Cooperative launches, for every toolkit since CUDA 11.8.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace tutorial {

/// cudaLaunchCooperativeKernel on the default stream: all blocks run at once, or none does.
/// `arguments` points to one pointer for each parameter. Until CUDA 12 the call takes no kernel by
/// its type, only an address; the emulator needs the type.
template <class... Parameters>
cudaError_t launch_cooperatively(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                 void** arguments, std::size_t shared_bytes = 0) {
#if defined(__CUDACC__)
    return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), blocks, threads,
                                       arguments, shared_bytes, nullptr);
#else
    return cudaLaunchCooperativeKernel(kernel, blocks, threads, arguments, shared_bytes, nullptr);
#endif
}

}  // namespace tutorial
