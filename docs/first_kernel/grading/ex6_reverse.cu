// Grades warm-up 6: is every piece turned round, by all threads of its block?
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "shares.hpp"

void turn_pieces(int* d_items, unsigned n);

namespace {

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        check.begin("n = {}", n);
        std::vector<int> items(n);
        std::iota(items.begin(), items.end(), 1000);
        grading::DeviceArray<int> d_items(items, "items");
        turn_pieces(d_items.data(), static_cast<unsigned>(n));
        for (std::size_t first = 0; first < n; first += 256) {
            std::reverse(items.begin() + first, items.begin() + std::min(n, first + 256));
        }
        check.equal(items, d_items.values(), "items");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::size_t n = 4096;
    check.begin("n = {}", n);
    grading::DeviceArray<int> d_items(std::vector<int>(n, 7));
    const lab::Report report =
        check.count([&] { turn_pieces(d_items.data(), static_cast<unsigned>(n)); });
    check.exactly("requests that store to global memory, one for each 32 items",
                  grading::requests(report, lab::Space::global, lab::Operation::store),
                  static_cast<double>(n / 32),
                  "Each thread stores one item, and the 32 of a warp store theirs together.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
