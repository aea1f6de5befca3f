// Whole kernels with known answers: prefix sums, compaction, partition.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

namespace cg = cooperative_groups;
using conformance::DeviceArray;
using conformance::edge_sizes;
using conformance::random_below;

namespace {

constexpr unsigned kFull = 0xffffffffu;

// W. D. Hillis, G. L. Steele: Data parallel algorithms, CACM 1986.
__global__ void doubling_scan_kernel(int* data, int n) {
    extern __shared__ int s[];
    const int t = threadIdx.x;
    int* from = s;
    int* to = s + blockDim.x;
    from[t] = t < n ? data[t] : 0;
    __syncthreads();  // the items are there
    for (int distance = 1; distance < n; distance *= 2) {
        to[t] = t >= distance ? from[t] + from[t - distance] : from[t];
        __syncthreads();  // this step is complete
        int* const kept = from;
        from = to;
        to = kept;
    }
    if (t < n) data[t] = from[t];
}

// G. E. Blelloch: Prefix sums and their applications, 1990.
__global__ void tree_scan_kernel(int* data, int n) {
    __shared__ int s[1024];
    const int t = threadIdx.x, width = 2 * blockDim.x;
    s[2 * t] = 2 * t < n ? data[2 * t] : 0;
    s[2 * t + 1] = 2 * t + 1 < n ? data[2 * t + 1] : 0;
    int offset = 1;
    for (int nodes = width / 2; nodes > 0; nodes /= 2) {
        __syncthreads();  // the level below is added
        if (t < nodes) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    __syncthreads();  // the tree is added
    if (t == 0) s[width - 1] = 0;
    for (int nodes = 1; nodes < width; nodes *= 2) {
        offset /= 2;
        __syncthreads();  // the level above is handed down
        if (t < nodes) {
            const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            const int kept = s[left];
            s[left] = s[right];
            s[right] += kept;
        }
    }
    __syncthreads();  // the scan is complete
    if (2 * t < n) data[2 * t] = s[2 * t];
    if (2 * t + 1 < n) data[2 * t + 1] = s[2 * t + 1];
}

__device__ int warp_inclusive(int value) {
    const int lane = threadIdx.x % 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int before = __shfl_up_sync(kFull, value, distance);
        if (lane >= distance) value += before;
    }
    return value;
}

/// The sum of the values of all earlier threads of the block; *total: that of all threads.
__device__ int block_exclusive(int value, int* total) {
    __shared__ int sums[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int inclusive = warp_inclusive(value);
    if (lane == 31) sums[warp] = inclusive;
    __syncthreads();  // the warps' sums are there
    if (warp == 0) {
        const int scanned = warp_inclusive(lane < warps ? sums[lane] : 0);
        if (lane < warps) sums[lane] = scanned;
    }
    __syncthreads();  // the warps' sums are scanned
    *total = sums[warps - 1];
    const int result = inclusive - value + (warp > 0 ? sums[warp - 1] : 0);
    __syncthreads();  // all have read, so that the array can be used again
    return result;
}

__global__ void shuffle_scan_kernel(const int* in, int* out, int n) {
    // One block walks over any number of items and carries the sum along.
    int carried = 0;
    for (int start = 0; start < n; start += blockDim.x) {
        const int i = start + threadIdx.x;
        int total;
        const int before = block_exclusive(i < n ? in[i] : 0, &total);
        if (i < n) out[i] = carried + before;
        carried += total;
    }
}

__global__ void chained_scan_kernel(const int* in, int* out, volatile int* ready,
                                    volatile int* running, int n) {
    // One pass: each block waits for the sum of all blocks before it.
    __shared__ int before_block;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total;
    const int before = block_exclusive(i < n ? in[i] : 0, &total);
    if (threadIdx.x == 0) {
        int sum = 0;
        if (blockIdx.x > 0) {
            while (ready[blockIdx.x - 1] == 0) __nanosleep(50);
            __threadfence();
            sum = running[blockIdx.x - 1];
        }
        running[blockIdx.x] = sum + total;
        __threadfence();
        ready[blockIdx.x] = 1;
        before_block = sum;
    }
    __syncthreads();  // the sum of the blocks before is there
    if (i < n) out[i] = before_block + before;
}

template <int kSize>
__global__ void tile_scan_kernel(const int* in, int* out) {
    // Each tile scans its own items.
    const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
    const int t = threadIdx.x;
    int value = in[t];
    for (unsigned distance = 1; distance < tile.size(); distance *= 2) {
        const int before = tile.shfl_up(value, distance);
        if (tile.thread_rank() >= distance) value += before;
    }
    out[t] = value;
}

__global__ void ballot_compaction_kernel(const int* in, int* out, int* count, int n) {
    // Keeps the odd items, in order, with one warp.
    int kept = 0;
    const int lane = threadIdx.x;
    for (int start = 0; start < n; start += 32) {
        const int i = start + lane;
        const bool keep = i < n && in[i] % 2 != 0;
        const unsigned lanes = __ballot_sync(kFull, keep);
        if (keep) out[kept + __popc(lanes & ((1u << lane) - 1))] = in[i];
        kept += __popc(lanes);
    }
    if (lane == 0) *count = kept;
}

__global__ void atomic_compaction_kernel(const int* in, int* out, int* count, int n) {
    // Keeps the odd items, in any order; one atomic for each warp.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool keep = i < n && in[i] % 2 != 0;
    const unsigned lanes = __ballot_sync(kFull, keep);
    const unsigned lane = threadIdx.x % 32;
    int place = 0;
    if (lane == 0 && lanes != 0) place = atomicAdd(count, __popc(lanes));
    place = __shfl_sync(kFull, place, 0);
    if (keep) out[place + __popc(lanes & ((1u << lane) - 1))] = in[i];
}

__global__ void partition_kernel(const int* in, int* out, int n, int pivot) {
    // Stable: smaller ones in front, the others after them; one block.
    int smaller = 0;
    for (int start = 0; start < n; start += blockDim.x) {
        const int i = start + threadIdx.x;
        smaller += __syncthreads_count(i < n && in[i] < pivot);
    }
    int front = 0, back = smaller;
    for (int start = 0; start < n; start += blockDim.x) {
        const int i = start + threadIdx.x;
        const bool is_smaller = i < n && in[i] < pivot;
        int total;
        const int rank = block_exclusive(is_smaller, &total);
        if (i < n) out[is_smaller ? front + rank : back + int(threadIdx.x) - rank] = in[i];
        front += total;
        back += int(blockDim.x) - total;
    }
}

__global__ void run_heads_kernel(const int* in, int* heads, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) heads[i] = i == 0 || in[i] != in[i - 1];
}

__global__ void run_lengths_kernel(const int* in, const int* place, int* values, int* lengths,
                                   int n) {
    // place[i]: heads before i. The thread of a run's head walks along it.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !(i == 0 || in[i] != in[i - 1])) return;
    int length = 1;
    while (i + length < n && in[i + length] == in[i]) ++length;
    values[place[i]] = in[i];
    lengths[place[i]] = length;
}

std::vector<int> exclusive(const std::vector<int>& in) {
    std::vector<int> out(in.size());
    int sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        out[i] = sum;
        sum += in[i];
    }
    return out;
}

