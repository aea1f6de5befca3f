// Allocation, copies, fills: what they do, and which error codes they return.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

__global__ void add_one_kernel(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

std::vector<int> numbers(int n, int start = 0) {
    std::vector<int> list(n);
    std::iota(list.begin(), list.end(), start);
    return list;
}

void add_one(int* d_data, int n) { add_one_kernel<<<(n + 63) / 64, 64>>>(d_data, n); }

}  // namespace

TEST_CASE("memory: copies to, on and from the device") {
    const int n = 1000;
    const std::vector<int> in = numbers(n);
    std::vector<int> out(n, -1);
    int* d_a = nullptr;
    int* d_b = nullptr;
    REQUIRE_OK(cudaMalloc(&d_a, n * sizeof(int)));
    REQUIRE_OK(cudaMalloc((void**)&d_b, n * sizeof(int)));
    REQUIRE_OK(cudaMemcpy(d_a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    add_one(d_a, n);
    REQUIRE_OK(cudaMemcpy(d_b, d_a, n * sizeof(int), cudaMemcpyDeviceToDevice));
    add_one(d_b, n);
    REQUIRE_OK(cudaMemcpy(out.data(), d_b, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_SAME(out, numbers(n, 2));
    REQUIRE_OK(cudaMemcpy(out.data(), d_a, n * sizeof(int), cudaMemcpyDefault));
    CHECK_SAME(out, numbers(n, 1));
    std::vector<int> host_copy(n);
    REQUIRE_OK(cudaMemcpy(host_copy.data(), out.data(), n * sizeof(int), cudaMemcpyHostToHost));
    CHECK_SAME(host_copy, numbers(n, 1));
    CHECK(cudaFree(d_a) == cudaSuccess);
    CHECK(cudaFree(d_b) == cudaSuccess);
}

TEST_CASE("memory: parts of allocations, and asynchronous copies in order") {
    const int n = 500;
    DeviceArray<int> d_data(numbers(n));
    std::vector<int> out(n, -1);
    REQUIRE_OK(cudaMemcpyAsync(d_data.data() + 100, d_data.data() + 300, 50 * sizeof(int),
                               cudaMemcpyDeviceToDevice));
    add_one(d_data.data(), n);
    REQUIRE_OK(cudaMemcpyAsync(out.data() + 10, d_data.data() + 90, 70 * sizeof(int),
                               cudaMemcpyDeviceToHost, 0));
    REQUIRE_OK(cudaDeviceSynchronize());
    std::vector<int> expected(n, -1);
    for (int i = 0; i < 70; ++i) expected[10 + i] = (i < 10 || i >= 60 ? 90 + i : 290 + i) + 1;
    CHECK_SAME(out, expected);
}

TEST_CASE("memory: cudaMemset sets bytes") {
    DeviceArray<int> d_data(numbers(100));
    REQUIRE_OK(cudaMemset(d_data.data() + 10, 0x17f, 20 * sizeof(int)));  // the low byte counts
    REQUIRE_OK(cudaMemsetAsync(d_data.data() + 50, 0, 5 * sizeof(int)));
    add_one(d_data.data(), 100);
    std::vector<int> expected = numbers(100, 1);
    for (int i = 10; i < 30; ++i) expected[i] = 0x7f7f7f7f + 1;
    for (int i = 50; i < 55; ++i) expected[i] = 1;
    CHECK_SAME(d_data.download(), expected);
}

TEST_CASE("memory: two-dimensional copies") {
    const int rows = 5, columns = 7, pitch = 9;
    DeviceArray<int> d_data(rows * pitch);
    REQUIRE_OK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    const std::vector<int> in = numbers(rows * columns);
    REQUIRE_OK(cudaMemcpy2D(d_data.data(), pitch * sizeof(int), in.data(), columns * sizeof(int),
                            columns * sizeof(int), rows, cudaMemcpyHostToDevice));
    add_one(d_data.data(), rows * pitch);
    std::vector<int> expected(rows * pitch, 1);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) expected[r * pitch + c] = r * columns + c + 1;
    CHECK_SAME(d_data.download(), expected);
}

TEST_CASE("memory: allocations are aligned and apart") {
    std::vector<char*> d_pointers;
    for (const std::size_t bytes : {1, 3, 100, 255, 257, 1000}) {
        char* d_pointer = nullptr;
        REQUIRE_OK(cudaMalloc(&d_pointer, bytes));
        CHECK(reinterpret_cast<std::uintptr_t>(d_pointer) % 256 == 0);
        for (char* other : d_pointers) CHECK(other != d_pointer);
        d_pointers.push_back(d_pointer);
    }
    for (char* d_pointer : d_pointers) CHECK(cudaFree(d_pointer) == cudaSuccess);
}

TEST_CASE("memory: none asked for, nothing to free") {
    int* d_pointer = reinterpret_cast<int*>(8);
    CHECK_ERROR(cudaMalloc(&d_pointer, 0), cudaSuccess);
    CHECK(d_pointer == nullptr);
    CHECK_ERROR(cudaFree(nullptr), cudaSuccess);
    int item = 3;
    CHECK_ERROR(cudaMemcpy(&item, d_pointer, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    CHECK(item == 3);
}

TEST_CASE("memory: too much") {
    int* d_pointer = nullptr;
    CHECK_ERROR(cudaMalloc(&d_pointer, std::size_t(1) << 50), cudaErrorMemoryAllocation);
    CHECK_ERROR(cudaGetLastError(), cudaErrorMemoryAllocation);
    CHECK_ERROR(cudaGetLastError(), cudaSuccess);
}

TEST_CASE("memory: wrong arguments") {
    CHECK_ERROR(cudaMalloc((void**)nullptr, 16), cudaErrorInvalidValue);
    int item = 0;
    DeviceArray<int> d_data(std::vector<int>{4});
    CHECK_ERROR(cudaMemcpy(&item, d_data.data(), 4, cudaMemcpyKind(17)),
                cudaErrorInvalidMemcpyDirection);
    CHECK(item == 0);
    cudaGetLastError();
}

TEST_CASE("memory: pinned host memory") {
    const int n = 256;
    int* pinned = nullptr;
    REQUIRE_OK(cudaMallocHost(&pinned, n * sizeof(int)));
    for (int i = 0; i < n; ++i) pinned[i] = i;
    DeviceArray<int> d_data(n);
    REQUIRE_OK(cudaMemcpyAsync(d_data.data(), pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    add_one(d_data.data(), n);
    REQUIRE_OK(cudaMemcpyAsync(pinned, d_data.data(), n * sizeof(int), cudaMemcpyDeviceToHost));
    REQUIRE_OK(cudaDeviceSynchronize());
    CHECK_SAME(std::vector<int>(pinned, pinned + n), numbers(n, 1));
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("memory: managed memory is seen from both sides") {
    const int n = 100;
    int* data = nullptr;
    REQUIRE_OK(cudaMallocManaged(&data, n * sizeof(int)));
    for (int i = 0; i < n; ++i) data[i] = 5 * i;
    add_one(data, n);
    REQUIRE_OK(cudaDeviceSynchronize());
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) expected[i] = 5 * i + 1;
    CHECK_SAME(std::vector<int>(data, data + n), expected);
    CHECK(cudaFree(data) == cudaSuccess);
}

TEST_CASE("memory: cudaMemGetInfo") {
    std::size_t free_bytes = 0, total_bytes = 0;
    REQUIRE_OK(cudaMemGetInfo(&free_bytes, &total_bytes));
    CHECK(free_bytes > 0);
    CHECK(free_bytes <= total_bytes);
}

TEST_CASE("memory: a pointer tells where it points") {
    DeviceArray<int> d_data(10);
    cudaPointerAttributes attributes = {};
    REQUIRE_OK(cudaPointerGetAttributes(&attributes, d_data.data() + 3));
    CHECK(int(attributes.type) == int(cudaMemoryTypeDevice));
    int local = 0;
    REQUIRE_OK(cudaPointerGetAttributes(&attributes, &local));
    CHECK(int(attributes.type) == int(cudaMemoryTypeUnregistered));
}
