// Threads that do not reach the same barrier or collective: each report says which wait where.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "fault.hpp"

namespace cg = cooperative_groups;
using emulator_test::at;
using emulator_test::device_ints;
using emulator_test::fault_of;

namespace {

constexpr const char* kFile = "divergence_test.cu";

constexpr int kHalfLine = __LINE__ + 2;
__global__ void half_barrier_kernel() {
    if (threadIdx.x < 128) __syncthreads();  // the other half returns
}

constexpr int kFirstLine = __LINE__ + 4;
constexpr int kSecondLine = kFirstLine + 2;
__global__ void two_lines_kernel() {
    if (threadIdx.x < 32) {
        __syncthreads();  // not the other half's
    } else {
        __syncthreads();  // not the first half's
    }
}

constexpr int kOddLine = __LINE__ + 2;
__global__ void odd_threads_kernel(int block) {
    if (int(blockIdx.x) != block || threadIdx.x % 2 == 1) __syncthreads();  // even ones return
}

constexpr int kLoopLine = __LINE__ + 3;
__global__ void loop_kernel() {
    for (unsigned i = 0; i <= threadIdx.x / 32; ++i) {
        __syncthreads();  // the first warp passes it once, the second one twice
    }
}

constexpr int kCountLine = __LINE__ + 2;
__global__ void count_kernel(int* out) {
    if (threadIdx.x != 7) out[threadIdx.x] = __syncthreads_count(1);  // 7 is missing
}

constexpr int kShuffleLine = __LINE__ + 5;
constexpr int kBarrierLine = kShuffleLine + 2;
__global__ void shuffle_or_barrier_kernel(int* out) {
    const int lane = threadIdx.x;
    if (lane < 8) {
        out[lane] = __shfl_sync(0xffffffffu, lane, 0);
    } else {
        __syncthreads();  // lanes 0 to 7 never reach this
    }
}

constexpr int kOtherMaskLine = __LINE__ + 3;
__global__ void other_masks_kernel(int* out) {
    const unsigned mask = threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u;
    out[threadIdx.x] = __shfl_xor_sync(mask, threadIdx.x, 1);
    __syncwarp();  // the upper half waits for the lower one
}

constexpr int kStrangerLine = __LINE__ + 2;
__global__ void stranger_kernel(int* out) {
    if (threadIdx.x == 5) out[0] = __any_sync(0x0fu, 1);  // lane 5 is not in the mask
}

constexpr int kGoneLine = __LINE__ + 3;
__global__ void gone_kernel(int* out) {
    if (threadIdx.x >= 40) return;
    out[threadIdx.x] = int(__ballot_sync(0xffffffffu, 1));  // lanes 8 to 31 of warp 1 returned
}

constexpr int kUpLine = __LINE__ + 5;
constexpr int kDownLine = kUpLine + 2;
__global__ void two_shuffles_kernel(int* out) {
    const int lane = threadIdx.x;
    if (lane % 2 == 0) {
        out[lane] = __shfl_up_sync(0xffffffffu, lane, 2);
    } else {
        out[lane] = __shfl_down_sync(0xffffffffu, lane, 2);
    }
}

constexpr int kWidthLine = __LINE__ + 2;
__global__ void width_kernel(int* out) {
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, threadIdx.x, 1, 5);
}

constexpr int kWarpLine = __LINE__ + 2;
__global__ void half_warp_kernel() {
    if (threadIdx.x < 16) __syncwarp(0x0001ffffu);  // lane 16 is named, but does not reach this
    __syncthreads();                                // lane 16 waits here
}

constexpr int kGridLine = __LINE__ + 2;
__global__ void block_leaves_kernel() {
    if (blockIdx.x != 2) cg::this_grid().sync();  // block 2 returns
}

__global__ void first_block_leaves_kernel() {
    if (blockIdx.x != 0) cg::this_grid().sync();  // block 0 returns
}

constexpr int kPartGridLine = __LINE__ + 2;
__global__ void thread_leaves_kernel() {
    if (threadIdx.x != 3) cg::this_grid().sync();  // thread 3 returns
}

constexpr int kMixedLine = __LINE__ + 3;
__global__ void grid_or_block_kernel() {
    if (threadIdx.x < 8) {
        cg::this_grid().sync();
    } else {
        __syncthreads();  // threads 0 to 7 never reach this
    }
}

__global__ void match_or_reduce_kernel(unsigned* out) {
    if (threadIdx.x < 4) {
        out[0] = __match_any_sync(0xffffffffu, 1);
    } else if (threadIdx.x < 8) {
        int all = 0;
        out[1] = __match_all_sync(0xffffffffu, 1, &all);
    } else {
        out[2] = __reduce_add_sync(0xffffffffu, 1u);
    }
}

