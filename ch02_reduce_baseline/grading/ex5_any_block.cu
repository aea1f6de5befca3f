// Grades exercise 2.5: a tree of 96 threads in which whole warps work and no banks conflict.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "../../common/harness/sum_reference.hpp"

void block_sums(const float* d_items, std::size_t n, float* d_partial);

namespace {

constexpr std::size_t kThreads = 96;

/// Exact for the whole numbers that are used here, in every order of adding.
std::vector<float> expected_sums(const std::vector<float>& items) {
    std::vector<float> sums(std::max<std::size_t>(1, (items.size() + kThreads - 1) / kThreads));
    for (std::size_t i = 0; i < items.size(); ++i) sums[i / kThreads] += items[i];
    return sums;
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        check.begin("n = {}, input whole numbers", n);
        const std::vector<float> items = tutorial::whole_numbers(n, n + 1).items;
        const std::vector<float> expected = expected_sums(items);
        grading::DeviceArray<float> d_items(items, "d_items"),
            d_partial(expected.size(), "d_partial");
        block_sums(d_items.data(), n, d_partial.data());
        check.equal(expected, d_partial.values(), "d_partial");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    grading::DeviceArray<float> d_items(std::vector<float>(kThreads, 1.0f)), d_partial(1);
    check.begin("n = {}, one block", kThreads);
    const lab::Report report =
        check.count([&] { block_sums(d_items.data(), kThreads, d_partial.data()); });
    check.at_most("requests to shared memory", grading::requests(report, lab::Space::shared), 30,
                  "3 store the items. Then let the first threads add, so that few warps have work: "
                  "2 at the first level, 1 at each of the other six. An addition takes three "
                  "requests: two words are read and one is written.");
    check.at_most("passes a request, in shared memory", grading::wavefronts_per_request(report),
                  1.0, "Let neighbouring threads use neighbouring words.");
    check.at_most("barriers", grading::barriers(report), 8,
                  "One behind the items, one for each level: 48, 24, 12, 6, 3, 2, 1.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
