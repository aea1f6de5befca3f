// Grades exercise 4.2: exact sums of squares, of small and of large ints.
#include <limits>

#include "squares.hpp"

void wide_sum(const int* d_items, std::size_t n, Sum* d_sum);

namespace {

void check_sum(grading::Answers& check, const std::vector<int>& items) {
    const grading::DeviceArray<int> d_items(items, "d_items");
    grading::DeviceArray<Sum> d_sum(1, "d_sum");
    wide_sum(d_items.data(), items.size(), d_sum.data());
    if (items.size() == 1) {
        // The square as an int, without its upper bits.
        const Sum right = square(items[0]), got = d_sum.values()[0];
        const auto as_int = static_cast<Sum>(static_cast<int>(static_cast<unsigned>(right)));
        check.that(got == right || got != as_int,
                   "d_sum: expected {}, got {}: {} squared does not fit in an int. Convert the "
                   "item to long long before it is squared, not the square, and keep the sum in "
                   "a Sum.",
                   right, got, items[0]);
    }
    check.equal(sum_of_squares(items), d_sum.values()[0], "d_sum");
}

void answers(grading::Answers& check) {
    constexpr int kInts[] = {
        46340, 46341, 65536, std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), -1};
    for (const int item : kInts) {
        check.begin("n = 1, the item is {}", item);
        check_sum(check, {item});
    }
    for (const std::size_t n : sizes_to_large(check)) {
        // 2^24 times 92681^2 is below 2^64, and every thread's own sum soon exceeds 2^32.
        for (const int most : {9, 92681}) {
            for (const grading::Input<int>& input : square_inputs(n, most)) {
                check.begin("n = {}, input {}, items up to {}", n, input.name, most);
                check_sum(check, input.values);
            }
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kN = 4096;
    check.begin("n = {}", kN);
    const std::vector<int> items = square_inputs(kN, 46340).back().values;
    const grading::DeviceArray<int> d_items(items);
    grading::DeviceArray<Sum> d_sum(1);
    check.follow(d_items);
    const lab::Report report = check.count([&] { wide_sum(d_items.data(), kN, d_sum.data()); });
    check.equal(sum_of_squares(items), d_sum.values()[0], "d_sum");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 400,
                  "256 threads have 16 items each. Do all of them take part?");
    // An item may be read a second time to be squared.
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int), 2 * 16, kN, 256, true},
                 "256 threads have 16 items each. Do all of them take part?");
    check.even_shares(report, 1.25, "256 threads have 16 items each.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
