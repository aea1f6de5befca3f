// How fast can this GPU's memory be read, and copied? The denominators of "% of ceiling". They are
// measured, not taken from a data sheet: the same machine, the same run.
#pragma once

#include <cstddef>

#include "interface.hpp"

namespace tutorial {

/// Measured on this device, in this process; 0 on the CPU backend.
struct Ceilings {
    double read_bytes_per_second = 0.0;  ///< bytes read
    double copy_bytes_per_second = 0.0;  ///< bytes read plus bytes written
};

/// Measured once, on first use: less than a second, and up to a quarter of the free memory for each
/// of two buffers, freed afterwards. How: see ceilings.cpp.
const Ceilings& ceilings();

/// The ceiling of a kernel that reads `bytes` bytes at `d_data` once (16-byte aligned) and writes
/// next to nothing. Where they are much more than the L2 cache holds, it is measured on them: the
/// best kernel of memory_kernels.hpp that does nothing but read, timed cold, as the rows are.
/// Starting and ending a kernel is part of that time, as it is part of a row's. Below that, where
/// these would be most of it, it is the bytes over the read bandwidth of ceilings(). On a GPU only.
Ceiling read_ceiling(const void* d_data, std::size_t bytes);

}  // namespace tutorial
