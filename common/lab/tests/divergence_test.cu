// Which lanes run an instruction together: branches, loops that lanes leave at different times,
// early returns, calls.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <emulator/for_observers.hpp>
#include <string>

#include "pattern.hpp"

namespace {

using lab::Space;

/// The traffic of the line that holds `part`; the test fails if there is none.
lab::Traffic line_with(const lab::Report& report, const std::string& part,
                       Space space = Space::global) {
    lab::Traffic sum;
    bool found = false;
    for (const lab::KernelReport& kernel : report.kernels) {
        for (const lab::Row& row : kernel.rows) {
            if (row.space != space || row.source.find(part) == std::string::npos) continue;
            sum += row.traffic;
            found = true;
        }
    }
    CHECK_MESSAGE(found, part);
    return sum;
}

/// Runs a kernel of this shape on an array of zeros.
template <class Kernel>
lab::Report run(Kernel kernel, int blocks = 1, int threads = 32) {
    DeviceArray<int> data(1 << 16);
    return lab::count([&] { kernel<<<blocks, threads>>>(data.data); });
}

#define CHECK_LINE(report, part, wanted_requests, wanted_lanes)  \
    do {                                                         \
        const lab::Traffic found = line_with(report, part);      \
        CHECK(found.requests == std::uint64_t{wanted_requests}); \
        CHECK(found.lanes == std::uint64_t{wanted_lanes});       \
    } while (false)

__global__ void branch_kernel(int* data) {
    const unsigned t = threadIdx.x;
    if (t % 4 == 0) {
        data[t] = 1;  // then
    } else {
        data[t] = 2;  // else
    }
    data[t] = 3;  // after
}

TEST_CASE("the two sides of a branch run one after the other, and rejoin after it") {
    const lab::Report report = run(branch_kernel);
    CHECK_LINE(report, "// then", 1, 8);
    CHECK_LINE(report, "// else", 1, 24);
    CHECK_LINE(report, "// after", 1, 32);
}

__global__ void nested_kernel(int* data) {
    const unsigned t = threadIdx.x;
    if (t < 24) {
        if (t < 8) {
            data[t] = 1;  // inner
        }
        data[t] = 2;  // outer
    }
    data[t] = 3;  // after
}

TEST_CASE("an inner branch rejoins before the outer one does") {
    const lab::Report report = run(nested_kernel);
    CHECK_LINE(report, "// inner", 1, 8);
    CHECK_LINE(report, "// outer", 1, 24);
    CHECK_LINE(report, "// after", 1, 32);
}

__global__ void triangle_kernel(int* data) {
    const unsigned t = threadIdx.x;
    int sum = 0;
    for (unsigned k = 0; k < t; ++k) {
        sum += data[k * 32 + t];  // loop
    }
    data[t] = sum;  // after
}

TEST_CASE("lanes that have left a loop wait for the others") {
    const lab::Report report = run(triangle_kernel);
    CHECK_LINE(report, "// loop", 31, 31 * 32 / 2);
    CHECK_LINE(report, "// after", 1, 32);
}

__global__ void two_loops_kernel(int* data) {
    const unsigned t = threadIdx.x;
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned k = 0; k <= (t + round) % 2; ++k) {
            data[t] += 1;  // inner
        }
    }
}

// Every lane runs the inner line three times, but in different rounds: counting each lane's n-th
// time as one request would give 3 requests of 32 lanes.
TEST_CASE("the same number of turns, at different times") {
    const lab::Report report = run(two_loops_kernel);
    CHECK_LINE(report, "// inner", 2 * 4, 2 * (32 + 16 + 32 + 16));
}

__global__ void leave_kernel(int* data) {
    const unsigned t = threadIdx.x;
    for (unsigned k = 0; k < 8; ++k) {
        if (t % 8 == k) break;
        data[t] = 1;  // before
        if (k % 2 != 0) continue;
        data[t] = 2;  // even
    }
    data[t] = 3;  // after
}

