// Asynchronous copies from global to shared memory. Here they are done at once; a tool is notified
// when they would land on a device.
#pragma once

#include <cstddef>
#include <cstring>

#include "cuda_runtime.h"
#include "emulator/share_copy.hpp"

/// Copies `bytes` (4, 8 or 16); the last `zeros` of them become 0 instead.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zeros = 0,
                                    emulator::Site site = emulator::Site::here()) {
    emulator::check_async_copy(to, from, bytes, zeros, site);
    std::memcpy(to, from, bytes - zeros);
    std::memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
    emulator::async_copy_begins(to, bytes, nullptr);
}
inline void __pipeline_commit() { emulator::async_copies_committed(); }
/// Waits for all but the newest `prior` commits of this thread.
inline void __pipeline_wait_prior(std::size_t prior, emulator::Site site = emulator::Site::here()) {
    emulator::async_copies_waited_for(prior, site);
}
