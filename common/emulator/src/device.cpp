// The modelled device, and what the runtime API says about it.
#include "device.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "emulator/device_api.hpp"
#include "emulator/memory_api.hpp"
#include "emulator/ptx.hpp"
#include "fiber.hpp"
#include "kernel_heap.hpp"
#include "kernel_printf.hpp"
#include "memory.hpp"
#include "observer.hpp"
#include "pending_work.hpp"
#include "settings_internal.hpp"
#include "state.hpp"

namespace emulator {

const DeviceModel& device() { return *settings().device; }

int multiprocessors() { return settings().multiprocessors; }

int resident_multiprocessors() { return std::max(multiprocessors(), device().multiprocessors); }

unsigned ptx_nsmid() { return static_cast<unsigned>(multiprocessors()); }

int blocks_per_multiprocessor(int threads, std::size_t shared_bytes) {
    if (threads <= 0 || shared_bytes > device().shared_bytes_per_block) return 0;
    const int warps = (threads + 31) / 32;
    const int by_threads = device().threads_per_multiprocessor / (warps * 32);
    const int most = std::min(by_threads, device().blocks_per_multiprocessor);
    const std::size_t bytes = shared_bytes + device().reserved_shared_bytes;
    if (bytes == 0) return most;
    return std::min(most, static_cast<int>(device().shared_bytes_per_multiprocessor / bytes));
}

namespace {

constexpr int kClockKilohertz = 1000000;  // clock64() counts nanoseconds

cudaError_t check_device(int device) {
    if (const cudaError_t earlier = fault(); earlier != cudaSuccess) return earlier;
    return device == 0 ? cudaSuccess : set_error(cudaErrorInvalidDevice);
}

}  // namespace
}  // namespace emulator

