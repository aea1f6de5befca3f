// The modelled device, and what the runtime API says about it.
#include "device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "allocations.hpp"
#include "emulator/device_api.hpp"
#include "emulator/memory_api.hpp"
#include "emulator/ptx.hpp"
#include "fiber.hpp"
#include "kernel_heap.hpp"
#include "kernel_printf.hpp"
#include "memory.hpp"
#include "observer.hpp"
#include "pending_work.hpp"
#include "return_address.hpp"
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

cudaError_t check_device(const HostCall& call, int device) {
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (device == 0) return cudaSuccess;
    return call.refuse(
        cudaErrorInvalidDevice,
        fmt::format("there is no device {}, only device 0. cudaGetDeviceCount says how many "
                    "there are.",
                    device));
}

cudaDeviceProp properties_of_device() {
    cudaDeviceProp p{};
    const std::string name = settings().device_name();
    std::strncpy(p.name, name.c_str(), sizeof p.name - 1);
    p.totalGlobalMem = device_bytes();
    p.sharedMemPerBlock = kStaticSharedBytes;
    p.regsPerBlock = kRegistersPerMultiprocessor;
    p.warpSize = 32;
    p.memPitch = 2147483647;
    p.maxThreadsPerBlock = kMaxThreadsPerBlock;
    p.maxThreadsDim[0] = kMaxBlockX;
    p.maxThreadsDim[1] = kMaxBlockY;
    p.maxThreadsDim[2] = kMaxBlockZ;
    p.maxGridSize[0] = static_cast<int>(kMaxGridX);
    p.maxGridSize[1] = p.maxGridSize[2] = static_cast<int>(kMaxGridYZ);
    p.totalConstMem = kConstantBytes;
    p.major = device().major;
    p.minor = device().minor;
    p.multiProcessorCount = multiprocessors();
    p.integrated = 1;
    p.canMapHostMemory = 1;
    // Programs with streams ask for these, and end if they are 0.
    p.asyncEngineCount = p.deviceOverlap = 1;
    p.unifiedAddressing = 1;
    p.memoryBusWidth = 64;
    p.l2CacheSize = settings().l2_megabytes << 20;
    p.maxThreadsPerMultiProcessor = device().threads_per_multiprocessor;
    p.sharedMemPerMultiprocessor = device().shared_bytes_per_multiprocessor;
    p.regsPerMultiprocessor = kRegistersPerMultiprocessor;
    p.managedMemory = 1;
    p.hostNativeAtomicSupported = 1;
    p.concurrentManagedAccess = 1;
    p.cooperativeLaunch = 1;
    p.sharedMemPerBlockOptin = device().shared_bytes_per_block;
    p.maxBlocksPerMultiProcessor = device().blocks_per_multiprocessor;
    p.reservedSharedMemPerBlock = device().reserved_shared_bytes;
    p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = 1;
    p.clockRate = p.memoryClockRate = kClockKilohertz;
    p.computeMode = cudaComputeModeDefault;
    p.singleToDoublePrecisionPerfRatio = 2;
    p.textureAlignment = p.surfaceAlignment = 512;
    return p;
}

cudaError_t refuse_limit(const HostCall& call, cudaLimit limit) {
    return call.refuse(cudaErrorUnsupportedLimit,
                       fmt::format("the emulator has no limit {}.", static_cast<int>(limit)),
                       Reason::unsupported);
}

cudaError_t refuse_peer(const HostCall& call) {
    return call.refuse(cudaErrorInvalidDevice,
                       "there is only one device. cudaDeviceCanAccessPeer says whether two can use "
                       "each other's memory.");
}

/// Answers a question about the device: where to, and what.
template <class T>
cudaError_t answer(const HostCall& call, T* to, const T& value) {
    if (to == nullptr) return call.refuse_null("the result");
    *to = value;
    return fault();
}

}  // namespace
}  // namespace emulator

using emulator::HostCall;

cudaError_t cudaGetDeviceCount(int* count) {
    return emulator::answer(HostCall("cudaGetDeviceCount", RETURN_ADDRESS), count, 1);
}

cudaError_t cudaGetDevice(int* device) {
    return emulator::answer(HostCall("cudaGetDevice", RETURN_ADDRESS), device, 0);
}

cudaError_t cudaSetDevice(int device) {
    return emulator::check_device(HostCall("cudaSetDevice", RETURN_ADDRESS), device);
}
cudaError_t cudaSetDeviceFlags(unsigned) { return emulator::fault(); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return emulator::check_device(HostCall("cudaInitDevice", RETURN_ADDRESS), device);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    const HostCall call("cudaGetDeviceProperties", RETURN_ADDRESS);
    if (const cudaError_t error = emulator::check_device(call, device); error != cudaSuccess)
        return error;
    return emulator::answer(call, properties, emulator::properties_of_device());
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    const HostCall call("cudaDeviceGetAttribute", RETURN_ADDRESS);
    if (const cudaError_t error = emulator::check_device(call, device); error != cudaSuccess)
        return error;
    if (value == nullptr) return call.refuse_null("the result");
    const cudaDeviceProp p = emulator::properties_of_device();
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
        {cudaDevAttrGpuOverlap, p.deviceOverlap},
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
    return call.refuse(
        cudaErrorInvalidValue,
        fmt::format("the emulator has no attribute {}.", static_cast<int>(attribute)),
        emulator::Reason::unsupported);
}

