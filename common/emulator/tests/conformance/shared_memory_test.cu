// Shared memory: static and dynamic arrays of every shape, one arena for each block.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cstdint>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

constexpr int kThreads = 64;

__global__ void reverse_kernel(int* data) {
    __shared__ int s[kThreads];
    s[threadIdx.x] = data[blockIdx.x * kThreads + threadIdx.x];
    __syncthreads();  // s is written before another thread reads it
    data[blockIdx.x * kThreads + threadIdx.x] = s[kThreads - 1 - threadIdx.x];
}

__global__ void shapes_kernel(int* out) {
    __shared__ int plane[4][kThreads / 4 + 1];
    __shared__ float cube[2][4][8];
    __shared__ int scalar;
    const int t = threadIdx.x;
    if (t == 0) scalar = 1000;
    plane[t / 16][t % 16] = t;
    cube[t / 32][t / 8 % 4][t % 8] = t * 0.5f;
    __syncthreads();  // all three are written before they are read
    const int u = (t * 7 + 3) % kThreads;
    out[t] = scalar + plane[u / 16][u % 16] + int(2 * cube[u / 32][u / 8 % 4][u % 8]);
}

struct Pair {
    int key;
    double weight;
};

__global__ void structs_kernel(double* out) {
    __shared__ char first[3];
    __shared__ Pair pairs[kThreads];
    __shared__ alignas(16) unsigned char bytes[kThreads * 4];
    const int t = threadIdx.x;
    if (t < 3) first[t] = char('a' + t);
    pairs[t] = Pair{t, t / 4.0};
    reinterpret_cast<unsigned*>(bytes)[t] = t * 0x01010101u;
    __syncthreads();  // pairs, bytes and first are complete
    const Pair p = pairs[kThreads - 1 - t];
    out[t] = p.key * 1000 + p.weight + bytes[4 * ((t + 1) % kThreads) + 2] + first[t % 3];
}

__global__ void alignment_kernel(int* misaligned) {
    __shared__ char byte[1];
    __shared__ double number[1];
    __shared__ short small[1];
    __shared__ float4 quad[1];
    __shared__ char more[5];
    __shared__ int word[1];
    extern __shared__ __align__(16) unsigned char tail[];
    byte[0] = small[0] = more[0] = 0;
    number[0] = 0;
    word[0] = 0;
    quad[0] = make_float4(0, 0, 0, 0);
    tail[0] = 0;
    misaligned[0] = int(reinterpret_cast<std::uintptr_t>(number) % alignof(double));
    misaligned[1] = int(reinterpret_cast<std::uintptr_t>(quad) % 16);
    misaligned[2] = int(reinterpret_cast<std::uintptr_t>(word) % alignof(int));
    misaligned[3] = int(reinterpret_cast<std::uintptr_t>(tail) % 16);
    misaligned[4] = byte[0] + small[0] + more[0];
}

extern __shared__ int dynamic_at_file_scope[];

__global__ void dynamic_kernel(const int* in, int* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic_at_file_scope[i] = in[i];
    __syncthreads();  // the copy is complete
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = dynamic_at_file_scope[n - 1 - i];
}

__global__ void carved_kernel(double* out, int n) {
    // The usual method of keeping two arrays in dynamic shared memory.
    extern __shared__ double carved[];
    double* weights = carved;
    int* keys = reinterpret_cast<int*>(carved + n);
    const int t = threadIdx.x;
    if (t < n) {
        weights[t] = t / 8.0;
        keys[t] = 3 * t;
    }
    __syncthreads();  // both arrays are complete
    if (t < n) out[t] = weights[n - 1 - t] + keys[(t + 1) % n];
}

template <class T>
__global__ void template_dynamic_kernel(T* data, int n) {
    extern __shared__ unsigned char raw[];
    T* s = reinterpret_cast<T*>(raw);
    const int t = threadIdx.x;
    if (t < n) s[t] = data[t];
    __syncthreads();  // s is complete
    if (t < n) data[t] = s[(t + 1) % n];
}

template <class T, int kCount>
__global__ void template_static_kernel(T* data) {
    __shared__ T s[kCount + 1];
    s[threadIdx.x] = data[threadIdx.x];
    if (threadIdx.x == 0) s[kCount] = data[0];
    __syncthreads();  // s is complete
    data[threadIdx.x] = s[threadIdx.x + 1];
}