cudaError_t cudaGetDeviceCount(int* count) {
    if (count == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *count = 1;
    return emulator::fault();
}

cudaError_t cudaGetDevice(int* device) {
    if (device == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *device = 0;
    return emulator::fault();
}

cudaError_t cudaSetDevice(int device) { return emulator::check_device(device); }
cudaError_t cudaSetDeviceFlags(unsigned) { return emulator::fault(); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return emulator::check_device(device);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (const cudaError_t error = emulator::check_device(device); error != cudaSuccess)
        return error;
    if (properties == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    std::size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    cudaDeviceProp p{};
    const std::string name = emulator::settings().device_name();
    std::strncpy(p.name, name.c_str(), sizeof p.name - 1);
    p.totalGlobalMem = total_bytes;
    p.sharedMemPerBlock = emulator::kStaticSharedBytes;
    p.regsPerBlock = emulator::kRegistersPerMultiprocessor;
    p.warpSize = 32;
    p.memPitch = 2147483647;
    p.maxThreadsPerBlock = emulator::kMaxThreadsPerBlock;
    p.maxThreadsDim[0] = emulator::kMaxBlockX;
    p.maxThreadsDim[1] = emulator::kMaxBlockY;
    p.maxThreadsDim[2] = emulator::kMaxBlockZ;
    p.maxGridSize[0] = static_cast<int>(emulator::kMaxGridX);
    p.maxGridSize[1] = p.maxGridSize[2] = static_cast<int>(emulator::kMaxGridYZ);
    p.totalConstMem = emulator::kConstantBytes;
    p.major = emulator::device().major;
    p.minor = emulator::device().minor;
    p.multiProcessorCount = emulator::multiprocessors();
    p.integrated = 1;
    p.canMapHostMemory = 1;
    p.asyncEngineCount = 0;
    p.unifiedAddressing = 1;
    p.memoryBusWidth = 64;
    p.l2CacheSize = emulator::settings().l2_megabytes << 20;
    p.maxThreadsPerMultiProcessor = emulator::device().threads_per_multiprocessor;
    p.sharedMemPerMultiprocessor = emulator::device().shared_bytes_per_multiprocessor;
    p.regsPerMultiprocessor = emulator::kRegistersPerMultiprocessor;
    p.managedMemory = 1;
    p.hostNativeAtomicSupported = 1;
    p.concurrentManagedAccess = 1;
    p.cooperativeLaunch = 1;
    p.sharedMemPerBlockOptin = emulator::device().shared_bytes_per_block;
    p.maxBlocksPerMultiProcessor = emulator::device().blocks_per_multiprocessor;
    p.reservedSharedMemPerBlock = emulator::device().reserved_shared_bytes;
    p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = 1;
    p.clockRate = p.memoryClockRate = emulator::kClockKilohertz;
    p.computeMode = cudaComputeModeDefault;
    p.singleToDoublePrecisionPerfRatio = 2;
    p.textureAlignment = p.surfaceAlignment = 512;
    *properties = p;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device); error != cudaSuccess) {
        return error;
    }
    if (value == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    const std::pair<cudaDeviceAttr, int> values[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(p.sharedMemPerBlock)},
        {cudaDevAttrTotalConstantMemory, static_cast<int>(p.totalConstMem)},
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxPitch, static_cast<int>(p.memPitch)},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrClockRate, emulator::kClockKilohertz},
        {cudaDevAttrMemoryClockRate, emulator::kClockKilohertz},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrIntegrated, p.integrated},
        {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor,
         static_cast<int>(p.sharedMemPerMultiprocessor)},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
        {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(p.sharedMemPerBlockOptin)},
        {cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(p.reservedSharedMemPerBlock)},
        {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
        {cudaDevAttrGpuOverlap, 0},
        {cudaDevAttrKernelExecTimeout, 0},
        {cudaDevAttrComputeMode, 0},
        {cudaDevAttrConcurrentKernels, 0},
        {cudaDevAttrEccEnabled, 0},
        {cudaDevAttrStreamPrioritiesSupported, 0},
        {cudaDevAttrGlobalL1CacheSupported, 0},
        {cudaDevAttrLocalL1CacheSupported, 0},
        {cudaDevAttrPageableMemoryAccess, 0},
        {cudaDevAttrClusterLaunch, 0},
    };
    for (const auto& [name, its_value] : values) {
        if (name != attribute) continue;
        *value = its_value;
        return cudaSuccess;
    }
    return emulator::set_error(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() {
    emulator::host_waits_for_device();
    emulator::let_others_go_first();
    const emulator::ToolTurn turn;
    if (emulator::Observer* const observer = emulator::current_observer()) {
        observer->stream_call(emulator::StreamCall::device_synchronized, nullptr, nullptr);
    }
    return emulator::fault();
}

cudaError_t cudaDeviceReset() {
    emulator::require_host("cudaDeviceReset");
    emulator::host_waits_for_device();
    emulator::release_all_memory();
    emulator::clear_errors();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    if (value == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    switch (limit) {
        case cudaLimitStackSize:
            *value = emulator::stack_bytes();
            break;
        case cudaLimitPrintfFifoSize:
            *value = emulator::printf_buffer_bytes();
            break;
        case cudaLimitMallocHeapSize:
            *value = emulator::kernel_heap_bytes();
            break;
        default:
            return emulator::set_error(cudaErrorUnsupportedLimit);
    }
    return emulator::fault();
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    if (limit == cudaLimitPrintfFifoSize) {
        emulator::set_printf_buffer_bytes(value);
        return emulator::fault();
    }
    if (limit == cudaLimitMallocHeapSize) return emulator::set_kernel_heap_bytes(value);
    if (limit != cudaLimitStackSize) {
        const bool is_known =
            limit >= cudaLimitPrintfFifoSize && limit <= cudaLimitPersistingL2CacheSize;
        return is_known ? emulator::fault() : emulator::set_error(cudaErrorUnsupportedLimit);
    }
    if (value <= emulator::stack_bytes()) return emulator::fault();
    return emulator::set_error(cudaErrorUnsupportedLimit, emulator::Reason::unsupported, {},
                               "cudaDeviceSetLimit: a thread's stack has " +
                                   std::to_string(emulator::stack_bytes() / 1024) +
                                   " KB here; TUTORIAL_CPU_STACK_KB sets another size.");
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    if (config == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return emulator::fault();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return emulator::fault(); }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    if (config == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return emulator::fault();
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return emulator::fault(); }

// There is one device, and so no peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (can == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *can = 0;
    return device == 0 && peer == 0 ? emulator::fault()
                                    : emulator::set_error(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
    return emulator::set_error(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int) { return emulator::set_error(cudaErrorInvalidDevice); }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    if (flags == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *flags = cudaDeviceScheduleAuto;
    return emulator::fault();
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    if (text == nullptr || length < 13) return emulator::set_error(cudaErrorInvalidValue);
    std::strncpy(text, "0000:00:00.0", static_cast<std::size_t>(length));
    return emulator::check_device(device);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = 0;
    return emulator::fault();
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (version == nullptr) return emulator::set_error(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
