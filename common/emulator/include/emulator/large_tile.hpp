// Tiles of more than a warp: 64 to 1024 threads of a block that wait for each other.
#pragma once

#include <cstddef>

#include "site.hpp"

namespace emulator {

/// Waits for all threads of the calling thread's tile of this size.
void tile_barrier(unsigned size, Site site);

/// Each thread of the tile passes a value, and gets those of all threads, by rank. They stay valid
/// until the thread's call after the next.
const void* tile_values(unsigned size, const void* value, std::size_t bytes, Site site);

}  // namespace emulator
