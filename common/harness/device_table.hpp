// What there is to know of a device before the first kernel is written for it.
#pragma once

#include <string>

namespace tutorial {

/// The current device's properties, one a line: name, multiprocessors, warp size, the limits of
/// blocks and grids, registers, shared memory, caches, memory, clocks.
std::string device_table();

}  // namespace tutorial
