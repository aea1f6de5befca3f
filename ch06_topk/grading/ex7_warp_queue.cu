// Grades exercise 6.7, warp_queue.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "reference.hpp"

void top32_of_rows(const int* d_items, std::size_t rows, std::size_t columns, int* d_top);

namespace {

constexpr std::size_t kQueue = 32;

void check_rows(grading::Answers& check, const std::vector<int>& items, std::size_t rows) {
    const std::size_t columns = items.size() / rows;
    std::vector<int> expected;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto first = items.begin() + static_cast<std::ptrdiff_t>(row * columns);
        const std::vector<int> best =
            largest_on_host({first, first + static_cast<std::ptrdiff_t>(columns)}, kQueue);
        expected.insert(expected.end(), best.begin(), best.end());
    }
    grading::DeviceArray<int> d_items(items, "d_items"), d_top(expected.size(), "d_top");
    top32_of_rows(d_items.data(), rows, columns, d_top.data());
    check.equal(expected, d_top.values(), "d_top");
}

void answers(grading::Answers& check) {
    for (const std::size_t n : grading::sizes(257)) {
        // For larger sizes, only the inputs that let most keys pass, or only a few.
        for (const auto& input :
             n <= 33 ? grading::int_inputs(n) : grading::inputs<int>(n, {"random", "sorted"})) {
            check.begin("one row, n = {}, input {}", n, input.name);
            check_rows(check, input.values, 1);
        }
    }
    check.begin("9 rows, n = 100 each, random input");
    check_rows(check, grading::make_input<int>("random", 900, 1), 9);
    for (const std::size_t n : grading::sizes()) {
        if (n <= 257) continue;
        check.begin("one row, n = {}, random input", n);
        check_rows(check, grading::make_input<int>("random", n, 2), 1);
    }
}

#if GRADING_HAS_LAB
/// In a row in which every key passes.
void count_exchanges(grading::Counts& check, const char* order, const std::vector<int>& items) {
    const std::size_t columns = items.size();
    grading::DeviceArray<int> d_items(items), d_top(kQueue);
    const lab::Report report =
        check.count([&] { top32_of_rows(d_items.data(), 1, columns, d_top.data()); });
    check.begin("n = {}, {} order", columns, order);
    check.equal(largest_on_host(items, kQueue), d_top.values(), "d_top");
    check.exactly(
        "requests to shared memory", grading::requests(report, lab::Space::shared), 0,
        "Use no memory: each lane has its registers, and learns about others by shuffles.");
    // Each round loads 32 keys, and at the end 32 are stored.
    check.exactly("requests to global memory", grading::requests(report, lab::Space::global),
                  static_cast<double>(columns / 32 + 1),
                  "Use no memory: only the code around the blank loads and stores.");
    check.exactly("barriers, and uses of __syncwarp()",
                  grading::barriers(report) + grading::warp_barriers(report), 0,
                  "They order memory. A shuffle of registers needs none.");
    // Two per round of 32 keys, and one for each key, which tells all lanes: that one is outside
    // the blank.
    const double given = static_cast<double>(2 * columns / 32 + columns);
    check.at_most("shuffles and votes in the blank, for a key that passes",
                  (grading::exchanges(report) - given) / static_cast<double>(columns), 4,
                  "All lanes compare at the same time, and one ballot has all their answers.");
}

void counts(grading::Counts& check) {
    std::vector<int> items(256);
    std::iota(items.begin(), items.end(), 0);  // each key goes to the front
    count_exchanges(check, "ascending", items);
    items.resize(kQueue);
    std::reverse(items.begin(), items.end());  // each key goes after all others
    count_exchanges(check, "descending", items);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