cudaError_t cudaDeviceSynchronize() {
    emulator::check_host_function_data(FRAME_ADDRESS);
    const HostCall call("cudaDeviceSynchronize", RETURN_ADDRESS);
    emulator::host_waits_for_device();
    emulator::let_others_go_first();
    const emulator::ToolTurn turn;
    if (emulator::Observer* const observer = emulator::current_observer()) {
        observer->stream_call(emulator::StreamCall::device_synchronized, nullptr, nullptr);
    }
    return call.earlier();
}

cudaError_t cudaDeviceReset() {
    emulator::require_host("cudaDeviceReset");
    emulator::Observer* const observer = emulator::current_observer();
    const emulator::Site site =
        observer != nullptr ? observer->place(reinterpret_cast<std::uintptr_t>(RETURN_ADDRESS) - 1)
                            : emulator::Site{};
    emulator::host_waits_for_device();
    emulator::release_all_memory(site);
    emulator::clear_errors();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    const HostCall call("cudaDeviceGetLimit", RETURN_ADDRESS);
    if (value == nullptr) return call.refuse_null("the result");
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
            return emulator::refuse_limit(call, limit);
    }
    return emulator::fault();
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    const HostCall call("cudaDeviceSetLimit", RETURN_ADDRESS);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (limit == cudaLimitPrintfFifoSize) {
        emulator::set_printf_buffer_bytes(value);
        return emulator::fault();
    }
    if (limit == cudaLimitMallocHeapSize) return emulator::set_kernel_heap_bytes(value, call);
    if (limit != cudaLimitStackSize) {
        const bool is_known =
            limit >= cudaLimitPrintfFifoSize && limit <= cudaLimitPersistingL2CacheSize;
        return is_known ? emulator::fault() : emulator::refuse_limit(call, limit);
    }
    constexpr std::size_t kLocalBytes = std::size_t{512} << 10;
    if (value >= kLocalBytes) {
        return call.refuse(cudaErrorInvalidValue,
                           fmt::format("a stack of {} bytes; a thread has 512 KB of local memory, "
                                       "and not all of it for its stack.",
                                       value));
    }
    if (emulator::set_stack_bytes(value)) return emulator::fault();
    return call.refuse(cudaErrorUnsupportedLimit,
                       fmt::format("a thread's stack has {} KB here once a kernel has run; call it "
                                   "before the first launch, or set TUTORIAL_CPU_STACK_KB.",
                                   emulator::stack_bytes() / 1024),
                       emulator::Reason::unsupported);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    return emulator::answer(HostCall("cudaDeviceGetCacheConfig", RETURN_ADDRESS), config,
                            cudaFuncCachePreferNone);
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return emulator::fault(); }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    return emulator::answer(HostCall("cudaDeviceGetSharedMemConfig", RETURN_ADDRESS), config,
                            cudaSharedMemBankSizeFourByte);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return emulator::fault(); }

// There is one device, and so no peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    const HostCall call("cudaDeviceCanAccessPeer", RETURN_ADDRESS);
    if (const cudaError_t error = emulator::answer(call, can, 0); error != cudaSuccess)
        return error;
    return emulator::check_device(call, device != 0 ? device : peer);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
    return emulator::refuse_peer(HostCall("cudaDeviceEnablePeerAccess", RETURN_ADDRESS));
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
    return emulator::refuse_peer(HostCall("cudaDeviceDisablePeerAccess", RETURN_ADDRESS));
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
    return emulator::answer(HostCall("cudaChooseDevice", RETURN_ADDRESS), device, 0);
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return emulator::answer(HostCall("cudaGetDeviceFlags", RETURN_ADDRESS), flags,
                            unsigned{cudaDeviceScheduleAuto});
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    constexpr char kId[] = "0000:00:00.0";
    const HostCall call("cudaDeviceGetPCIBusId", RETURN_ADDRESS);
    if (text == nullptr) return call.refuse_null("the text");
    if (length < static_cast<int>(sizeof kId)) {
        return call.refuse(cudaErrorInvalidValue,
                           fmt::format("the text needs {} bytes, and has {}.", sizeof kId, length));
    }
    std::memcpy(text, kId, sizeof kId);
    return emulator::check_device(call, device);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = 0;
    return emulator::fault();
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    return emulator::answer(HostCall("cudaRuntimeGetVersion", RETURN_ADDRESS), version,
                            CUDART_VERSION);
}

cudaError_t cudaDriverGetVersion(int* version) {
    return emulator::answer(HostCall("cudaDriverGetVersion", RETURN_ADDRESS), version,
                            CUDART_VERSION);
}
