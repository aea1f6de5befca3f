// The CUDA runtime API, as far as the CPU backend has it. Names, arguments and results are CUDA's.
//
// Work is done at once, in the order in which it is given, so a stream is never behind. A kernel's
// fault is kept and returned by every later call until cudaDeviceReset(); a wrong call is returned
// by that call, and once more by cudaGetLastError().
#pragma once

#include <cstddef>

#include "errors.hpp"
#include "kernel.hpp"
#include "site.hpp"
#include "vector_types.hpp"

// ---- types
// ---------------------------------------------------------------------------------------

typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef void (*cudaHostFn_t)(void* data);

#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};

enum {
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaEventRecordDefault = 0,
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2,
    cudaOccupancyDefault = 0,
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4,
};

constexpr int cudaCpuDeviceId = -1;

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrMemoryClockRate = 35,
    cudaDevAttrGlobalMemoryBusWidth = 36,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrStreamPrioritiesSupported = 78,
    cudaDevAttrGlobalL1CacheSupported = 79,
    cudaDevAttrLocalL1CacheSupported = 80,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrHostRegisterSupported = 99,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrClusterLaunch = 120,
};

/// What the modelled device can do; see device.cpp for where the numbers come from.
struct cudaDeviceProp {
    char name[256];
    std::size_t totalGlobalMem;
    std::size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    std::size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    std::size_t totalConstMem;
    int major;
    int minor;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    std::size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int hostNativeAtomicSupported;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int cooperativeLaunch;
    std::size_t sharedMemPerBlockOptin;
    int maxBlocksPerMultiProcessor;
    std::size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int memoryPoolsSupported;
    int clusterLaunch;
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
};

enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100,
};

enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3,
};

/// sharedSizeBytes is what the kernel's blocks have used so far: 0 before its first launch.
struct cudaFuncAttributes {
    std::size_t sharedSizeBytes;
    std::size_t constSizeBytes;
    std::size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8,
};

union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative;
    int programmaticStreamSerializationAllowed;
    int priority;
    struct {
        unsigned x, y, z;
    } clusterDim;
};

struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    std::size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3,
};

struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};

enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeNone = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
};
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6,
};

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitPersistingL2CacheSize = 6,
};

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2,
};

// ---- errors
// --------------------------------------------------------------------------------------

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
/// The last error, and forgets it unless it is a kernel's fault.
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

// ---- device
// --------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
/// Frees all device memory and forgets a kernel's fault.
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDriverGetVersion(int* version);

// ---- memory
// --------------------------------------------------------------------------------------