std::vector<int> inclusive(const std::vector<int>& in) {
    std::vector<int> out = exclusive(in);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] += in[i];
    return out;
}

std::vector<int> odd_items(const std::vector<int>& in) {
    std::vector<int> out;
    for (const int value : in)
        if (value % 2 != 0) out.push_back(value);
    return out;
}

int blocks_for(int n, int threads) { return std::max(1, (n + threads - 1) / threads); }

}  // namespace

TEST_CASE("known: inclusive scan by doubling, exclusive scan by a tree, one block") {
    for (const int n : edge_sizes()) {
        if (n > 1024) continue;
        CAPTURE(n);
        const std::vector<int> in = random_below<int>(n, 1000, 140);
        DeviceArray<int> d_data(in);
        const int threads = std::max(n, 1);
        doubling_scan_kernel<<<1, threads, 2 * threads * sizeof(int)>>>(d_data.data(), n);
        CHECK_SAME(d_data.download(), inclusive(in));
        d_data.upload(in);
        tree_scan_kernel<<<1, 512>>>(d_data.data(), n);
        CHECK_SAME(d_data.download(), exclusive(in));
    }
}

TEST_CASE("known: exclusive scan by shuffles, one block over everything") {
    for (const int n : edge_sizes()) {
        CAPTURE(n);
        const std::vector<int> in = random_below<int>(n, 1000, 141);
        DeviceArray<int> d_in(in), d_out(n);
        shuffle_scan_kernel<<<1, 256>>>(d_in.data(), d_out.data(), n);
        CHECK_SAME(d_out.download(), exclusive(in));
    }
}