template <int kTag>
__device__ int block_sum(int value) {
    // Shared memory of a device function: one array for each instantiation.
    __shared__ int s[kThreads];
    s[threadIdx.x] = value;
    __syncthreads();  // every value is there
    int sum = kTag;
    for (int i = 0; i < kThreads; ++i) sum += s[i];
    __syncthreads();  // all have read before the array is used again
    return sum;
}

__global__ void device_function_kernel(int* out) {
    const int t = threadIdx.x;
    const int a = block_sum<0>(t);
    const int b = block_sum<1>(2 * t);
    const int c = block_sum<0>(1);
    out[t] = a * 100 + b * 10 + c;
}

__device__ void swap_halves(int* s, int count) {
    const int t = threadIdx.x;
    if (t < count / 2) {
        const int kept = s[t];
        s[t] = s[t + count / 2];
        s[t + count / 2] = kept;
    }
}

__global__ void pointer_kernel(int* out) {
    __shared__ int s[kThreads], offsets[2];
    const int t = threadIdx.x;
    s[t] = t;
    if (t < 2) offsets[t] = 100 * t;
    __syncthreads();  // s and offsets are complete
    swap_halves(s, kThreads);
    __syncthreads();  // the halves are swapped
    volatile int* v = s;
    out[t] = v[t] + offsets[t & 1];
}

__global__ void per_block_kernel(int* out) {
    // If two blocks shared one array, their counts would be mixed.
    __shared__ int count;
    if (threadIdx.x == 0) count = blockIdx.x * 1000;
    __syncthreads();  // count has its start value
    atomicAdd(&count, 1);
    __syncthreads();  // every thread is counted
    if (threadIdx.x == 0) out[blockIdx.x] = count;
}

__global__ void scopes_kernel(int* out) {
    const int t = threadIdx.x;
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        __shared__ int s[kThreads];
        s[t] = t + round;
        __syncthreads();  // this round's values are there
        sum += s[(t + 1) % kThreads];
        __syncthreads();  // all have read before the next round writes
    }
    {
        __shared__ int s[kThreads];  // another array of the same name
        s[t] = 1000 * t;
        __syncthreads();  // s is complete
        sum += s[(t + 2) % kThreads];
    }
    out[t] = sum;
}

__global__ void large_static_kernel(int* out) {
    __shared__ int s[48 * 1024 / sizeof(int)];
    constexpr int kCount = sizeof(s) / sizeof(s[0]);
    for (int i = threadIdx.x; i < kCount; i += blockDim.x) s[i] = i;
    __syncthreads();  // s is complete
    for (int i = threadIdx.x; i < kCount; i += blockDim.x) out[i] = s[kCount - 1 - i];
}

}  // namespace

TEST_CASE("shared: a static array, one for each block") {
    const int blocks = 5;
    std::vector<int> data = conformance::random_values<int>(blocks * kThreads, 2);
    DeviceArray<int> d_data(data);
    reverse_kernel<<<blocks, kThreads>>>(d_data.data());
    std::vector<int> expected(data.size());
    for (int b = 0; b < blocks; ++b)
        for (int t = 0; t < kThreads; ++t)
            expected[b * kThreads + t] = data[b * kThreads + kThreads - 1 - t];
    CHECK_SAME(d_data.download(), expected);

    DeviceArray<int> d_count(300);
    per_block_kernel<<<300, 40>>>(d_count.data());
    std::vector<int> counts(300);
    for (int b = 0; b < 300; ++b) counts[b] = 1000 * b + 40;
    CHECK_SAME(d_count.download(), counts);
}

