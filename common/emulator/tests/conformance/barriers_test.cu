// Barriers of a block and of a warp, and fences.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

__global__ void relay_kernel(int* out, int rounds) {
    // In each round every thread reads its neighbour's last value: one missing or extra barrier, or
    // a thread that runs ahead, changes the answer.
    extern __shared__ int s[];
    const int t = threadIdx.x;
    const int neighbour = (t + 1) % blockDim.x;
    s[t] = t;
    __syncthreads();  // the start values are there
    for (int round = 0; round < rounds; ++round) {
        const int value = s[neighbour] + 1;
        __syncthreads();  // all have read
        s[t] = value;
        __syncthreads();  // all have written
    }
    out[blockIdx.x * blockDim.x + t] = s[t];
}

__device__ void step(int* s) {
    __syncthreads();  // the values of the last step are there
    const int value = s[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();  // all have read
    s[threadIdx.x] = value;
}

__global__ void barrier_in_function_kernel(int* out) {
    __shared__ int s[96];
    s[threadIdx.x] = threadIdx.x;
    for (int i = 0; i < 5; ++i) step(s);
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void uniform_branch_kernel(int* out, bool shift) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = t;
    if (shift) {
        __syncthreads();  // s is complete
        out[t] = s[(t + 1) % 64];
    } else {
        __syncthreads();  // s is complete
        out[t] = s[63 - t];
    }
}

__global__ void counting_barriers_kernel(const int* in, int* count, int* all, int* any) {
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    count[i] = __syncthreads_count(in[i]);
    all[i] = __syncthreads_and(in[i]);
    any[i] = __syncthreads_or(in[i]);
}

__global__ void count_orders_memory_kernel(int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = 3 * t;
    const int half = __syncthreads_count(t % 2);  // s is complete after it
    out[t] = s[63 - t] + half;
}

__global__ void until_done_kernel(int* rounds, const int* work) {
    // All threads leave the loop in the same round, when no thread has work left.
    int left = work[threadIdx.x];
    int round = 0;
    while (__syncthreads_or(left > 0)) {
        --left;
        ++round;
    }
    rounds[threadIdx.x] = round;
}

__global__ void warp_relay_kernel(int* out) {
    __shared__ int s[128];
    const int t = threadIdx.x;
    const int lane = t % 32;
    const int base = t - lane;
    s[t] = t;
    __syncwarp();  // the warp's values are there
    for (int round = 0; round < 10; ++round) {
        const int value = s[base + (lane + 1) % 32];
        __syncwarp();  // the warp has read
        s[t] = value + 100;
        __syncwarp();  // the warp has written
    }
    out[t] = s[t];
}

__global__ void part_warp_kernel(int* out) {
    // The two halves of a warp go through different numbers of barriers of their own.
    __shared__ int s[32];
    const int lane = threadIdx.x;
    s[lane] = lane;
    if (lane < 16) {
        for (int round = 0; round < 3; ++round) {
            __syncwarp(0x0000ffffu);  // the half's values are there
            const int value = s[(lane + 1) % 16];
            __syncwarp(0x0000ffffu);  // the half has read
            s[lane] = value;
        }
    } else {
        __syncwarp(0xffff0000u);  // the half's values are there
        const int value = s[16 + (lane + 5) % 16];
        __syncwarp(0xffff0000u);  // the half has read
        s[lane] = value;
    }
    __syncwarp();  // both halves are done
    out[lane] = s[31 - lane];
}

__global__ void warps_apart_kernel(int* out) {
    // Warps pass different numbers of warp barriers between two barriers of the block.
    __shared__ int s[128];
    const int t = threadIdx.x;
    int value = t;
    for (int round = 0; round < t / 32; ++round) {
        s[t] = value;
        __syncwarp();  // the warp's values are there
        value = s[t ^ 1] + 1;
        __syncwarp();  // the warp has read
    }
    __syncthreads();  // every warp is done with s
    s[t] = value;
    __syncthreads();  // s is complete
    out[t] = s[127 - t];
}

__global__ void fences_kernel(int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __threadfence_block();
    __syncwarp();  // s is complete
    out[threadIdx.x] = s[31 - threadIdx.x];
    __threadfence();
    __threadfence_system();
}

}  // namespace

