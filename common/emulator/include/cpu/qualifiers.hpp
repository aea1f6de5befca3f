// The words that CUDA adds to C++. On a CPU there is one kind of code and one kind of memory, so
// most of them mean nothing; rewrite.py takes care of the two that do: <<<...>>> and __shared__.
#pragma once

#define TUTORIAL_CPU_BACKEND 1

// A kernel stays a function of its own, so that its address tells which one runs.
#if defined(__clang__)
#define __global__ __attribute__((noinline))
#else
#define __global__ __attribute__((noinline, noclone))
#endif
#define __device__
#define __host__
#if defined(LAB_SEES_MEMORY_CALLS)
// The lab finds these variables by their sections. Each has one of its own, as constant and other
// variables may not share one.
#define CPU_TEXT_OF(number) #number
#define CPU_CONSTANT_SECTION(number) __attribute__((section("cuda_constant." CPU_TEXT_OF(number))))
#define __constant__ CPU_CONSTANT_SECTION(__COUNTER__)
#else
#define __constant__
#endif
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#if !defined(__clang__)
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif

// rewrite.py turns every __shared__ variable into a reference into its block's shared memory. One
// that is left stands in a file that was not rewritten. (_Pragma takes one string, not several.)
// clang-format off
#define __shared__ \
    _Pragma("GCC error \"__shared__ in a file that is not rewritten: list it in target_cpu_sources, or include it with quotes from a file that is\"")
// clang-format on

#define __cluster_dims__(...) \
    _Pragma("GCC error \"__cluster_dims__: the CPU backend has no thread block clusters\"")

#define __managed__ \
    _Pragma("GCC error \"__managed__: the CPU backend has cudaMallocManaged instead\"")