constexpr int kTileLine = __LINE__ + 3;
__global__ void tile_kernel(int* out) {
    const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    if (threadIdx.x != 6) out[threadIdx.x] = tile.shfl(int(threadIdx.x), 0);
    __syncthreads();  // thread 6 waits here
}

}  // namespace

TEST_CASE("divergence: half the threads of a block return before a barrier") {
    const emulator::Report report = fault_of([] { half_barrier_kernel<<<1, 256>>>(); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK(report.file == kFile);
    CHECK(report.line == kHalfLine);
    CHECK_SAYS(report, "divergent barrier in kernel ");
    CHECK_SAYS(report, "half_barrier_kernel");
    CHECK_SAYS(report, "block (0,0,0): threads 0..127 wait at the barrier of " +
                           at(kFile, kHalfLine) +
                           "; threads 128..255 ended without reaching the barrier.");
    CHECK_SAYS(report, "All threads of a block must reach the same __syncthreads().");
}

TEST_CASE("divergence: barriers of two lines") {
    const emulator::Report report = fault_of([] { two_lines_kernel<<<1, 64>>>(); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK_SAYS(report, "threads 0..31 wait at the barrier of " + at(kFile, kFirstLine) +
                           "; threads 32..63 wait at the barrier of " + at(kFile, kSecondLine));
}

TEST_CASE("divergence: the block that diverges is named, and so is every second thread") {
    const emulator::Report report =
        fault_of([] { odd_threads_kernel<<<dim3(3, 2), dim3(4, 2)>>>(2); });
    CHECK_SAYS(report, "block (2,");
    CHECK_SAYS(report, "1, 3");
    CHECK_SAYS(report, "wait at the barrier of " + at(kFile, kOddLine));
    CHECK_SAYS(report, "ended without reaching the barrier");
}

TEST_CASE("divergence: a barrier in a loop that ends early for some") {
    const emulator::Report report = fault_of([] { loop_kernel<<<1, 64>>>(); });
    CHECK_SAYS(
        report,
        "threads 0..31 ended without reaching the barrier; threads 32..63 wait at the barrier of " +
            at(kFile, kLoopLine));
}

TEST_CASE("divergence: __syncthreads_count with a thread missing") {
    const emulator::Report report = fault_of([] { count_kernel<<<1, 33>>>(device_ints(33)); });
    CHECK_SAYS(report, "threads 0..6, 8..32 wait at the barrier of " + at(kFile, kCountLine) +
                           "; thread 7 ended without reaching the barrier.");
}

TEST_CASE("divergence: a deadlock of a shuffle and a barrier") {
    const emulator::Report report =
        fault_of([] { shuffle_or_barrier_kernel<<<1, 32>>>(device_ints(32)); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK_SAYS(report, "deadlock in kernel");
    CHECK_SAYS(report, "threads 0..7 wait at the shuffle of " + at(kFile, kShuffleLine) +
                           " (mask 0xffffffff); threads 8..31 wait at the barrier of " +
                           at(kFile, kBarrierLine));
}

TEST_CASE("divergence: two masks that do not agree") {
    const emulator::Report report =
        fault_of([] { other_masks_kernel<<<1, 32>>>(device_ints(32)); });
    CHECK_SAYS(report, "mask 0xffffffff: lanes 0..15 at the shuffle of " +
                           at(kFile, kOtherMaskLine) + "; lanes 16..31 at the __syncwarp of " +
                           at(kFile, kOtherMaskLine + 1));
}

TEST_CASE("divergence: a mask without the calling lane") {
    const emulator::Report report = fault_of([] { stranger_kernel<<<1, 32>>>(device_ints(1)); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK(report.line == kStrangerLine);
    CHECK_SAYS(report, "vote at " + at(kFile, kStrangerLine) + " in kernel ");
    CHECK_SAYS(report,
               "block (0,0,0), thread (5,0,0): the mask 0x0000000f does not name the "
               "calling lane 5.");
}

TEST_CASE("divergence: a mask with lanes that have ended") {
    // Forward, the lanes wait before the others return; in reverse, the others are gone already.
    emulator::Report report = fault_of([] { gone_kernel<<<1, 64>>>(device_ints(64)); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK_SAYS(report, "incomplete warp collective in kernel ");
    CHECK_SAYS(report,
               "threads 0..31, 40..63 ended without reaching the vote; threads 32..39 wait at the "
               "vote of " +
                   at(kFile, kGoneLine) + " (mask 0xffffffff)");
    CHECK_SAYS(report, "All lanes named in a mask must reach that collective with the same mask.");
    report = fault_of([] {
        emulator::set_order(emulator::Order::reverse);
        gone_kernel<<<1, 64>>>(device_ints(64));
    });
    CHECK(report.file == kFile);
    CHECK(report.line == kGoneLine);
    CHECK_SAYS(report,
               "block (0,0,0), thread (39,0,0): the mask 0xffffffff names lanes 8..31 of "
               "warp 1, which have ended.");
}

TEST_CASE("divergence: two different shuffles of one mask") {
    const emulator::Report report =
        fault_of([] { two_shuffles_kernel<<<1, 32>>>(device_ints(32)); });
    CHECK_SAYS(report, "different warp collectives in kernel ");
    CHECK_SAYS(report, "shuffle of " + at(kFile, kUpLine));
    CHECK_SAYS(report, "shuffle of " + at(kFile, kDownLine));
    CHECK_SAYS(report, "All lanes of a mask must reach the same call.");
}

TEST_CASE("divergence: a shuffle with an impossible width") {
    const emulator::Report report = fault_of([] { width_kernel<<<1, 32>>>(device_ints(32)); });
    CHECK_SAYS(report, "shuffle with width 5 at " + at(kFile, kWidthLine));
    CHECK_SAYS(report, "it must be 1, 2, 4, 8, 16 or 32");
}

TEST_CASE("divergence: an incomplete __syncwarp") {
    const emulator::Report report = fault_of([] { half_warp_kernel<<<1, 32>>>(); });
    CHECK_SAYS(report, "threads 0..15 wait at the __syncwarp of " + at(kFile, kWarpLine) +
                           " (mask 0x0001ffff)");
}

TEST_CASE("divergence: a tile without one of its threads") {
    const emulator::Report report = fault_of([] { tile_kernel<<<1, 8>>>(device_ints(8)); });
    CHECK_SAYS(report, "threads 4..5, 7 wait at the shuffle of " + at(kFile, kTileLine) +
                           " (mask 0x000000f0)");
}

TEST_CASE("divergence: a block that does not reach the grid's barrier") {
    const emulator::Report report = fault_of(
        [] { cudaLaunchCooperativeKernel(block_leaves_kernel, dim3(4), dim3(32), nullptr); });
    CHECK(report.code == cudaErrorLaunchFailure);
    CHECK_SAYS(report, "divergent grid barrier in kernel ");
    CHECK_SAYS(report, "3 blocks wait at the grid barrier of " + at(kFile, kGridLine) +
                           "; 1 ended without reaching it.");
    CHECK_SAYS(report, "All threads of the grid must reach the same grid.sync().");
}

TEST_CASE("divergence: a thread that does not reach the grid's barrier") {
    const emulator::Report report = fault_of(
        [] { cudaLaunchCooperativeKernel(thread_leaves_kernel, dim3(2), dim3(8), nullptr); });
    CHECK_SAYS(report, "threads 0..2, 4..7 wait at the grid barrier of " +
                           at(kFile, kPartGridLine) +
                           "; thread 3 ended without reaching the grid barrier.");
}

TEST_CASE("divergence: grid.sync() in a launch that is not cooperative") {
    const emulator::Report report = fault_of([] { thread_leaves_kernel<<<2, 8>>>(); });
    CHECK_SAYS(report, "grid.sync() at " + at(kFile, kPartGridLine));
    CHECK_SAYS(report, "not launched with cudaLaunchCooperativeKernel");
}

TEST_CASE("divergence: the first block does not reach the grid's barrier") {
    for (const emulator::Order order : {emulator::Order::forward, emulator::Order::reverse}) {
        const emulator::Report report = fault_of([&] {
            emulator::set_order(order);
            cudaLaunchCooperativeKernel(first_block_leaves_kernel, dim3(4), dim3(32), nullptr);
        });
        CHECK_SAYS(report, "3 blocks wait at the grid barrier of ");
        CHECK_SAYS(report, "; 1 ended without reaching it.");
    }
}

TEST_CASE("divergence: the grid's barrier and the block's") {
    const emulator::Report report = fault_of(
        [] { cudaLaunchCooperativeKernel(grid_or_block_kernel, dim3(1), dim3(16), nullptr); });
    CHECK_SAYS(report,
               "deadlock in kernel grid_or_block_kernel, block (0,0,0): threads 0..7 wait "
               "at the grid barrier of " +
                   at(kFile, kMixedLine) + "; threads 8..15 wait at the barrier of " +
                   at(kFile, kMixedLine + 2));
    CHECK_SAYS(report, "All threads of a block must reach the same barrier.");
}

TEST_CASE("divergence: three kinds of collectives of one mask, each by its name") {
    const emulator::Report report = fault_of(
        [] { match_or_reduce_kernel<<<1, 32>>>(reinterpret_cast<unsigned*>(device_ints(3))); });
    CHECK_SAYS(report, "lanes 0..3 at the __match_any_sync of ");
    CHECK_SAYS(report, "lanes 4..7 at the __match_all_sync of ");
    CHECK_SAYS(report, "lanes 8..31 at the __reduce_*_sync of ");
}
