// Grades exercise 2.1: does every block add the items that exist, and touch no others?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "../../common/harness/sum_reference.hpp"

void block_sums(const float* d_items, std::size_t n, float* d_partial);

namespace {

constexpr std::size_t kThreads = 128;

/// Exact for the whole numbers that are used here, in every order of addition.
std::vector<float> expected_sums(const std::vector<float>& items) {
    std::vector<float> sums(std::max<std::size_t>(1, (items.size() + kThreads - 1) / kThreads));
    for (std::size_t i = 0; i < items.size(); ++i) sums[i / kThreads] += items[i];
    return sums;
}

void answers(grading::Answers& check) {
    // Sizes that fill their blocks come first: for these even the kernel with the bug is right.
    std::vector<std::size_t> sizes = grading::sizes();
    sizes.insert(sizes.begin(), {128, 1024, 1000});
    if (check.in_usual_order()) sizes.push_back(70001);  // more than 16 bits can count
    for (std::size_t n : sizes) {
        check.begin("n = {}, input whole numbers", n);
        const std::vector<float> items = grading::whole_numbers(n, n + 1).items;
        const std::vector<float> expected = expected_sums(items);
        grading::DeviceArray<float> d_items(items, "d_items"),
            d_partial(expected.size(), "d_partial");
        block_sums(d_items.data(), n, d_partial.data());
        check.equal(expected, d_partial.values(), "d_partial");
    }
}

#if GRADING_HAS_LAB
/// Counts one call for n items, and compares what it stored with what it should have stored.
lab::Report counted(grading::Counts& check, std::size_t n) {
    check.begin("n = {}", n);
    const std::vector<float> items = grading::whole_numbers(n, 1).items;
    const std::vector<float> expected = expected_sums(items);
    const grading::DeviceArray<float> d_items(items, "d_items");
    grading::DeviceArray<float> d_partial(expected.size(), "d_partial");
    lab::Report report = check.count([&] { block_sums(d_items.data(), n, d_partial.data()); });
    check.equal(expected, d_partial.values(), "d_partial");
    return report;
}

/// The bug is fixed, and each thread still loads its own item.
void counts(grading::Counts& check) {
    constexpr std::size_t kItems = 4 * kThreads;
    const lab::Report without_items = counted(check, 0);
    const lab::Report report = counted(check, kItems);
    check.at_most("requests that load from global memory",
                  grading::requests(report, lab::Space::global, lab::Operation::load), kItems / 32,
                  "Each thread loads one item, and the 32 threads of a warp load together.");
    // How many steps the tree takes depends on the compiler; but it takes as many without items. An
    // item adds its load; if a zero was stored before, also a branch and a second store, at most 4
    // steps. Four items add 5 or more, most often 8.
    check.at_most("steps of the longest thread, beyond those without items",
                  grading::longest_thread(report) - grading::longest_thread(without_items), 4,
                  "Each thread of the block loads one item: does one warp load for the others?");
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(float), 1, kItems, kItems},
                 "Each thread of the block loads one item.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
