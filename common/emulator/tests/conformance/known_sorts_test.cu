// Whole kernels with known answers: sorts and merges.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <climits>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;
using conformance::edge_sizes;
using conformance::random_values;

namespace {

constexpr unsigned kFull = 0xffffffffu;

int blocks_for(int n, int threads) { return std::max(1, (n + threads - 1) / threads); }

template <class T>
__host__ __device__ void order(T& a, T& b) {
    if (b < a) {
        const T kept = a;
        a = b;
        b = kept;
    }
}

template <class T>
__global__ void odd_even_sort_kernel(T* data, int n) {
    extern __shared__ unsigned char raw[];
    T* s = reinterpret_cast<T*>(raw);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[i];
    for (int step = 0; step < n; ++step) {
        __syncthreads();  // the last half-step is complete
        const int i = 2 * threadIdx.x + step % 2;
        if (i + 1 < n) order(s[i], s[i + 1]);
    }
    __syncthreads();  // s is sorted
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[i];
}

__global__ void odd_even_step_kernel(int* data, int n, int start) {
    const int i = start + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) order(data[i], data[i + 1]);
}

__global__ void bitonic_sort_kernel(int* data, int n, int width) {
    // K. E. Batcher: Sorting networks and their applications, 1968. width: a power of two.
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < width; i += blockDim.x) s[i] = i < n ? data[i] : INT_MAX;
    for (int run = 2; run <= width; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            __syncthreads();  // the last column of comparisons is complete
            for (int i = threadIdx.x; i < width; i += blockDim.x) {
                const int partner = i ^ distance;
                if (partner > i) {
                    if ((i & run) == 0)
                        order(s[i], s[partner]);
                    else
                        order(s[partner], s[i]);
                }
            }
        }
    }
    __syncthreads();  // s is sorted
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[i];
}

__global__ void warp_bitonic_kernel(int* data, int n) {
    // 32 keys in the registers of a warp.
    const int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
    int key = i < n ? data[i] : INT_MAX;
    for (int run = 2; run <= 32; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            const int other = __shfl_xor_sync(kFull, key, distance);
            const bool ascending = (lane & run) == 0;
            const bool lower = (lane & distance) == 0;
            key = ascending == lower ? min(key, other) : max(key, other);
        }
    }
    if (i < n) data[i] = key;
}

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

