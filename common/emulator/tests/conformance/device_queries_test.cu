// What a program can query about the device, a kernel and the runtime.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cstring>
#include <string>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

__global__ void light_kernel(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void shared_kernel(int* out) {
    __shared__ int s[1000];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();  // s is complete
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

template <class T>
__global__ void template_kernel(T* out) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = T(s[threadIdx.x]);
}

int attribute(cudaDeviceAttr which) {
    int value = -1;
    REQUIRE_OK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

}  // namespace

TEST_CASE("device: there is one, and another is refused") {
    int count = 0;
    REQUIRE_OK(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    REQUIRE_OK(cudaSetDevice(0));
    int current = -1;
    REQUIRE_OK(cudaGetDevice(&current));
    CHECK(current == 0);
    CHECK_ERROR(cudaSetDevice(99), cudaErrorInvalidDevice);
    cudaDeviceProp properties;
    CHECK_ERROR(cudaGetDeviceProperties(&properties, 99), cudaErrorInvalidDevice);
    cudaGetLastError();
}

TEST_CASE("device: properties and attributes agree, with the limits of compute capability 9.0") {
    cudaDeviceProp p;
    REQUIRE_OK(cudaGetDeviceProperties(&p, 0));
    CHECK(std::strlen(p.name) > 0);
    CHECK(p.warpSize == 32);
    CHECK(p.maxThreadsPerBlock == 1024);
    CHECK(p.maxThreadsDim[0] == 1024);
    CHECK(p.maxThreadsDim[1] == 1024);
    CHECK(p.maxThreadsDim[2] == 64);
    CHECK(p.maxGridSize[0] == 2147483647);
    CHECK(p.maxGridSize[1] == 65535);
    CHECK(p.maxGridSize[2] == 65535);
    CHECK(p.sharedMemPerBlock == 48 * 1024);
    CHECK(p.sharedMemPerBlockOptin >= p.sharedMemPerBlock);
    CHECK(p.sharedMemPerMultiprocessor >= p.sharedMemPerBlockOptin);
    CHECK(p.multiProcessorCount >= 1);
    CHECK(p.totalGlobalMem > (std::size_t(1) << 28));
    CHECK(p.regsPerBlock == 65536);
    CHECK(p.totalConstMem == 65536);
    CHECK(p.cooperativeLaunch == 1);
    CHECK(attribute(cudaDevAttrWarpSize) == p.warpSize);
    CHECK(attribute(cudaDevAttrMaxThreadsPerBlock) == p.maxThreadsPerBlock);
    CHECK(attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount);
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlock) == int(p.sharedMemPerBlock));
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == int(p.sharedMemPerBlockOptin));
    CHECK(attribute(cudaDevAttrMaxThreadsPerMultiProcessor) == p.maxThreadsPerMultiProcessor);
    CHECK(attribute(cudaDevAttrComputeCapabilityMajor) == p.major);
    CHECK(attribute(cudaDevAttrComputeCapabilityMinor) == p.minor);
    CHECK(attribute(cudaDevAttrCooperativeLaunch) == 1);
    CHECK(attribute(cudaDevAttrL2CacheSize) == p.l2CacheSize);
    CHECK(attribute(cudaDevAttrClockRate) > 0);
    if (p.major == 9 && p.minor == 0) {
        CHECK(p.maxThreadsPerMultiProcessor == 2048);
        CHECK(p.sharedMemPerBlockOptin == 227 * 1024);
    }
}

