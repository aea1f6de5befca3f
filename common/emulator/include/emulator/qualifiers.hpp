// The words that CUDA adds to C++. On a CPU there is one kind of code and one kind of memory, so
// most of them mean nothing; translate.py takes care of the two that do: <<<...>>> and __shared__.
#pragma once

#define TUTORIAL_EMULATOR 1

// Each kernel remains a separate function, so that its address tells which one runs.
#if defined(__clang__)
#define __global__ __attribute__((noinline))
#else
#define __global__ __attribute__((noinline, noclone))
#endif
#define __device__
#define __host__
#if defined(LAB_SEES_MEMORY_CALLS)
// The lab finds these variables by their sections. Each has its own, because constant and other
// variables may not share one.
#define CPU_TEXT_OF(number) #number
#define CPU_CONSTANT_SECTION(number) __attribute__((section("cuda_constant." CPU_TEXT_OF(number))))
#define __constant__ CPU_CONSTANT_SECTION(__COUNTER__)
#else
#define __constant__
#endif

// What translate.py puts beside the variables of a file (rewriting/marks.py). A program that is
// searched for faults gives them a meaning, before or after this.
#if !defined(CPU_RED_ZONE)
#define CPU_IN_ORDER
#define CPU_RED_ZONE(name)
#define CPU_NEXT_RED_ZONE(name)
#define CPU_FILLED_RED_ZONE(name)
#define CPU_HOST_VARIABLE(name)
#define CPU_LOCAL_ARRAY(type, name, extents) type name extents
#define CPU_FILLED_LOCAL_ARRAY(type, name, extents) type name extents
#define CPU_LOCAL_ARRAY_END(name)
#endif
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#if !defined(__clang__)
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif

// translate.py turns every __shared__ variable into a reference into its block's shared memory. One
// that is left is in a file that was not rewritten. (_Pragma takes one string, not several.)
// clang-format off
#define __shared__ \
    _Pragma("GCC error \"__shared__ in a file that is not rewritten: list it in target_cpu_sources, or include it with quotes from a file that is\"")
// clang-format on

#define __cluster_dims__(...) \
    _Pragma("GCC error \"__cluster_dims__: the emulator has no thread block clusters\"")

// A variable for both sides is in a section of its own, by which its address is recognised.
#if defined(__linux__)
#define __managed__ __attribute__((section("cpu_managed")))
#else
#define __managed__
#endif

/// That of the modelled device when the program is compiled; 900 for compute capability 9.0.
#ifndef CPU_CUDA_ARCH
#define CPU_CUDA_ARCH 900
#endif

// Helper headers test this to see that CUDA's own were included.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __VECTOR_TYPES_H__
#define CUDART_CB
#define CUDARTAPI

// Thrust's device is the C++ one (THRUST_DEVICE_SYSTEM_CPP); see thrust/mr/new.h.
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM 4
#endif
