// Threads that wait for another thread's flag: found if they cannot continue.
#include <cuda_runtime.h>

#include <chrono>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "fault.hpp"

using conformance::DeviceArray;
using emulator_test::at;
using emulator_test::CleanDevice;
using emulator_test::device_ints;
using emulator_test::fault_of;

namespace {

constexpr const char* kFile = "waiting_test.cu";

__global__ void spin_kernel(volatile int* flag) {
    // Thread 0 waits without yielding, so thread 1 never runs: its loop does more than wait.
    if (threadIdx.x == 0) {
        while (flag[0] == 0) {
            flag[1] = flag[1] + 1;
        }
    } else {
        *flag = 1;
    }
}

/// Waits for one flag after the other, each in another form, without __nanosleep().
__device__ void wait_for_all(volatile int* flags, int* locks) {
    while (flags[0] == 0) {
    }
    while (*(flags + 1) == 0)
        ;
    int seen = 0;
    do {
        seen = flags[2];
    } while (seen == 0);
    for (;;) {
        const int state = flags[3];
        if (state != 0) break;
    }
    for (int polls = 0; flags[4] == 0;) ++polls;
    while (atomicAdd(&locks[0], 0) < 1) {
    }
    while (atomicCAS(&locks[1], 1, 2) != 1) continue;
    while (true) {
        if (flags[5] != 0) return;
        __threadfence();
    }
}

constexpr int kFlags = 6, kLocks = 2;
__global__ void wait_kernel(volatile int* flags, int* locks, int setter, int* done) {
    const int number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (number == setter) {
        for (int i = 0; i < kFlags; ++i) flags[i] = 1;
        for (int i = 0; i < kLocks; ++i) atomicExch(&locks[i], 1);
    } else if (number == 1) {
        wait_for_all(flags, locks);
        *done = 1;
    }
}

constexpr int kNeverLine = __LINE__ + 2;
__global__ void never_kernel(volatile int* flag) {
    while (*flag == 0) __nanosleep(20);  // it is never set
}

__global__ void sleep_kernel(volatile int* flag, int* order) {
    // The last thread sets the flag; the others yield until it does.
    if (threadIdx.x == blockDim.x - 1) {
        *flag = 1;
        order[threadIdx.x] = 1;
    } else {
        while (*flag == 0) __nanosleep(20);
        order[threadIdx.x] = 2;
    }
}

__global__ void blocks_kernel(volatile int* flag, int* order) {
    // Block 0 waits for a later block: other blocks start while it waits.
    if (threadIdx.x != 0) return;
    if (blockIdx.x == gridDim.x - 1) {
        *flag = 1;
    } else {
        while (*flag == 0) __nanosleep(20);
    }
    order[blockIdx.x] = 3;
}

/// Every barrier is progress, and no thread ever returns.
__global__ void rounds_kernel(volatile int* flag) {
    while (flag[0] == 0) __syncthreads();
}

__global__ void long_kernel(int* out, int rounds) {
    unsigned sum = 0;
    for (int i = 0; i < rounds; ++i) sum += unsigned(i) ^ sum;
    out[threadIdx.x] = int(sum);
}

__device__ unsigned work(int rounds) {
    unsigned sum = 0;
    for (int i = 0; i < rounds; ++i) sum += unsigned(i) ^ sum;
    return sum;
}

__global__ void poll_kernel(volatile int* flag, unsigned* polls, int rounds) {
    if (blockIdx.x == 0) {
        polls[1] = work(rounds);  // while it works, another worker takes block 1
        for (; *flag == 0; ++polls[0]) __nanosleep(20);
    } else {
        *flag = int(work(4 * rounds) | 1);
    }
}

}  // namespace

TEST_CASE("waiting: a loop that never gives way is ended, and the way out named") {
    const emulator::Report report = fault_of([] {
        emulator::set_time_limit(0.3);
        spin_kernel<<<1, 2>>>(device_ints(1));
    });
    CHECK(report.code == cudaErrorLaunchTimeout);
    CHECK_SAYS(report, "no progress for 0.3 s in kernel ");
    CHECK_SAYS(report, "spin_kernel");
    CHECK_SAYS(report, "thread 0 running");
    CHECK_SAYS(report, "must call __nanosleep()");
    CHECK_SAYS(report, "TUTORIAL_CPU_TIME_LIMIT");
}

TEST_CASE("waiting: for a flag that nobody sets") {
    const emulator::Report report = fault_of([] {
        emulator::set_time_limit(0.3);
        never_kernel<<<2, 3>>>(device_ints(1));
    });
    CHECK(report.code == cudaErrorLaunchTimeout);
    CHECK_SAYS(report, "threads 0..2 wait in the loop of " + at(kFile, kNeverLine));
    CHECK_SAYS(report, "What they wait for never happens.");
}

TEST_CASE("waiting: one thread alone waits no longer than several") {
    const emulator::Report report = fault_of([] {
        emulator::set_time_limit(0.3);
        never_kernel<<<1, 1>>>(device_ints(1));
    });
    CHECK(report.code == cudaErrorLaunchTimeout);
    CHECK_SAYS(report, "no progress for 0.3 s in kernel ");
    CHECK_SAYS(report, "thread 0 waits in the loop of " + at(kFile, kNeverLine));
}

