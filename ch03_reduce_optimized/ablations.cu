// Chapter 3: what was tried for `best` and did not win. Only for GPUs of compute capability 9.0 or
// later, which have thread block clusters and bulk copies.
//
// Every row differs from `best` in one thing. Checked and timed by the chapter's own experiment.
//
//   cmake --preset cuda && cmake --build build/cuda --target ch03_reduce_optimized_ablations
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cuda/ptx>

#include "../common/harness/chapter.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

/// How `best` cuts n items into tiles and reads them.
struct TileReads {
    unsigned reads;  ///< vectors per thread
    unsigned blocks;
    bool is_streaming;
};

TileReads tile_reads(std::size_t n) {
    const Tiling tiling = tiling_for(n);
    return {tiling.reads, tiling.blocks, beyond_cache(n * sizeof(float))};
}

/// The sum of this thread's vectors of a tile.
template <unsigned kReads, bool kStreaming>
__device__ float read_tile(const float* items, std::size_t n, unsigned tile) {
    float4 values[kReads];
    load_tile<kThreads, kStreaming>(as_vectors(items), vector_count(n), tile, values);
    return sum_of(values);
}

__device__ float tile_sum(const float* items, std::size_t n, const TileReads& cut, unsigned tile) {
    if (cut.reads == 1) return read_tile<1, false>(items, n, tile);
    if (cut.reads == 2) return read_tile<2, false>(items, n, tile);
    if (cut.reads == 4) return read_tile<4, false>(items, n, tile);
    if (cut.is_streaming) return read_tile<kMaxReads, true>(items, n, tile);
    return read_tile<kMaxReads, false>(items, n, tile);
}

/// The sum of this block's own tile, and the items past the last vector, in thread 0.
__device__ float own_tile_sum(const float* items, std::size_t n, const TileReads& cut) {
    return block_sum(tile_sum(items, n, cut, blockIdx.x) + sum_tail(items, n));
}

// ---- Other ways to bring the blocks' sums together -------------------------------------------

// add: every block adds its sum to the result, which an earlier launch has cleared.
// Removes: all waiting.
// Remains: a second launch; and an order that changes from run to run, and with it the result.
__global__ void add_kernel(const float* items, std::size_t n, TileReads cut, float* sum) {
    grid_dependency_synchronize();
    const float mine = own_tile_sum(items, n, cut);
    if (threadIdx.x == 0) atomicAdd(sum, mine);
}

void add(const float* d_items, std::size_t n, float* d_sum, Workspace&) {
    const TileReads cut = tile_reads(n);
    CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(float)));
    launch_programmatic(add_kernel, cut.blocks, kThreads, d_items, n, cut, d_sum);
}

// ticket: the last block to finish adds the partial sums, as in `one_pass`.
// Removes: the waiting of block 0.
// Remains: store, fence, ticket, and reading back, one after the other at the very end.
__global__ void ticket_kernel(const float* items, std::size_t n, TileReads cut, float* partial,
                              unsigned* ticket, float* sum) {
    grid_dependency_synchronize();
    last_block_sum(own_tile_sum(items, n, cut), partial, ticket, sum);
}

void ticket(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    const TileReads cut = tile_reads(n);
    launch_programmatic(ticket_kernel, cut.blocks, kThreads, d_items, n, cut,
                        work.partial[0].data(), work.ticket.data(), d_sum);
}

constexpr unsigned kClusterBlocks = 8;

// cluster: eight blocks send their sums to the shared memory of one, which publishes the total.
// Removes: seven of eight words to collect.
// Remains: eight blocks start and end together: a multiprocessor is partly idle until the last is
// done.
__global__ void __cluster_dims__(kClusterBlocks, 1, 1)
    cluster_kernel(const float* items, std::size_t n, TileReads cut, StatusWord* words,
                   float* sum) {
    __shared__ float block_sums[kClusterBlocks];
    const cg::cluster_group cluster = cg::this_cluster();
    cluster.barrier_arrive();
    grid_dependency_synchronize();
    float mine = own_tile_sum(items, n, cut);
    const unsigned rank = cluster.block_rank();
    cluster.barrier_wait();  // block 0 of the cluster has started, so its shared memory is there
    if (threadIdx.x == 0) *cluster.map_shared_rank(block_sums + rank, 0) = mine;
    cluster.sync();  // all eight sums are there
    if (rank != 0) return;
    if (threadIdx.x == 0) {
        for (unsigned block = 1; block < kClusterBlocks; ++block) mine += block_sums[block];
        if (blockIdx.x != 0) store_relaxed(words + blockIdx.x / kClusterBlocks, pack(mine));
    }
    if (blockIdx.x != 0) return;
    __syncthreads();  // thread 0 has read warp_sums
    float total = threadIdx.x == 0 ? mine : 0.0f;
    const unsigned clusters = gridDim.x / kClusterBlocks;
    total += consume<kThreads, kWordsInFlight>(words + 1, clusters - 1);
    total = block_sum(total);
    if (threadIdx.x == 0) *sum = total;
}

void cluster(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    const TileReads cut = tile_reads(n);
    const unsigned blocks = divide_up(cut.blocks, kClusterBlocks) * kClusterBlocks;
    launch_programmatic(cluster_kernel, blocks, kThreads, d_items, n, cut, work.words.data(),
                        d_sum);
}

