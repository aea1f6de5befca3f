#include "device_table.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "cuda_check.hpp"
#include "device_info.hpp"
#include "formatting.hpp"
#include "text_table.hpp"
#include "units.hpp"

namespace tutorial {
namespace {

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/// 13000: CUDA 13.0.
std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// The CPU backend has no clocks to tell of.
std::string clock_text(int kilohertz) {
    return kilohertz > 0 ? fmt::format("{} MHz", kilohertz / 1000) : "-";
}

}  // namespace

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
               {"  CUDA of this program", version_text(info.cuda_version)},
               {"  newest CUDA that the driver runs", version_text(info.driver_version)},
               {"  multiprocessors", fmt::format("{}", p.multiProcessorCount)},
               {"  clock of a multiprocessor", clock_text(attribute(cudaDevAttrClockRate, device))},
               {"  threads of a warp", fmt::format("{}", p.warpSize)},
               {"  threads of a block, at most", fmt::format("{}", p.maxThreadsPerBlock)},
               {"  threads of a multiprocessor, at most",
                fmt::format("{}", p.maxThreadsPerMultiProcessor)},
               {"  size of a block, at most", fmt::format("{} x {} x {}", p.maxThreadsDim[0],
                                                          p.maxThreadsDim[1], p.maxThreadsDim[2])},
               {"  size of a grid, at most",
                fmt::format("{} x {} x {}", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2])},
               {"  registers of a block, at most", fmt::format("{}", p.regsPerBlock)},
               {"  shared memory of a block", format_bytes(p.sharedMemPerBlock)},
               {"  shared memory of a block, on request", format_bytes(p.sharedMemPerBlockOptin)},
               {"  shared memory of a multiprocessor", format_bytes(p.sharedMemPerMultiprocessor)},
               {"  constant memory", format_bytes(p.totalConstMem)},
               {"  level 2 cache", format_bytes(static_cast<std::size_t>(p.l2CacheSize))},
               {"  memory", format_bytes(p.totalGlobalMem)},
               {"  clock of the memory", clock_text(attribute(cudaDevAttrMemoryClockRate, device))},
               {"  width of the memory's bus", fmt::format("{} bits", p.memoryBusWidth)},
               {"  copies beside kernels, at a time", fmt::format("{}", p.asyncEngineCount)},
           });
}

}  // namespace tutorial
