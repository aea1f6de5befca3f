// What the emulator counts, on kernels whose counts are known.
#include <cuda_runtime.h>

#include <cooperative_groups.h>
#include <emulator/counters.hpp>
#include <vector>

#include "../device_array.hpp"
#include "fault.hpp"

namespace cg = cooperative_groups;
using conformance::DeviceArray;
using emulator_test::CleanDevice;

namespace {

constexpr unsigned kFull = 0xffffffffu;

__global__ void tree_kernel(int* out) {
    // 128 threads: 1 + 7 barriers in each block.
    __shared__ int s[128];
    s[threadIdx.x] = 1;
    __syncthreads();  // s is complete
    for (int half = 64; half > 0; half /= 2) {
        if (int(threadIdx.x) < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();  // this level is added
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void shuffle_kernel(int* out) {
    // Five shuffles of a whole warp, and one of the lower half only.
    int sum = 1;
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(kFull, sum, distance);
    if (threadIdx.x % 32 < 16) sum = __shfl_sync(0xffffu, sum, 0);
    out[threadIdx.x] = sum;
}

__global__ void votes_kernel(int* out) {
    const int t = threadIdx.x;
    int sum = __any_sync(kFull, t == 3) + __popc(__ballot_sync(kFull, t & 1));
    sum += __reduce_add_sync(kFull, 1);
    __syncwarp();
    if (t < 4) __syncwarp(0xfu);
    out[t] = sum;
}

__global__ void atomics_kernel(int* sum) {
    atomicAdd(sum, 1);
    if (threadIdx.x < 10) atomicMax(sum + 1, int(threadIdx.x));
}

__global__ void grid_kernel(int rounds) {
    for (int round = 0; round < rounds; ++round) cg::this_grid().sync();
}

}  // namespace

TEST_CASE("counters: launches, blocks, threads and barriers") {
    const CleanDevice clean;
    DeviceArray<int> d_out(6);
    emulator::reset_counts();
    tree_kernel<<<dim3(3, 2), 128>>>(d_out.data());
    const emulator::Counts counts = emulator::last_launch_counts();
    CHECK(counts.launches == 1);
    CHECK(counts.blocks == 6);
    CHECK(counts.threads == 6 * 128);
    CHECK(counts.block_barriers == 6 * 8);
    CHECK(counts.barrier_arrivals == 6 * 8 * 128);
    CHECK(counts.shuffles == 0);
    CHECK(counts.votes == 0);
    CHECK(counts.warp_barriers == 0);
    CHECK(counts.atomics == 0);
    CHECK(counts.grid_barriers == 0);
    CHECK(d_out.download()[0] == 128);
}

TEST_CASE("counters: shuffles, for each group of lanes and for each lane") {
    const CleanDevice clean;
    DeviceArray<int> d_out(96);
    shuffle_kernel<<<1, 96>>>(d_out.data());
    const emulator::Counts counts = emulator::last_launch_counts();
    CHECK(counts.shuffles == 3 * 6);
    CHECK(counts.shuffle_lanes == 3 * (5 * 32 + 16));
    CHECK(counts.block_barriers == 0);
}

TEST_CASE("counters: votes and warp barriers") {
    const CleanDevice clean;
    DeviceArray<int> d_out(32);
    votes_kernel<<<1, 32>>>(d_out.data());
    const emulator::Counts counts = emulator::last_launch_counts();
    CHECK(counts.votes == 3);
    CHECK(counts.vote_lanes == 3 * 32);
    CHECK(counts.warp_barriers == 2);
    CHECK(counts.warp_barrier_lanes == 36);
}

TEST_CASE("counters: atomics, one for each thread") {
    const CleanDevice clean;
    DeviceArray<int> d_sum(std::vector<int>(2, 0));
    atomics_kernel<<<5, 40>>>(d_sum.data());
    CHECK(emulator::last_launch_counts().atomics == 5 * (40 + 10));
}

TEST_CASE("counters: grid barriers, one for the grid") {
    const CleanDevice clean;
    int rounds = 7;
    void* arguments[] = {&rounds};
    REQUIRE(cudaLaunchCooperativeKernel(grid_kernel, dim3(3), dim3(32), arguments) == cudaSuccess);
    const emulator::Counts counts = emulator::last_launch_counts();
    CHECK(counts.grid_barriers == 7);
    CHECK(counts.blocks == 3);
}

TEST_CASE("counters: totals add up until they are reset") {
    const CleanDevice clean;
    DeviceArray<int> d_out(32);
    emulator::reset_counts();
    for (int launch = 0; launch < 4; ++launch) tree_kernel<<<2, 128>>>(d_out.data());
    CHECK(emulator::total_counts().launches == 4);
    CHECK(emulator::total_counts().blocks == 8);
    CHECK(emulator::total_counts().block_barriers == 64);
    CHECK(emulator::last_launch_counts().blocks == 2);
    emulator::reset_counts();
    CHECK(emulator::total_counts().launches == 0);
    CHECK(emulator::total_counts().threads == 0);
}

TEST_CASE("counters: a refused launch counts nothing") {
    const CleanDevice clean;
    emulator::reset_counts();
    grid_kernel<<<1, 1025>>>(1);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(emulator::total_counts().launches == 0);
    CHECK(emulator::total_counts().threads == 0);
}
