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

/// Measured once, on first use: less than a second, and up to a quarter of the free memory for each
/// of two buffers, freed afterwards. How: see ceilings.cu.
const Ceilings& ceilings();

/// The read ceiling is the best of this many shapes of grid.
int read_shapes();

/// How many words read_everything() writes.
std::size_t read_partials(std::size_t bytes, int shape);

/// Enqueues the read kernel of the ceiling over `bytes` bytes (a multiple of 16; the address too)
/// on the default stream. Each warp writes the exclusive or of the 32-bit words that it read to
/// `d_partials`; the exclusive or of all partials is that of all words of the data, which proves
/// that every byte was read. 0 bytes: launches nothing, and there are no partials.
void read_everything(const void* d_data, std::size_t bytes, int shape, std::uint32_t* d_partials);

}  // namespace tutorial
