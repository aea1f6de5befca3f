// Memory beyond cudaMalloc: pitched, registered, managed with advice; two-dimensional fills.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cstdint>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

__global__ void add_to_rows_kernel(int* data, std::size_t pitch, int columns) {
    int* const row = reinterpret_cast<int*>(reinterpret_cast<char*>(data) + blockIdx.x * pitch);
    if (int(threadIdx.x) < columns) row[threadIdx.x] += int(100 * blockIdx.x + threadIdx.x);
}

__global__ void double_kernel(int* data) { data[threadIdx.x] *= 2; }

}  // namespace

TEST_CASE("memory: cudaMallocPitch, cudaMemset2D and cudaMemcpy2D") {
    const int rows = 5, columns = 33;
    const std::size_t width = columns * sizeof(int);
    int* d_data = nullptr;
    std::size_t pitch = 0;
    REQUIRE_OK(cudaMallocPitch(&d_data, &pitch, width, rows));
    CHECK(pitch >= width);
    CHECK(pitch % 32 == 0);
    REQUIRE_OK(cudaMemset2D(d_data, pitch, 1, width, rows));
    add_to_rows_kernel<<<rows, 64>>>(d_data, pitch, columns);
    std::vector<int> out(rows * columns), expected;
    REQUIRE_OK(cudaMemcpy2D(out.data(), width, d_data, pitch, width, rows, cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) expected.push_back(0x01010101 + 100 * r + c);
    CHECK_SAME(out, expected);
    // Rows with a pitch less than their length.
    CHECK_ERROR(
        cudaMemcpy2D(out.data(), width, d_data, width - 4, width, rows, cudaMemcpyDeviceToHost),
        cudaErrorInvalidPitchValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidPitchValue);
    CHECK_ERROR(cudaMemset2D(d_data, width - 4, 0, width, 2), cudaErrorInvalidValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    REQUIRE_OK(cudaFree(d_data));
}

TEST_CASE("memory: registered host memory") {
    // A page of its own, so that nothing else is registered with it.
    const std::size_t bytes = 4096;
    std::vector<char> storage(3 * bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(storage.data());
    int* const host = reinterpret_cast<int*>((address + bytes - 1) / bytes * bytes);
    for (int i = 0; i < 32; ++i) host[i] = i;
    REQUIRE_OK(cudaHostRegister(host, bytes, cudaHostRegisterDefault));
    CHECK_ERROR(cudaHostRegister(host, bytes, cudaHostRegisterDefault),
                cudaErrorHostMemoryAlreadyRegistered);
    int* device_view = nullptr;
    REQUIRE_OK(cudaHostGetDevicePointer(&device_view, host, 0));
    double_kernel<<<1, 32>>>(device_view);
    REQUIRE_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(host[i] == 2 * i);
    REQUIRE_OK(cudaHostUnregister(host));
    CHECK_ERROR(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
}

#if CUDART_VERSION >= 13000
TEST_CASE("memory: advice and prefetches of managed memory change no value") {
    int* data = nullptr;
    REQUIRE_OK(cudaMallocManaged(&data, 32 * sizeof(int)));
    for (int i = 0; i < 32; ++i) data[i] = i;
    cudaMemLocation device = {};
    device.type = cudaMemLocationTypeDevice;
    device.id = 0;
    REQUIRE_OK(cudaMemAdvise(data, 32 * sizeof(int), cudaMemAdviseSetPreferredLocation, device));
    REQUIRE_OK(cudaMemPrefetchAsync(data, 32 * sizeof(int), device, 0, nullptr));
    double_kernel<<<1, 32>>>(data);
    REQUIRE_OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(data[i] == 2 * i);
    REQUIRE_OK(cudaFree(data));
    DeviceArray<int> d_plain(32);
    CHECK_ERROR(cudaMemPrefetchAsync(d_plain.data(), 32 * sizeof(int), device, 0, nullptr),
                cudaErrorInvalidValue);
    cudaGetLastError();
}
#endif

TEST_CASE("memory kinds: mapped memory is copied and filled in every direction") {
    int *host = nullptr, *mapped = nullptr;
    REQUIRE_OK(cudaHostAlloc(&host, 64 * sizeof(int), cudaHostAllocMapped));
    REQUIRE_OK(cudaHostGetDevicePointer(&mapped, host, 0));
    std::vector<int> numbers(32);
    for (int i = 0; i < 32; ++i) numbers[i] = 3 * i;
    const std::size_t bytes = 32 * sizeof(int);
    DeviceArray<int> d_numbers(numbers), d_copy(std::vector<int>(32, -1));
    REQUIRE_OK(cudaMemcpy(mapped, d_numbers.data(), bytes, cudaMemcpyDeviceToDevice));
    CHECK(host[31] == 93);
    REQUIRE_OK(cudaMemcpy(mapped + 32, mapped, bytes, cudaMemcpyDeviceToDevice));
    CHECK(host[63] == 93);
    REQUIRE_OK(cudaMemcpy(d_copy.data(), mapped + 32, bytes, cudaMemcpyDeviceToDevice));
    CHECK_SAME(d_copy.download(), numbers);
    numbers.assign(32, 8);
    REQUIRE_OK(cudaMemcpy(mapped, numbers.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(host[0] == 8);
    REQUIRE_OK(cudaMemcpy(numbers.data(), mapped + 32, bytes, cudaMemcpyDeviceToHost));
    CHECK(numbers[31] == 93);
    REQUIRE_OK(cudaMemcpy(host, host + 32, bytes, cudaMemcpyHostToHost));
    CHECK(host[1] == 3);
    REQUIRE_OK(cudaMemset(mapped, 0, bytes));
    REQUIRE_OK(cudaDeviceSynchronize());
    CHECK(host[31] == 0);
    REQUIRE_OK(cudaMemcpy(host, d_copy.data(), bytes, cudaMemcpyDefault));
    CHECK(host[31] == 93);
    REQUIRE_OK(cudaFreeHost(host));
}
