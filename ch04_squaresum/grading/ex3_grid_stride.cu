// Grades exercise 4.3: every item once, for every grid, and neighbours read neighbours.
#include <cuda_runtime.h>
#include <cmath>

#include <numeric>

#include "../../common/harness/cuda_check.hpp"
#include "squares.hpp"

void grid_stride(const int* d_items, std::size_t n, unsigned blocks, unsigned threads, Sum* d_sums);

namespace {

struct Grid {
    unsigned blocks, threads;
};

/// The sums of ones show how many items each block took: no more than its threads' share.
void check_shares(grading::Answers& check, std::size_t n, const Grid& grid,
                  const std::vector<Sum>& sums) {
    const std::size_t all = std::size_t{grid.blocks} * grid.threads;
    const std::size_t share = (n + all - 1) / all * grid.threads;
    for (unsigned block = 0; block < grid.blocks; ++block) {
        check.that(
            sums[block] <= share,
            "block {} takes {} of {} items; if all blocks share them evenly, it takes at most {}",
            block, sums[block], n, share);
    }
}

void answers(grading::Answers& check) {
    for (const std::size_t n : sizes_to_large(check)) {
        for (const Grid grid : {Grid{1, 32}, Grid{3, 96}, Grid{8, 64}, Grid{2, 1024}}) {
            // One grid is enough for these, and at the largest two sizes the threads begin a second
            // round.
            if (n > 65535 && grid.blocks != 3) continue;
            if (!check.in_usual_order() && grid.blocks != 3 && grid.blocks != 2) continue;
            for (const grading::Input<int>& input : square_inputs(n, 46340)) {
                check.begin("n = {}, a grid of {} x {} threads, input {}", n, grid.blocks,
                            grid.threads, input.name);
                const grading::DeviceArray<int> d_items(input.values, "d_items");
                grading::DeviceArray<Sum> d_sums(grid.blocks, "d_sums");
                grid_stride(d_items.data(), n, grid.blocks, grid.threads, d_sums.data());
                const std::vector<Sum> sums = d_sums.values();
                check.equal(sum_of_squares(input.values),
                            std::accumulate(sums.begin(), sums.end(), Sum{0}),
                            "sum of all squares");
                if (input.name == "all ones") check_shares(check, n, grid, sums);
            }
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    // The last is so large that thread 0's work at the end hardly counts.
    for (const std::size_t n : {grading::counted_size(4096, 32), grading::counted_size(12345),
                                grading::counted_size(140001)}) {
        check.begin("n = {}, a grid of 8 x 64 threads", n);
        const std::vector<int> items = square_inputs(n, 46340).back().values;
        const grading::DeviceArray<int> d_items(items);
        grading::DeviceArray<Sum> d_sums(8);
        const lab::Report report =
            check.count([&] { grid_stride(d_items.data(), n, 8, 64, d_sums.data()); });
        const std::vector<Sum> sums = d_sums.values();
        check.equal(sum_of_squares(items), std::accumulate(sums.begin(), sums.end(), Sum{0}),
                    "sum of all squares");
        check.at_most("sectors per request, loads from global memory",
                      grading::sectors_per_request(report, lab::Operation::load),
                      grading::kNeighbouringWords,
                      "The 32 lanes of a warp read together. Their items should lie side by side.");
        check.shares(report,
                     {lab::Space::global, lab::Operation::load, sizeof(int),
                      std::ceil(static_cast<double>(n) / 512), static_cast<double>(n), 512},
                     "There are 8 x 64 threads. Each should have an equal share.");
        check.at_most("requests that load from global memory",
                      grading::requests(report, lab::Space::global, lab::Operation::load),
                      static_cast<double>((n + 31) / 32), "Do all threads take part?");
        if (n < 65536) continue;
        check.at_most("steps of the busiest thread, divided by those of the average thread",
                      grading::busiest_thread(report), 1.8,
                      "Do all warps of a block take part? Each thread should have an equal share.");
    }
}
#endif

/// The chapter's second stage, for any grid: each thread its own piece.
__global__ void chunked_kernel(const int* items, std::size_t n, Sum* sums) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t piece = (n + threads - 1) / threads;
    const std::size_t end = (thread + 1) * piece < n ? (thread + 1) * piece : n;
    Sum sum = 0;
    for (std::size_t i = thread * piece; i < end; ++i) {
        const long long item = items[i];
        sum += static_cast<Sum>(item * item);
    }
    sums[thread] = sum;
}

void times(grading::Times& check) {
    // Far more than a cache holds, and enough threads for a whole GPU: with only a few, both
    // versions wait for one item after the other.
    constexpr std::size_t kN = std::size_t{1} << 26;
    constexpr unsigned kBlocks = 1024, kThreads = 256;
    const grading::DeviceArray<int> d_items(kN);  // their values do not affect the time
    grading::DeviceArray<Sum> d_sums(std::size_t{kBlocks} * kThreads);
    check.begin("n = {}, a grid of {} x {} threads", kN, kBlocks, kThreads);
    const auto chunked = [&] {
        chunked_kernel<<<kBlocks, kThreads>>>(d_items.data(), kN, d_sums.data());
        CUDA_CHECK_LAUNCH();
    };
    check.at_most_times(
        "the chapter's stage `chunked`, in as many threads", chunked,
        [&] { grid_stride(d_items.data(), kN, kBlocks, kThreads, d_sums.data()); }, 0.8);
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
