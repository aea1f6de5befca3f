// What the backend does not have is refused by name when it is called.
#include <cuda_runtime.h>
#include <plain_kernel.hpp>

#include "../expect.hpp"
#include "fault.hpp"

using backend_test::device_ints;
using backend_test::report_of;

namespace {

__global__ void empty_kernel() {}

/// The report of a call that must return this error.
template <class Call>
cpu::Report refused(Call call, cudaError_t error = cudaErrorNotSupported) {
    const cpu::Report report = report_of([&] {
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
        CHECK_SAYS(refused(call), std::string(name) + ": the CPU backend has no CUDA graphs.");
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
               "cudaLaunchKernelEx: the CPU backend has no thread block clusters "
               "(cudaLaunchAttributeClusterDimension).");
    // A cluster of one block is no cluster.
    attribute.val.clusterDim = {1, 1, 1};
    const cpu::Report report = report_of([&] { CHECK_ERROR(launch_with(attribute), cudaSuccess); });
    CHECK(report.text.empty());
    CHECK_SAYS(refused([] {
                   return cudaFuncSetAttribute(empty_kernel,
                                               cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
               }),
               "the CPU backend has no thread block clusters, so attribute 14 cannot be set.");
}

TEST_CASE("unsupported: other attributes of a launch are named") {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    CHECK_SAYS(refused([&] { return launch_with(attribute); }),
               "cudaLaunchKernelEx: the CPU backend does not have launch attribute 1.");
}

TEST_CASE("unsupported: limits of the device, and what sets the stack instead") {
    CHECK_SAYS(refused([] { return cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20); },
                       cudaErrorUnsupportedLimit),
               "TUTORIAL_CPU_STACK_KB sets another size.");
    // Less than there is, and limits of what the host does here, are granted.
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

TEST_CASE("unsupported: a kernel in a file that was not rewritten is named, and how to mend it") {
    const cpu::Report report = refused(
        [] {
            plain_kernel<<<1, 1>>>(device_ints(1));
            return cudaPeekAtLastError();
        },
        cudaErrorInvalidDeviceFunction);
    CHECK_SAYS(report,
               "kernel plain_kernel stands in a file that is not rewritten: list it in "
               "target_cpu_sources, or include it with quotes.");
    CHECK(report.file == "unsupported_test.cu");
}
