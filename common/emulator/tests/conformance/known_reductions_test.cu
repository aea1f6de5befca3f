// Whole kernels with known answers: many items become one or a few, by shared memory, shuffles and
// atomics. The sums of chapters 2 and 3 have their own tests.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <climits>
#include <cmath>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;
using conformance::edge_sizes;
using conformance::random_below;
using conformance::random_values;

namespace {

constexpr unsigned kFull = 0xffffffffu;

int blocks_for(int n, int threads) { return std::max(1, (n + threads - 1) / threads); }

template <class T>
__device__ T warp_sum(T value) {
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(kFull, value, distance);
    return value;
}

template <class T>
__device__ T block_sum(T value) {
    __shared__ T sums[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0) sums[warp] = value;
    __syncthreads();  // the warps' sums are there
    value = threadIdx.x < blockDim.x / 32 ? sums[lane] : T(0);
    if (warp == 0) value = warp_sum(value);
    return value;
}

template <class T>
__global__ void shuffle_sum_kernel(const T* in, T* total, int n) {
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

__global__ void dot_product_kernel(const float4* a, const float4* b, float* total, int quads) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        const float4 p = a[i], q = b[i];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

struct Place {
    float value;
    int index;
};

__global__ void arg_max_kernel(const float* in, Place* out, int n) {
    __shared__ float values[256];
    __shared__ int indices[256];
    const int t = threadIdx.x;
    float best = -INFINITY;
    int place = -1;
    for (int i = t; i < n; i += blockDim.x)
        if (in[i] > best) {
            best = in[i];
            place = i;
        }
    values[t] = best;
    indices[t] = place;
    __syncthreads();  // every thread's maximum is there
    for (int half = 128; half > 0; half /= 2) {
        if (t < half && (values[t + half] > values[t] ||
                         (values[t + half] == values[t] && indices[t + half] < indices[t] &&
                          indices[t + half] >= 0))) {
            values[t] = values[t + half];
            indices[t] = indices[t + half];
        }
        __syncthreads();  // this level is compared
    }
    if (t == 0) *out = Place{values[0], indices[0]};
}

__global__ void segmented_sum_kernel(const int* in, const int* first, int* sums, int segments) {
    // One warp for each segment; segments may be empty.
    const int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (segment >= segments) return;
    int sum = 0;
    for (int i = first[segment] + int(threadIdx.x % 32); i < first[segment + 1]; i += 32)
        sum += in[i];
    sum = __reduce_add_sync(kFull, sum);
    if (threadIdx.x % 32 == 0) sums[segment] = sum;
}

__global__ void global_histogram_kernel(const unsigned char* in, int* bins, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1);
}

__global__ void shared_histogram_kernel(const unsigned char* in, int* bins, int n) {
    __shared__ int s[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) s[b] = 0;
    __syncthreads();  // the block's bins are empty
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[in[i]], 1);
    __syncthreads();  // the block has counted
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], s[b]);
}

__global__ void top_of_warp_kernel(const int* in, int* top, int n, int k) {
    // The k largest of n, by k rounds of a warp maximum; every lane keeps its own candidates.
    unsigned long long used = 0;
    for (int round = 0; round < k; ++round) {
        int best = INT_MIN, slot = -1;
        for (int j = 0; threadIdx.x + 32 * j < unsigned(n); ++j) {
            const int value = in[threadIdx.x + 32 * j];
            if ((used >> j & 1) == 0 && (slot < 0 || value > best)) {
                best = value;
                slot = j;
            }
        }
        const int most = __reduce_max_sync(kFull, slot < 0 ? INT_MIN : best);
        const unsigned owners = __ballot_sync(kFull, slot >= 0 && best == most);
        if (threadIdx.x == unsigned(__ffs(int(owners)) - 1)) {
            used |= 1ull << slot;
            top[round] = best;
        }
    }
}

int sum_of(const std::vector<int>& list) {
    unsigned sum = 0;
    for (const int value : list) sum += unsigned(value);
    return int(sum);
}

}  // namespace