namespace cpu {

cudaError_t allocate_device(void** pointer, std::size_t bytes, const char* call, Site site);
cudaError_t allocate_host(void** pointer, std::size_t bytes, const char* call, Site site);
cudaError_t allocate_managed(void** pointer, std::size_t bytes, Site site);
cudaError_t allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width,
                             std::size_t height, Site site);
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* call, Site site);
cudaError_t copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind, Site site);
cudaError_t fill(void* to, int value, std::size_t bytes, const char* call, Site site);
cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* from,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, Site site);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, Site site);
cudaError_t symbol_address(void** pointer, void* symbol, std::size_t symbol_bytes);
cudaError_t release_device(void* pointer, const char* call, Site site);
cudaError_t release_host(void* pointer, Site site);

}  // namespace cpu

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes, cpu::Site site = cpu::Site::here()) {
    return cpu::allocate_device(reinterpret_cast<void**>(pointer), bytes, "cudaMalloc", site);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t,
                            cpu::Site site = cpu::Site::here()) {
    return cpu::allocate_device(reinterpret_cast<void**>(pointer), bytes, "cudaMallocAsync", site);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned = cudaMemAttachGlobal,
                              cpu::Site site = cpu::Site::here()) {
    return cpu::allocate_managed(reinterpret_cast<void**>(pointer), bytes, site);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned = cudaHostAllocDefault,
                           cpu::Site site = cpu::Site::here()) {
    return cpu::allocate_host(reinterpret_cast<void**>(pointer), bytes, "cudaMallocHost", site);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned,
                          cpu::Site site = cpu::Site::here()) {
    return cpu::allocate_host(reinterpret_cast<void**>(pointer), bytes, "cudaHostAlloc", site);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                            cpu::Site site = cpu::Site::here()) {
    return cpu::allocate_pitched(reinterpret_cast<void**>(pointer), pitch, width, height, site);
}
inline cudaError_t cudaFree(void* pointer, cpu::Site site = cpu::Site::here()) {
    return cpu::release_device(pointer, "cudaFree", site);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t, cpu::Site site = cpu::Site::here()) {
    return cpu::release_device(pointer, "cudaFreeAsync", site);
}
inline cudaError_t cudaFreeHost(void* pointer, cpu::Site site = cpu::Site::here()) {
    return cpu::release_host(pointer, site);
}
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* pointer);
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
    *device = static_cast<T*>(host);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                              cpu::Site site = cpu::Site::here()) {
    return cpu::copy(to, from, bytes, kind, "cudaMemcpy", site);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t = nullptr,
                                   cpu::Site site = cpu::Site::here()) {
    return cpu::copy(to, from, bytes, kind, "cudaMemcpyAsync", site);
}
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from,
                                std::size_t from_pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind, cpu::Site site = cpu::Site::here()) {
    return cpu::copy_2d(to, to_pitch, from, from_pitch, width, height, kind, site);
}
inline cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                     std::size_t from_pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t = nullptr,
                                     cpu::Site site = cpu::Site::here()) {
    return cpu::copy_2d(to, to_pitch, from, from_pitch, width, height, kind, site);
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes,
                              cpu::Site site = cpu::Site::here()) {
    return cpu::fill(to, value, bytes, "cudaMemset", site);
}
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t = nullptr,
                                   cpu::Site site = cpu::Site::here()) {
    return cpu::fill(to, value, bytes, "cudaMemsetAsync", site);
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height);
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location);

template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                               cpu::Site site = cpu::Site::here()) {
    return cpu::copy_to_symbol(const_cast<void*>(static_cast<const void*>(&symbol)), sizeof symbol,
                               from, bytes, offset, kind, site);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t = nullptr,
                                    cpu::Site site = cpu::Site::here()) {
    return cpu::copy_to_symbol(const_cast<void*>(static_cast<const void*>(&symbol)), sizeof symbol,
                               from, bytes, offset, kind, site);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                 cpu::Site site = cpu::Site::here()) {
    return cpu::copy_from_symbol(to, &symbol, sizeof symbol, bytes, offset, kind, site);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t = nullptr, cpu::Site site = cpu::Site::here()) {
    return cpu::copy_from_symbol(to, &symbol, sizeof symbol, bytes, offset, kind, site);
}
template <class T, class Symbol>
cudaError_t cudaGetSymbolAddress(T** pointer, Symbol& symbol) {
    return cpu::symbol_address(reinterpret_cast<void**>(pointer),
                               const_cast<void*>(static_cast<const void*>(&symbol)), sizeof symbol);
}
template <class Symbol>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const Symbol& symbol) {
    *bytes = sizeof symbol;
    return cudaSuccess;
}

