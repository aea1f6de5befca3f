// Cooperative launches: all blocks are resident at once, so that the grid can synchronise.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

namespace cg = cooperative_groups;
using conformance::DeviceArray;

namespace {

__global__ void ring_kernel(int* front, int* back, int n, int rounds) {
    // Each round moves every value by one place; a block that runs ahead would move it twice.
    const cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; ++round) {
        for (int i = int(grid.thread_rank()); i < n; i += int(grid.size()))
            back[(i + 1) % n] = front[i] + 1;
        grid.sync();  // this round is complete everywhere
        int* const kept = front;
        front = back;
        back = kept;
    }
}

__global__ void identity_kernel(unsigned long long* out) {
    const cg::grid_group grid = cg::this_grid();
    const unsigned long long rank = grid.thread_rank();
    out[4 * rank] = rank;
    out[4 * rank + 1] = grid.size() * 1000 + grid.num_threads();
    out[4 * rank + 2] = grid.is_valid();
    out[4 * rank + 3] = grid.num_blocks() * 100 + grid.block_rank();
}

template <class T>
__global__ void sum_then_scale_kernel(const T* in, T* partial, T* out, int n) {
    __shared__ T s[64];
    const cg::grid_group grid = cg::this_grid();
    const cg::thread_block block = cg::this_thread_block();
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    s[threadIdx.x] = sum;
    block.sync();  // the threads' sums are there
    if (threadIdx.x == 0) {
        for (unsigned t = 1; t < blockDim.x; ++t) sum += s[t];
        partial[blockIdx.x] = sum;
    }
    grid.sync();  // the blocks' sums are there
    T total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * 2 + total;
}

__global__ void flag_chain_kernel(volatile int* flags, int* order) {
    // Block b waits for block b - 1, whichever of them started first.
    if (threadIdx.x != 0) return;
    const int b = int(gridDim.x) - 1 - int(blockIdx.x);
    while (b > 0 && flags[b - 1] == 0) __nanosleep(100);
    __threadfence();
    order[b] = b == 0 ? 1 : order[b - 1] + 1;
    __threadfence();
    flags[b] = 1;
}

__global__ void dynamic_shared_kernel(int* out) {
    extern __shared__ int s[];
    const cg::grid_group grid = cg::this_grid();
    s[threadIdx.x] = threadIdx.x + 1000 * blockIdx.x;
    grid.sync();  // every block has its own array
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

int blocks_that_fit(int per_multiprocessor) {
    cudaDeviceProp p;
    REQUIRE_OK(cudaGetDeviceProperties(&p, 0));
    return per_multiprocessor * p.multiProcessorCount;
}

}  // namespace

TEST_CASE("cooperative launch: values travel round a ring") {
    int per_multiprocessor = 0;
    REQUIRE_OK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, ring_kernel, 64, 0));
    for (const int blocks :
         {1, 2, 3,
          blocks_that_fit(per_multiprocessor) < 16 ? blocks_that_fit(per_multiprocessor) : 16}) {
        CAPTURE(blocks);
        int n = 1000, rounds = 13;
        std::vector<int> start = conformance::random_below<int>(n, 1000, 70), expected(n);
        for (int i = 0; i < n; ++i) expected[(i + rounds) % n] = start[i] + rounds;
        DeviceArray<int> d_front(start), d_back(n);
        int* front = d_front.data();
        int* back = d_back.data();
        void* arguments[] = {&front, &back, &n, &rounds};
        REQUIRE_OK(cudaLaunchCooperativeKernel(ring_kernel, blocks, 64, arguments));
        CHECK_SAME(d_back.download(), expected);
    }
}

