// __device__ and __constant__ variables, from both sides.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

__constant__ float weights[9];
__constant__ int start_value = 17;
__device__ int counter = 5;
__device__ int table[64];
__device__ float matrix[4][8];

namespace {

struct Camera {
    float position[3];
    int kind;
};
__constant__ Camera camera;

__global__ void read_constants_kernel(float* out) {
    const int t = threadIdx.x;
    if (t < 9) out[t] = weights[t] * 2;
    if (t == 9) out[t] = float(start_value);
    if (t == 10) out[t] = camera.position[0] + camera.position[2] + float(camera.kind);
}

__global__ void count_kernel() { atomicAdd(&counter, 1); }

__global__ void fill_table_kernel(int factor) {
    table[threadIdx.x] = factor * int(threadIdx.x);
    matrix[threadIdx.x / 16][threadIdx.x % 8] = float(threadIdx.x / 16 * 10 + threadIdx.x % 8);
}

}  // namespace

TEST_CASE("symbols: __constant__ arrays, scalars and structs") {
    const std::vector<float> host_weights = conformance::random_values<float>(9, 90);
    REQUIRE_OK(cudaMemcpyToSymbol(weights, host_weights.data(), 9 * sizeof(float)));
    const Camera host_camera = {{1.5f, 2.5f, 3.5f}, 4};
    REQUIRE_OK(cudaMemcpyToSymbol(camera, &host_camera, sizeof(Camera)));
    const float middle = 100.0f;
    REQUIRE_OK(cudaMemcpyToSymbol(weights, &middle, sizeof(float), 4 * sizeof(float)));
    DeviceArray<float> d_out(11);
    read_constants_kernel<<<1, 32>>>(d_out.data());
    std::vector<float> expected(11);
    for (int i = 0; i < 9; ++i) expected[i] = host_weights[i] * 2;
    expected[4] = 200.0f;
    expected[9] = 17.0f;
    expected[10] = 9.0f;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("symbols: a __device__ variable starts with its value and lives between launches") {
    int value = 0;
    REQUIRE_OK(cudaMemcpyFromSymbol(&value, counter, sizeof(int)));
    const int before = value;
    CHECK(before == 5);
    for (int launch = 1; launch <= 3; ++launch) {
        count_kernel<<<2, 50>>>();
        REQUIRE_OK(cudaMemcpyFromSymbol(&value, counter, sizeof(int)));
        CHECK(value == before + launch * 100);
    }
    REQUIRE_OK(cudaMemcpyToSymbol(counter, &before, sizeof(int)));
}

TEST_CASE("symbols: __device__ arrays, offsets, addresses and sizes") {
    fill_table_kernel<<<1, 64>>>(3);
    std::vector<int> part(10, -1), expected(10);
    REQUIRE_OK(cudaMemcpyFromSymbol(part.data(), table, 10 * sizeof(int), 20 * sizeof(int)));
    for (int i = 0; i < 10; ++i) expected[i] = 3 * (20 + i);
    CHECK_SAME(part, expected);

    void* address = nullptr;
    std::size_t bytes = 0;
    REQUIRE_OK(cudaGetSymbolAddress(&address, table));
    REQUIRE_OK(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == sizeof(int) * 64);
    REQUIRE_OK(cudaMemcpy(part.data(), static_cast<int*>(address) + 20, 10 * sizeof(int),
                          cudaMemcpyDeviceToHost));
    CHECK_SAME(part, expected);

    std::vector<float> plane(32), expected_plane(32);
    REQUIRE_OK(cudaMemcpyFromSymbol(plane.data(), matrix, 32 * sizeof(float)));
    for (int i = 0; i < 32; ++i) expected_plane[i] = float(i / 8 * 10 + i % 8);
    CHECK_SAME(plane, expected_plane);
}
