// Grades exercise 2.3: is the sum right, with one atomic operation per block?
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/sum_reference.hpp"

void sum(const float* d_items, std::size_t n, float* d_sum);

namespace {

constexpr std::size_t kThreads = 256;

void answers(grading::Answers& check) {
    std::vector<std::size_t> sizes = grading::sizes();
    if (check.in_usual_order()) sizes.push_back(70001);  // more than 16 bits can count
    for (std::size_t n : sizes) {
        check.begin("n = {}, input whole numbers", n);
        const tutorial::WholeNumbers numbers = grading::whole_numbers(n, n + 1);
        grading::DeviceArray<float> d_items(numbers.items, "d_items"), d_sum(1, "d_sum");
        sum(d_items.data(), n, d_sum.data());
        check.equal(numbers.sum, d_sum.values()[0], "*d_sum");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kItems = 10 * kThreads + 3;
    const tutorial::WholeNumbers numbers = grading::whole_numbers(kItems, 1);
    grading::DeviceArray<float> d_items(numbers.items), d_sum(1);
    check.begin("n = {}", kItems);
    check.follow(d_items);
    const lab::Report report = check.count([&] { sum(d_items.data(), kItems, d_sum.data()); });
    check.equal(numbers.sum, d_sum.values()[0], "*d_sum");
    check.at_most("atomic operations", grading::atomics(report), 11,
                  "Let the threads of a block add their items in shared memory, and one of them "
                  "add the block's sum to *sum. There are 11 blocks.");
    check.at_least("atomic operations in global memory",
                   grading::lanes(report, lab::Space::global, lab::Operation::atomic), 11,
                   "Each block adds its sum to *sum.");
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(float), 1, kItems, kItems, true},
                 "Each thread loads its own item.");
    check.at_most("shuffles of the busiest thread", grading::most_exchanges(report), 16,
                  "Five shuffles add 32 items, and five more the sums of 32 warps.");
    check.at_most("barriers of a block", grading::barriers_per_block(report), 20,
                  "A tree has eight levels. If the threads take turns, 255 wait for one.");
    // Memory that new gives to one thread and another reads is global memory.
    check.at_most(
        "items of 4 bytes that the busiest thread loads",
        (grading::most_loaded(report, lab::Space::shared) +
         grading::most_loaded(report, lab::Space::global)) /
            sizeof(float),
        40,
        "If one thread adds 256 items, 255 threads wait. A tree has eight levels, and in each of "
        "them a thread adds at most one other sum.");
}
#endif

/// The chapter's stage `atomic`.
__global__ void atomic_kernel(const float* items, std::size_t n, float* sum) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i < n) atomicAdd(sum, items[i]);
}

void times(grading::Times& check) {
    constexpr std::size_t kItems = std::size_t{1} << 20;
    grading::DeviceArray<float> d_items(grading::whole_numbers(kItems, 1).items), d_sum(1);
    check.begin("n = {}", kItems);
    check.at_most_times(
        "the chapter's stage `atomic`",
        [&] {
            CUDA_CHECK(cudaMemsetAsync(d_sum.data(), 0, sizeof(float)));
            atomic_kernel<<<kItems / kThreads, kThreads>>>(d_items.data(), kItems, d_sum.data());
            CUDA_CHECK_LAUNCH();
        },
        [&] { sum(d_items.data(), kItems, d_sum.data()); }, 0.2);
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
