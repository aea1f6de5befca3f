// A kernel that crashes, or uses what the emulator does not have, ends in one report.
#undef NDEBUG  // assert() is tested here, in every build
#include <assert.h>
#include <cuda_runtime.h>

#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "fault.hpp"

using conformance::DeviceArray;
using emulator_test::at;
using emulator_test::CleanDevice;
using emulator_test::device_ints;
using emulator_test::fault_of;

namespace {

constexpr const char* kFile = "kernel_faults_test.cu";

__device__ int depth(volatile int* data, int n) {
    volatile int local[256];
    local[n % 256] = n;
    return n == 0 ? local[0] : depth(data, n - 1) + local[n % 256];
}

__global__ void overflow_kernel(int* out, int n) { out[threadIdx.x] = depth(out, n); }

__global__ void divide_kernel(int* out, int divisor) {
    out[threadIdx.x] = 100 / (divisor - int(threadIdx.x));
}

constexpr int kTrapLine = __LINE__ + 2;
__global__ void trap_kernel(int thread) {
    if (int(threadIdx.y) == thread) __trap();
}

constexpr int kAssertLine = __LINE__ + 1;
__global__ void assert_kernel(const int* data) { assert(data[threadIdx.x] == 0 && "all are zero"); }

__global__ void illegal_instruction_kernel(const int* data) {
    if (data[threadIdx.x] == 0) __builtin_trap();
}

__global__ void far_kernel(int* data, int a, int b) { data[a * b] = 1; }

__global__ void vector_kernel(const float* from, float4* to) {
    to[threadIdx.x] = *reinterpret_cast<const float4*>(from + 1);
}

__global__ void large_static_kernel(int* out) {
    __shared__ int first[12 * 1024];
    __shared__ int one_more[1];
    first[threadIdx.x] = one_more[0] = 1;
    out[threadIdx.x] = first[threadIdx.x];
}

__global__ void empty_kernel() {}

constexpr int kNestedLine = __LINE__ + 2;
__global__ void nested_kernel() {
    if (threadIdx.x == 0) empty_kernel<<<1, 1>>>();
}

__global__ void touch_kernel(int* out) { out[threadIdx.x] = int(threadIdx.x) + 1; }

}  // namespace

