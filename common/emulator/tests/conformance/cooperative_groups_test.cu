// Cooperative groups inside a block: the block, tiles of a warp, and who is active.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

namespace cg = cooperative_groups;
using conformance::DeviceArray;

namespace {

__global__ void block_kernel(unsigned* out) {
    const cg::thread_block block = cg::this_thread_block();
    __shared__ unsigned s[60];
    s[block.thread_rank()] = block.thread_index().y;
    block.sync();  // s is complete
    const unsigned i = blockIdx.x * block.size() + block.thread_rank();
    out[4 * i] = block.thread_rank();
    out[4 * i + 1] = block.size() * 1000 + block.num_threads();
    out[4 * i + 2] = block.group_index().x * 100 + block.dim_threads().y;
    out[4 * i + 3] = s[59 - block.thread_rank()];
}

template <int kSize>
__global__ void tile_identity_kernel(unsigned* out) {
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<kSize> tile = cg::tiled_partition<kSize>(block);
    unsigned* const row = out + 4 * block.thread_rank();
    row[0] = tile.thread_rank();
    row[1] = tile.size() + tile.num_threads();
    row[2] = tile.meta_group_rank();
    row[3] = tile.meta_group_size();
}

template <int kSize>
__global__ void tile_collectives_kernel(const int* in, int* out) {
    const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
    const int t = threadIdx.x;
    int* const row = out + 9 * t;
    row[0] = tile.shfl(in[t], kSize / 2);
    row[1] = tile.shfl_up(in[t], 1);
    row[2] = tile.shfl_down(in[t], 1);
    row[3] = tile.shfl_xor(in[t], kSize / 2);
    row[4] = tile.any(in[t] > 90);
    row[5] = tile.all(in[t] > 10);
    row[6] = int(tile.ballot(in[t] & 1));
    int sum = in[t];
    for (int distance = kSize / 2; distance > 0; distance /= 2) sum += tile.shfl_xor(sum, distance);
    row[7] = sum;
    tile.sync();
    row[8] = int(tile.match_any(in[t] % 3));
}

__global__ void unequal_tiles_kernel(int* out) {
    // Tiles of one warp loop different numbers of times, each at its own barrier.
    __shared__ int s[64];
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int t = threadIdx.x, base = t / 8 * 8;
    s[t] = t;
    tile.sync();  // the tile's values are there
    for (unsigned round = 0; round <= tile.meta_group_rank(); ++round) {
        const int value = s[base + (t + 1) % 8];
        tile.sync();  // the tile has read
        s[t] = value;
        tile.sync();  // the tile has written
    }
    out[t] = s[t];
}

__global__ void tile_of_tile_kernel(int* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto quarter = cg::tiled_partition<8>(warp);
    out[threadIdx.x] = int(quarter.meta_group_rank() * 100 + quarter.thread_rank()) +
                       quarter.shfl(int(threadIdx.x), 0) * 1000;
}

__device__ int group_sum(const cg::thread_group& group, int* scratch, int value) {
    // A function for any group, as in the first examples of cooperative groups.
    const int rank = int(group.thread_rank());
    for (int half = int(group.size()) / 2; half > 0; half /= 2) {
        scratch[rank] = value;
        group.sync();  // the values are there
        if (rank < half) value += scratch[rank + half];
        group.sync();  // all have read
    }
    return value;
}

__global__ void any_group_kernel(int* out) {
    __shared__ int s[128];
    const cg::thread_block block = cg::this_thread_block();
    const int whole = group_sum(block, s, int(threadIdx.x));
    block.sync();  // the scratch is free again
    const auto tile = cg::tiled_partition(block, 16);
    const int part = group_sum(tile, s + threadIdx.x / 16 * 16, int(threadIdx.x));
    if (block.thread_rank() == 0) out[8] = whole;
    if (tile.thread_rank() == 0) out[threadIdx.x / 16] = part;
}

__global__ void coalesced_kernel(int* counter, int* out, const int* in) {
    // One atomic for all active lanes.
    const int t = threadIdx.x;
    if (in[t] > 0) {
        const cg::coalesced_group active = cg::coalesced_threads();
        int first = 0;
        if (active.thread_rank() == 0) first = atomicAdd(counter, int(active.size()));
        first = active.shfl(first, 0);
        out[first + int(active.thread_rank())] = in[t];
    }
}

}  // namespace

