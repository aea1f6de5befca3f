// Kernels, launches and shared variables as course material writes them.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

__global__ void default_kernel(int* out, int a, int b = 5) { out[threadIdx.x] = 10 * a + b; }

__global__ void shared_name(int* out) { *out = 7; }
__global__ void shared_name(int* out, int value) { *out = value; }
void shared_name() {}
__device__ int launches;
__global__ void no_parameters() { ++launches; }

template <class... Numbers>
__global__ void variadic_kernel(int* out, Numbers... numbers) {
    out[0] = (0 + ... + int(numbers));
}

__shared__ int file_scope[64];

__global__ void file_scope_kernel(int* out) {
    file_scope[threadIdx.x] = int(threadIdx.x);
    __syncthreads();  // file_scope is complete
    out[threadIdx.x] = file_scope[blockDim.x - 1 - threadIdx.x];
}

__global__ void union_kernel(int* out) {
    __shared__ union {
        float real[32];
        int bits[32];
    } both;
    both.real[threadIdx.x] = 1.0f;
    __syncthreads();  // both is complete
    out[threadIdx.x] = both.bits[threadIdx.x];
}

__global__ void arch_kernel(int* out) {
#if __CUDA_ARCH__ >= 700
    out[0] = 1;
    out[1] = __CUDA_ARCH__ >= 700;
#endif
}

__host__ __device__ int side() {
#ifdef __CUDA_ARCH__
    return 1;
#else
    return 2;
#endif
}

__global__ void side_kernel(int* out) { *out = side(); }

__host__ __device__ int less_than_zero(int i) {
#ifdef __CUDA_ARCH__
    const int none = 0;
    return i < 0 ? none : i;
#else
    if (i < 0) throw i;
    return i;
#endif
}

__global__ void less_than_zero_kernel(int* out) { *out = less_than_zero(-3); }

int copies, destructions;

struct Counted {
    int value;
    explicit Counted(int v) : value(v) {}
    __host__ __device__ Counted(const Counted& other) : value(other.value) {
#ifndef __CUDA_ARCH__
        ++copies;
#endif
    }
    __host__ __device__ ~Counted() {
#ifndef __CUDA_ARCH__
        ++destructions;
#endif
    }
};

__global__ void counted_kernel(int* out, Counted counted) {
    out[threadIdx.x] = counted.value + int(threadIdx.x);
    counted.value = 0;  // of this thread's bytes only
}

__managed__ int managed_sum = 3;

__global__ void managed_kernel() { atomicAdd(&managed_sum, 1); }

__global__ void ptx_kernel(unsigned* out) {
    unsigned lane, field, inserted, chosen;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(0x12345678u), "r"(8), "r"(8));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(inserted) : "r"(0xffu), "r"(0u), "r"(4), "r"(4));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(chosen) : "r"(0xf0f0u), "r"(0xff00u), "r"(0xccccu));
    unsigned* const own = out + 4 * threadIdx.x;
    own[0] = lane;
    own[1] = field;
    own[2] = inserted;
    own[3] = chosen;
}

void CUDART_CB add_seven(cudaStream_t, cudaError_t status, void* data) {
    if (status == cudaSuccess) *static_cast<int*>(data) += 7;
}

#if CUDART_VERSION >= 13000
__global__ void one_thread_kernel(int* out) { out[blockIdx.x] = 10 * gridDim.x + blockDim.x; }
#endif

}  // namespace

TEST_CASE("launch forms: a parameter with a default") {
    DeviceArray<int> d_out(2);
    default_kernel<<<1, 2>>>(d_out.data(), 3);
    CHECK_SAME(d_out.download(), (std::vector<int>{35, 35}));
    default_kernel<<<1, 2>>>(d_out.data(), 3, 1);
    CHECK_SAME(d_out.download(), (std::vector<int>{31, 31}));
}

TEST_CASE("launch forms: kernels and a function of the host have one name") {
    DeviceArray<int> d_out(1);
    shared_name<<<1, 1>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<int>{7}));
    shared_name<<<1, 1>>>(d_out.data(), 9);
    CHECK_SAME(d_out.download(), (std::vector<int>{9}));
    shared_name();
    int count = 0;
    REQUIRE_OK(cudaMemcpyToSymbol(launches, &count, sizeof count));
    no_parameters<<<1, 1>>>();
    REQUIRE_OK(cudaMemcpyFromSymbol(&count, launches, sizeof count));
    CHECK(count == 1);
}

