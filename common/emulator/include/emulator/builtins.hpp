// threadIdx, blockIdx, blockDim, gridDim, warpSize: the number of the thread, and how many there
// are
#pragma once

#include "vector_types.hpp"

namespace emulator {

/// An index as a kernel sees it. No code assigns to a member; the scheduler constructs a new object
/// in its place when it switches from one CUDA thread to another, which C++ allows for const
/// members.
struct BuiltinIndex {
    const unsigned x, y, z;
    operator uint3() const { return {x, y, z}; }
};

/// An extent as a kernel sees it.
struct BuiltinExtent {
    const unsigned x, y, z;
    operator dim3() const { return {x, y, z}; }
    operator uint3() const { return {x, y, z}; }
};

}  // namespace emulator

// One set for each worker thread. __thread rather than thread_local: no initialiser needs to be
// called, so reading one costs no more than reading a variable.
extern __thread emulator::BuiltinIndex threadIdx;
extern __thread emulator::BuiltinIndex blockIdx;
extern __thread emulator::BuiltinExtent blockDim;
extern __thread emulator::BuiltinExtent gridDim;

constexpr int warpSize = 32;