// ---- streams and events
// --------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
    return cudaEventCreateWithFlags(event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr,
                                     unsigned flags = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
/// Milliseconds of wall-clock time between two recorded events.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// Graphs are not supported: capturing returns cudaErrorNotSupported and says so.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

// ---- kernels
// -------------------------------------------------------------------------------------

namespace cpu {

cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value,
                                   Site site);
cudaError_t get_function_attributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t occupancy(int* blocks, const void* kernel, int threads, std::size_t dynamic_bytes);
cudaError_t best_block_size(int* least_grid, int* threads, const void* kernel,
                            std::size_t (*dynamic_bytes)(int threads, const void* context),
                            const void* context, int limit);
/// Reads the attributes of a launch; one that is not supported is an error that names it.
cudaError_t read_launch_config(const cudaLaunchConfig_t* config, LaunchShape* shape, Site site);

template <class... P>
const void* address_of(void (*kernel)(P...)) {
    return reinterpret_cast<const void*>(kernel);
}
inline const void* address_of(const void* kernel) { return kernel; }

template <class... P, std::size_t... I>
cudaError_t launch_from_array(void (*kernel)(P...), const LaunchShape& shape, void** arguments,
                              Site site, std::index_sequence<I...>) {
    (void)arguments;
    return launch_with<void (*)(P...), P...>({nullptr, nullptr, site}, shape, address_of(kernel),
                                             kernel, *static_cast<P*>(arguments[I])...);
}

template <class T>
constexpr bool kNever = false;

}  // namespace cpu

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value,
                                 cpu::Site site = cpu::Site::here()) {
    return cpu::set_function_attribute(cpu::address_of(kernel), attribute, value, site);
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
    return cpu::get_function_attributes(attributes, cpu::address_of(kernel));
}
/// Blocks of that many threads that one multiprocessor can hold at once.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                          std::size_t dynamic_bytes) {
    return cpu::occupancy(blocks, cpu::address_of(kernel), threads, dynamic_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel,
                                                                   int threads,
                                                                   std::size_t dynamic_bytes,
                                                                   unsigned) {
    return cpu::occupancy(blocks, cpu::address_of(kernel), threads, dynamic_bytes);
}
template <class Kernel, class DynamicBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* least_grid, int* threads,
                                                           Kernel* kernel, DynamicBytes bytes,
                                                           int limit = 0) {
    const auto call = [](int block, const void* context) -> std::size_t {
        return (*static_cast<const DynamicBytes*>(context))(block);
    };
    return cpu::best_block_size(least_grid, threads, cpu::address_of(kernel), call, &bytes, limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* threads, Kernel* kernel,
                                               std::size_t dynamic_bytes = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        least_grid, threads, kernel, [dynamic_bytes](int) { return dynamic_bytes; }, limit);
}

/// `arguments` points to one pointer for each parameter, as in CUDA.
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t dynamic_bytes = 0,
                                        cudaStream_t stream = nullptr,
                                        cpu::Site site = cpu::Site::here()) {
    return cpu::launch_from_array(kernel, {grid, block, dynamic_bytes, stream, true}, arguments,
                                  site, std::index_sequence_for<P...>{});
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_bytes = 0, cudaStream_t stream = nullptr,
                             cpu::Site site = cpu::Site::here()) {
    return cpu::launch_from_array(kernel, {grid, block, dynamic_bytes, stream, false}, arguments,
                                  site, std::index_sequence_for<P...>{});
}
template <class Pointer>
cudaError_t cudaLaunchCooperativeKernel(const Pointer*, dim3, dim3, void**, std::size_t = 0,
                                        cudaStream_t = nullptr) {
    static_assert(cpu::kNever<Pointer>,
                  "the CPU backend needs the kernel's type: give cudaLaunchCooperativeKernel the "
                  "kernel itself, not a pointer cast to void*");
    return cudaErrorInvalidValue;
}
template <class Pointer>
cudaError_t cudaLaunchKernel(const Pointer*, dim3, dim3, void**, std::size_t = 0,
                             cudaStream_t = nullptr) {
    static_assert(cpu::kNever<Pointer>,
                  "the CPU backend needs the kernel's type: give cudaLaunchKernel the kernel "
                  "itself, not a pointer cast to void*");
    return cudaErrorInvalidValue;
}
template <class... P, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                               Arguments&&... arguments) {
    static_assert(sizeof...(P) == sizeof...(Arguments), "as many arguments as parameters");
    cpu::LaunchShape shape;
    const cudaError_t error = cpu::read_launch_config(config, &shape, {});
    if (error != cudaSuccess) return error;
    return cpu::launch_with<void (*)(P...), P...>({nullptr, nullptr, {}}, shape,
                                                  cpu::address_of(kernel), kernel,
                                                  static_cast<P>(arguments)...);
}
