#include "device_info.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>

#include "backend.hpp"
#include "cuda_check.hpp"
#include "fmt.hpp"
#include "options.hpp"
#include "text.hpp"

namespace tutorial {
namespace {

/// The kernel module's version if Linux shows it; CUDA itself only reports which CUDA it runs.
std::string driver_module_version() {
    std::ifstream file("/sys/module/nvidia/version");
    std::string version;
    std::getline(file, version);
    return version;
}

DeviceInfo read_device_info() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        static_cast<void>(cudaGetLastError());
        throw ResourceError(
            fmt::format("this program needs an NVIDIA GPU, and there is none that it can use ({}); "
                        "built for the emulator it runs without one",
                        error == cudaSuccess ? "no device found" : cudaGetErrorString(error)));
    }
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    DeviceInfo info;
    info.name = properties.name;
    info.is_emulator = on_emulator();
    info.sm_count = properties.multiProcessorCount;
    info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    info.memory_bytes = properties.totalGlobalMem;
    info.compute_major = properties.major;
    info.compute_minor = properties.minor;
    info.shared_per_block = properties.sharedMemPerBlockOptin;
    info.shared_per_sm = properties.sharedMemPerMultiprocessor;
    info.shared_reserved = properties.reservedSharedMemPerBlock;
    info.threads_per_sm = properties.maxThreadsPerMultiProcessor;
    info.blocks_per_sm = properties.maxBlocksPerMultiProcessor;
    info.free_bytes = free_device_bytes();
    CUDA_CHECK(cudaRuntimeGetVersion(&info.cuda_version));
    CUDA_CHECK(cudaDriverGetVersion(&info.driver_version));
    if (!info.is_emulator) {
        int kilohertz = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device));
        info.sm_clock_hz = kilohertz * 1e3;
        info.driver = driver_module_version();
    }
    return info;
}

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/// The emulator has no clocks to report.
std::string clock_text(int kilohertz) {
    return kilohertz > 0 ? fmt::format("{} MHz", kilohertz / 1000) : "-";
}

}  // namespace

const DeviceInfo& device_info() {
    static const DeviceInfo info = read_device_info();
    return info;
}

int blocks_held(const DeviceInfo& device, unsigned threads, std::size_t shared_bytes) {
    if (shared_bytes > device.shared_per_block) return 0;
    const std::size_t by_threads = static_cast<std::size_t>(device.threads_per_sm) / threads;
    const std::size_t bytes = shared_bytes + device.shared_reserved;
    const std::size_t by_shared = bytes == 0 ? by_threads : device.shared_per_sm / bytes;
    const auto most = static_cast<std::size_t>(device.blocks_per_sm);
    return static_cast<int>(std::min({by_threads, by_shared, most}));
}

std::size_t free_device_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

std::string cuda_version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string device_table() {
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    cudaDeviceProp p = {};
    CUDA_CHECK(cudaGetDeviceProperties(&p, device));
    const DeviceInfo& info = device_info();
    return "The device\n" +
           text_table({
               {"  name", p.name},
               {"  compute capability", fmt::format("{}.{}", p.major, p.minor)},
               {"  CUDA version of this program", cuda_version_text(info.cuda_version)},
               {"  newest CUDA version that the driver runs",
                cuda_version_text(info.driver_version)},
               {"  multiprocessors", fmt::format("{}", p.multiProcessorCount)},
               {"  clock rate of a multiprocessor",
                clock_text(attribute(cudaDevAttrClockRate, device))},
               {"  threads per warp", fmt::format("{}", p.warpSize)},
               {"  threads per block, at most", fmt::format("{}", p.maxThreadsPerBlock)},
               {"  threads per multiprocessor, at most",
                fmt::format("{}", p.maxThreadsPerMultiProcessor)},
               {"  size of a block, at most", fmt::format("{} x {} x {}", p.maxThreadsDim[0],
                                                          p.maxThreadsDim[1], p.maxThreadsDim[2])},
               {"  size of a grid, at most",
                fmt::format("{} x {} x {}", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2])},
               {"  registers per block, at most", fmt::format("{}", p.regsPerBlock)},
               {"  shared memory per block", format_bytes(p.sharedMemPerBlock)},
               {"  shared memory per block, on request", format_bytes(p.sharedMemPerBlockOptin)},
               {"  shared memory per multiprocessor", format_bytes(p.sharedMemPerMultiprocessor)},
               {"  constant memory", format_bytes(p.totalConstMem)},
               {"  level 2 cache", format_bytes(static_cast<std::size_t>(p.l2CacheSize))},
               {"  memory", format_bytes(p.totalGlobalMem)},
               {"  clock rate of the memory",
                clock_text(attribute(cudaDevAttrMemoryClockRate, device))},
               {"  width of the memory bus", fmt::format("{} bits", p.memoryBusWidth)},
               {"  copies that can run at once, next to kernels",
                fmt::format("{}", p.asyncEngineCount)},
           });
}

}  // namespace tutorial
