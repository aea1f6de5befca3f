// Extended lambdas as kernel arguments (nvcc: --extended-lambda).
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

template <class Function>
__global__ void for_each_index_kernel(int n, Function function) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) function(i);
}

template <class Function>
void for_each_index(int n, Function function) {
    if (n > 0) for_each_index_kernel<<<(n + 127) / 128, 128>>>(n, function);
}

template <class T, class Operation>
__global__ void fold_kernel(const T* in, T* out, int n, Operation operation) {
    // One warp reduces everything.
    T value = in[threadIdx.x % n];
    for (int i = threadIdx.x + 32; i < n; i += 32) value = operation(value, in[i]);
    for (int distance = 16; distance > 0; distance /= 2)
        value = operation(value, __shfl_xor_sync(0xffffffffu, value, distance));
    if (threadIdx.x == 0) *out = value;
}

void check_captured_pointers(int n) {
    const std::vector<float> x = conformance::random_values<float>(n, 80);
    std::vector<float> y = conformance::random_values<float>(n, 81);
    DeviceArray<float> d_x(x), d_y(y);
    const float* x_pointer = d_x.data();
    float* y_pointer = d_y.data();
    const float a = 2.0f;
    for_each_index(n, [=] __device__(int i) { y_pointer[i] = a * x_pointer[i] + y_pointer[i]; });
    for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
    CHECK_NEAR(d_y.download(), y, 1e-6, 1e-7);
}

struct Line {
    int slope, offset;
};

void check_captured_struct() {
    const Line line = {3, 40};
    DeviceArray<int> d_out(100);
    int* out = d_out.data();
    for_each_index(100, [line, out] __device__(int i) { out[i] = line.slope * i + line.offset; });
    std::vector<int> expected(100);
    for (int i = 0; i < 100; ++i) expected[i] = 3 * i + 40;
    CHECK_SAME(d_out.download(), expected);
}

void check_both_sides() {
    const auto square = [] __host__ __device__(int value) { return value * value; };
    DeviceArray<int> d_out(50);
    int* out = d_out.data();
    for_each_index(50, [=] __device__(int i) { out[i] = square(i + 1); });
    std::vector<int> expected(50);
    for (int i = 0; i < 50; ++i) expected[i] = square(i + 1);
    CHECK_SAME(d_out.download(), expected);
}

void check_operations() {
    const int n = 320;
    const std::vector<int> in = conformance::random_below<int>(n, 100000, 82);
    DeviceArray<int> d_in(in), d_out(2);
    fold_kernel<<<1, 32>>>(d_in.data(), d_out.data(), n,
                           [] __device__(int a, int b) { return a > b ? a : b; });
    fold_kernel<<<1, 32>>>(d_in.data(), d_out.data() + 1, n,
                           [] __device__(int a, int b) { return a ^ b; });
    int most = in[0], parity = 0;
    for (const int value : in) {
        most = value > most ? value : most;
        parity ^= value;
    }
    CHECK_SAME(d_out.download(), (std::vector<int>{most, parity}));
}

TEST_CASE("lambdas: capture pointers and numbers by value") {
    for (const int n : conformance::edge_sizes()) {
        CAPTURE(n);
        check_captured_pointers(n);
    }
}

TEST_CASE("lambdas: capture a struct") { check_captured_struct(); }
TEST_CASE("lambdas: for the host and the device") { check_both_sides(); }
TEST_CASE("lambdas: as the operation of a kernel") { check_operations(); }