TEST_CASE("shared: a plane, a cube and a scalar") {
    DeviceArray<int> d_out(kThreads);
    shapes_kernel<<<1, kThreads>>>(d_out.data());
    std::vector<int> expected(kThreads);
    for (int t = 0; t < kThreads; ++t) expected[t] = 1000 + 2 * ((t * 7 + 3) % kThreads);
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("shared: arrays of structs and of bytes") {
    DeviceArray<double> d_out(kThreads);
    structs_kernel<<<1, kThreads>>>(d_out.data());
    std::vector<double> expected(kThreads);
    for (int t = 0; t < kThreads; ++t) {
        const int u = kThreads - 1 - t;
        expected[t] = u * 1000 + u / 4.0 + (t + 1) % kThreads + ('a' + t % 3);
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("shared: every array is aligned for its type") {
    DeviceArray<int> d_misaligned(5);
    alignment_kernel<<<1, 1, 64>>>(d_misaligned.data());
    CHECK_SAME(d_misaligned.download(), std::vector<int>(5, 0));
}

TEST_CASE("shared: dynamic, declared at file scope") {
    for (const int n : {1, 31, 64, 1000, 12288}) {
        CAPTURE(n);
        const std::vector<int> in = conformance::random_values<int>(n, n);
        DeviceArray<int> d_in(in), d_out(n);
        dynamic_kernel<<<1, 128, n * sizeof(int)>>>(d_in.data(), d_out.data(), n);
        CHECK_SAME(d_out.download(), std::vector<int>(in.rbegin(), in.rend()));
    }
}

TEST_CASE("shared: more than 48 KB dynamic after cudaFuncSetAttribute, up to 227 KB") {
    const int n = 227 * 1024 / sizeof(int);
    REQUIRE_OK(cudaFuncSetAttribute(dynamic_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    n * int(sizeof(int))));
    const std::vector<int> in = conformance::random_values<int>(n, 7);
    DeviceArray<int> d_in(in), d_out(n);
    dynamic_kernel<<<1, 1024, n * sizeof(int)>>>(d_in.data(), d_out.data(), n);
    CHECK_SAME(d_out.download(), std::vector<int>(in.rbegin(), in.rend()));
}

TEST_CASE("shared: two arrays carved from one dynamic one") {
    const int n = 50;
    DeviceArray<double> d_out(n);
    carved_kernel<<<1, 64, n*(sizeof(double) + sizeof(int))>>>(d_out.data(), n);
    std::vector<double> expected(n);
    for (int t = 0; t < n; ++t) expected[t] = (n - 1 - t) / 8.0 + 3 * ((t + 1) % n);
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("shared: templates, static and dynamic, of several types") {
    std::vector<double> doubles(32);
    std::vector<unsigned char> bytes(32);
    std::vector<double> next_doubles(32);
    std::vector<unsigned char> next_bytes(32);
    for (int i = 0; i < 32; ++i) {
        doubles[i] = i * 1.5;
        bytes[i] = (unsigned char)(i * 5);
        next_doubles[i] = (i + 1) % 32 * 1.5;
        next_bytes[i] = (unsigned char)((i + 1) % 32 * 5);
    }
    DeviceArray<double> d_doubles(doubles);
    DeviceArray<unsigned char> d_bytes(bytes);
    template_dynamic_kernel<<<1, 32, 32 * sizeof(double)>>>(d_doubles.data(), 32);
    template_dynamic_kernel<unsigned char><<<1, 32, 32>>>(d_bytes.data(), 32);
    CHECK_SAME(d_doubles.download(), next_doubles);
    CHECK_SAME(d_bytes.download(), next_bytes);
    d_doubles.upload(doubles);
    d_bytes.upload(bytes);
    template_static_kernel<double, 32><<<1, 32>>>(d_doubles.data());
    template_static_kernel<unsigned char, 32><<<1, 32>>>(d_bytes.data());
    CHECK_SAME(d_doubles.download(), next_doubles);
    CHECK_SAME(d_bytes.download(), next_bytes);
}

TEST_CASE("shared: arrays of a device function, one for each instantiation") {
    DeviceArray<int> d_out(kThreads);
    device_function_kernel<<<1, kThreads>>>(d_out.data());
    const int sum = kThreads * (kThreads - 1) / 2;
    CHECK_SAME(d_out.download(),
               std::vector<int>(kThreads, sum * 100 + (2 * sum + 1) * 10 + kThreads));
}

TEST_CASE("shared: two declarators, pointers into it, volatile reads") {
    DeviceArray<int> d_out(kThreads);
    pointer_kernel<<<1, kThreads>>>(d_out.data());
    std::vector<int> expected(kThreads);
    for (int t = 0; t < kThreads; ++t) expected[t] = (t + kThreads / 2) % kThreads + 100 * (t & 1);
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("shared: arrays of inner scopes") {
    DeviceArray<int> d_out(kThreads);
    scopes_kernel<<<1, kThreads>>>(d_out.data());
    std::vector<int> expected(kThreads);
    for (int t = 0; t < kThreads; ++t)
        expected[t] = 3 * ((t + 1) % kThreads) + 3 + 1000 * ((t + 2) % kThreads);
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("shared: 48 KB static") {
    const int n = 48 * 1024 / sizeof(int);
    DeviceArray<int> d_out(n);
    large_static_kernel<<<1, 256>>>(d_out.data());
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) expected[i] = n - 1 - i;
    CHECK_SAME(d_out.download(), expected);
}
