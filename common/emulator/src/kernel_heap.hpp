// The heap that malloc() and new in kernels take from.
#pragma once

#include <cstddef>

#include "emulator/errors.hpp"

namespace emulator {

class HostCall;

/// Makes the heap if the program has a kernel that allocates and there is none yet. Before a
/// launch.
void prepare_kernel_heap();

/// cudaLimitMallocHeapSize. It cannot be set once a kernel has allocated.
std::size_t kernel_heap_bytes();
cudaError_t set_kernel_heap_bytes(std::size_t bytes, const HostCall& call);

/// Whether malloc() or new had no room for a thread of the running launch, and returned null.
bool kernel_heap_was_full();

/// The heap's memory has been freed, with all other memory of the device.
void forget_kernel_heap();

}  // namespace emulator
