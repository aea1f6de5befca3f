// Every call of the runtime that returns an error says which call it was, and why.
#include <cuda_runtime.h>

#include <string>

#include "../expect.hpp"
#include "fault.hpp"

using emulator_test::CleanDevice;
using emulator_test::report_of;

namespace {

__device__ int variable[4];
__global__ void any_kernel(int* out) { *out = 1; }

cudaStream_t destroyed_stream() {
    cudaStream_t stream = nullptr;
    REQUIRE_OK(cudaStreamCreate(&stream));
    REQUIRE_OK(cudaStreamDestroy(stream));
    return stream;
}

cudaEvent_t destroyed_event() {
    cudaEvent_t event = nullptr;
    REQUIRE_OK(cudaEventCreate(&event));
    REQUIRE_OK(cudaEventDestroy(event));
    return event;
}

/// `call` returns the error, and the report begins with `name` and contains `why`.
template <class Call>
void check_refused(cudaError_t error, const std::string& name, const char* why, Call call) {
    CAPTURE(name);
    const emulator::Report report = report_of([&] { CHECK_ERROR(call(), error); });
    CHECK(report.code == error);
    CHECK(report.text.rfind(name, 0) == 0);
    CHECK_SAYS(report, why);
}

}  // namespace

TEST_CASE("refused calls: a stream that was destroyed") {
    const cudaStream_t stream = destroyed_stream();
    const auto refused = [&](const char* name, auto call) {
        check_refused(cudaErrorInvalidResourceHandle, name, "the stream was destroyed", call);
    };
    int from = 0, to = 0;
    refused("cudaStreamSynchronize", [&] { return cudaStreamSynchronize(stream); });
    refused("cudaStreamQuery", [&] { return cudaStreamQuery(stream); });
    refused("cudaStreamDestroy", [&] { return cudaStreamDestroy(stream); });
    refused("cudaMemcpyAsync",
            [&] { return cudaMemcpyAsync(&to, &from, sizeof to, cudaMemcpyHostToHost, stream); });
    refused("cudaLaunchHostFunc", [&] {
        return cudaLaunchHostFunc(
            stream, [](void*) {}, nullptr);
    });
    refused("cudaMallocAsync", [&] {
        void* memory = nullptr;
        return cudaMallocAsync(&memory, 4, stream);
    });
    refused("launch of kernel any_kernel", [&] {
        any_kernel<<<1, 1, 0, stream>>>(nullptr);
        return cudaGetLastError();
    });
}

TEST_CASE("refused calls: the address of a destroyed stream is not given to the next one") {
    const cudaStream_t stream = destroyed_stream();
    cudaStream_t next = nullptr;
    REQUIRE_OK(cudaStreamCreate(&next));
    CHECK(next != stream);
    REQUIRE_OK(cudaStreamDestroy(next));
}

TEST_CASE("refused calls: an event that was destroyed, or never recorded") {
    const cudaEvent_t event = destroyed_event();
    const auto refused = [&](const char* name, const char* why, auto call) {
        check_refused(cudaErrorInvalidResourceHandle, name, why, call);
    };
    refused("cudaEventRecord", "the event was destroyed", [&] { return cudaEventRecord(event); });
    refused("cudaEventDestroy", "Destroy it once", [&] { return cudaEventDestroy(event); });
    cudaEvent_t first = nullptr, second = nullptr;
    REQUIRE_OK(cudaEventCreate(&first));
    REQUIRE_OK(cudaEventCreate(&second));
    REQUIRE_OK(cudaEventRecord(first));
    refused("cudaEventElapsedTime", "the second event was never recorded", [&] {
        float milliseconds = 0;
        return cudaEventElapsedTime(&milliseconds, first, second);
    });
    REQUIRE_OK(cudaEventDestroy(first));
    REQUIRE_OK(cudaEventDestroy(second));
}

TEST_CASE("refused calls: devices, memory, limits, attributes") {
    int here[4] = {};
    cudaDeviceProp properties;
    check_refused(cudaErrorInvalidDevice, "cudaSetDevice", "no device 7",
                  [] { return cudaSetDevice(7); });
    check_refused(cudaErrorInvalidDevice, "cudaGetDeviceProperties", "no device 3",
                  [&] { return cudaGetDeviceProperties(&properties, 3); });
    check_refused(cudaErrorInvalidValue, "cudaGetDeviceCount", "is null",
                  [] { return cudaGetDeviceCount(nullptr); });
    check_refused(cudaErrorInvalidDevice, "cudaDeviceEnablePeerAccess", "only one device",
                  [] { return cudaDeviceEnablePeerAccess(1, 0); });
    check_refused(cudaErrorHostMemoryNotRegistered, "cudaHostUnregister", "is host memory",
                  [&] { return cudaHostUnregister(here); });
    check_refused(cudaErrorInvalidValue, "cudaHostGetDevicePointer", "is host memory", [&] {
        int* device = nullptr;
        return cudaHostGetDevicePointer(&device, here, 0);
    });
    check_refused(cudaErrorInvalidValue, "cudaMemPrefetchAsync", "cudaMallocManaged",
                  [&] { return cudaMemPrefetchAsync(here, sizeof here, 0); });
    check_refused(cudaErrorInvalidMemcpyDirection, "cudaMemcpyToSymbol", "host memory", [&] {
        return cudaMemcpyToSymbol(variable, here, sizeof here, 0, cudaMemcpyDeviceToHost);
    });
    check_refused(cudaErrorInvalidValue, "cudaFuncSetAttribute", "must be 0 to", [] {
        return cudaFuncSetAttribute(any_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, -1);
    });
    check_refused(cudaErrorUnsupportedLimit, "cudaDeviceSetLimit", "no limit 99",
                  [] { return cudaDeviceSetLimit(cudaLimit(99), 1); });
}

TEST_CASE("refused calls: a function that a stream calls makes one") {
    check_refused(cudaErrorNotPermitted, "cudaFree", "must not call CUDA functions", [] {
        cudaError_t result = cudaSuccess;
        REQUIRE_OK(cudaLaunchHostFunc(
            nullptr, [](void* to) { *static_cast<cudaError_t*>(to) = cudaFree(nullptr); },
            &result));
        return result;
    });
}

TEST_CASE("refused calls: the host is told, and looks right after the call or later") {
    const auto is_handled = [](auto between) {
        const CleanDevice clean;
        CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
        const emulator::Report report = emulator::last_report();
        between();
        CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
        return emulator::was_handled(report.text);
    };
    CHECK_FALSE(is_handled([] { CHECK(cudaDeviceSynchronize() == cudaSuccess); }));
    CHECK(is_handled([] {}));
}

TEST_CASE("refused calls: more shared memory than there is may be asked for") {
    const CleanDevice clean;
    cudaFuncSetAttribute(any_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30);
    const emulator::Report report = emulator::last_report();
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(emulator::was_handled(report.text));
}

TEST_CASE("refused calls: no error, no report") {
    const emulator::Report report = report_of([] {
        cudaStream_t stream = nullptr;
        REQUIRE_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        unsigned flags = 0;
        REQUIRE_OK(cudaStreamGetFlags(stream, &flags));
        CHECK(flags == cudaStreamNonBlocking);
        int *host = nullptr, *device = nullptr;
        REQUIRE_OK(cudaHostAlloc(&host, 64, cudaHostAllocMapped));
        REQUIRE_OK(cudaHostGetDevicePointer(&device, host + 4, 0));
        CHECK(device == host + 4);
        REQUIRE_OK(cudaStreamDestroy(stream));
    });
    CHECK(report.text.empty());
}