TEST_CASE("device: every attribute that has a property is equal to it") {
    cudaDeviceProp p;
    REQUIRE_OK(cudaGetDeviceProperties(&p, 0));
    const struct {
        cudaDeviceAttr attribute;
        long long value;
    } pairs[] = {
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
        {cudaDevAttrTotalConstantMemory, (long long)p.totalConstMem},
        {cudaDevAttrMaxPitch, (long long)p.memPitch},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrIntegrated, p.integrated},
        {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
        {cudaDevAttrConcurrentKernels, p.concurrentKernels},
        {cudaDevAttrEccEnabled, p.ECCEnabled},
        {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
        {cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
        {cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (long long)p.sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
        {cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, (long long)p.reservedSharedMemPerBlock},
        {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
        {cudaDevAttrClusterLaunch, p.clusterLaunch},
    };
    for (const auto& pair : pairs) {
        CAPTURE(int(pair.attribute));
        CHECK(attribute(pair.attribute) == pair.value);
    }
    CHECK(attribute(cudaDevAttrMemoryClockRate) > 0);
    CHECK(attribute(cudaDevAttrComputeMode) >= 0);
    int value = 0;
    CHECK_ERROR(cudaDeviceGetAttribute(&value, cudaDeviceAttr(5000), 0), cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST_CASE("device: the range of priorities has its least first") {
    int least = -100, greatest = 100;
    REQUIRE_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least >= greatest);  // a smaller number is a higher priority
    cudaStream_t stream = nullptr;
    REQUIRE_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("device: occupancy") {
    cudaDeviceProp p;
    REQUIRE_OK(cudaGetDeviceProperties(&p, 0));
    int blocks = 0;
    REQUIRE_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light_kernel, 1024, 0));
    CHECK(blocks == p.maxThreadsPerMultiProcessor / 1024);
    REQUIRE_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light_kernel, 256, 0));
    CHECK(blocks == p.maxThreadsPerMultiProcessor / 256);
    // Shared memory limits: two blocks of 40 KB fit into less than 120 KB, and so on.
    const std::size_t dynamic = 40 * 1024;
    REQUIRE_OK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, template_kernel<int>, 64, dynamic));
    CHECK(blocks >= 1);
    CHECK(blocks <= int(p.sharedMemPerMultiprocessor / dynamic));
    if (p.major == 9 && p.minor == 0) CHECK(blocks == 5);
    int least_grid = 0, block = 0;
    REQUIRE_OK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, light_kernel, 0, 0));
    CHECK(block % 32 == 0);
    CHECK(block >= 32);
    CHECK(block <= 1024);
    CHECK(least_grid >= p.multiProcessorCount);
}

TEST_CASE("device: attributes of a kernel") {
    cudaFuncAttributes attributes = {};
    REQUIRE_OK(cudaFuncGetAttributes(&attributes, light_kernel));
    CHECK(attributes.maxThreadsPerBlock >= 32);
    CHECK(attributes.maxThreadsPerBlock <= 1024);
    CHECK(attributes.sharedSizeBytes == 0);
    REQUIRE_OK(cudaFuncSetAttribute(template_kernel<float>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    REQUIRE_OK(cudaFuncGetAttributes(&attributes, template_kernel<float>));
    CHECK(attributes.maxDynamicSharedSizeBytes == 100 * 1024);
    // What was set for one instantiation is not set for another.
    REQUIRE_OK(cudaFuncGetAttributes(&attributes, template_kernel<double>));
    CHECK(attributes.maxDynamicSharedSizeBytes == 48 * 1024);
    DeviceArray<float> d_out(32);
    template_kernel<<<1, 32, 100 * 1024>>>(d_out.data());
    std::vector<float> expected(32);
    for (int i = 0; i < 32; ++i) expected[i] = float(i);
    CHECK_SAME(d_out.download(), expected);
    DeviceArray<int> d_ints(64);
    shared_kernel<<<1, 64>>>(d_ints.data());
    CHECK(d_ints.download()[0] == 63);
    light_kernel<<<1, 64>>>(d_ints.data());
    CHECK_SAME(d_ints.download(), std::vector<int>(64, 1));
}

TEST_CASE("device: versions, and the names of errors") {
    int runtime = 0, driver = 0;
    REQUIRE_OK(cudaRuntimeGetVersion(&runtime));
    REQUIRE_OK(cudaDriverGetVersion(&driver));
    CHECK(runtime >= 11000);
    CHECK(driver >= runtime);
    CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
    CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
    CHECK(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue");
    CHECK(std::string(cudaGetErrorString(cudaErrorInvalidValue)) == "invalid argument");
    CHECK(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)) ==
          "invalid configuration argument");
    CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
    CHECK(int(cudaErrorInvalidValue) == 1);
    CHECK(int(cudaErrorMemoryAllocation) == 2);
    CHECK(int(cudaErrorInvalidConfiguration) == 9);
    CHECK(int(cudaErrorInvalidDevice) == 101);
    CHECK(int(cudaErrorCooperativeLaunchTooLarge) == 720);
}