TEST_CASE("known: exclusive scan in one pass, blocks wait for each other") {
    for (int n : {1, 63, 64, 65, 256}) {
        CAPTURE(n);
        const std::vector<int> in = random_below<int>(n, 1000, 143);
        const int blocks = blocks_for(n, 64);
        DeviceArray<int> d_in(in), d_out(n), d_ready(std::vector<int>(blocks, 0)),
            d_running(blocks);
        const int* in_pointer = d_in.data();
        int* out = d_out.data();
        volatile int* ready = d_ready.data();
        volatile int* running = d_running.data();
        void* arguments[] = {&in_pointer, &out, &ready, &running, &n};
        REQUIRE_OK(
            cudaLaunchCooperativeKernel(chained_scan_kernel, dim3(blocks), dim3(64), arguments));
        CHECK_SAME(d_out.download(), exclusive(in));
    }
}

template <int kSize>
void check_tile_scan() {
    const std::vector<int> in = random_below<int>(128, 1000, 144);
    DeviceArray<int> d_in(in), d_out(128);
    tile_scan_kernel<kSize><<<1, 128>>>(d_in.data(), d_out.data());
    std::vector<int> expected(128);
    for (int t = 0; t < 128; ++t) expected[t] = in[t] + (t % kSize ? expected[t - 1] : 0);
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("known: scans of tiles") {
    check_tile_scan<32>();
    check_tile_scan<8>();
    check_tile_scan<2>();
}

TEST_CASE("known: compaction by ballot, in order") {
    for (const int n : edge_sizes()) {
        CAPTURE(n);
        const std::vector<int> in = random_below<int>(n, 1000, 145);
        std::vector<int> expected = odd_items(in);
        DeviceArray<int> d_in(in), d_out(n), d_count(1);
        ballot_compaction_kernel<<<1, 32>>>(d_in.data(), d_out.data(), d_count.data(), n);
        std::vector<int> out = d_out.download();
        CHECK_SAME(d_count.download(), std::vector<int>{int(expected.size())});
        out.resize(expected.size());
        CHECK_SAME(out, expected);
    }
}

TEST_CASE("known: compaction by atomics, in any order") {
    for (const int n : edge_sizes()) {
        CAPTURE(n);
        const std::vector<int> in = random_below<int>(n, 1000, 146);
        std::vector<int> expected = odd_items(in);
        DeviceArray<int> d_in(in), d_out(n), d_count(std::vector<int>{0});
        atomic_compaction_kernel<<<blocks_for(n, 128), 128>>>(d_in.data(), d_out.data(),
                                                              d_count.data(), n);
        std::vector<int> out = d_out.download();
        CHECK_SAME(d_count.download(), std::vector<int>{int(expected.size())});
        out.resize(expected.size());
        std::sort(out.begin(), out.end());
        std::sort(expected.begin(), expected.end());
        CHECK_SAME(out, expected);
    }
}

TEST_CASE("known: stable partition round a pivot") {
    for (const int n : edge_sizes()) {
        CAPTURE(n);
        const std::vector<int> in = random_below<int>(n, 1000, 147);
        DeviceArray<int> d_in(in), d_out(n);
        partition_kernel<<<1, 96>>>(d_in.data(), d_out.data(), n, 400);
        std::vector<int> expected = in;
        std::stable_partition(expected.begin(), expected.end(), [](int v) { return v < 400; });
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("known: run lengths") {
    for (const int n : {1, 31, 33, 257, 1025}) {
        CAPTURE(n);
        std::vector<int> in = random_below<int>(n, 3, 148);
        DeviceArray<int> d_in(in), d_heads(n), d_place(n), d_values(n), d_lengths(n);
        run_heads_kernel<<<blocks_for(n, 64), 64>>>(d_in.data(), d_heads.data(), n);
        shuffle_scan_kernel<<<1, 128>>>(d_heads.data(), d_place.data(), n);
        run_lengths_kernel<<<blocks_for(n, 64), 64>>>(d_in.data(), d_place.data(), d_values.data(),
                                                      d_lengths.data(), n);
        std::vector<int> values, lengths;
        for (int i = 0; i < n; ++i) {
            if (i == 0 || in[i] != in[i - 1]) {
                values.push_back(in[i]);
                lengths.push_back(0);
            }
            ++lengths.back();
        }
        std::vector<int> out_values = d_values.download(), out_lengths = d_lengths.download();
        out_values.resize(values.size());
        out_lengths.resize(values.size());
        CHECK_SAME(out_values, values);
        CHECK_SAME(out_lengths, lengths);
    }
}
