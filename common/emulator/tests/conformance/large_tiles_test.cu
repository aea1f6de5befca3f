// Cooperative groups: tiles of more than a warp, which need memory of the block.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
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

// Five numbers per thread: sum and maximum of its tile, votes, the tile's number and size.
template <int kSize>
__global__ void large_tile_kernel(const int* in, int* out) {
    __shared__ cg::block_tile_memory<256> memory;
    const cg::thread_block block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<kSize>(block);
    const int value = in[threadIdx.x];
    int* const row = out + 5 * threadIdx.x;
    row[0] = cg::reduce(tile, value, cg::plus<int>());
    row[1] = cg::reduce(tile, value, cg::greater<int>());
    row[2] = (tile.any(value > 990) != 0) + 2 * (tile.all(value > 5) != 0);
    row[3] = static_cast<int>(tile.meta_group_rank());
    row[4] = static_cast<int>(tile.size() + tile.thread_rank());
}

// Only the first tile of the block waits; the other one does something else.
__global__ void one_tile_waits_kernel(int* out) {
    __shared__ cg::block_tile_memory<128> memory;
    __shared__ int items[128];
    const cg::thread_block block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<64>(block);
    const unsigned t = threadIdx.x;
    items[t] = static_cast<int>(t);
    if (tile.meta_group_rank() == 0) {
        for (int round = 0; round < 3; ++round) {
            tile.sync();  // the items of this tile are there
            const int next = items[(t + 1) % 64];
            tile.sync();  // all have read
            items[t] = next;
        }
    }
    out[t] = items[t];
}

template <int kSize>
void check_tiles(const std::vector<int>& in) {
    const int n = static_cast<int>(in.size());
    DeviceArray<int> d_in(in), d_out(5 * in.size());
    large_tile_kernel<kSize><<<1, n>>>(d_in.data(), d_out.data());
    std::vector<int> expected;
    for (int t = 0; t < n; ++t) {
        const auto first = in.begin() + t / kSize * kSize;
        int sum = 0, most = *first, least = *first;
        std::for_each(first, first + kSize, [&](int value) {
            sum += value;
            most = std::max(most, value);
            least = std::min(least, value);
        });
        for (const int value :
             {sum, most, (most > 990) + 2 * (least > 5), t / kSize, kSize + t % kSize}) {
            expected.push_back(value);
        }
    }
    CHECK_SAME(d_out.download(), expected);
}

}  // namespace

TEST_CASE("large tiles: sums, maxima and votes of 64, 128 and 256 threads") {
    const std::vector<int> in = conformance::random_below<int>(256, 1000, 71);
    check_tiles<64>(in);
    check_tiles<128>(in);
    check_tiles<256>(in);
}

TEST_CASE("large tiles: one of two waits") {
    DeviceArray<int> d_out(128);
    one_tile_waits_kernel<<<1, 128>>>(d_out.data());
    std::vector<int> expected;
    for (int t = 0; t < 128; ++t) expected.push_back(t < 64 ? (t + 3) % 64 : t);
    CHECK_SAME(d_out.download(), expected);
}
