// Copies from global to shared memory that a device does on the side. Here they are done at once,
// so that nothing is left to wait for.
#pragma once

#include <cstddef>
#include <cstring>

#include "cuda_runtime.h"

/// Copies `bytes` (4, 8 or 16); the last `zeros` of them become 0 instead.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zeros = 0) {
    std::memcpy(to, from, bytes - zeros);
    std::memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(std::size_t) {}
