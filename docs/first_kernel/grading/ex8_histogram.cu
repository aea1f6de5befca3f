// Grades warm-up 8: is every digit counted, and nothing else?
#include <climits>
#include <cstddef>
#include <string>
#include <vector>

#include "shares.hpp"

void count_digits(const int* d_items, unsigned n, unsigned* d_counters);

namespace {

struct Items {
    std::string name;
    std::vector<int> values;
};

std::vector<Items> all_items(std::size_t n) {
    Items digits{"digits only", {}}, sevens{"7 only", std::vector<int>(n, 7)};
    Items near{"from -2 to 11", {}}, mixed{"digits and others", {}};
    const int others[] = {-1, 10, -10, 1000, INT_MIN, INT_MAX};
    for (std::size_t i = 0; i < n; ++i) {
        const auto bits = grading::random_bits(n, i);
        const int digit = static_cast<int>(bits % 10);
        digits.values.push_back(digit);
        near.values.push_back(static_cast<int>(i % 14) - 2);
        mixed.values.push_back(bits / 16 % 3 == 0 ? others[bits / 64 % 6] : digit);
    }
    return {digits, sevens, near, mixed};
}

void answers(grading::Answers& check) {
    std::vector<std::size_t> sizes = grading::sizes();
    sizes.insert(sizes.begin(), 33);
    for (std::size_t n : sizes) {
        for (const Items& items : all_items(n)) {
            check.begin("n = {}, {}", n, items.name);
            std::vector<unsigned> expected(10);
            for (int item : items.values) {
                if (item >= 0 && item <= 9) ++expected[item];
            }
            grading::DeviceArray<int> d_items(items.values, "items");
            grading::DeviceArray<unsigned> d_counters(std::vector<unsigned>(10), "counters");
            count_digits(d_items.data(), static_cast<unsigned>(n), d_counters.data());
            check.equal(expected, d_counters.values(), "counters");
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::size_t n = grading::counted_size(4096, 32);
    check.begin("n = {}", n);
    grading::DeviceArray<int> d_items(std::vector<int>(n, 7));
    grading::DeviceArray<unsigned> d_counters(std::vector<unsigned>(10));
    check.follow(d_items);
    const lab::Report report = check.count(
        [&] { count_digits(d_items.data(), static_cast<unsigned>(n), d_counters.data()); },
        [&] { d_counters.set(std::vector<unsigned>(10)); });
    check.equal({0, 0, 0, 0, 0, 0, 0, static_cast<unsigned>(n), 0, 0}, d_counters.values(),
                "counters");
    // The tests and the counter's index may each read it again.
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int), 3, static_cast<double>(n),
                  static_cast<double>(n), true},
                 "Each thread looks at one int. Does one of your threads look at more?");
    const double atomics = grading::requests(report, lab::Space::global, lab::Operation::atomic);
    check.at_most(
        "requests that load items, for each 32 of them",
        32 * (grading::requests(report, lab::Space::global, lab::Operation::load) - atomics) /
            static_cast<double>(n),
        3, "Each thread looks at one int, and the 32 of a warp look together.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
