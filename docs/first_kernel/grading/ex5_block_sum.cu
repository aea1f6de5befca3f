// Grades warm-up 5: does every block add its 8 numbers, in three steps?
#include <cstddef>
#include <vector>

#include "shares.hpp"

void sums_of_eight(const int* d_items, int* d_sums, unsigned n);

namespace {

std::vector<int> numbers(std::size_t n) {
    std::vector<int> items(n);
    for (std::size_t i = 0; i < n; ++i) {
        items[i] = static_cast<int>(grading::random_bits(n, i) % 199) - 99;
    }
    return items;
}

std::vector<int> eights(const std::vector<int>& items) {
    std::vector<int> sums((items.size() + 7) / 8);
    for (std::size_t i = 0; i < items.size(); ++i) sums[i / 8] += items[i];
    return sums;
}

void answers(grading::Answers& check) {
    std::vector<std::size_t> sizes{8, 7, 9, 16};
    for (std::size_t n : grading::sizes()) {
        if (n > 0) sizes.push_back(n);
    }
    for (std::size_t n : sizes) {
        check.begin("n = {}", n);
        const std::vector<int> items = numbers(n);
        const std::vector<int> expected = eights(items);
        grading::DeviceArray<int> d_items(items, "items"), d_sums(expected.size(), "sums");
        sums_of_eight(d_items.data(), d_sums.data(), static_cast<unsigned>(n));
        check.equal(expected, d_sums.values(), "sums");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    check.begin("n = 8, all numbers equal");
    const int number = 7 + static_cast<int>(grading::hidden_bits(8, 0) % 100);
    grading::DeviceArray<int> d_items(std::vector<int>(8, number)), d_sums(1);
    const lab::Report report =
        check.count([&] { sums_of_eight(d_items.data(), d_sums.data(), 8); });
    check.equal({8 * number}, d_sums.values(), "sums");
    check.shares(report, {lab::Space::global, lab::Operation::load, sizeof(int), 1, 8, 8},
                 "All the numbers are already in shared memory.");
    const double stores = grading::requests(report, lab::Space::shared, lab::Operation::store);
    check.exactly("steps in which sums are stored in shared memory", stores - 1, 3,
                  "Four threads add at once, then two, then one: 8, 4, 2, 1 numbers are left.");
    check.exactly("numbers that threads store in shared memory",
                  grading::lanes(report, lab::Space::shared, lab::Operation::store), 8 + 4 + 2 + 1,
                  "8 are there at first. Four threads add in the first step, then two, then one.");
    check.shares(report,
                 {lab::Space::shared, lab::Operation::load, sizeof(int), 3 * 2 + 1, 7 + 1, 4},
                 "In each step a thread adds one other number to its own: two are read. The last "
                 "line of the kernel reads the sum.");
    // Four numbers stay as they are, two threads have added two, one has four, and one all eight.
    check.exactly("sum of what is left in shared memory, in numbers of the input",
                  grading::left_in_shared(report) / number, 4 * 1 + 2 * 2 + 4 + 8,
                  "In each step a thread adds one other number to its own, and stores the sum.");
    check.exactly("shuffles", grading::exchanges(report), 0,
                  "The numbers are in shared memory already.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
