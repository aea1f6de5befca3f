// Whole kernels with known answers: sorts. Those of chapters 1 and 5 have their own tests.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <climits>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;
using conformance::random_values;

namespace {

int blocks_for(int n, int threads) { return std::max(1, (n + threads - 1) / threads); }

__global__ void radix_pass_kernel(const unsigned* in, unsigned* out, int n, int shift) {
    // One stable pass over 4 bits: histogram, scan, scatter; thread t of 16 owns digit t.
    __shared__ int count[16];
    __shared__ int place[16];
    if (threadIdx.x < 16) count[threadIdx.x] = 0;
    __syncthreads();  // the counters are empty
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&count[in[i] >> shift & 15], 1);
    __syncthreads();  // the digits are counted
    if (threadIdx.x < 16) {
        const unsigned half = 0xffffu;
        int sum = count[threadIdx.x];
        for (int distance = 1; distance < 16; distance *= 2) {
            const int before = __shfl_up_sync(half, sum, distance, 16);
            if (int(threadIdx.x) >= distance) sum += before;
        }
        place[threadIdx.x] = sum - count[threadIdx.x];
        // In order, so that the pass is stable.
        int next = place[threadIdx.x];
        for (int i = 0; i < n; ++i)
            if ((in[i] >> shift & 15) == threadIdx.x) out[next++] = in[i];
    }
}

__global__ void rank_sort_kernel(const int* in, int* out, int n) {
    // Every item counts the smaller ones, through tiles in shared memory.
    __shared__ int tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int key = i < n ? in[i] : 0;
    int rank = 0;
    for (int start = 0; start < n; start += 64) {
        const int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? in[j] : INT_MAX;
        __syncthreads();  // the tile is complete
        for (int k = 0; k < 64 && start + k < n; ++k)
            rank += tile[k] < key || (tile[k] == key && start + k < i);
        __syncthreads();  // all have read it
    }
    if (i < n) out[rank] = key;
}

std::vector<int> sorted(std::vector<int> list) {
    std::sort(list.begin(), list.end());
    return list;
}

/// Random keys with some repeated ones and both extremes.
std::vector<int> keys(int n, std::uint64_t seed) {
    std::vector<int> list = random_values<int>(n, seed);
    if (n > 30) {
        list[3] = list[n - 1];
        list[5] = INT_MIN;
        list[n / 2] = INT_MAX;
    }
    return list;
}

}  // namespace

TEST_CASE("known: radix sort, four bits per pass") {
    for (const int n : {0, 1, 31, 33, 257, 1025}) {
        CAPTURE(n);
        std::vector<unsigned> in = random_values<unsigned>(n, 165);
        DeviceArray<unsigned> d_a(in), d_b(n);
        for (int shift = 0; shift < 32; shift += 8) {
            radix_pass_kernel<<<1, 128>>>(d_a.data(), d_b.data(), n, shift);
            radix_pass_kernel<<<1, 128>>>(d_b.data(), d_a.data(), n, shift + 4);
        }
        std::sort(in.begin(), in.end());
        CHECK_SAME(d_a.download(), in);
    }
}

TEST_CASE("known: sort by counting the smaller ones") {
    for (const int n : {0, 1, 31, 64, 65, 257, 1025}) {
        CAPTURE(n);
        const std::vector<int> in = keys(n, 169);
        DeviceArray<int> d_in(in), d_out(n);
        rank_sort_kernel<<<blocks_for(n, 64), 64>>>(d_in.data(), d_out.data(), n);
        CHECK_SAME(d_out.download(), sorted(in));
    }
}
