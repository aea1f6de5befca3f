// Launches: which threads run, with which indices, and with which arguments.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cstdint>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

__device__ unsigned linear_thread() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ unsigned linear_block() {
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

__global__ void indices_kernel(uint3* d_threads, uint3* d_blocks, unsigned* visits) {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned i = linear_block() * threads + linear_thread();
    d_threads[i] = threadIdx;
    d_blocks[i] = blockIdx;
    atomicAdd(&visits[i], 1u);
}

void check_indices(dim3 grid, dim3 block) {
    const std::size_t count = std::size_t(grid.x) * grid.y * grid.z * block.x * block.y * block.z;
    DeviceArray<uint3> d_threads(count), d_blocks(count);
    DeviceArray<unsigned> d_visits(std::vector<unsigned>(count, 0));
    indices_kernel<<<grid, block>>>(d_threads.data(), d_blocks.data(), d_visits.data());
    const std::vector<uint3> threads = d_threads.download();
    const std::vector<uint3> blocks = d_blocks.download();
    CHECK_SAME(d_visits.download(), std::vector<unsigned>(count, 1));
    std::size_t i = 0, wrong = 0;
    for (unsigned bz = 0; bz < grid.z; ++bz)
        for (unsigned by = 0; by < grid.y; ++by)
            for (unsigned bx = 0; bx < grid.x; ++bx)
                for (unsigned tz = 0; tz < block.z; ++tz)
                    for (unsigned ty = 0; ty < block.y; ++ty)
                        for (unsigned tx = 0; tx < block.x; ++tx, ++i) {
                            wrong += threads[i].x != tx || threads[i].y != ty ||
                                     threads[i].z != tz || blocks[i].x != bx || blocks[i].y != by ||
                                     blocks[i].z != bz;
                        }
    CHECK(wrong == 0);
}

__global__ void dimensions_kernel(unsigned* out) {
    out[0] = gridDim.x;
    out[1] = gridDim.y;
    out[2] = gridDim.z;
    out[3] = blockDim.x;
    out[4] = blockDim.y;
    out[5] = blockDim.z;
    out[6] = warpSize;
}

__global__ void lanes_kernel(int* first_of_warp) {
    // Warps are cut from the linear thread index, x fastest.
    const unsigned t = linear_thread();
    first_of_warp[t] = __shfl_sync(0xffffffffu, int(t), 0);
}

struct Parameters {
    char letter;
    double factor;
    int table[200];
    short last;
};

__global__ void struct_kernel(Parameters p, double* out) {
    const int i = threadIdx.x;
    out[i] = p.factor * p.table[i] + p.letter + p.last;
}

__global__ void grid_constant_kernel(const __grid_constant__ Parameters p, int* out) {
    out[threadIdx.x] = p.table[threadIdx.x] + 1;
}

__global__ void many_arguments_kernel(bool a, char b, short c, int d, long long e, unsigned char f,
                                      std::uint64_t g, float h, double i, const int* j, void* k,
                                      double* out) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = double(e);
    out[5] = f;
    out[6] = double(g);
    out[7] = h;
    out[8] = i;
    out[9] = *j;
    out[10] = k == nullptr;
}

template <class T, int kFactor = 3>
__global__ void scale_kernel(T* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= kFactor;
}

template <class T>
void scale(T* d_data, int n) {
    scale_kernel<T><<<(n + 63) / 64, 64>>>(d_data, n);
    scale_kernel<T, 5><<<(n + 63) / 64, 64>>>(d_data, n);
}

__global__ void write_kernel(int* out, int value) { out[threadIdx.x] = value; }
__global__ void write_negative_kernel(int* out, int value) { out[threadIdx.x] = -value; }

template <class Key, class Operation>
__global__ void apply_kernel(Key* data, Operation operation) {
    data[threadIdx.x] = operation(data[threadIdx.x]);
}

struct Add {
    int amount;
    __host__ __device__ int operator()(int value) const { return value + amount; }
};

static __global__ void __launch_bounds__(128) bounds_after_kernel(int* out) {
    out[threadIdx.x] = threadIdx.x;
}
__launch_bounds__(128, 4) __global__ void bounds_before_kernel(int* __restrict__ out) {
    out[threadIdx.x] = 2 * threadIdx.x;
}

__device__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__host__ __device__ __forceinline__ int twice(int value) { return 2 * value; }
__device__ __noinline__ int thrice(int value) { return 3 * value; }

class Counter {
  public:
    __host__ __device__ explicit Counter(int start) : value_(start) {}
    __device__ Counter& add(int amount) {
        value_ += amount;
        return *this;
    }
    __host__ __device__ int value() const { return value_; }

  private:
    int value_;
};

struct Shape {
    __device__ virtual int area() const { return 0; }
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};

__global__ void device_functions_kernel(int* out) {
    const int t = threadIdx.x;
    const auto local = [t](int value) { return value + t; };
    const Square square(t);
    const Shape& shape = square;
    out[t] =
        factorial(5) + twice(t) + thrice(t) + Counter(t).add(7).value() + local(1) + shape.area();
}

__global__ void early_return_kernel(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i % 3 == 0) {
        out[i] = 0;
        return;
    }
    out[i] = i;
}

}  // namespace

namespace nested {
namespace deeper {
__global__ void qualified_kernel(int* out) { out[threadIdx.x] = 41 + threadIdx.x; }
}  // namespace deeper
}  // namespace nested

TEST_CASE("launch: every thread of a grid runs once with its own indices") {
    check_indices(1, 1);
    check_indices(7, 33);
    check_indices(dim3(3, 5), dim3(7, 9));
    check_indices(dim3(2, 3, 4), dim3(5, 4, 3));
    check_indices(dim3(1, 1, 3), dim3(1, 1, 64));
    check_indices(1, 1024);
    check_indices(2, dim3(32, 32));
}

