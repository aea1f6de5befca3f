// Device memory: which allocation contains an address, and what is around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/runtime_types.hpp"
#include "emulator/site.hpp"

namespace emulator {

/// Whether an access to freed memory ends in a signal. WebAssembly has no pages to protect.
#if defined(__wasm__)
constexpr bool kProtectsPages = false;
#else
constexpr bool kProtectsPages = true;
#endif

/// Whether a kernel may be given this pointer; if not, `text` says what it is.
bool device_can_read(const void* pointer, std::string* text);

/// Where managed memory was left to another stream than this one; no place: it was not.
Site attached_elsewhere(const void* pointer, cudaStream_t stream);
/// The stream ends, and all may use again what was left to it.
void detach_from_stream(cudaStream_t stream);

/// Checks the red zones of all allocations. True: one was written to; says where.
bool find_damage(const std::string& kernel, std::string* text, Site* site);

/// What is at an address, in words: "4 bytes past the end of ...", "a null pointer", ...
std::string describe_address(std::uintptr_t address);

/// Lets the host continue to use memory that was freed: a tool has reported that.
void let_use_freed(std::uintptr_t address);

/// Whether there was device memory here that was freed not long ago.
bool was_freed(std::uintptr_t address);

/// Frees everything, as cudaDeviceReset does.
void release_all_memory(Site site);

/// Of the heap of kernels: cudaLimitMallocHeapSize, and whether malloc() or new had no room for a
/// thread of the running launch, and returned null.
std::size_t kernel_heap_bytes();
bool kernel_heap_was_full();

}  // namespace emulator
