// Grades exercise 2.1: does every block add the items that there are, and touch no others?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "../../common/harness/sum_reference.hpp"

void block_sums(const float* d_items, std::size_t n, float* d_partial);

namespace {

constexpr std::size_t kThreads = 128;

/// Exact for the whole numbers that are used here, in every order of adding.
std::vector<float> expected_sums(const std::vector<float>& items) {
    std::vector<float> sums(std::max<std::size_t>(1, (items.size() + kThreads - 1) / kThreads));
    for (std::size_t i = 0; i < items.size(); ++i) sums[i / kThreads] += items[i];
    return sums;
}

void answers(grading::Answers& check) {
    // First of all sizes that fill their blocks: there even the faulty kernel is right.
    std::vector<std::size_t> sizes = grading::sizes();
    sizes.insert(sizes.begin(), {128, 1024, 1000});
    if (check.in_usual_order()) sizes.push_back(70001);  // beyond what 16 bits count
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
/// The fault is to be mended, and each thread is to go on loading its own item.
void counts(grading::Counts& check) {
    constexpr std::size_t kItems = 4 * kThreads;
    check.begin("n = {}", kItems);
    const std::vector<float> items = grading::whole_numbers(kItems, 1).items;
    const grading::DeviceArray<float> d_items(items);
    grading::DeviceArray<float> d_partial(4);
    const lab::Report report =
        check.count([&] { block_sums(d_items.data(), kItems, d_partial.data()); });
    check.equal(expected_sums(items), d_partial.values(), "d_partial");
    check.at_most("requests that load from global memory",
                  grading::requests(report, lab::Space::global, lab::Operation::load), kItems / 32,
                  "Each thread loads one item, 32 of them at a time.");
    // A thread loads one item and takes part in seven levels of the tree. Whoever loads for three
    // other warps, too, does as much again as for two levels more.
    check.at_most("steps of the longest thread", grading::longest_thread(report), 130,
                  "Each thread of the block loads one item: does one warp load for the others?");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
