// What is known about each kernel: attributes set for it, shared memory it has used.
#pragma once

#include <cstddef>

#include "device.hpp"

namespace cpu {

struct KernelInfo {
    std::size_t max_dynamic_bytes = kStaticSharedBytes;
    std::size_t static_bytes = 0;  ///< most that one of its blocks has used
    int preferred_carveout = -1;
};

/// By the kernel's address; a kernel that is not known, or null, has the defaults.
KernelInfo kernel_info(const void* kernel);

void note_static_bytes(const void* kernel, std::size_t bytes);

}  // namespace cpu
