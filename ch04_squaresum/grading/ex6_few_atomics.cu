// Grades exercise 4.6: the sum of squares, with one atomic operation on the result per block.
#include <cuda_runtime.h>

#include "../../common/harness/cuda_check.hpp"
#include "squares.hpp"

void few_atomics(const int* d_items, std::size_t n, unsigned blocks, Sum* d_sum);

namespace {

constexpr unsigned kThreads = 256;

void answers(grading::Answers& check) {
    for (const std::size_t n : sizes_zero_last()) {
        for (const unsigned blocks : {1u, 5u}) {
            for (const grading::Input<int>& input : square_inputs(n, 46340)) {
                check.begin("n = {}, blocks = {}, input {}", n, blocks, input.name);
                const grading::DeviceArray<int> d_items(input.values, "d_items");
                grading::DeviceArray<Sum> d_sum(1, "d_sum");
                few_atomics(d_items.data(), n, blocks, d_sum.data());
                check.equal(sum_of_squares(input.values), d_sum.values()[0], "d_sum");
            }
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    for (const unsigned blocks : {1u, 8u}) {
        check.begin("n = 5000, blocks = {}", blocks);
        const std::vector<int> items = square_inputs(5000, 46340).back().values;
        const grading::DeviceArray<int> d_items(items);
        grading::DeviceArray<Sum> d_sum(1);
        const lab::Report report =
            check.count([&] { few_atomics(d_items.data(), 5000, blocks, d_sum.data()); });
        check.equal(sum_of_squares(items), d_sum.values()[0], "d_sum");
        double atomics = 0;
        for (const lab::KernelReport& kernel : report.kernels) {
            atomics +=
                static_cast<double>(kernel.total(lab::Space::global, lab::Operation::atomic).lanes);
        }
        check.at_least("atomic operations of threads in global memory", atomics, blocks,
                       "Each block must add to *sum by an atomic operation, because other blocks "
                       "do so at the same time.");
        check.at_most("atomic operations of threads in global memory", atomics, blocks,
                      "How many threads of a block add to the result? One is enough if it adds the "
                      "block's sum.");
    }
}
#endif

/// What the exercise begins with: every thread adds its own sum to the result.
__global__ void every_thread_kernel(const int* items, std::size_t n, Sum* sum) {
    Sum mine = 0;
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * kThreads;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
         i += threads) {
        const long long item = items[i];
        mine += static_cast<Sum>(item * item);
    }
    atomicAdd(sum, mine);
}

void times(grading::Times& check) {
    constexpr std::size_t kN = std::size_t{1} << 20;
    constexpr unsigned kBlocks = kN / kThreads / 4;  // four items per thread
    const grading::DeviceArray<int> d_items(kN);     // their values do not affect the time
    grading::DeviceArray<Sum> d_sum(1);
    check.begin("n = {}, blocks = {}", kN, kBlocks);
    const auto every_thread = [&] {
        CUDA_CHECK(cudaMemsetAsync(d_sum.data(), 0, sizeof(Sum)));
        every_thread_kernel<<<kBlocks, kThreads>>>(d_items.data(), kN, d_sum.data());
        CUDA_CHECK_LAUNCH();
    };
    check.at_most_times(
        "one atomic addition per thread", every_thread,
        [&] { few_atomics(d_items.data(), kN, kBlocks, d_sum.data()); }, 0.6);
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
