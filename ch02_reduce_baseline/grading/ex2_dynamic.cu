// Grades exercise 2.2: are the block's sums right, in the shared memory that the launch asks for?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "../../common/harness/sum_reference.hpp"

void block_sums(const float* d_items, std::size_t n, unsigned threads, float* d_partial);
std::size_t fixed_bytes();

namespace {

/// Exact for the whole numbers that are used here, in every order of addition.
std::vector<float> expected_sums(const std::vector<float>& items, std::size_t threads) {
    std::vector<float> sums(std::max<std::size_t>(1, (items.size() + threads - 1) / threads));
    for (std::size_t i = 0; i < items.size(); ++i) sums[i / threads] += items[i];
    return sums;
}

void answers(grading::Answers& check) {
    for (unsigned threads : {512u, 32u, 64u, 128u, 256u, 1024u}) {
        // Only the order of threads within a block matters, so a few sizes of blocks are enough.
        if (!check.in_usual_order() && threads != 512 && threads != 64) continue;
        for (std::size_t n : grading::sizes(1025)) {
            check.begin("n = {}, input whole numbers, {} threads per block", n, threads);
            const std::vector<float> items = grading::whole_numbers(n, n + 1).items;
            const std::vector<float> expected = expected_sums(items, threads);
            grading::DeviceArray<float> d_items(items, "d_items"),
                d_partial(expected.size(), "d_partial");
            block_sums(d_items.data(), n, threads, d_partial.data());
            check.equal(expected, d_partial.values(), "d_partial");
        }
    }
}

#if GRADING_HAS_LAB
/// A launch may ask for memory that the kernel touches, but does not use for its sum.
void counts(grading::Counts& check) {
    constexpr unsigned kThreads = 64;
    const std::vector<float> items = grading::whole_numbers(kThreads, 1).items;
    const grading::DeviceArray<float> d_items(items);
    grading::DeviceArray<float> d_partial(1);
    check.begin("one block of {} threads", kThreads);
    const lab::Report report =
        check.count([&] { block_sums(d_items.data(), kThreads, kThreads, d_partial.data()); });
    check.equal(expected_sums(items, kThreads), d_partial.values(), "d_partial");
    check.at_least("bytes of shared memory that the launch asks for, and threads use",
                   grading::bytes(report, lab::Space::shared, lab::Operation::store),
                   kThreads * sizeof(float), "Each thread has one word of it.");
    check.exactly("bytes of shared memory of a fixed size", static_cast<double>(fixed_bytes()), 0,
                  "A block gets these besides what the launch asks for.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