TEST_CASE("barriers: a relay through shared memory, blocks of every size") {
    for (const int threads : {1, 2, 31, 32, 33, 64, 100, 255, 256, 257, 1000, 1024}) {
        CAPTURE(threads);
        const int blocks = 3, rounds = 20;
        DeviceArray<int> d_out(blocks * threads);
        relay_kernel<<<blocks, threads, threads * sizeof(int)>>>(d_out.data(), rounds);
        std::vector<int> expected(blocks * threads);
        for (int b = 0; b < blocks; ++b)
            for (int t = 0; t < threads; ++t)
                expected[b * threads + t] = (t + rounds) % threads + rounds;
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("barriers: in a device function") {
    DeviceArray<int> d_out(96);
    barrier_in_function_kernel<<<1, 96>>>(d_out.data());
    std::vector<int> expected(96);
    for (int t = 0; t < 96; ++t) expected[t] = (t + 5) % 96;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("barriers: in a branch that all threads take") {
    DeviceArray<int> d_out(64);
    std::vector<int> expected(64);
    for (const bool shift : {false, true}) {
        uniform_branch_kernel<<<1, 64>>>(d_out.data(), shift);
        for (int t = 0; t < 64; ++t) expected[t] = shift ? (t + 1) % 64 : 63 - t;
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("barriers: __syncthreads_count, _and, _or") {
    const int threads = 77, blocks = 4;
    for (const int kind : {0, 1, 2, 3}) {
        CAPTURE(kind);
        std::vector<int> in(threads * blocks);
        conformance::Random random(3);
        for (int& value : in)
            value = kind == 0 ? 0 : kind == 1 ? -5 : kind == 2 ? int(random.below(2)) : 1;
        if (kind == 3) in[50] = in[threads + 2] = 0;
        DeviceArray<int> d_in(in), d_count(in.size()), d_all(in.size()), d_any(in.size());
        counting_barriers_kernel<<<blocks, threads>>>(d_in.data(), d_count.data(), d_all.data(),
                                                      d_any.data());
        const std::vector<int> all = d_all.download(), any = d_any.download();
        std::vector<int> count(in.size());
        int wrong = 0;
        for (int i = 0; i < threads * blocks; ++i) {
            int block_count = 0;
            for (int t = 0; t < threads; ++t) block_count += in[i / threads * threads + t] != 0;
            count[i] = block_count;
            wrong +=
                (all[i] != 0) != (block_count == threads) || (any[i] != 0) != (block_count > 0);
        }
        CHECK_SAME(d_count.download(), count);
        CHECK(wrong == 0);
    }
}

TEST_CASE("barriers: __syncthreads_count is a barrier as well") {
    DeviceArray<int> d_out(64);
    count_orders_memory_kernel<<<1, 64>>>(d_out.data());
    std::vector<int> expected(64);
    for (int t = 0; t < 64; ++t) expected[t] = 3 * (63 - t) + 32;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("barriers: a loop that ends when no thread has work left") {
    const std::vector<int> work = conformance::random_below<int>(130, 37, 4);
    DeviceArray<int> d_work(work), d_rounds(130);
    until_done_kernel<<<1, 130>>>(d_rounds.data(), d_work.data());
    int most = 0;
    for (const int w : work) most = w > most ? w : most;
    CHECK_SAME(d_rounds.download(), std::vector<int>(130, most));
}

TEST_CASE("barriers: __syncwarp, whole warps") {
    DeviceArray<int> d_out(128);
    warp_relay_kernel<<<1, 128>>>(d_out.data());
    std::vector<int> expected(128);
    for (int t = 0; t < 128; ++t) expected[t] = t / 32 * 32 + (t % 32 + 10) % 32 + 1000;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("barriers: __syncwarp, parts of a warp") {
    DeviceArray<int> d_out(32);
    part_warp_kernel<<<1, 32>>>(d_out.data());
    std::vector<int> s(32), expected(32);
    for (int lane = 0; lane < 32; ++lane)
        s[lane] = lane < 16 ? (lane + 3) % 16 : 16 + (lane + 5) % 16;
    for (int lane = 0; lane < 32; ++lane) expected[lane] = s[31 - lane];
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("barriers: warps that wait different numbers of times meet at the block's barrier") {
    DeviceArray<int> d_out(128);
    warps_apart_kernel<<<1, 128>>>(d_out.data());
    std::vector<int> expected(128);
    for (int t = 0; t < 128; ++t) {
        const int u = 127 - t, rounds = u / 32;
        expected[t] = (rounds % 2 ? u ^ 1 : u) + rounds;
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("barriers: fences change no value") {
    DeviceArray<int> d_out(32);
    fences_kernel<<<1, 32>>>(d_out.data());
    std::vector<int> expected(32);
    for (int t = 0; t < 32; ++t) expected[t] = 31 - t;
    CHECK_SAME(d_out.download(), expected);
}
