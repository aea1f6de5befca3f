// What machine the kernels run on.
#pragma once

#include <cstddef>
#include <string>

namespace tutorial {

struct DeviceInfo {
    std::string name;              ///< e.g. "NVIDIA H200", or "emulator"
    bool is_emulator = false;      ///< kernels run on the host; times mean nothing
    int sm_count = 0;              ///< multiprocessors
    double sm_clock_hz = 0.0;      ///< their highest clock; 0 on the emulator
    std::size_t l2_bytes = 0;      ///< level 2 cache
    std::size_t memory_bytes = 0;  ///< device memory in all
    std::size_t free_bytes = 0;    ///< free when the program first asked
    int cuda_version = 0;          ///< the runtime's, e.g. 13000 for 13.0
    int driver_version = 0;        ///< the newest CUDA that the driver runs, likewise
    std::string driver;            ///< the driver's own version, e.g. "580.65.06"; may be empty
    int compute_major = 0;         ///< compute capability
    int compute_minor = 0;
    std::size_t shared_per_block = 0;  ///< shared memory that a block gets on request, in bytes
    std::size_t shared_per_sm = 0;     ///< that a multiprocessor has
    std::size_t shared_reserved = 0;   ///< per block, besides what it asks for
    int threads_per_sm = 0;            ///< resident at once
    int blocks_per_sm = 0;             ///< resident at once
};

/// How many blocks with that many threads and bytes of shared memory a multiprocessor holds at
/// once, apart from their registers; 0 if it holds none.
int blocks_held(const DeviceInfo& device, unsigned threads, std::size_t shared_bytes);

/// Of the current device; read once. Throws ResourceError if there is no usable GPU.
const DeviceInfo& device_info();

/// Whether this many bytes are more than the L2 cache holds.
inline bool beyond_cache(std::size_t bytes, const DeviceInfo& device = device_info()) {
    return bytes > device.l2_bytes;
}

/// Bytes of device memory that are now free.
std::size_t free_device_bytes();

/// As people write it: 13000 is "13.0".
std::string cuda_version_text(int version);

/// The current device's properties as a text, one per line: name, multiprocessors, warp size, the
/// limits of blocks and grids, registers, shared memory, caches, memory, clocks.
std::string device_table();

}  // namespace tutorial