TEST_CASE("waiting: a loop with a barrier in each round that never ends") {
    const emulator::Report report = fault_of([] {
        emulator::set_time_limit(0.05);
        int* const flag = device_ints(1);
        cudaMemset(flag, 0, sizeof(int));
        rounds_kernel<<<2, 64>>>(flag);
    });
    CHECK(report.code == cudaErrorLaunchTimeout);
    CHECK_SAYS(report, "no thread has ended for 0.75 s in kernel ");
    CHECK_SAYS(report, "15 times TUTORIAL_CPU_TIME_LIMIT");
}

TEST_CASE("waiting: a launch right after one that was ended has a time limit of its own") {
    static_cast<void>(fault_of([] {
        emulator::set_time_limit(0.3);
        never_kernel<<<2, 3>>>(device_ints(1));
    }));
    const auto begin = std::chrono::steady_clock::now();
    const emulator::Report report = fault_of([] {
        emulator::set_time_limit(0.3);
        spin_kernel<<<1, 2>>>(device_ints(1));
    });
    CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(300));
    CHECK_SAYS(report, "thread 0 running");
}

TEST_CASE("waiting: a loop that only waits gives way by itself") {
    for (const emulator::Order order :
         {emulator::Order::forward, emulator::Order::reverse, emulator::Order::shuffle}) {
        for (const int setter : {0, 2, 33, 64, 70}) {
            const CleanDevice clean;
            emulator::set_order(order, 5);
            DeviceArray<int> d_flags(std::vector<int>(kFlags + kLocks, 0));
            DeviceArray<int> d_done(std::vector<int>{0});
            wait_kernel<<<2, 64>>>(d_flags.data(), d_flags.data() + kFlags, setter, d_done.data());
            CHECK_SAME(d_done.download(), std::vector<int>{1});
        }
    }
}

TEST_CASE("waiting: with __nanosleep the flag comes, in every order of threads") {
    for (const emulator::Order order :
         {emulator::Order::forward, emulator::Order::reverse, emulator::Order::shuffle}) {
        const CleanDevice clean;
        emulator::set_order(order, 5);
        std::vector<int> expected(96, 2);
        expected[95] = 1;
        DeviceArray<int> d_flag(std::vector<int>{0}), d_order(96);
        sleep_kernel<<<1, 96>>>(d_flag.data(), d_order.data());
        CHECK_SAME(d_order.download(), expected);
    }
}

TEST_CASE("waiting: for another block of the same launch") {
    const CleanDevice clean;
    DeviceArray<int> d_flag(std::vector<int>{0}), d_order(4);
    blocks_kernel<<<4, 32>>>(d_flag.data(), d_order.data());
    CHECK_SAME(d_order.download(), std::vector<int>(4, 3));
}

TEST_CASE("waiting: another worker's block is polled now and then, since each poll is counted") {
    const CleanDevice clean;
    DeviceArray<int> d_flag(std::vector<int>{0});
    DeviceArray<unsigned> d_polls(std::vector<unsigned>{0, 0});
    const auto begin = std::chrono::steady_clock::now();
    poll_kernel<<<2, 1>>>(d_flag.data(), d_polls.data(), 100000000);
    const unsigned polls = d_polls.download()[0];
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    CHECK(d_flag.download()[0] != 0);
    CHECK(polls <= seconds.count() / 100e-6 + 10);
}

TEST_CASE("waiting: a thread that works for long is no deadlock") {
    const CleanDevice clean;
    emulator::set_time_limit(0);
    const int rounds = 200000000;
    DeviceArray<int> d_out(1);
    long_kernel<<<1, 1>>>(d_out.data(), rounds);
    unsigned sum = 0;
    for (int i = 0; i < rounds; ++i) sum += unsigned(i) ^ sum;
    CHECK_SAME(d_out.download(), std::vector<int>{int(sum)});
}

TEST_CASE("waiting: the first query after new work says that it is not done") {
    const CleanDevice clean;
    cudaStream_t stream = nullptr;
    REQUIRE_OK(cudaStreamCreate(&stream));
    cudaEvent_t event = nullptr;
    REQUIRE_OK(cudaEventCreate(&event));
    DeviceArray<int> d_flag(1);
    for (int round = 0; round < 2; ++round) {
        REQUIRE_OK(cudaMemsetAsync(d_flag.data(), 0, sizeof(int), stream));
        REQUIRE_OK(cudaEventRecord(event, stream));
        CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
        CHECK(cudaEventQuery(event) == cudaErrorNotReady);
        CHECK(cudaGetLastError() == cudaSuccess);  // it is not an error
        CHECK(cudaEventQuery(event) == cudaSuccess);
        CHECK(cudaStreamQuery(stream) == cudaSuccess);
    }
    REQUIRE_OK(cudaMemsetAsync(d_flag.data(), 0, sizeof(int), stream));
    REQUIRE_OK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