// ---- Other ways to launch --------------------------------------------------------------------

// cleared: `best_serialized`, with its words cleared before each launch.
// Removes: the guarantee that the previous launch left the words 0, on which `best` relies.
// Remains: one more operation in the stream.
void cleared(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    const std::size_t bytes = tiling_for(n).blocks * sizeof(StatusWord);
    CUDA_CHECK(cudaMemsetAsync(work.words.data(), 0, bytes));
    best_serialized(d_items, n, d_sum, work);
}

// ---- Other ways to read ----------------------------------------------------------------------

constexpr unsigned kSlots = 5;
constexpr unsigned kSlotVectors = kThreads;  // 8 KiB
constexpr unsigned kBulkBlocksPerSm = 4;

/// Thread 0 requests a piece: the copy engine fetches it, and counts its bytes at the barrier.
__device__ void request(const float4* from, unsigned count, float4* slot, std::uint64_t* full) {
    const auto bytes = static_cast<std::uint32_t>(count * sizeof(float4));
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full,
                                   bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, slot, from, bytes, full);
}

// bulk: bulk copies move 8 KiB at a time into shared memory, five of them in flight.
// Removes: registers that wait for reads; one thread requests all.
// Remains: every byte takes a second trip, through shared memory, with a barrier for each piece.
__global__ void __launch_bounds__(kThreads)
    bulk_kernel(const float* items, std::size_t n, StatusWord* words, float* sum) {
    __shared__ __align__(128) float4 slots[kSlots * kSlotVectors];
    __shared__ std::uint64_t full[kSlots];
    const float4* vectors = as_vectors(items);
    const unsigned count = vector_count(n);
    const unsigned pieces = divide_up(count, kSlotVectors);
    const auto size_of = [&](unsigned piece) {
        const unsigned left = count - piece * kSlotVectors;
        return left < kSlotVectors ? left : kSlotVectors;
    };
    const auto request_piece = [&](unsigned round) {
        const unsigned piece = blockIdx.x + round * gridDim.x;
        if (threadIdx.x != 0 || piece >= pieces) return;
        const unsigned slot = round % kSlots;
        request(vectors + piece * kSlotVectors, size_of(piece), slots + slot * kSlotVectors,
                full + slot);
    };
    if (threadIdx.x == 0) {
        for (std::uint64_t& barrier : full) ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();  // the barriers are ready
    grid_dependency_synchronize();
    for (unsigned round = 0; round < kSlots; ++round) request_piece(round);
    float mine = sum_tail(items, n);
    unsigned round = 0;
    for (unsigned piece = blockIdx.x; piece < pieces; piece += gridDim.x, ++round) {
        const unsigned slot = round % kSlots;
        while (!ptx::mbarrier_try_wait_parity(full + slot, round / kSlots % 2)) {
        }
        if (threadIdx.x < size_of(piece)) {
            mine += sum_of(slots[slot * kSlotVectors + threadIdx.x]);
        }
        __syncthreads();  // all threads have read the slot; it may be filled again
        request_piece(round + kSlots);
    }
    collect(block_sum(mine), words, sum);
}

unsigned bulk_blocks(std::size_t n) {
    const auto most = static_cast<unsigned>(device_info().sm_count) * kBulkBlocksPerSm;
    return std::min(most, blocks_for(n / kWidth, kSlotVectors));
}

void bulk(const float* d_items, std::size_t n, float* d_sum, Workspace& work) {
    launch_programmatic(bulk_kernel, bulk_blocks(n), kThreads, d_items, n, work.words.data(),
                        d_sum);
}

double bulk_depth(std::size_t n) {
    const std::size_t pieces = blocks_for(n / kWidth, kSlotVectors);
    return depth_in_one_launch(pieces / bulk_blocks(n) + 1, bulk_blocks(n), kThreads);
}

// ---- The table -------------------------------------------------------------------------------

/// The order of `add` is unknown: no order needs more additions than there are items.
double any_depth(std::size_t n) { return static_cast<double>(n); }

double cluster_depth(std::size_t n) { return best_depth(n) + kClusterBlocks; }

const std::vector<Stage<ReduceStage>>& ablations() {
    static const std::vector<Stage<ReduceStage>> table = {
        {{"best", "the chapter's fastest"}, {best, best_depth}},
        {{"add", "each block adds to the result, which is cleared first"}, {add, any_depth}},
        {{"ticket", "the last block adds the partial sums"}, {ticket, best_depth}},
        {{"cluster", "eight blocks add in shared memory first"}, {cluster, cluster_depth}},
        {{"cleared", "best_serialized, its words cleared before each launch"},
         {cleared, best_depth}},
        {{"bulk", "bulk copies into shared memory"}, {bulk, bulk_depth}},
    };
    return table;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t kMax = (std::size_t{1} << 31) + 3;
    constexpr std::size_t kDefault = std::size_t{1} << 20;
    return Chapter("ch03_ablations", "The sum of N floats, what did not win", "float")
        .sizes(kDefault, kDefault, kMax, kMax)
        .run(argc, argv, [](const Options& options) {
            return std::make_unique<OptimizedExperiment>(options, ablations());
        });
}
