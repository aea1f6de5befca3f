// Grades exercise 4.8: one launch; several calls in a row use one word.
#include "squares.hpp"

void one_word(const int* d_items, std::size_t n, Sum* d_word, Sum* d_sum);

namespace {

void answers(grading::Answers& check) {
    // All squares together must be below 2^48: 12345 of them may be up to 2^34, 70001 up to 2^31.
    constexpr int kMax = 1 << 17, kMaxOfMany = 46340;
    grading::DeviceArray<Sum> d_word(std::vector<Sum>{0}, "d_word");
    int call = 0;
    for (const std::size_t n : sizes_to_large(check)) {
        for (const grading::Input<int>& input : square_inputs(n, n > 65535 ? kMaxOfMany : kMax)) {
            check.begin("call {}, n = {}, input {}", ++call, n, input.name);
            const grading::DeviceArray<int> d_items(input.values, "d_items");
            grading::DeviceArray<Sum> d_sum(1, "d_sum");
            one_word(d_items.data(), n, d_word.data(), d_sum.data());
            check.equal(sum_of_squares(input.values), d_sum.values()[0], "d_sum");
        }
    }
    check.equal(Sum{0}, d_word.values()[0], "d_word, after the last call");
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    check.begin("n = {}", 1000);
    const std::vector<int> items = square_inputs(1000, 1 << 17).back().values;
    const grading::DeviceArray<int> d_items(items);
    grading::DeviceArray<Sum> d_word(std::vector<Sum>{0}), d_sum(1);
    check.follow(d_items);
    const lab::Report report =
        check.count([&] { one_word(d_items.data(), 1000, d_word.data(), d_sum.data()); });
    check.equal(sum_of_squares(items), d_sum.values()[0], "d_sum");
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int), 1, 1000, 1000, true},
                 "Each thread squares one item. A block gets the others' sums from the word.");
    check.at_least("atomic operations", grading::atomics(report), grading::blocks(report),
                   "Every block adds its sum to the word, and counts itself.");
    check.at_most("atomic operations", grading::atomics(report), grading::blocks(report) + 1,
                  "One per block, for sum and count together, and one to clear the word. No thread "
                  "needs to read it again.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
