// What the emulator does not have is refused by name when it is called.
#include <cuda_runtime.h>
#include <plain_kernel.hpp>

#include "../expect.hpp"
#include "fault.hpp"

using emulator_test::device_ints;
using emulator_test::fault_of;
using emulator_test::report_of;

namespace {

__global__ void empty_kernel() {}

/// The report of a call that must return this error.
template <class Call>
emulator::Report refused(Call call, cudaError_t error = cudaErrorNotSupported) {
    const emulator::Report report = report_of([&] {
        CHECK_ERROR(call(), error);
        CHECK_ERROR(cudaGetLastError(), error);
        CHECK_ERROR(cudaGetLastError(), cudaSuccess);
    });
    CHECK(report.code == error);
    return report;
}

cudaError_t launch_with(const cudaLaunchAttribute& attribute) {
    cudaLaunchAttribute attributes[] = {attribute};
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 32;
    config.attrs = attributes;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, empty_kernel);
}

}  // namespace

TEST_CASE("unsupported: every call of CUDA graphs is named") {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    const auto check = [](const char* name, auto call) {
        CHECK_SAYS(refused(call), std::string(name) + ": the emulator has no CUDA graphs.");
    };
    check("cudaStreamBeginCapture",
          [] { return cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal); });
    check("cudaStreamEndCapture", [&] { return cudaStreamEndCapture(nullptr, &graph); });
    check("cudaGraphCreate", [&] { return cudaGraphCreate(&graph, 0); });
    check("cudaGraphInstantiate", [&] { return cudaGraphInstantiate(&executable, graph); });
    check("cudaGraphLaunch", [&] { return cudaGraphLaunch(executable, nullptr); });
    check("cudaGraphExecDestroy", [&] { return cudaGraphExecDestroy(executable); });
    check("cudaGraphDestroy", [&] { return cudaGraphDestroy(graph); });
}

TEST_CASE("unsupported: thread block clusters are named") {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
    CHECK_SAYS(refused([&] { return launch_with(attribute); }),
               "cudaLaunchKernelEx: the emulator has no thread block clusters "
               "(cudaLaunchAttributeClusterDimension).");
    // A cluster of one block is not a cluster.
    attribute.val.clusterDim = {1, 1, 1};
    const emulator::Report report =
        report_of([&] { CHECK_ERROR(launch_with(attribute), cudaSuccess); });
    CHECK(report.text.empty());
    CHECK_SAYS(refused([] {
                   return cudaFuncSetAttribute(empty_kernel,
                                               cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
               }),
               "the emulator has no thread block clusters, so attribute 14 cannot be set.");
}

TEST_CASE("unsupported: other attributes of a launch are named") {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    CHECK_SAYS(refused([&] { return launch_with(attribute); }),
               "cudaLaunchKernelEx: the emulator does not have launch attribute 1.");
}

TEST_CASE("unsupported: limits of the device, and what sets the stack instead") {
    CHECK_SAYS(refused([] { return cudaDeviceSetLimit(cudaLimitStackSize, 300 << 10); },
                       cudaErrorUnsupportedLimit),
               "or set TUTORIAL_CPU_STACK_KB.");
    CHECK_SAYS(refused([] { return cudaDeviceSetLimit(cudaLimitStackSize, 512 << 10); },
                       cudaErrorInvalidValue),
               "a thread has 512 KB of local memory");
    // Less than there is, and limits on what the host does here, are accepted.
    CHECK_ERROR(cudaDeviceSetLimit(cudaLimitStackSize, 1024), cudaSuccess);
    CHECK_ERROR(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20), cudaSuccess);
    std::size_t bytes = 0;
    CHECK_ERROR(cudaDeviceGetLimit(&bytes, cudaLimitStackSize), cudaSuccess);
    CHECK(bytes >= 16 * 1024);
    CHECK_ERROR(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize), cudaSuccess);
    CHECK_ERROR(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize),
                cudaErrorUnsupportedLimit);
    cudaGetLastError();
}

namespace {

// For both sides: only when it runs is it known which one calls it.
template <class Kernel>
__host__ __device__ void set_attribute(Kernel* kernel, int bytes) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
__host__ __device__ void record(cudaEvent_t event) { cudaEventRecord(event); }
__host__ __device__ void destroy(cudaStream_t stream) { cudaStreamDestroy(stream); }

__global__ void setting_kernel(int bytes) { set_attribute(empty_kernel, bytes); }
// In a struct: a pointer that does not point to device memory is rejected at the launch.
struct Handles {
    cudaEvent_t event;
    cudaStream_t stream;
};
__global__ void recording_kernel(Handles handles) { record(handles.event); }
__global__ void destroying_kernel(Handles handles) { destroy(handles.stream); }

}  // namespace

TEST_CASE("unsupported: a function that only the host has ends the kernel that calls it") {
    cudaFuncAttributes before = {}, after = {};
    CHECK_ERROR(cudaFuncGetAttributes(&before, empty_kernel), cudaSuccess);
    CHECK_SAYS(fault_of([] { setting_kernel<<<1, 1>>>(1234); }),
               "kernel setting_kernel calls cudaFuncSetAttribute() at unsupported_test.cu:");
    CHECK_ERROR(cudaFuncGetAttributes(&after, empty_kernel), cudaSuccess);
    CHECK(after.maxDynamicSharedSizeBytes == before.maxDynamicSharedSizeBytes);

    cudaEvent_t event = nullptr;
    CHECK_ERROR(cudaEventCreate(&event), cudaSuccess);
    CHECK_SAYS(fault_of([&] {
                   recording_kernel<<<1, 1>>>(Handles{event, nullptr});
               }),
               "kernel recording_kernel calls cudaEventRecord(), which only the host has.");
    CHECK_ERROR(cudaEventDestroy(event), cudaSuccess);

    cudaStream_t stream = nullptr;
    CHECK_ERROR(cudaStreamCreate(&stream), cudaSuccess);
    CHECK_SAYS(fault_of([&] {
                   destroying_kernel<<<1, 1>>>(Handles{nullptr, stream});
               }),
               "kernel destroying_kernel calls cudaStreamDestroy(), which only the host has.");
    CHECK_ERROR(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_CASE("unsupported: a kernel in a file that was not rewritten is named, and how to fix it") {
    const emulator::Report report = refused(
        [] {
            plain_kernel<<<1, 1>>>(device_ints(1));
            return cudaPeekAtLastError();
        },
        cudaErrorInvalidDeviceFunction);
    CHECK_SAYS(report,
               "kernel plain_kernel is in a file that is not rewritten: list it in "
               "target_cpu_sources, or include it with quotes.");
    CHECK(report.file == "unsupported_test.cu");
}
