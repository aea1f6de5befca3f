// Kernels that read 16 bytes at a time need addresses that are multiples of 16. What cudaMalloc
// returns is one; a pointer into the middle of an array may not be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace tutorial {

constexpr std::size_t kVectorBytes = 16;

/// For launchers: throws std::invalid_argument, one line, if the items of stage `stage` do not
/// begin at a multiple of 16 bytes. The kernel would end with a misaligned address.
inline void require_aligned(const void* d_items, const char* stage) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(d_items) % kVectorBytes;
    if (beyond == 0) return;
    throw std::invalid_argument(std::string(stage) + " reads " + std::to_string(kVectorBytes) +
                                " bytes at a time: its items must begin at a multiple of " +
                                std::to_string(kVectorBytes) + " bytes, and these begin " +
                                std::to_string(beyond) + " bytes past one");
}

}  // namespace tutorial
