// The modelled device and its limits.
#pragma once

#include <cstddef>
#include <string>

namespace emulator {

constexpr int kMaxThreadsPerBlock = 1024;
constexpr int kMaxBlockX = 1024, kMaxBlockY = 1024, kMaxBlockZ = 64;
constexpr unsigned kMaxGridX = 2147483647u, kMaxGridYZ = 65535u;
constexpr std::size_t kStaticSharedBytes = 48 * 1024;
constexpr std::size_t kConstantBytes = 64 * 1024;
constexpr int kRegistersPerMultiprocessor = 65536;

/// What differs from device to device; TUTORIAL_CPU_DEVICE chooses one.
struct DeviceModel {
    const char* key;   ///< as in TUTORIAL_CPU_DEVICE
    const char* name;  ///< as cudaGetDeviceProperties gives it
    int major, minor;  ///< compute capability
    int multiprocessors;
    int l2_megabytes;
    std::size_t shared_bytes_per_block;  ///< after cudaFuncSetAttribute
    std::size_t shared_bytes_per_multiprocessor;
    std::size_t reserved_shared_bytes;  ///< of each block, by the system
    int threads_per_multiprocessor;
    int blocks_per_multiprocessor;
};

/// The chosen one.
const DeviceModel& device();

/// By its key; null if there is none.
const DeviceModel* find_device_model(const std::string& key);

/// All keys: "h200, a100, ..."
std::string device_model_keys();

/// The number that programs see; their grids depend on it.
int multiprocessors();

/// Those of the modelled device, even if programs see fewer: a cooperative launch may fill them
/// all, because there it would be correct.
int resident_multiprocessors();

/// Blocks that one multiprocessor holds at once.
int blocks_per_multiprocessor(int threads, std::size_t shared_bytes);

}  // namespace emulator
