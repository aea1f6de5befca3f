// Other functions that launch a kernel, and what can be queried about one: cudaLaunchKernel,
// cudaLaunchKernelEx, launch bounds, attributes, occupancy, host functions in a stream.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <thread>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

__global__ void scale_kernel(int* data, int factor) { data[threadIdx.x] *= factor; }

__global__ void __launch_bounds__(128) bounded_kernel(int* out) { out[threadIdx.x] = 3; }

__global__ void grid_sum_kernel(int* parts, int* sum) {
    const auto grid = cooperative_groups::this_grid();
    if (threadIdx.x == 0) parts[blockIdx.x] = int(blockIdx.x) + 1;
    grid.sync();  // all parts are there
    if (grid.thread_rank() == 0)
        for (unsigned b = 0; b < gridDim.x; ++b) *sum += parts[b];
}

__global__ void dynamic_kernel(int* out) {
    extern __shared__ int s[];
    s[threadIdx.x] = int(threadIdx.x);
    __syncthreads();  // s is complete
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

cudaLaunchConfig_t shape(dim3 grid, dim3 block) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    return config;
}

}  // namespace

TEST_CASE("kernel calls: cudaLaunchKernel takes arguments from an array") {
    DeviceArray<int> d_data(std::vector<int>{1, 2, 3});
    int* data = d_data.data();
    int factor = 7;
    void* arguments[] = {&data, &factor};
    REQUIRE_OK(cudaLaunchKernel(scale_kernel, dim3(1), dim3(3), arguments, 0, nullptr));
    CHECK_SAME(d_data.download(), (std::vector<int>{7, 14, 21}));
}

TEST_CASE("kernel calls: cudaLaunchKernelEx, plain and cooperative") {
    DeviceArray<int> d_data(std::vector<int>{1, 2, 3});
    cudaLaunchConfig_t config = shape(1, 3);
    REQUIRE_OK(cudaLaunchKernelEx(&config, scale_kernel, d_data.data(), 5));
    CHECK_SAME(d_data.download(), (std::vector<int>{5, 10, 15}));

    DeviceArray<int> d_parts(4), d_sum(std::vector<int>{0});
    cudaLaunchAttribute cooperative = {};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config = shape(4, 32);
    config.attrs = &cooperative;
    config.numAttrs = 1;
    REQUIRE_OK(cudaLaunchKernelEx(&config, grid_sum_kernel, d_parts.data(), d_sum.data()));
    CHECK_SAME(d_sum.download(), std::vector<int>{10});
}

TEST_CASE("kernel calls: __launch_bounds__ are known, and kept") {
    cudaFuncAttributes attributes = {};
    REQUIRE_OK(cudaFuncGetAttributes(&attributes, bounded_kernel));
    CHECK(attributes.maxThreadsPerBlock == 128);
    DeviceArray<int> d_out(std::vector<int>(129, 1));
    bounded_kernel<<<1, 129>>>(d_out.data());
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    CHECK_SAME(d_out.download(), std::vector<int>(129, 1));
    bounded_kernel<<<1, 1025>>>(d_out.data());
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    bounded_kernel<<<1, 128>>>(d_out.data());
    std::vector<int> expected(129, 3);
    expected[128] = 1;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("kernel calls: attributes that change no result") {
    REQUIRE_OK(cudaFuncSetAttribute(dynamic_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared));
    CHECK_ERROR(
        cudaFuncSetAttribute(dynamic_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101),
        cudaErrorInvalidValue);
    cudaGetLastError();
    cudaFuncAttributes attributes = {};
    REQUIRE_OK(cudaFuncGetAttributes(&attributes, dynamic_kernel));
    CHECK(attributes.preferredShmemCarveout == 100);
    REQUIRE_OK(cudaFuncSetCacheConfig(dynamic_kernel, cudaFuncCachePreferShared));
    DeviceArray<int> d_out(64);
    dynamic_kernel<<<1, 64, 64 * sizeof(int)>>>(d_out.data());
    std::vector<int> expected(64);
    for (int t = 0; t < 64; ++t) expected[t] = 63 - t;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("kernel calls: occupancy of wrong shapes, and with shared memory by block size") {
    int blocks = -1, least_grid = 0, threads = 0;
    REQUIRE_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded_kernel, 64, 0));
    CHECK(blocks >= 1);
    CHECK_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic_kernel, 0, 0),
                cudaErrorInvalidValue);
    cudaGetLastError();
    REQUIRE_OK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &least_grid, &threads, dynamic_kernel,
        [](int block) -> std::size_t { return std::size_t(block) * 256; }));
    CHECK(threads >= 32);
    CHECK(threads * 256 <= 48 * 1024);
    REQUIRE_OK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &threads, bounded_kernel));
    CHECK(threads <= 128);
}

TEST_CASE("kernel calls: a host function in a stream runs after the work before it") {
    struct Seen {
        int* from;
        int value;
    };
    int* pinned = nullptr;
    REQUIRE_OK(cudaMallocHost(&pinned, sizeof(int)));
    *pinned = 6;
    Seen seen = {pinned, 0};
    cudaStream_t stream = nullptr;
    REQUIRE_OK(cudaStreamCreate(&stream));
    DeviceArray<int> d_data(1);
    REQUIRE_OK(cudaMemcpyAsync(d_data.data(), pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
    scale_kernel<<<1, 1, 0, stream>>>(d_data.data(), 7);
    REQUIRE_OK(cudaMemcpyAsync(pinned, d_data.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
    REQUIRE_OK(cudaLaunchHostFunc(
        stream,
        [](void* data) { static_cast<Seen*>(data)->value = *static_cast<Seen*>(data)->from; },
        &seen));
    REQUIRE_OK(cudaStreamSynchronize(stream));
    CHECK(seen.value == 42);
    REQUIRE_OK(cudaStreamDestroy(stream));
    REQUIRE_OK(cudaFreeHost(pinned));
}

TEST_CASE("kernel calls: several host threads launch at once") {
    constexpr int kThreads = 4, kLaunches = 18;
    std::vector<std::vector<int>> results(kThreads);
    std::vector<std::thread> hosts;
    for (int h = 0; h < kThreads; ++h) {
        hosts.emplace_back([h, &results] {
            DeviceArray<int> d_data(std::vector<int>(64, h + 1));
            for (int i = 0; i < kLaunches; ++i) scale_kernel<<<1, 64>>>(d_data.data(), 3);
            results[h] = d_data.download();
        });
    }
    for (std::thread& host : hosts) host.join();
    int factor = 1;
    for (int i = 0; i < kLaunches; ++i) factor *= 3;
    for (int h = 0; h < kThreads; ++h)
        CHECK_SAME(results[h], std::vector<int>(64, factor * (h + 1)));
}