TEST_CASE("cooperative launch: the grid's ranks and sizes") {
    const int blocks = 3, threads = 32;
    DeviceArray<unsigned long long> d_out(4 * blocks * threads);
    unsigned long long* out = d_out.data();
    void* arguments[] = {&out};
    REQUIRE_OK(
        cudaLaunchCooperativeKernel(identity_kernel, dim3(blocks), dim3(threads), arguments, 0, 0));
    std::vector<unsigned long long> expected;
    for (unsigned long long i = 0; i < blocks * threads; ++i) {
        for (const unsigned long long value : {i, 96096ull, 1ull, 300 + i / threads})
            expected.push_back(value);
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE_TEMPLATE("cooperative launch: a template kernel sums, then uses the sum", T, int,
                   double) {
    for (int n : {1, 31, 33, 1000}) {
        CAPTURE(n);
        std::vector<T> in(n), expected(n);
        T total = 0;
        for (int i = 0; i < n; ++i) total += in[i] = T(i % 17);
        for (int i = 0; i < n; ++i) expected[i] = in[i] * 2 + total;
        DeviceArray<T> d_in(in), d_partial(4), d_out(n);
        const T* in_pointer = d_in.data();
        T* partial = d_partial.data();
        T* out = d_out.data();
        void* arguments[] = {&in_pointer, &partial, &out, &n};
        REQUIRE_OK(cudaLaunchCooperativeKernel(sum_then_scale_kernel<T>, dim3(4), dim3(64),
                                               arguments, 0, nullptr));
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("cooperative launch: blocks wait for each other's flags with __nanosleep") {
    const int blocks = 4;
    DeviceArray<int> d_flags(std::vector<int>(blocks, 0)), d_order(blocks);
    volatile int* flags = d_flags.data();
    int* order = d_order.data();
    void* arguments[] = {&flags, &order};
    REQUIRE_OK(cudaLaunchCooperativeKernel(flag_chain_kernel, dim3(blocks), dim3(32), arguments));
    CHECK_SAME(d_order.download(), (std::vector<int>{1, 2, 3, 4}));
    CHECK_SAME(d_flags.download(), std::vector<int>(blocks, 1));
}

TEST_CASE("cooperative launch: dynamic shared memory") {
    DeviceArray<int> d_out(4 * 50);
    int* out = d_out.data();
    void* arguments[] = {&out};
    REQUIRE_OK(cudaLaunchCooperativeKernel(dynamic_shared_kernel, dim3(4), dim3(50), arguments,
                                           50 * sizeof(int), 0));
    std::vector<int> expected(4 * 50);
    for (int i = 0; i < 4 * 50; ++i) expected[i] = 49 - i % 50 + 1000 * (i / 50);
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("cooperative launch: 64 blocks of 256 threads are at once on every device") {
    DeviceArray<int> d_front(std::vector<int>(64 * 256, 5)), d_back(std::vector<int>(64 * 256, -1));
    int* front = d_front.data();
    int* back = d_back.data();
    int n = 64 * 256, rounds = 2;
    void* arguments[] = {&front, &back, &n, &rounds};
    REQUIRE_OK(cudaLaunchCooperativeKernel(ring_kernel, dim3(64), dim3(256), arguments));
    CHECK_SAME(d_front.download(), std::vector<int>(64 * 256, 7));
}

TEST_CASE("cooperative launch: a grid that cannot be there at once is refused") {
    int per_multiprocessor = 0;
    REQUIRE_OK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, ring_kernel, 1024, 0));
    const int fit = blocks_that_fit(per_multiprocessor);
    DeviceArray<int> d_front(std::vector<int>(8, 5)), d_back(std::vector<int>(8, -1));
    int* front = d_front.data();
    int* back = d_back.data();
    int n = 8, rounds = 1;
    void* arguments[] = {&front, &back, &n, &rounds};
    // The emulator reports only a few multiprocessors, and accepts what all those of its device
    // could hold.
    CHECK_ERROR(cudaLaunchCooperativeKernel(ring_kernel, dim3(256 * fit), dim3(1024), arguments),
                cudaErrorCooperativeLaunchTooLarge);
    CHECK_ERROR(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
    CHECK_SAME(d_back.download(), std::vector<int>(8, -1));
    const cudaError_t error =
        cudaLaunchCooperativeKernel(ring_kernel, dim3(1), dim3(1025), arguments);
    CHECK(conformance::is_wrong_shape(error));
    CHECK_ERROR(cudaGetLastError(), error);
    REQUIRE_OK(cudaLaunchCooperativeKernel(ring_kernel, dim3(1), dim3(1024), arguments));
    CHECK_SAME(d_back.download(), std::vector<int>(8, 6));
}