TEST_CASE_TEMPLATE("known: sum by shuffles", T, int, float, double, unsigned long long) {
    for (const int n : edge_sizes()) {
        CAPTURE(n);
        const std::vector<int> small = random_below<int>(n, 1000, 121);
        const std::vector<T> in(small.begin(), small.end());
        DeviceArray<T> d_in(in), d_total(std::vector<T>{T(0)});
        shuffle_sum_kernel<T><<<4, 256>>>(d_in.data(), d_total.data(), n);
        CHECK_SAME(d_total.download(), std::vector<T>{T(sum_of(small))});
    }
}

TEST_CASE("known: dot product with float4") {
    for (const int quads : {1, 31, 32, 33, 1000}) {
        CAPTURE(quads);
        const std::vector<int> p = random_below<int>(4 * quads, 21, 124);
        const std::vector<int> q = random_below<int>(4 * quads, 21, 125);
        std::vector<float4> a(quads), b(quads);
        long long expected = 0;
        for (int i = 0; i < 4 * quads; ++i) {
            reinterpret_cast<float*>(a.data())[i] = float(p[i] - 10);
            reinterpret_cast<float*>(b.data())[i] = float(q[i] - 10);
            expected += (p[i] - 10) * (q[i] - 10);
        }
        DeviceArray<float4> d_a(a), d_b(b);
        DeviceArray<float> d_total(std::vector<float>{0.0f});
        dot_product_kernel<<<3, 128>>>(d_a.data(), d_b.data(), d_total.data(), quads);
        CHECK_SAME(d_total.download(), std::vector<float>{float(expected)});
    }
}

TEST_CASE("known: place of the largest") {
    for (const int n : {1, 31, 255, 257, 1025}) {
        CAPTURE(n);
        std::vector<float> in = random_values<float>(n, 126);
        if (n > 300) in[290] = in[40] = 2.0f;  // the first of two equal ones counts
        DeviceArray<float> d_in(in);
        DeviceArray<Place> d_out(1);
        arg_max_kernel<<<1, 256>>>(d_in.data(), d_out.data(), n);
        const Place place = d_out.download()[0];
        const auto largest = std::max_element(in.begin(), in.end());
        CHECK(place.index == int(largest - in.begin()));
        CHECK(place.value == *largest);
    }
}

TEST_CASE("known: segmented sum") {
    const std::vector<int> lengths = {0, 1, 31, 32, 33, 0, 100, 257, 0};
    std::vector<int> first = {0}, expected;
    for (const int length : lengths) first.push_back(first.back() + length);
    const std::vector<int> in = random_below<int>(first.back(), 1000, 127);
    for (std::size_t s = 0; s < lengths.size(); ++s)
        expected.push_back(
            sum_of(std::vector<int>(in.begin() + first[s], in.begin() + first[s + 1])));
    DeviceArray<int> d_in(in), d_first(first), d_sums(lengths.size());
    segmented_sum_kernel<<<5, 64>>>(d_in.data(), d_first.data(), d_sums.data(),
                                    int(lengths.size()));
    CHECK_SAME(d_sums.download(), expected);
}

TEST_CASE("known: histogram with global and with shared atomics") {
    for (const int n : edge_sizes()) {
        CAPTURE(n);
        const std::vector<unsigned char> in = random_values<unsigned char>(n, 128);
        std::vector<int> expected(256);
        for (const unsigned char byte : in) ++expected[byte];
        DeviceArray<unsigned char> d_in(in);
        DeviceArray<int> d_bins(std::vector<int>(256, 0));
        global_histogram_kernel<<<blocks_for(n, 128), 128>>>(d_in.data(), d_bins.data(), n);
        CHECK_SAME(d_bins.download(), expected);
        d_bins.upload(std::vector<int>(256, 0));
        shared_histogram_kernel<<<3, 100>>>(d_in.data(), d_bins.data(), n);
        CHECK_SAME(d_bins.download(), expected);
    }
}

TEST_CASE("known: the k largest, by one warp") {
    for (const int n : {20, 31, 32, 33, 257, 1025}) {
        CAPTURE(n);
        std::vector<int> in = random_values<int>(n, 131);
        in[3] = in[7];
        if (n < 32) in[1] = INT_MIN;
        DeviceArray<int> d_in(in), d_top(20);
        top_of_warp_kernel<<<1, 32>>>(d_in.data(), d_top.data(), n, 20);
        std::sort(in.rbegin(), in.rend());
        in.resize(20);
        CHECK_SAME(d_top.download(), in);
    }
}
