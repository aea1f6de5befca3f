// Grades warm-up 6: is every piece turned round, by all threads of its block?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "shares.hpp"

void turn_pieces(int* d_items, unsigned n);

namespace {

std::vector<int> turned(std::vector<int> items) {
    const std::size_t n = items.size();
    for (std::size_t first = 0; first < n; first += 256) {
        std::reverse(items.begin() + first, items.begin() + std::min(n, first + 256));
    }
    return items;
}

std::vector<int> from_1000_on(std::size_t n) {
    std::vector<int> items(n);
    for (std::size_t i = 0; i < n; ++i) {
        items[i] = static_cast<int>(1000 + i) ^ static_cast<int>(grading::hidden_bits(n, i));
    }
    return items;
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        check.begin("n = {}", n);
        const std::vector<int> items = from_1000_on(n);
        grading::DeviceArray<int> d_items(items, "items");
        turn_pieces(d_items.data(), static_cast<unsigned>(n));
        check.equal(turned(items), d_items.values(), "items");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::size_t n = grading::counted_size(4096, 256);
    check.begin("n = {}", n);
    grading::DeviceArray<int> d_items(from_1000_on(n));
    const lab::Report report =
        check.count([&] { turn_pieces(d_items.data(), static_cast<unsigned>(n)); },
                    [&] { d_items.set(from_1000_on(n)); });
    check.equal(turned(from_1000_on(n)), d_items.values(), "items");
    check.exactly("requests that store to global memory, one for every 32 items",
                  grading::requests(report, lab::Space::global, lab::Operation::store),
                  static_cast<double>(n / 32),
                  "Each thread stores one item, and the 32 of a warp store theirs together.");
    check.exactly("items that threads store in shared memory",
                  grading::lanes(report, lab::Space::shared, lab::Operation::store),
                  static_cast<double>(n),
                  "Each item goes to the tile, where no other thread overwrites it.");
    double sum = 0;
    for (const int item : from_1000_on(n)) sum += static_cast<unsigned>(item);
    check.exactly("sum of what blocks leave in the tile", grading::left_in_shared(report), sum,
                  "All items go to shared memory, and from there to their places.");
    const auto items = static_cast<double>(n);
    check.shares(report, {lab::Space::shared, lab::Operation::load, sizeof(int), 1, items, items},
                 "Each thread takes one item back from the tile, and reads it nowhere else.");
    check_shares(check, report, sizeof(int), items, 1, 1, items);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
