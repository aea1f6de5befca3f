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

__global__ void add_to_slices_kernel(cudaPitchedPtr data, int columns) {
    char* const slice = static_cast<char*>(data.ptr) + blockIdx.y * data.pitch * data.ysize;
    int* const row = reinterpret_cast<int*>(slice + blockIdx.x * data.pitch);
    if (int(threadIdx.x) < columns) {
        row[threadIdx.x] += int(10000 * blockIdx.y + 100 * blockIdx.x + threadIdx.x);
    }
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

TEST_CASE("memory: cudaMalloc3D, cudaMemset3D and cudaMemcpy3D") {
    const int slices = 3, rows = 5, columns = 33;
    const std::size_t width = columns * sizeof(int);
    const cudaExtent all = make_cudaExtent(width, rows, slices);
    cudaPitchedPtr d_data{};
    REQUIRE_OK(cudaMalloc3D(&d_data, all));
    CHECK(d_data.pitch >= width);
    CHECK(d_data.xsize == width);
    CHECK(d_data.ysize == rows);
    REQUIRE_OK(cudaMemset3D(d_data, 1, all));
    add_to_slices_kernel<<<dim3(rows, slices), 64>>>(d_data, columns);
    std::vector<int> out(slices * rows * columns), expected;
    for (int s = 0; s < slices; ++s)
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c)
                expected.push_back(0x01010101 + 10000 * s + 100 * r + c);
    cudaMemcpy3DParms to_host{};
    to_host.srcPtr = d_data;
    to_host.dstPtr = make_cudaPitchedPtr(out.data(), width, columns, rows);
    to_host.extent = all;
    to_host.kind = cudaMemcpyDeviceToHost;
    REQUIRE_OK(cudaMemcpy3D(&to_host));
    CHECK_SAME(out, expected);

    // A part: 2 slices of 3 rows of 4 items, from item 7 of row 2 of slice 1.
    std::vector<int> part(2 * 3 * 4), expected_part;
    cudaMemcpy3DParms some = to_host;
    some.srcPos = make_cudaPos(7 * sizeof(int), 2, 1);
    some.dstPtr = make_cudaPitchedPtr(part.data(), 4 * sizeof(int), 4, 3);
    some.extent = make_cudaExtent(4 * sizeof(int), 3, 2);
    REQUIRE_OK(cudaMemcpy3DAsync(&some, nullptr));
    REQUIRE_OK(cudaDeviceSynchronize());
    for (int s = 1; s < 3; ++s)
        for (int r = 2; r < 5; ++r)
            for (int c = 7; c < 11; ++c)
                expected_part.push_back(expected[(s * rows + r) * columns + c]);
    CHECK_SAME(part, expected_part);

    some.extent.depth = 0;
    REQUIRE_OK(cudaMemcpy3D(&some));
    some = to_host;
    some.dstPtr.ysize = rows - 1;  // slices would overlap
    CHECK_ERROR(cudaMemcpy3D(&some), cudaErrorInvalidPitchValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidPitchValue);
    some = to_host;
    some.dstPtr.pitch = width - 4;
    CHECK_ERROR(cudaMemcpy3D(&some), cudaErrorInvalidPitchValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidPitchValue);
    // Past the end of a row, past the last row of a slice, and no address.
    some = to_host;
    some.srcPos.x = d_data.pitch - 4;
    some.extent = make_cudaExtent(8, 1, 1);
    CHECK_ERROR(cudaMemcpy3D(&some), cudaErrorInvalidValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    some.srcPos = make_cudaPos(0, rows - 1, 0);
    some.extent = make_cudaExtent(8, 2, 1);
    CHECK_ERROR(cudaMemcpy3D(&some), cudaErrorInvalidValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    some = to_host;
    some.dstPtr = cudaPitchedPtr{};
    CHECK_ERROR(cudaMemcpy3D(&some), cudaErrorInvalidValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    REQUIRE_OK(cudaFree(d_data.ptr));
    // A width that was negative.
    CHECK_ERROR(cudaMalloc3D(&d_data, make_cudaExtent(std::size_t(-4), 5, 3)),
                cudaErrorInvalidValue);
    CHECK_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
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
