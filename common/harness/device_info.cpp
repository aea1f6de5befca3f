#include "device_info.hpp"

#include <cuda_runtime.h>

#include <fstream>

#include "counters.hpp"
#include "cuda_check.hpp"
#include "formatting.hpp"
#include "options.hpp"

namespace tutorial {
namespace {

/// The kernel module's version where Linux shows it; CUDA itself only tells which CUDA it runs.
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
                        "built for the CPU backend it runs without one",
                        error == cudaSuccess ? "no device found" : cudaGetErrorString(error)));
    }
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    DeviceInfo info;
    info.name = properties.name;
    info.is_cpu_backend = on_cpu_backend();
    info.sm_count = properties.multiProcessorCount;
    info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    info.memory_bytes = properties.totalGlobalMem;
    info.compute_major = properties.major;
    info.compute_minor = properties.minor;
    info.free_bytes = free_device_bytes();
    CUDA_CHECK(cudaRuntimeGetVersion(&info.cuda_version));
    CUDA_CHECK(cudaDriverGetVersion(&info.driver_version));
    if (!info.is_cpu_backend) {
        int kilohertz = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device));
        info.sm_clock_hz = kilohertz * 1e3;
        info.driver = driver_module_version();
    }
    return info;
}

}  // namespace

const DeviceInfo& device_info() {
    static const DeviceInfo info = read_device_info();
    return info;
}

std::size_t free_device_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

}  // namespace tutorial
