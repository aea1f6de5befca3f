// Chapter 2: the sum of N floats, as it is first written on a GPU.
//
// You will learn: what a block of threads can add together in shared memory, what divergence and
// bank conflicts cost and how to avoid them, how to add the blocks' partial sums, what a time with
// copies and one without have in common (little), and why the result differs from the host's.
//
// Stages, made by ./tutorial docs from the table below:
//   1 atomic      every thread adds to one word
//   2 neighbour   adjacent pairs in shared memory
//   3 compact     the same pairs, added by the first threads
//   4 sequential  half a block away, then a quarter
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch02_reduce_baseline
//   nvcc -std=c++17 -O3 -arch=native -I. ch02_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch02
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_code.cuh"
#include "experiment.hpp"

namespace {

using namespace tutorial;

constexpr unsigned kThreads = 512;  // per block; one item each

/// The sum on the host, one item after the other, in float as on the device.
float serial_sum(const float* items, std::size_t n) {
    float sum = 0.0f;
    for (std::size_t i = 0; i < n; ++i) sum += items[i];
    return sum;
}

/// One block for no items at all: it writes the 0.
unsigned blocks_for(std::size_t n) {
    return static_cast<unsigned>(std::max<std::size_t>(1, divide_up<std::size_t>(n, kThreads)));
}

// ---- Stages ----------------------------------------------------------------------------------

/// This thread's index among all threads of the grid.
__device__ std::size_t grid_index() {
    return static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
}

// atomic: every thread adds its item to the one sum, which only an atomic operation does safely.
// Removes: (the starting point).
// Remains: all n additions go through one word of memory, one after the other; their order differs
// from run to run, and so does the result.
__global__ void atomic_kernel(const float* items, std::size_t n, float* sum) {
    const std::size_t i = grid_index();
    if (i < n) atomicAdd(sum, items[i]);
}

void atomic(const float* d_items, std::size_t n, float* d_sum) {
    CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(float)));  // 0.0f is four bytes of 0
    atomic_kernel<<<blocks_for(n), kThreads>>>(d_items, n, d_sum);
    CUDA_CHECK_LAUNCH();
}

// neighbour: a block adds its items in shared memory: pairs, pairs of pairs, and so on.
// Removes: the single word that all threads wait for; each block leaves one partial sum.
// Remains: divergence: every second thread idles, then three of four, and so on; but all warps
// still take part, mostly empty.
__global__ void neighbour_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = grid_index();
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned s = 1; s < kThreads; s *= 2) {
        if (t % (2 * s) == 0) sums[t] += sums[t + s];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

void neighbour(const float* d_items, std::size_t n, float* d_partial) {
    neighbour_kernel<<<blocks_for(n), kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}

// compact: the same additions, done by the first threads of the block.
// Removes: divergence: whole warps work or are done.
// Remains: neighbouring threads add items 2s apart, so that more and more of a warp's 32 accesses
// fall into the same bank of shared memory and wait for each other.
__global__ void compact_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = grid_index();
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned s = 1; s < kThreads; s *= 2) {
        const unsigned left = 2 * s * t;
        if (left < kThreads) sums[left] += sums[left + s];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

void compact(const float* d_items, std::size_t n, float* d_partial) {
    compact_kernel<<<blocks_for(n), kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}

// sequential: each thread adds the item half a block away, then a quarter, and so on.
// Removes: bank conflicts: neighbouring threads use neighbouring words.
// Remains: half the threads do nothing after loading their one item. Chapter 3 continues from here.
__global__ void sequential_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = grid_index();
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

void sequential(const float* d_items, std::size_t n, float* d_partial) {
    sequential_kernel<<<blocks_for(n), kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}

// ---- More than one block ---------------------------------------------------------------------

/// Enqueues the stage's single launch, or as many as it takes until one sum is left. `d_scratch`:
/// two arrays, each with room for the partial sums of n items.
Partials reduce(const ReduceStage& stage, Finish finish, const float* d_items, std::size_t n,
                float* const (&d_scratch)[2]) {
    stage.launch(d_items, n, d_scratch[0]);
    Partials partials = {d_scratch[0], stage.partials(n)};
    for (int to = 1; finish == Finish::launch && partials.count > 1; to = 1 - to) {
        stage.launch(partials.d_sums, partials.count, d_scratch[to]);
        partials = {d_scratch[to], stage.partials(partials.count)};
    }
    return partials;
}

// ---- The table -------------------------------------------------------------------------------

unsigned one_sum(std::size_t) { return 1; }

/// One after the other, in any order.
double serial_depth(std::size_t n) { return static_cast<double>(n); }

/// The levels of a tree over 512 = 2^9 threads.
double tree_depth(std::size_t) { return 9.0; }

const std::vector<Stage<ReduceStage>>& stages() {
    static const std::vector<Stage<ReduceStage>> table = {
        {{"atomic", "every thread adds to one word"}, {atomic, one_sum, serial_depth}},
        {{"neighbour", "adjacent pairs in shared memory"}, {neighbour, blocks_for, tree_depth}},
        {{"compact", "the same pairs, added by the first threads"},
         {compact, blocks_for, tree_depth}},
        {{"sequential", "half a block away, then a quarter"}, {sequential, blocks_for, tree_depth}},
    };
    return table;
}

std::unique_ptr<Experiment> experiment(const Options& options, Finish finish) {
    return std::make_unique<BaselineExperiment>(
        options, BaselineParts{stages(), reduce, serial_sum, blocks_for}, finish);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t kMaxItems = (std::size_t{1} << 31) + 3;
    std::string finish = "launch";
    return Chapter("ch02_reduce_baseline", "The sum of N floats, first tries", "float")
        .sizes(std::size_t{1} << 26, std::size_t{1} << 20, kMaxItems, std::size_t{1} << 24)
        .choice("--finish", "what adds the blocks' partial sums", {"host", "launch"}, finish)
        .run(argc, argv, [&](const Options& options) {
            return experiment(options, finish == "host" ? Finish::host : Finish::launch);
        });
}