__global__ void merge_by_rank_kernel(const int* a, int count_a, const int* b, int count_b,
                                     int* out) {
    // Each item finds its place: own index + rank in the other run; equal ones of a come first.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count_a + count_b) return;
    const bool from_a = i < count_a;
    const int own = from_a ? i : i - count_a;
    const int key = from_a ? a[own] : b[own];
    const int* other = from_a ? b : a;
    int low = 0, high = from_a ? count_b : count_a;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (from_a ? other[middle] < key : other[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    out[own + low] = key;
}

__global__ void merge_path_kernel(const int* a, int count_a, const int* b, int count_b, int* out,
                                  int each) {
    // O. Green, R. McColl, D. Bader: GPU merge path, ICS 2012: each thread merges `each` items
    // from its diagonal on.
    const int total = count_a + count_b;
    const int diagonal = min(total, int(blockIdx.x * blockDim.x + threadIdx.x) * each);
    int low = max(0, diagonal - count_b), high = min(diagonal, count_a);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = diagonal; k < min(total, diagonal + each); ++k)
        out[k] = j >= count_b || (i < count_a && a[i] <= b[j]) ? a[i++] : b[j++];
}

__global__ void merge_level_kernel(const int* in, int* out, int n, int run) {
    // One thread merges two runs: the article's first regime of merge sort.
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * run;
    if (first >= n) return;
    const int middle = min(n, first + run), end = min(n, first + 2 * run);
    int i = first, j = middle;
    for (int k = first; k < end; ++k)
        out[k] = j >= end || (i < middle && in[i] <= in[j]) ? in[i++] : in[j++];
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

TEST_CASE("known: odd-even sort of one block in shared memory") {
    for (const int n : edge_sizes()) {
        if (n > 1025) continue;
        CAPTURE(n);
        const std::vector<int> in = keys(n, 160);
        DeviceArray<int> d_data(in);
        const int threads = std::max(1, n / 2);
        odd_even_sort_kernel<int><<<1, threads, n * sizeof(int)>>>(d_data.data(), n);
        CHECK_SAME(d_data.download(), sorted(in));
        std::vector<double> doubles = random_values<double>(n, 161);
        DeviceArray<double> d_doubles(doubles);
        odd_even_sort_kernel<double><<<1, threads, n * sizeof(double)>>>(d_doubles.data(), n);
        std::sort(doubles.begin(), doubles.end());
        CHECK_SAME(d_doubles.download(), doubles);
    }
}

TEST_CASE("known: odd-even sort of many blocks, one launch per half-step") {
    for (const int n : {1, 2, 31, 33, 257}) {
        CAPTURE(n);
        const std::vector<int> in = keys(n, 162);
        DeviceArray<int> d_data(in);
        for (int step = 0; step < n; ++step)
            odd_even_step_kernel<<<blocks_for(n / 2, 32), 32>>>(d_data.data(), n, step % 2);
        const std::vector<int> out = d_data.download();
        CHECK_SAME(out, sorted(in));
        // With n = 1 there is nothing to do; the others must have been changed.
        if (n > 2) CHECK(out != in);
    }
}

TEST_CASE("known: bitonic sort in shared memory") {
    for (const int n : edge_sizes()) {
        if (n > 1025) continue;
        CAPTURE(n);
        int width = 2;
        while (width < n) width *= 2;
        const std::vector<int> in = keys(n, 163);
        DeviceArray<int> d_data(in);
        bitonic_sort_kernel<<<1, 256, width * sizeof(int)>>>(d_data.data(), n, width);
        CHECK_SAME(d_data.download(), sorted(in));
    }
}

TEST_CASE("known: bitonic sort in the registers of a warp") {
    for (const int n : {1, 31, 32, 33, 255}) {
        CAPTURE(n);
        const std::vector<int> in = keys(n, 164);
        DeviceArray<int> d_data(in);
        warp_bitonic_kernel<<<blocks_for(n, 64), 64>>>(d_data.data(), n);
        std::vector<int> expected = in;
        for (int first = 0; first < n; first += 32)
            std::sort(expected.begin() + first, expected.begin() + std::min(n, first + 32));
        CHECK_SAME(d_data.download(), expected);
    }
}

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

TEST_CASE("known: merge by rank and merge by path") {
    for (const int count_a : {0, 1, 31, 33, 256, 1025}) {
        for (const int count_b : {0, 1, 32, 257}) {
            CAPTURE(count_a);
            CAPTURE(count_b);
            const std::vector<int> a = sorted(conformance::random_below<int>(count_a, 300, 166));
            const std::vector<int> b = sorted(conformance::random_below<int>(count_b, 300, 167));
            const int total = count_a + count_b;
            std::vector<int> expected(total);
            std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
            DeviceArray<int> d_a(a), d_b(b), d_ranked(total), d_path(total);
            merge_by_rank_kernel<<<blocks_for(total, 128), 128>>>(d_a.data(), count_a, d_b.data(),
                                                                  count_b, d_ranked.data());
            CHECK_SAME(d_ranked.download(), expected);
            merge_path_kernel<<<blocks_for(total, 7 * 32), 32>>>(d_a.data(), count_a, d_b.data(),
                                                                 count_b, d_path.data(), 7);
            CHECK_SAME(d_path.download(), expected);
        }
    }
}

TEST_CASE("known: merge sort, one thread a pair of runs, back and forth") {
    for (const int n : {1, 2, 31, 33, 257, 1025}) {
        CAPTURE(n);
        const std::vector<int> in = keys(n, 168);
        DeviceArray<int> d_a(in), d_b(n);
        int* from = d_a.data();
        int* to = d_b.data();
        for (int run = 1; run < 2 * n; run *= 2) {
            merge_level_kernel<<<blocks_for(n, 2 * run * 32), 32>>>(from, to, n, run);
            std::swap(from, to);
        }
        CHECK_SAME(from == d_a.data() ? d_a.download() : d_b.download(), sorted(in));
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
