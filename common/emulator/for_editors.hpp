// For editors only: clangd reads .cu files with it, as CUDA and against the emulator's headers,
// so that it needs no CUDA toolkit. common/cmake/compile_commands.py puts it before each file.
#pragma once

// clang's own <new> adds overloads for the device if __device__ has clang's own meaning.
#define __device__ __attribute__((device))
#include <new>
#undef __device__

// What the emulator includes, before everything it declares also becomes callable from kernels.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma clang force_cuda_host_device begin
#include <cuda_runtime.h>

#include <cooperative_groups.h>
#pragma clang force_cuda_host_device end

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device)) __attribute__((host))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))

/// What clang makes of kernel<<<blocks, threads, bytes, stream>>>.
extern "C" unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t bytes = 0,
                                                void* stream = nullptr);
