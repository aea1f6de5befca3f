// The order of threads: correct kernels do not depend on it; it exposes wrong ones.
#include <cuda_runtime.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"
#include "fault.hpp"

using conformance::DeviceArray;
using emulator_test::CleanDevice;

namespace {

__global__ void arrival_kernel(int* counter, int* order) {
    order[threadIdx.x] = atomicAdd(counter, 1);
}

__global__ void arrival_after_barrier_kernel(int* counter, int* order) {
    __syncthreads();  // the order after a barrier is the requested one
    order[threadIdx.x] = atomicAdd(counter, 1);
}

__global__ void block_arrival_kernel(int* counter, int* order) {
    order[blockIdx.x] = atomicAdd(counter, 1);
}

__global__ void missing_barrier_kernel(const int* in, int* out) {
    // Wrong on purpose: no barrier between the stores to s and the loads of other threads' items.
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[threadIdx.x == 0 ? 0 : threadIdx.x - 1];
}

__global__ void right_sum_kernel(const int* in, int* out, int n) {
    __shared__ int s[128];
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 128) sum += in[i];
    s[threadIdx.x] = sum;
    __syncthreads();  // all sums are there
    for (int half = 64; half >= 32; half /= 2) {
        if (int(threadIdx.x) < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();  // this level is added
    }
    if (threadIdx.x >= 32) return;
    sum = s[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (threadIdx.x == 0) *out = sum;
}

std::vector<int> arrivals(void (*kernel)(int*, int*), emulator::Order order,
                          std::uint64_t seed = 1) {
    const CleanDevice clean;
    emulator::set_order(order, seed);
    DeviceArray<int> d_counter(std::vector<int>{0}), d_order(64);
    kernel<<<1, 64>>>(d_counter.data(), d_order.data());
    return d_order.download();
}

std::vector<int> counted(bool reverse) {
    std::vector<int> list(64);
    std::iota(list.begin(), list.end(), 0);
    if (reverse) std::reverse(list.begin(), list.end());
    return list;
}

}  // namespace

TEST_CASE("order: threads start, and go on after a barrier, forward or in reverse") {
    for (const auto kernel : {arrival_kernel, arrival_after_barrier_kernel}) {
        CHECK_SAME(arrivals(kernel, emulator::Order::forward), counted(false));
        CHECK_SAME(arrivals(kernel, emulator::Order::reverse), counted(true));
    }
}

TEST_CASE("order: shuffled by a seed, the same each time, another one for each seed") {
    for (const auto kernel : {arrival_kernel, arrival_after_barrier_kernel}) {
        std::set<std::vector<int>> orders;
        for (const std::uint64_t seed : {1, 2, 3, 4}) {
            const std::vector<int> order = arrivals(kernel, emulator::Order::shuffle, seed);
            CHECK_SAME(arrivals(kernel, emulator::Order::shuffle, seed), order);
            std::vector<int> sorted = order;
            std::sort(sorted.begin(), sorted.end());
            CHECK_SAME(sorted, counted(false));
            CHECK(order != counted(false));
            orders.insert(order);
        }
        CHECK(orders.size() == 4);
    }
}

TEST_CASE("order: of blocks as well") {
    const int workers = emulator::workers();
    emulator::set_workers(1);  // so that one block follows the other
    const auto blocks = [](emulator::Order order) {
        const CleanDevice clean;
        emulator::set_order(order, 3);
        DeviceArray<int> d_counter(std::vector<int>{0}), d_order(64);
        block_arrival_kernel<<<64, 1>>>(d_counter.data(), d_order.data());
        return d_order.download();
    };
    CHECK_SAME(blocks(emulator::Order::forward), counted(false));
    CHECK_SAME(blocks(emulator::Order::reverse), counted(true));
    std::vector<int> shuffled = blocks(emulator::Order::shuffle);
    CHECK(shuffled != counted(false));
    std::sort(shuffled.begin(), shuffled.end());
    CHECK_SAME(shuffled, counted(false));
    emulator::set_workers(workers);
}

TEST_CASE("order: a missing barrier gives another answer in another order") {
    const std::vector<int> in = conformance::random_below<int>(64, 1000, 200);
    std::vector<int> right(64);
    for (int t = 0; t < 64; ++t) right[t] = in[t == 0 ? 0 : t - 1];
    const auto out = [&](emulator::Order order) {
        const CleanDevice clean;
        emulator::set_order(order, 2);
        DeviceArray<int> d_in(in), d_out(64);
        missing_barrier_kernel<<<1, 64>>>(d_in.data(), d_out.data());
        return d_out.download();
    };
    // In one order the fault stays hidden; the others find poison instead of the neighbour's item.
    CHECK_SAME(out(emulator::Order::forward), right);
    CHECK(out(emulator::Order::reverse)[5] == -1);
    CHECK(out(emulator::Order::shuffle) != right);
}

TEST_CASE("order: a right kernel gives the same answer in every order") {
    const std::vector<int> in = conformance::random_below<int>(1000, 1000, 201);
    int sum = 0;
    for (const int value : in) sum += value;
    for (const char* order : {"forward", "reverse", "shuffle", "shuffle:7", "shuffle:123456789"}) {
        CAPTURE(order);
        const CleanDevice clean;
        CHECK(emulator::set_order(std::string(order)));
        DeviceArray<int> d_in(in), d_out(1);
        right_sum_kernel<<<1, 128>>>(d_in.data(), d_out.data(), 1000);
        CHECK_SAME(d_out.download(), std::vector<int>{sum});
    }
}

TEST_CASE("order: text that is no order is refused") {
    const CleanDevice clean;
    for (const char* text : {"", "backward", "shuffle:", "shuffle:x", "shuffle:-1", "forward:2",
                             "Reverse", "shuffle:3 "}) {
        CAPTURE(text);
        CHECK(!emulator::set_order(std::string(text)));
    }
}
