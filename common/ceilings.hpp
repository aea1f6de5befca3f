// How fast can this GPU's memory be read, and copied? The denominators of "% of ceiling".
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutorial {

/// Measured on this device, in this process; 0 on the CPU backend.
struct Ceilings {
    double read_bytes_per_second = 0.0;  ///< bytes read
    double copy_bytes_per_second = 0.0;  ///< bytes read plus bytes written
};

/// Measured once, on first use: about a second, and up to a quarter of the free memory for each of
/// two buffers, freed afterwards. How: see ceilings.cu.
const Ceilings& ceilings();

/// Enqueues the read kernel of the ceiling over `bytes` bytes (a multiple of 16, 16-byte aligned),
/// on the default stream. It writes the exclusive or of what each warp read to `d_partials`; the
/// exclusive or of these read_partials() words is that of all 32-bit words of the data, which
/// proves that every byte was read.
void read_everything(const void* d_data, std::size_t bytes, std::uint32_t* d_partials);

/// How many words read_everything() writes.
std::size_t read_partials();

}  // namespace tutorial
