// Memory of the host whose size is known: a copy that goes beyond it is an overrun of the heap, of
// which neither the C library nor CUDA says anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator {

/// What operator new, or malloc() in a file that a tool watches, has returned.
struct HostBlock {
    const std::byte* begin = nullptr;
    std::size_t bytes = 0;
    std::size_t used = 0;      ///< bytes of a std::vector's items; of other memory: all
    std::uint64_t number = 0;  ///< the larger, the later
};

void host_block_made(void* begin, std::size_t bytes);
void host_block_gone(const void* begin);

/// The block that an address is in; one without a begin: none is known there.
HostBlock host_block_at(const void* address);

}  // namespace emulator