TEST_CASE("kernel faults: a stack that is used up") {
    const emulator::Report report =
        fault_of([] { overflow_kernel<<<1, 32>>>(device_ints(32), 1 << 20); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK_SAYS(report, "stack overflow in kernel ");
    CHECK_SAYS(report, "overflow_kernel");
    CHECK_SAYS(report, "KB for its local variables");
    CHECK_SAYS(report, "cudaDeviceSetLimit(cudaLimitStackSize, bytes)");
}

TEST_CASE("kernel faults: integer division by zero") {
    const emulator::Report report = fault_of([] { divide_kernel<<<1, 32>>>(device_ints(32), 9); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK_SAYS(report, "integer division by zero in kernel ");
    CHECK_SAYS(report, "block (0,0,0), thread (9,0,0)");
}

TEST_CASE("kernel faults: __trap()") {
    const emulator::Report report = fault_of([] { trap_kernel<<<dim3(1, 2), dim3(4, 3)>>>(2); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK(report.line == kTrapLine);
    CHECK_SAYS(report, "__trap() at " + at(kFile, kTrapLine) + " in kernel ");
    CHECK_SAYS(report, ",2,0)");
}

TEST_CASE("kernel faults: assert()") {
    const emulator::Report report = fault_of([] {
        int* const d_data = device_ints(64);
        cudaMemset(d_data + 33, 1, sizeof(int));
        assert_kernel<<<1, 64>>>(d_data);
    });
    CHECK(report.code == cudaErrorAssert);
    CHECK(report.file == kFile);
    CHECK(report.line == kAssertLine);
    CHECK_SAYS(report, "assertion `data[threadIdx.x] == 0 && \"all are zero\"` failed at " +
                           at(kFile, kAssertLine) + " in kernel assert_kernel, ");
    CHECK_SAYS(report, "block (0,0,0), thread (33,0,0).");
}

TEST_CASE("kernel faults: an illegal instruction") {
    const emulator::Report report =
        fault_of([] { illegal_instruction_kernel<<<1, 32>>>(device_ints(32)); });
    CHECK(report.code == cudaErrorIllegalInstruction);
    CHECK_SAYS(report, "illegal instruction in kernel illegal_instruction_kernel, block (0,0,0)");
}

TEST_CASE("kernel faults: an index that has overflowed") {
    const emulator::Report report =
        fault_of([] { far_kernel<<<1, 1>>>(device_ints(32), 65536, 32000); });
    CHECK(report.reason == emulator::Reason::illegal_address);
    CHECK_SAYS(report, "7.8 GiB past the start of the allocation of 128 bytes from cudaMalloc");
    CHECK_SAYS(report, "as from an index that has overflowed");
}

#if defined(__x86_64__)
TEST_CASE("kernel faults: a misaligned address is not called a null pointer") {
    const emulator::Report report = fault_of([] {
        vector_kernel<<<1, 1>>>(reinterpret_cast<float*>(device_ints(32)),
                                reinterpret_cast<float4*>(device_ints(32)));
    });
    CHECK(report.code == cudaErrorMisalignedAddress);
    CHECK(report.reason == emulator::Reason::misaligned);
    CHECK_SAYS(report, "misaligned address in kernel vector_kernel, block (0,0,0), thread (0,0,0)");
}
#endif

TEST_CASE("kernel faults: more than 48 KB of static shared memory") {
    const emulator::Report report =
        fault_of([] { large_static_kernel<<<1, 32>>>(device_ints(32)); });
    CHECK_SAYS(report, "shared");
    CHECK_SAYS(report, "49152");
    CHECK_SAYS(report, kFile);
}

TEST_CASE("kernel faults: a launch from within a kernel") {
    const emulator::Report report = fault_of([] { nested_kernel<<<1, 32>>>(); });
    CHECK(report.code == cudaErrorNotSupported);
    CHECK(report.line == kNestedLine);
    CHECK_SAYS(report, "launch of kernel empty_kernel at " + at(kFile, kNestedLine));
    CHECK_SAYS(report, "no dynamic parallelism");
}

TEST_CASE("kernel faults: nothing runs after a fault until the device is reset") {
    const CleanDevice clean;
    int* d_out = device_ints(32);
    trap_kernel<<<1, 1>>>(0);
    touch_kernel<<<1, 32>>>(d_out);
    std::vector<int> out(32, 7);
    CHECK_ERROR(cudaMemcpy(out.data(), d_out, 128, cudaMemcpyDeviceToHost), cudaErrorLaunchFailure);
    CHECK_SAME(out, std::vector<int>(32, 7));
    int* d_more = nullptr;
    CHECK_ERROR(cudaMalloc(&d_more, 4), cudaErrorLaunchFailure);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    DeviceArray<int> d_fresh(32);
    touch_kernel<<<1, 32>>>(d_fresh.data());
    out = d_fresh.download();
    CHECK(out[31] == 32);
}

TEST_CASE("kernel faults: faults one after another leave the emulator usable") {
    for (int i = 0; i < 20; ++i) {
        const emulator::Report report = fault_of([&] { trap_kernel<<<3, dim3(1, 64)>>>(i); });
        CHECK_SAYS(report, "__trap()");
        const CleanDevice clean;
        DeviceArray<int> d_out(64);
        touch_kernel<<<1, 64>>>(d_out.data());
        std::vector<int> expected(64);
        for (int t = 0; t < 64; ++t) expected[t] = t + 1;
        CHECK_SAME(d_out.download(), expected);
    }
}