TEST_CASE("groups: the block") {
    DeviceArray<unsigned> d_out(3 * 60 * 4);
    block_kernel<<<3, dim3(10, 6)>>>(d_out.data());
    std::vector<unsigned> expected;
    for (unsigned b = 0; b < 3; ++b) {
        for (unsigned t = 0; t < 60; ++t) {
            for (const unsigned value : {t, 60060u, b * 100 + 6, (59 - t) / 10})
                expected.push_back(value);
        }
    }
    CHECK_SAME(d_out.download(), expected);
}

template <int kSize>
void check_tiles() {
    const int threads = 128;
    DeviceArray<unsigned> d_identity(4 * threads);
    tile_identity_kernel<kSize><<<1, threads>>>(d_identity.data());
    std::vector<unsigned> identity;
    for (unsigned t = 0; t < threads; ++t) {
        for (const unsigned value : {t % kSize, 2u * kSize, t / kSize, unsigned(threads / kSize)})
            identity.push_back(value);
    }
    CHECK_SAME(d_identity.download(), identity);

    const std::vector<int> in = conformance::random_below<int>(threads, 100, 60);
    DeviceArray<int> d_in(in), d_out(9 * threads);
    tile_collectives_kernel<kSize><<<1, threads>>>(d_in.data(), d_out.data());
    std::vector<int> expected;
    for (int t = 0; t < threads; ++t) {
        const int first = t / kSize * kSize, rank = t % kSize;
        int any = 0, all = 1, sum = 0;
        unsigned odd = 0, same = 0;
        for (int i = 0; i < kSize; ++i) {
            const int value = in[first + i];
            any |= value > 90;
            all &= value > 10;
            sum += value;
            odd |= unsigned(value & 1) << i;
            same |= unsigned(value % 3 == in[t] % 3) << i;
        }
        for (const int value :
             {in[first + kSize / 2], in[rank == 0 ? t : t - 1], in[rank == kSize - 1 ? t : t + 1],
              in[first + (rank ^ (kSize / 2))], any, all, int(odd), sum, int(same)})
            expected.push_back(value);
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("groups: tiles of 32, 16, 8, 4 and 2") {
    check_tiles<32>();
    check_tiles<16>();
    check_tiles<8>();
    check_tiles<4>();
    check_tiles<2>();
}

TEST_CASE("groups: tiles of one warp at different barriers") {
    DeviceArray<int> d_out(64);
    unequal_tiles_kernel<<<1, 64>>>(d_out.data());
    std::vector<int> expected(64);
    for (int t = 0; t < 64; ++t) expected[t] = t / 8 * 8 + (t + t / 8 + 1) % 8;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("groups: a tile of a tile") {
    DeviceArray<int> d_out(64);
    tile_of_tile_kernel<<<1, 64>>>(d_out.data());
    std::vector<int> expected(64);
    for (int t = 0; t < 64; ++t) expected[t] = t % 32 / 8 * 100 + t % 8 + t / 8 * 8 * 1000;
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("groups: a function that takes any group") {
    DeviceArray<int> d_out(9);
    any_group_kernel<<<1, 128>>>(d_out.data());
    std::vector<int> expected(9);
    for (int t = 0; t < 128; ++t) {
        expected[t / 16] += t;
        expected[8] += t;
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("groups: the active lanes append together") {
    std::vector<int> in = conformance::random_below<int>(64, 9, 61);
    for (int& value : in) value -= 4;
    std::vector<int> expected;
    for (const int value : in)
        if (value > 0) expected.push_back(value);
    DeviceArray<int> d_in(in), d_counter(std::vector<int>{0}), d_out(expected.size());
    coalesced_kernel<<<1, 64>>>(d_counter.data(), d_out.data(), d_in.data());
    std::vector<int> out = d_out.download();
    CHECK_SAME(d_counter.download(), std::vector<int>{int(expected.size())});
    // The order of warps and of groups is unspecified.
    std::vector<int> histogram(9), expected_histogram(9);
    for (const int value : out) ++histogram.at(std::size_t(value));
    for (const int value : expected) ++expected_histogram.at(std::size_t(value));
    CHECK_SAME(histogram, expected_histogram);
}
