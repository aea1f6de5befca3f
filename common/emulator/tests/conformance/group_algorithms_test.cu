// Cooperative groups: reductions, scans, partitions, and what a coalesced group can do.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

namespace cg = cooperative_groups;
using conformance::DeviceArray;

namespace {

template <int kSize>
__global__ void reduce_kernel(const int* in, int* out) {
    const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
    const int value = in[threadIdx.x];
    int* const row = out + 7 * threadIdx.x;
    row[0] = cg::reduce(tile, value, cg::plus<int>());
    row[1] = cg::reduce(tile, value, cg::less<int>());
    row[2] = cg::reduce(tile, value, cg::greater<int>());
    row[3] = cg::reduce(tile, value, cg::bit_and<int>());
    row[4] = cg::reduce(tile, value, cg::bit_or<int>());
    row[5] = cg::reduce(tile, value, cg::bit_xor<int>());
    row[6] = int(cg::reduce(tile, double(value), [](double a, double b) { return a + b; }));
}

template <int kSize>
__global__ void scan_kernel(const int* in, int* out) {
    const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
    const int value = in[threadIdx.x];
    int* const row = out + 3 * threadIdx.x;
    row[0] = cg::inclusive_scan(tile, value);
    row[1] = cg::exclusive_scan(tile, value);
    row[2] = cg::inclusive_scan(tile, value, cg::greater<int>());
}

/// For the lanes whose item is positive: what they learn about each other.
__global__ void coalesced_kernel(const int* in, int* out) {
    const int value = in[threadIdx.x];
    if (value <= 0) return;
    const cg::coalesced_group active = cg::coalesced_threads();
    int* const row = out + 9 * threadIdx.x;
    row[0] = int(active.size());
    row[1] = int(active.thread_rank());
    row[2] = active.shfl(value, int(active.size()) - 1);
    row[3] = active.shfl_up(value, 1);
    row[4] = active.shfl_down(value, 1);
    row[5] = active.any(value > 3) + 2 * active.all(value > 1);
    row[6] = int(active.ballot(value % 2 == 1));
    row[7] = cg::reduce(active, value, cg::plus<int>());
    active.sync();
    row[8] = int(active.match_any(value));
}

__global__ void partition_kernel(const int* in, int* out) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int value = in[threadIdx.x];
    const cg::coalesced_group same = cg::labeled_partition(tile, value % 3);
    const cg::coalesced_group large = cg::binary_partition(tile, value > 4);
    int* const row = out + 5 * threadIdx.x;
    row[0] = int(same.size());
    row[1] = int(same.thread_rank());
    row[2] = cg::reduce(same, value, cg::plus<int>());
    row[3] = int(large.size());
    row[4] = large.shfl(int(threadIdx.x), 0);
}

__global__ void once_kernel(int* counts) {
    const cg::thread_block block = cg::this_thread_block();
    cg::invoke_one(block, [=] { atomicAdd(&counts[0], 1); });
    cg::invoke_one(cg::tiled_partition<8>(block), [=] { atomicAdd(&counts[1], 1); });
}

struct Pair {
    double weight;
    int place;
};

__global__ void large_values_kernel(int* out) {
    // A group can move values of up to 32 bytes.
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const Pair own = {double(threadIdx.x % 5), int(threadIdx.x)};
    const Pair best = cg::reduce(tile, own, [](const Pair& a, const Pair& b) {
        return a.weight > b.weight || (a.weight == b.weight && a.place < b.place) ? a : b;
    });
    out[threadIdx.x] = best.place;
}

