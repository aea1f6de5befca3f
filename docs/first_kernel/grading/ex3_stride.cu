// Grades warm-up 3: does every item change once, and do neighbours take neighbours?
#include <cmath>
#include <cstddef>
#include <vector>

#include "shares.hpp"

void make_odd(int* d_items, unsigned n);

namespace {

std::vector<int> numbers(std::size_t n) {
    std::vector<int> items(n);
    for (std::size_t i = 0; i < n; ++i) {
        items[i] = static_cast<int>(grading::random_bits(n, i) % 2001) - 1000;
    }
    if (n > 1) items[0] = -1000, items[n - 1] = 1000;
    return items;
}

std::vector<int> odd(std::vector<int> items) {
    for (int& item : items) item = 2 * item + 1;
    return items;
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        check.begin("n = {}", n);
        const std::vector<int> items = numbers(n);
        grading::DeviceArray<int> d_items(items, "items");
        make_odd(d_items.data(), static_cast<unsigned>(n));
        check.equal(odd(items), d_items.values(), "items");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::size_t n = grading::counted_size(4096, 32);
    check.begin("n = {}", n);
    grading::DeviceArray<int> d_items(numbers(n));
    check.follow(d_items);
    const lab::Report report =
        check.count([&] { make_odd(d_items.data(), static_cast<unsigned>(n)); },
                    [&] { d_items.set(numbers(n)); });
    check.equal(odd(numbers(n)), d_items.values(), "items");
    // 32 ints side by side are 128 bytes: 4 sectors of 32.
    check.at_most("sectors per request", grading::sectors_per_request(report),
                  grading::kNeighbouringWords,
                  "Lanes i and i + 1 should use items that lie side by side.");
    const double each = std::ceil(static_cast<double>(n) / 256.0);
    check_shares(check, report, sizeof(int), static_cast<double>(n), 2 * each, 2 * each, 256);
    check.even_shares(
        report, 1.25,
        "All 256 threads take the first 256 items, and then all of them the next 256.");
    // So few items that one block takes them all, if the threads take them side by side.
    check.begin("n = {}", 64);
    grading::DeviceArray<int> d_few(numbers(64));
    const lab::Report few =
        check.count([&] { make_odd(d_few.data(), 64); }, [&] { d_few.set(numbers(64)); });
    check.equal(odd(numbers(64)), d_few.values(), "items");
    check.at_least("lanes of a warp that use global memory together, n = 64",
                   few.total(lab::Space::global).requests == 0
                       ? 0.0
                       : static_cast<double>(few.total(lab::Space::global).lanes) /
                             static_cast<double>(few.total(lab::Space::global).requests),
                   32, "The first 256 items belong to the 256 threads, in order.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
