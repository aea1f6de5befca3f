// The fastest simple kernels that read and copy memory: what the ceilings are measured with, and
// what empties the cache before a cold run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tutorial {

/// What keeps a given GPU busiest is not predicted but tried: 4, 8 or 16 loads in flight per
/// thread, plain or of lines that the cache need not keep, a grid that fills the device or half of
/// it, or a block for each tile. The kernels below take such a shape, from 0 to read_shapes() - 1.
int read_shapes();

/// "512 threads, 8 plain loads in flight, 8 per tile, full occupancy"
std::string read_shape_text(int shape);

/// How many words read_everything() writes.
std::size_t read_partials(std::size_t bytes, int shape);

/// Enqueues the read kernel over `bytes` bytes (a multiple of 16; the address too) on the default
/// stream. Each warp writes the exclusive or of the 32-bit words that it read to `d_partials`; the
/// exclusive or of all partials is that of all words of the data, which proves that every byte was
/// read. 0 bytes: launches nothing, and there are no partials.
void read_everything(const void* d_data, std::size_t bytes, int shape, std::uint32_t* d_partials);

/// Enqueues the copy kernel, likewise.
void copy_everything(const void* d_from, void* d_to, std::size_t bytes, int shape);

/// Enqueues a kernel that does nothing, launched with <<<...>>> or by launch_programmatic(): the
/// least time that any launch takes.
void launch_nothing(bool overlapped);

/// Enqueues a kernel that fills `bytes` bytes (a multiple of 16) with data that has no pattern:
/// memory that holds zeros can be faster than memory in use.
void scramble(void* d_data, std::size_t bytes);

}  // namespace tutorial
