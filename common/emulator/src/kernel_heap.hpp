// The heap that malloc() and new in kernels take from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/errors.hpp"
#include "memory.hpp"

namespace emulator {

class HostCall;

/// Makes the heap if the program has a kernel that allocates and there is none yet. Before a
/// launch.
void prepare_kernel_heap();

/// It cannot be set once a kernel has allocated.
cudaError_t set_kernel_heap_bytes(std::size_t bytes, const HostCall& call);

/// All threads of a block have passed a barrier.
void kernel_heap_passes_barrier(std::uint64_t block);

/// The heap's memory has been freed, with all other memory of the device.
void forget_kernel_heap();

}  // namespace emulator
