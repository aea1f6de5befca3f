// Grades exercise 2.6: is the sum right for any n, by as many launches as are needed?
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "../../common/harness/sum_reference.hpp"

void sum(const float* d_items, std::size_t n, float* const (&d_scratch)[2], float* d_sum);

namespace {

constexpr std::size_t kThreads = 64;

std::size_t blocks_for(std::size_t n) { return n == 0 ? 1 : (n + kThreads - 1) / kThreads; }

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        check.begin("n = {}, input whole numbers", n);
        const tutorial::WholeNumbers numbers = grading::whole_numbers(n, n + 1);
        grading::DeviceArray<float> d_items(numbers.items, "d_items"), d_sum(1, "d_sum");
        grading::DeviceArray<float> d_first(blocks_for(n), "d_first"),
            d_second(blocks_for(n), "d_second");
        sum(d_items.data(), n, {d_first.data(), d_second.data()}, d_sum.data());
        check.equal(numbers.sum, d_sum.values()[0], "*d_sum");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    // The largest n for one launch and for two, and the smallest for three and for four.
    constexpr std::size_t kSizes[] = {64, 64 * 64, 64 * 64 + 1, 64 * 64 * 64 + 1};
    for (int launches = 1; launches <= 4; ++launches) {
        const std::size_t n = kSizes[launches - 1];
        const tutorial::WholeNumbers numbers = grading::whole_numbers(n, 1);
        grading::DeviceArray<float> d_items(numbers.items), d_sum(1);
        grading::DeviceArray<float> d_first(blocks_for(n)), d_second(blocks_for(n));
        check.begin("n = {}", n);
        const lab::Report report = check.count([&] {
            sum(d_items.data(), n, {d_first.data(), d_second.data()}, d_sum.data());
        });
        check.exactly("launches", grading::launches(report), launches,
                      "A launch turns up to 64 items into one. Stop when one item is left, and not "
                      "before: the host adds nothing.");
        check.at_least("items that all threads load",
                       grading::lanes(report, lab::Space::global, lab::Operation::load),
                       static_cast<double>(n), "Every item is added on the device.");
        check.equal(numbers.sum, d_sum.values()[0], "*d_sum");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
