// Grades exercise 3.3: the sum of each tile, read with hardly an unused byte.
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"
#include "tile_sums.hpp"

void neighbours(const float* d_items, std::size_t n, float* d_partial);

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kItems = 8;
constexpr std::size_t kTile = kThreads * kItems;

void answers(grading::Answers& check) { check_tile_sums(check, neighbours, kTile); }

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    for (const std::size_t n : {grading::counted_size(2048, 32), grading::counted_size(12345)}) {
        const lab::Report report = count_tile_sums(check, neighbours, kTile, n);
        check.at_most("bytes moved by loads, for each byte needed", moved_by_needed(report, n),
                      1.05,
                      "A sector of 32 bytes is always moved whole. Which items do the 32 lanes of "
                      "a warp load at the same k?");
        check.at_most("steps of the longest thread", grading::longest_thread(report), 250,
                      "The tile has kItems items for each thread. Do all warps take part?");
        check.shares(report,
                     {lab::Space::global, lab::Operation::load, sizeof(float), 8,
                      static_cast<double>(n), static_cast<double>(n) / 8},
                     "The tile has kItems items for each thread. Do all warps take part?");
    }
}
#endif

/// What the exercise begins with: each thread adds 8 items in a row.
__global__ void in_a_row_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * kTile + t * kItems;
    float mine = 0.0f;
    for (unsigned k = 0; k < kItems; ++k) {
        const std::size_t i = begin + k;
        if (i < n) mine += items[i];
    }
    sums[t] = mine;
    __syncthreads();  // every thread's sum is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

void times(grading::Times& check) {
    // Far more than a cache holds. The items' values do not affect the time.
    constexpr std::size_t kN = std::size_t{1} << 26;
    const grading::DeviceArray<float> d_items(kN);
    grading::DeviceArray<float> d_partial(kN / kTile);
    check.begin("n = {}", kN);
    const auto in_a_row = [&] {
        in_a_row_kernel<<<kN / kTile, kThreads>>>(d_items.data(), kN, d_partial.data());
        CUDA_CHECK_LAUNCH();
    };
    check.at_most_times(
        "8 items in a row per thread", in_a_row,
        [&] { neighbours(d_items.data(), kN, d_partial.data()); }, 0.9);
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