TEST_CASE("launch: seventy thousand blocks of one thread") { check_indices(70000, 1); }

TEST_CASE("launch: gridDim, blockDim and warpSize") {
    DeviceArray<unsigned> d_out(7);
    dimensions_kernel<<<dim3(2, 3, 4), dim3(5, 6, 7)>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<unsigned>{2, 3, 4, 5, 6, 7, 32}));
    dimensions_kernel<<<9, 8, 0>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<unsigned>{9, 1, 1, 8, 1, 1, 32}));
}

TEST_CASE("launch: warps follow the linear thread index") {
    DeviceArray<int> d_out(128);
    lanes_kernel<<<1, dim3(8, 4, 4)>>>(d_out.data());
    std::vector<int> expected(128);
    for (int t = 0; t < 128; ++t) expected[t] = t / 32 * 32;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("launch: structs by value, and __grid_constant__") {
    Parameters p = {};
    p.letter = 'a';
    p.factor = 0.5;
    p.last = -3;
    for (int i = 0; i < 200; ++i) p.table[i] = i * i;
    DeviceArray<double> d_out(200);
    DeviceArray<int> d_table(200);
    struct_kernel<<<1, 200>>>(p, d_out.data());
    grid_constant_kernel<<<1, 200>>>(p, d_table.data());
    std::vector<double> expected(200);
    std::vector<int> expected_table(200);
    for (int i = 0; i < 200; ++i) {
        expected[i] = 0.5 * i * i + 'a' - 3;
        expected_table[i] = i * i + 1;
    }
    CHECK_SAME(d_out.download(), expected);
    CHECK_SAME(d_table.download(), expected_table);
}

TEST_CASE("launch: arguments of every kind, converted as in a call") {
    DeviceArray<int> d_number(std::vector<int>{77});
    DeviceArray<double> d_out(11);
    // An int becomes a bool, a long long, a float and a double; int* becomes const int*.
    many_arguments_kernel<<<1, 1>>>(true, 'x', short(-5), -6, -7, (unsigned char)250, 9u, 10, 11,
                                    d_number.data(), nullptr, d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<double>{1, 'x', -5, -6, -7, 250, 9, 10, 11, 77, 1}));
}

TEST_CASE("launch: arguments are evaluated once and copied at the launch") {
    DeviceArray<int> d_out(4);
    int value = 10;
    write_kernel<<<1, 4>>>(d_out.data(), value++);
    CHECK(value == 11);
    value = 99;
    CHECK_SAME(d_out.download(), std::vector<int>(4, 10));
}

TEST_CASE("launch: template kernels, also from a template") {
    std::vector<int> ints = conformance::random_below<int>(100, 1000, 1);
    std::vector<double> doubles(100, 0.25);
    DeviceArray<int> d_ints(ints);
    DeviceArray<double> d_doubles(doubles);
    scale(d_ints.data(), 100);
    scale(d_doubles.data(), 100);
    for (int& value : ints) value *= 15;
    CHECK_SAME(d_ints.download(), ints);
    CHECK_SAME(d_doubles.download(), std::vector<double>(100, 3.75));
}

TEST_CASE("launch: through a pointer to a kernel") {
    DeviceArray<int> d_out(8);
    void (*const kernels[])(int*, int) = {write_kernel, write_negative_kernel};
    for (int k = 0; k < 2; ++k) {
        kernels[k]<<<1, 8>>>(d_out.data(), 5);
        CHECK_SAME(d_out.download(), std::vector<int>(8, k == 0 ? 5 : -5));
    }
    auto kernel = scale_kernel<int, 4>;
    kernel<<<1, 8>>>(d_out.data(), 8);
    CHECK_SAME(d_out.download(), std::vector<int>(8, -20));
}

TEST_CASE("launch: a function object as an argument") {
    DeviceArray<int> d_data(std::vector<int>{1, 2, 3, 4});
    apply_kernel<<<1, 4>>>(d_data.data(), Add{10});
    CHECK_SAME(d_data.download(), (std::vector<int>{11, 12, 13, 14}));
}

TEST_CASE("launch: qualified names") {
    DeviceArray<int> d_out(3);
    nested::deeper::qualified_kernel<<<1, 3>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<int>{41, 42, 43}));
    d_out.upload({0, 0, 0});
    ::nested::deeper::qualified_kernel<<<1, 3>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<int>{41, 42, 43}));
}

TEST_CASE("launch: __launch_bounds__ before and after, static, __restrict__") {
    DeviceArray<int> d_out(128);
    std::vector<int> once(128), double_of(128);
    for (int i = 0; i < 128; ++i) {
        once[i] = i;
        double_of[i] = 2 * i;
    }
    bounds_after_kernel<<<1, 128>>>(d_out.data());
    CHECK_SAME(d_out.download(), once);
    bounds_before_kernel<<<1, 128>>>(d_out.data());
    CHECK_SAME(d_out.download(), double_of);
}

TEST_CASE("launch: device functions: recursion, methods, lambdas, virtual calls") {
    DeviceArray<int> d_out(40);
    device_functions_kernel<<<1, 40>>>(d_out.data());
    std::vector<int> expected(40);
    for (int t = 0; t < 40; ++t) expected[t] = 120 + 2 * t + 3 * t + (t + 7) + (1 + t) + t * t;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("launch: threads may return early") {
    for (const int n : conformance::edge_sizes()) {
        CAPTURE(n);
        DeviceArray<int> d_out(n);
        early_return_kernel<<<n / 64 + 1, 64>>>(d_out.data(), n);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = i % 3 == 0 ? 0 : i;
        CHECK_SAME(d_out.download(), expected);
    }
}
