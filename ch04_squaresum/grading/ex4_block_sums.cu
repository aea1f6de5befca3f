// Grades exercise 4.4: block sums, in an array that has room for them.
#include "squares.hpp"

void block_sums(const int* d_items, std::size_t n, Sum* d_sums);

namespace {

constexpr unsigned kBlocks = 8, kThreads = 64;

void answers(grading::Answers& check) {
    for (const std::size_t n : sizes_to_large(check)) {
        for (const grading::Input<int>& input : square_inputs(n, 46340)) {
            check.begin("n = {}, input {}", n, input.name);
            const grading::DeviceArray<int> d_items(input.values, "d_items");
            grading::DeviceArray<Sum> d_sums(kBlocks, "d_sums");
            block_sums(d_items.data(), n, d_sums.data());
            std::vector<Sum> expected(kBlocks, 0);
            for (std::size_t i = 0; i < n; ++i) {
                expected[i / kThreads % kBlocks] += square(input.values[i]);
            }
            check.equal(expected, d_sums.values(), "d_sums");
        }
    }
}

#if GRADING_HAS_LAB
/// The bug is fixed, and every thread still adds its own squares.
void counts(grading::Counts& check) {
    const std::size_t n = grading::counted_size(4096, 32);
    check.begin("n = {}", n);
    const std::vector<int> items = square_inputs(n, 46340).back().values;
    const grading::DeviceArray<int> d_items(items);
    grading::DeviceArray<Sum> d_sums(kBlocks);
    const lab::Report report = check.count([&] { block_sums(d_items.data(), n, d_sums.data()); });
    std::vector<Sum> expected(kBlocks, 0);
    for (std::size_t i = 0; i < n; ++i) expected[i / kThreads % kBlocks] += square(items[i]);
    check.equal(expected, d_sums.values(), "d_sums");
    // An addition to the block's sum also reads it. One per thread is correct, though not the best.
    const double additions =
        std::min(grading::requests(report, lab::Space::global, lab::Operation::atomic),
                 kBlocks * kThreads / 32.0);
    check.at_most("requests that load items",
                  grading::requests(report, lab::Space::global, lab::Operation::load) - additions,
                  static_cast<double>(n / 32),
                  "Each thread has already added its squares: use these sums.");
    const double each = std::ceil(static_cast<double>(n) / (kBlocks * kThreads));
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, 1, 4 * each + 2 * sizeof(Sum),
                  static_cast<double>(4 * n), kBlocks * kThreads},
                 "Each thread has already added its squares: use these sums.");
    check.at_least("sums that blocks leave",
                   grading::lanes(report, lab::Space::global, lab::Operation::store), kBlocks,
                   "Each block stores one sum.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