TEST_CASE("break and continue") {
    const lab::Report report = run(leave_kernel);
    // In turn k the lanes whose t % 8 is greater than k are left: 28, 24, ... 4.
    CHECK_LINE(report, "// before", 7, 28 + 24 + 20 + 16 + 12 + 8 + 4);
    CHECK_LINE(report, "// even", 4, 28 + 20 + 12 + 4);
    CHECK_LINE(report, "// after", 1, 32);
}

__global__ void asked_kernel(int* data) {
    const unsigned t = threadIdx.x;
    const bool is_odd = t % 2 != 0;
    int k = 0;
    while (k < 8 && (is_odd ? data[k] <= 0 : data[k] < 0)) ++k;
    data[32 + t] = k;
}

// The compiler is made to translate line by line; what is computed must not change.
TEST_CASE("a loop with two questions, of which each half of the lanes asks one") {
    DeviceArray<int> data(64);  // zeros
    lab::count([&] { asked_kernel<<<1, 32>>>(data.data); });
    int turns[32];
    REQUIRE(cudaMemcpy(turns, data.data + 32, sizeof turns, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (unsigned t = 0; t < 32; ++t) CHECK(turns[t] == (t % 2 != 0 ? 8 : 0));
}

__global__ void early_kernel(int* data) {
    const unsigned t = threadIdx.x;
    if (t >= 20) return;
    data[t] = 1;  // rest
    if (t < 10) {
        if (t < 3) return;
        data[t] = 2;  // few
    }
    data[t] = 3;  // last
}

TEST_CASE("a thread that has returned takes no further part, and nobody waits for it") {
    const lab::Report report = run(early_kernel);
    CHECK_LINE(report, "// rest", 1, 20);
    CHECK_LINE(report, "// few", 1, 7);
    CHECK_LINE(report, "// last", 1, 17);
}

__device__ __noinline__ void touch(int* data, unsigned t) {
    if (t % 2 == 0) {
        data[t] = 1;  // in call
    }
    data[t] = 2;  // end of call
}

__global__ void call_kernel(int* data) {
    const unsigned t = threadIdx.x;
    touch(data, t);
    if (t < 8) {
        touch(data, t);
    } else if (t < 24) {
        touch(data + 64, t);
    }
    data[t] = 3;  // after
}

TEST_CASE("branches within a call rejoin within it") {
    const lab::Report report = run(call_kernel);
    CHECK_LINE(report, "// in call", 3, 16 + 4 + 8);
    CHECK_LINE(report, "// end of call", 3, 32 + 8 + 16);
    CHECK_LINE(report, "// after", 1, 32);
}

__device__ __noinline__ int depth_of(int* data, unsigned t) {
    if (t == 0) return 0;
    data[t] = 1;  // on the way
    return 1 + depth_of(data, t / 2);
}

__global__ void recursion_kernel(int* data) {
    const unsigned t = threadIdx.x;
    data[64 + t] = depth_of(data, t);  // after
}

TEST_CASE("recursion") {
    const lab::Report report = run(recursion_kernel);
    CHECK_LINE(report, "// on the way", 5, 31 + 30 + 28 + 24 + 16);
    CHECK_LINE(report, "// after", 1, 32);
}

__global__ void switch_kernel(int* data) {
    const unsigned t = threadIdx.x;
    switch (t % 4) {
        case 0:
            data[t] = 10;  // zero
            break;
        case 1:
            data[t] = 11;  // one
            [[fallthrough]];
        case 2:
            data[t] = 12;  // two
            break;
        default:
            break;
    }
    data[t] = 3;  // after
}

// Lanes that fall through from one case into the next do not rejoin the lanes that began there: all
// rejoin after the switch.
TEST_CASE("a switch") {
    const lab::Report report = run(switch_kernel);
    CHECK_LINE(report, "// zero", 1, 8);
    CHECK_LINE(report, "// one", 1, 8);
    CHECK_LINE(report, "// two", 2, 16);
    CHECK_LINE(report, "// after", 1, 32);
}

__global__ void barrier_kernel(int* data) {
    __shared__ int items[64];
    const unsigned t = threadIdx.x;
    items[t] = static_cast<int>(t);  // store
    __syncthreads();                 // all items are there
    for (unsigned half = 32; half > 0; half /= 2) {
        if (t < half) {
            items[t] += items[t + half];  // add
        }
        __syncthreads();  // this level is complete
    }
    if (t == 0) data[0] = items[0];  // result
}

TEST_CASE("barriers within a loop") {
    const lab::Report report = run(barrier_kernel, 1, 64);
    const lab::Traffic adds = line_with(report, "// add", Space::shared);
    CHECK(adds.requests == 3 * 6);
    CHECK(adds.lanes == 3 * (32 + 16 + 8 + 4 + 2 + 1));
    CHECK(adds.wavefronts == adds.requests);
    CHECK_LINE(report, "// result", 1, 1);
    CHECK(report.kernels.at(0).barriers == 7);
}

__global__ void shuffle_kernel(int* data) {
    int value = data[threadIdx.x];  // load
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) data[threadIdx.x] = value;  // result
}

TEST_CASE("shuffles keep a warp together") {
    const lab::Report report = run(shuffle_kernel, 2, 64);
    CHECK_LINE(report, "// load", 4, 128);
    CHECK_LINE(report, "// result", 4, 4);
    CHECK(report.kernels.at(0).exchanges == 4 * 5);
}

__global__ void guarded_kernel(int* data, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int value = i < n ? data[i] : 0;  // guarded
    if (value != 0) data[0] = value;
}

TEST_CASE("a guard takes the lanes beyond the end out") {
    DeviceArray<int> data(100);
    const lab::Report report = lab::count([&] { guarded_kernel<<<4, 32>>>(data.data, 100); });
    CHECK_LINE(report, "// guarded", 4, 100);
}

__global__ void late_kernel(int* data) {
    const unsigned t = threadIdx.x;
    if (t % 2 == 0) {
        if (blockIdx.x == 7 && t < 16) goto end;
        data[t] = 1;  // even
    }
    data[t] = 2;  // all
end:
    data[t] = 3;  // end
}

// Only the last block shows that the branch can leave for `end`, so that its sides rejoin
// there and not before: the first blocks have to be counted again.
TEST_CASE("what is learnt late counts from the start") {
    const lab::Report report = run(late_kernel, 8);
    CHECK_LINE(report, "// even", 8, 8 * 16 - 8);
    CHECK_LINE(report, "// all", 16, 8 * 32 - 8);
    CHECK_LINE(report, "// end", 8, 8 * 32);
}

__global__ void lonely_kernel(int* data) {
    if (threadIdx.x % 32 != 0) return;
    for (int i = 0; i < 100; ++i) data[i] = i;
}

TEST_CASE("active lanes and the longest thread") {
    const lab::Report lonely = run(lonely_kernel, 1, 64);
    CHECK(lonely.active_lanes() < 2.5);
    const lab::Report full = run(shuffle_kernel, 1, 64);
    CHECK(full.active_lanes() > 28.0);
    CHECK(lonely.kernels.at(0).longest_thread >= 200);
    CHECK(lonely.kernels.at(0).longest_thread < 400);
}

__global__ void failing_kernel(int* data, int* nowhere) {
    data[threadIdx.x] = 1;  // before
    if (threadIdx.x == 40) *nowhere = 1;
    __syncthreads();  // never reached
    data[threadIdx.x] = 2;
}

TEST_CASE("a kernel that fails in the middle leaves the lab as it was") {
    emulator::print_reports(false);
    {
        DeviceArray<int> data(64);
        lab::count([&] { failing_kernel<<<2, 64>>>(data.data, nullptr); });
    }
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    CHECK(emulator::last_report().text.find("null pointer") != std::string::npos);
    emulator::clear_report();
    emulator::print_reports(true);
    cudaDeviceReset();
    const lab::Report report = run(shuffle_kernel, 2, 64);
    CHECK_LINE(report, "// load", 4, 128);
    CHECK_LINE(report, "// result", 4, 4);
}

}  // namespace