TEST_CASE("launch forms: any number of parameters") {
    DeviceArray<int> d_out(1);
    variadic_kernel<<<1, 1>>>(d_out.data(), 1, 2.0f, 3L);
    CHECK_SAME(d_out.download(), (std::vector<int>{6}));
}

// clang-format off
TEST_CASE("launch forms: as tools write them that do not know CUDA") {
    DeviceArray<int> d_out(1);
    default_kernel<<<1, 1 >> >(d_out.data(), 2, 2);
    CHECK_SAME(d_out.download(), (std::vector<int>{22}));
}
// clang-format on

TEST_CASE("launch forms: a shared variable outside of functions, and one of an unnamed union") {
    DeviceArray<int> d_out(32);
    file_scope_kernel<<<1, 32>>>(d_out.data());
    const std::vector<int> reversed = d_out.download();
    for (int i = 0; i < 32; ++i) CHECK(reversed[i] == 31 - i);
    union_kernel<<<1, 32>>>(d_out.data());
    CHECK_SAME(d_out.download(), std::vector<int>(32, 0x3f800000));
}

TEST_CASE("launch forms: __CUDA_ARCH__ is the device's in a kernel, and none on the host") {
    DeviceArray<int> d_out(std::vector<int>{0, 0});
    arch_kernel<<<1, 1>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<int>{1, 1}));
    DeviceArray<int> d_side(1);
    side_kernel<<<1, 1>>>(d_side.data());
    CHECK(d_side.download()[0] == 1);
    CHECK(side() == 2);
    less_than_zero_kernel<<<1, 1>>>(d_side.data());
    CHECK(d_side.download()[0] == 0);
    CHECK(less_than_zero(3) == 3);
    CHECK_THROWS_AS(less_than_zero(-3), int);
#ifdef __CUDA_ARCH__
    CHECK(false);
#endif
}

TEST_CASE("launch forms: a parameter is copied once on the host, and as bytes for threads") {
    copies = destructions = 0;
    DeviceArray<int> d_out(64);
    {
        const Counted counted(100);
        counted_kernel<<<1, 64>>>(d_out.data(), counted);
        const std::vector<int> out = d_out.download();
        for (int i = 0; i < 64; ++i) CHECK(out[i] == 100 + i);
    }
    CHECK(copies == 1);
    CHECK(destructions == 2);
}

TEST_CASE("launch forms: a managed variable belongs to both sides") {
    managed_sum = 3;
    managed_kernel<<<2, 32>>>();
    REQUIRE_OK(cudaDeviceSynchronize());
    CHECK(managed_sum == 67);
}

TEST_CASE("launch forms: inline PTX that courses use") {
    DeviceArray<unsigned> d_out(4 * 32);
    ptx_kernel<<<1, 32>>>(d_out.data());
    const std::vector<unsigned> out = d_out.download();
    for (unsigned i = 0; i < 32; ++i) {
        CHECK(out[4 * i] == i);
        CHECK(out[4 * i + 1] == 0x56u);
        CHECK(out[4 * i + 2] == 0xf0u);
        CHECK(out[4 * i + 3] == ((0xf0f0u & 0xff00u) | (0xf0f0u & 0xccccu) | (0xff00u & 0xccccu)));
    }
}

TEST_CASE("launch forms: a callback in a stream, and a kernel given as void*") {
    int value = 1;
    REQUIRE_OK(cudaStreamAddCallback(nullptr, add_seven, &value, 0));
    REQUIRE_OK(cudaDeviceSynchronize());
    CHECK(value == 8);

    DeviceArray<int> d_out(1);
    int* out = d_out.data();
    int a = 4, b = 2;
    void* arguments[] = {&out, &a, &b};
    REQUIRE_OK(cudaLaunchKernel((void*)default_kernel, dim3(1), dim3(1), arguments, 0, nullptr));
    CHECK_SAME(d_out.download(), (std::vector<int>{42}));
}

#if CUDART_VERSION >= 13000
TEST_CASE("launch forms: a grid alone has blocks of one thread") {
    DeviceArray<int> d_out(3);
    one_thread_kernel<<<3>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<int>{31, 31, 31}));
}
#endif
