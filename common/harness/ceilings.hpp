// How fast can this GPU's memory be read, and copied, and how short can a launch be? What "% of
// ceiling" and the launch overhead come from. They are measured, not taken from a data sheet: the
// same machine, the same run.
#pragma once

#include <cstddef>
#include <string>

#include "interface.hpp"

namespace tutorial {

/// Measured on this device, in this process; all 0 on the emulator.
struct Ceilings {
    double read_bytes_per_second = 0.0;  ///< bytes read
    double copy_bytes_per_second = 0.0;  ///< bytes read plus bytes written

    // The launch overhead: the time of a kernel that does nothing, launched and timed as rows are.
    double launch_cold_seconds = 0.0;
    double launch_hot_seconds = 0.0;        ///< launched with <<<...>>>
    double programmatic_hot_seconds = 0.0;  ///< launched by launch_programmatic()

    std::string read_kernel;  ///< which of the kernels tried reads fastest
};

/// Measured once, on first use: about a second, and up to a quarter of the free memory for each of
/// two buffers, freed afterwards. All kernels of memory_kernels.hpp are tried, and the best counts.
/// How: see ceilings.cpp.
const Ceilings& ceilings();

/// The ceiling of a kernel that reads `bytes` bytes once and writes next to nothing: the time that
/// they take at the read bandwidth of ceilings(), whatever their number. Starting and ending a
/// kernel is not included: the launch overhead says how long that takes at least. On a GPU only.
Ceiling read_ceiling(std::size_t bytes);

}  // namespace tutorial
