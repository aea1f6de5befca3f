// Launches that CUDA rejects: the code it returns, and that nothing runs.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

constexpr int kUntouched = -12345;

__global__ void mark_kernel(int* mark) {
    if (blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0 && threadIdx.x == 0 &&
        threadIdx.y == 0 && threadIdx.z == 0)
        *mark = 1;
}

__global__ void dynamic_mark_kernel(int* mark) {
    extern __shared__ int s[];
    if (threadIdx.x == 0) s[0] = 1;
    __syncthreads();  // s[0] is there
    if (threadIdx.x == 0) *mark = s[0];
}

__global__ void half_static_kernel(int* mark) {
    __shared__ int s[40 * 1024 / sizeof(int)];
    extern __shared__ int more[];
    s[threadIdx.x] = 1;
    more[threadIdx.x] = 1;
    __syncthreads();  // both are written
    if (threadIdx.x == 0) *mark = s[blockDim.x - 1] * more[blockDim.x - 1];
}

/// Launches with this shape; what CUDA returned, and what the kernel did.
struct Refused {
    DeviceArray<int> d_mark{std::vector<int>{kUntouched}};

    void check(dim3 grid, dim3 block, cudaError_t expected) {
        mark_kernel<<<grid, block>>>(d_mark.data());
        finish(expected);
    }

    void check_dynamic(std::size_t bytes, cudaError_t expected) {
        dynamic_mark_kernel<<<1, 32, bytes>>>(d_mark.data());
        finish(expected);
    }

    void finish(cudaError_t expected) {
        // Peeking leaves the error in place; getting it clears it.
        const cudaError_t error = cudaPeekAtLastError();
        if (expected == cudaErrorInvalidConfiguration) {
            CHECK(conformance::is_wrong_shape(error));
        } else {
            CHECK_ERROR(error, expected);
        }
        CHECK_ERROR(cudaGetLastError(), error);
        CHECK_ERROR(cudaGetLastError(), cudaSuccess);
        CHECK_ERROR(cudaDeviceSynchronize(), cudaSuccess);
        CHECK_SAME(d_mark.download(), std::vector<int>{expected == cudaSuccess ? 1 : kUntouched});
        d_mark.upload({kUntouched});
    }
};

}  // namespace

TEST_CASE("launch errors: a block that is too large, or empty") {
    Refused refused;
    refused.check(1, 1024, cudaSuccess);
    refused.check(1, 1025, cudaErrorInvalidConfiguration);
    refused.check(1, 0, cudaErrorInvalidConfiguration);
    refused.check(1, dim3(32, 33), cudaErrorInvalidConfiguration);
    refused.check(1, dim3(1, 1, 64), cudaSuccess);
    refused.check(1, dim3(1, 1, 65), cudaErrorInvalidConfiguration);
    refused.check(1, dim3(8, 0, 8), cudaErrorInvalidConfiguration);
    refused.check(1, unsigned(-1), cudaErrorInvalidConfiguration);
}

TEST_CASE("launch errors: a grid that is too large, or empty") {
    Refused refused;
    refused.check(0, 32, cudaErrorInvalidConfiguration);
    refused.check(dim3(1, 0), 32, cudaErrorInvalidConfiguration);
    refused.check(dim3(1, 65535), 1, cudaSuccess);
    refused.check(dim3(1, 65536), 1, cudaErrorInvalidConfiguration);
    refused.check(dim3(1, 1, 65536), 1, cudaErrorInvalidConfiguration);
    refused.check(dim3(1u << 31), 1, cudaErrorInvalidConfiguration);
}

TEST_CASE("launch errors: too much dynamic shared memory") {
    Refused refused;
    refused.check_dynamic(48 * 1024, cudaSuccess);
    refused.check_dynamic(48 * 1024 + 1, cudaErrorInvalidValue);
    // A kernel's own static arrays count too.
    half_static_kernel<<<1, 32, 8 * 1024>>>(refused.d_mark.data());
    refused.finish(cudaSuccess);
    half_static_kernel<<<1, 32, 8 * 1024 + 4>>>(refused.d_mark.data());
    refused.finish(cudaErrorInvalidValue);
}

TEST_CASE("launch errors: asking for more dynamic shared memory than there is") {
    cudaDeviceProp p;
    REQUIRE_OK(cudaGetDeviceProperties(&p, 0));
    Refused refused;
    const int most = int(p.sharedMemPerBlockOptin);
    CHECK_ERROR(cudaFuncSetAttribute(dynamic_mark_kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
                cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK_ERROR(cudaFuncSetAttribute(dynamic_mark_kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, most),
                cudaSuccess);
    refused.check_dynamic(most, cudaSuccess);
    refused.check_dynamic(most + 1, cudaErrorInvalidValue);
    CHECK_ERROR(cudaFuncSetAttribute(dynamic_mark_kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, 48 * 1024),
                cudaSuccess);
    refused.check_dynamic(48 * 1024 + 1, cudaErrorInvalidValue);
}

TEST_CASE("launch errors: a refused launch does not disturb the next one") {
    Refused refused;
    mark_kernel<<<1, 2000>>>(refused.d_mark.data());
    // No cudaGetLastError in between: the next launch runs, and the error is still reported.
    mark_kernel<<<1, 1>>>(refused.d_mark.data());
    CHECK(conformance::is_wrong_shape(cudaGetLastError()));
    CHECK_SAME(refused.d_mark.download(), std::vector<int>{1});
}