template <int kSize>
void check_reductions(const std::vector<int>& in) {
    const int n = int(in.size());
    DeviceArray<int> d_in(in), d_reduced(7 * n), d_scanned(3 * n);
    reduce_kernel<kSize><<<1, n>>>(d_in.data(), d_reduced.data());
    scan_kernel<kSize><<<1, n>>>(d_in.data(), d_scanned.data());
    std::vector<int> reduced, scanned;
    for (int t = 0; t < n; ++t) {
        const int first = t / kSize * kSize;
        int sum = 0, least = in[first], most = in[first], all = -1, any = 0, odd = 0;
        int before = 0, max_before = in[first];
        for (int i = first; i < first + kSize; ++i) {
            sum += in[i];
            least = std::min(least, in[i]);
            most = std::max(most, in[i]);
            all &= in[i];
            any |= in[i];
            odd ^= in[i];
            if (i < t) before += in[i];
            if (i <= t) max_before = std::max(max_before, in[i]);
        }
        for (const int value : {sum, least, most, all, any, odd, sum}) reduced.push_back(value);
        for (const int value : {before + in[t], before, max_before}) scanned.push_back(value);
    }
    CHECK_SAME(d_reduced.download(), reduced);
    CHECK_SAME(d_scanned.download(), scanned);
}

}  // namespace

TEST_CASE("groups: reduce and scan over tiles of 32, 8 and 1") {
    std::vector<int> in = conformance::random_below<int>(128, 2000, 70);
    for (int& value : in) value -= 1000;
    check_reductions<32>(in);
    check_reductions<8>(in);
    check_reductions<1>(in);
}

TEST_CASE("groups: a reduction of structs by a lambda") {
    DeviceArray<int> d_out(32);
    large_values_kernel<<<1, 32>>>(d_out.data());
    std::vector<int> expected(32);
    for (int t = 0; t < 32; ++t) {
        int best = t / 8 * 8;
        for (int i = best; i < t / 8 * 8 + 8; ++i)
            if (i % 5 > best % 5) best = i;
        expected[t] = best;
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("groups: a coalesced group's ranks, shuffles, votes and sums") {
    std::vector<int> in = conformance::random_below<int>(32, 9, 71);
    for (int& value : in) value -= 3;
    std::vector<int> lanes;
    for (int t = 0; t < 32; ++t)
        if (in[t] > 0) lanes.push_back(t);
    const int size = int(lanes.size());
    REQUIRE(size > 2);
    REQUIRE(size < 32);
    DeviceArray<int> d_in(in), d_out(std::vector<int>(9 * 32, -1));
    coalesced_kernel<<<1, 32>>>(d_in.data(), d_out.data());
    std::vector<int> expected(9 * 32, -1);
    int sum = 0, any = 0, all = 1;
    unsigned odd = 0;
    for (int rank = 0; rank < size; ++rank) {
        const int value = in[lanes[rank]];
        sum += value;
        any |= value > 3;
        all &= value > 1;
        odd |= unsigned(value % 2) << rank;
    }
    for (int rank = 0; rank < size; ++rank) {
        const int value = in[lanes[rank]];
        unsigned same = 0;
        for (int i = 0; i < size; ++i) same |= unsigned(in[lanes[i]] == value) << i;
        int* const row = &expected[9 * lanes[rank]];
        row[0] = size;
        row[1] = rank;
        row[2] = in[lanes[size - 1]];
        row[3] = in[lanes[rank == 0 ? 0 : rank - 1]];
        row[4] = in[lanes[rank == size - 1 ? rank : rank + 1]];
        row[5] = any + 2 * all;
        row[6] = int(odd);
        row[7] = sum;
        row[8] = int(same);
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("groups: labeled and binary partitions of a tile") {
    const std::vector<int> in = conformance::random_below<int>(64, 10, 72);
    DeviceArray<int> d_in(in), d_out(5 * 64);
    partition_kernel<<<1, 64>>>(d_in.data(), d_out.data());
    std::vector<int> expected;
    for (int t = 0; t < 64; ++t) {
        int size = 0, rank = 0, sum = 0, large = 0, first = -1;
        for (int i = t / 16 * 16; i < t / 16 * 16 + 16; ++i) {
            if (in[i] % 3 == in[t] % 3) {
                ++size;
                rank += i < t;
                sum += in[i];
            }
            if ((in[i] > 4) == (in[t] > 4)) {
                ++large;
                if (first < 0) first = i;
            }
        }
        for (const int value : {size, rank, sum, large, first}) expected.push_back(value);
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("groups: invoke_one calls once for each group") {
    DeviceArray<int> d_counts(std::vector<int>{0, 0});
    once_kernel<<<3, 64>>>(d_counts.data());
    CHECK_SAME(d_counts.download(), (std::vector<int>{3, 24}));
}
