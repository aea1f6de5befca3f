// What the emulator says, in addition to CUDA's code, about launches beyond the limits of sm_90.
#include <cuda_runtime.h>

#include "../expect.hpp"
#include "fault.hpp"

using emulator_test::at;
using emulator_test::report_of;

namespace {

constexpr const char* kFile = "launch_limits_test.cu";

__global__ void empty_kernel() {}

__global__ void __launch_bounds__(64, 2) bounded_kernel() {}

__device__ int* hidden_shared() {
    __shared__ int s[1000];
    return s;
}

__global__ void hidden_kernel(int* out) {
    extern __shared__ int d[];
    d[0] = 1;
    hidden_shared()[0] = 2;
    *out = d[0] + hidden_shared()[0];
}

template <class T>
__global__ void dynamic_kernel() {
    extern __shared__ unsigned char s[];
    s[0] = sizeof(T);
}

emulator::Report refusal(dim3 grid, dim3 block, int* line) {
    return report_of([=] {
        *line = __LINE__ + 1;
        empty_kernel<<<grid, block>>>();
        CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidConfiguration);
    });
}

}  // namespace

TEST_CASE("launch limits: threads of a block") {
    int line = 0;
    const emulator::Report report = refusal(1, dim3(32, 33), &line);
    CHECK(report.code == cudaErrorInvalidConfiguration);
    CHECK(report.file == kFile);
    CHECK(report.line == line);
    CHECK_SAYS(report, "launch of kernel ");
    CHECK_SAYS(report, "empty_kernel");
    CHECK_SAYS(report, "1056 threads per block; at most 1024");
}

TEST_CASE("launch limits: shapes of a block and of a grid") {
    int line = 0;
    CHECK_SAYS(refusal(1, dim3(1, 1, 65), &line), "the block (1,1,65) is too large");
    CHECK_SAYS(refusal(1, dim3(0, 1, 1), &line), "the block (0,1,1) has no threads");
    CHECK_SAYS(refusal(dim3(1, 0, 1), 1, &line), "the grid (1,0,1) has no blocks");
    CHECK_SAYS(refusal(dim3(1, 65536), 1, &line), "the grid (1,65536,1) is too large");
}

TEST_CASE("launch limits: dynamic shared memory, and what to call for more") {
    const emulator::Report report = report_of([] {
        dynamic_kernel<int><<<1, 32, 50000>>>();
        CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, "50000 bytes of dynamic shared memory; this kernel may have 49152");
    CHECK_SAYS(report, "cudaFuncAttributeMaxDynamicSharedMemorySize");
    CHECK_SAYS(report, "232448");
    // A GPU's driver keeps only 32 bits of the size, and would run this with no shared memory.
    const emulator::Report huge = report_of([] {
        dynamic_kernel<int><<<1, 32, std::size_t(1) << 32>>>();
        CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    });
    CHECK_SAYS(huge, "4294967296 bytes of dynamic shared memory");
}

TEST_CASE("launch limits: a cooperative grid that is too large") {
    const emulator::Report report = report_of([] {
        CHECK_ERROR(cudaLaunchCooperativeKernel(empty_kernel, dim3(1000), dim3(1024), nullptr),
                    cudaErrorCooperativeLaunchTooLarge);
    });
    CHECK_SAYS(report, "1000 blocks must be resident at once");
    CHECK_SAYS(report, "multiprocessors hold at most");
}

TEST_CASE("launch limits: __launch_bounds__") {
    const emulator::Report report = report_of([] {
        bounded_kernel<<<1, 1025>>>();
        CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
        bounded_kernel<<<1, 65>>>();
        CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, ": 65 threads per block; its __launch_bounds__ allow 64.");
}

TEST_CASE("launch limits: static and dynamic shared memory together") {
    // The static array is in a function that the kernel calls: it is known only after the first
    // launch.
    const emulator::Report report = report_of([] {
        int* const d_out = emulator_test::device_ints(1);
        const int most = 227 * 1024;
        REQUIRE(cudaFuncSetAttribute(hidden_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     most) == cudaSuccess);
        hidden_kernel<<<1, 1, 64>>>(d_out);
        CHECK_ERROR(cudaGetLastError(), cudaSuccess);
        hidden_kernel<<<1, 1, most>>>(d_out);
        CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    });
    CHECK_SAYS(report, ": 236448 bytes of shared memory (4000 static); at most 232448.");
}
