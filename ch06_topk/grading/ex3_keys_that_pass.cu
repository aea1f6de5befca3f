// Grades exercise 6.3, keys_that_pass: runs the kernel on each order, and counts its atomic
// operations, of which there is one for each key that passes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

struct Passing {
    double ascending, descending, all_equal, random;
};

Passing keys_that_pass();
void threshold(const int* d_items, std::size_t n, unsigned k, long long* d_result);

namespace {

#if GRADING_HAS_LAB
constexpr std::size_t kN = 2048;
constexpr unsigned kK = 8;

double passing(grading::Counts& check, const std::vector<int>& items) {
    grading::DeviceArray<int> d_items(items);
    grading::DeviceArray<long long> d_result(kK);
    const lab::Report report =
        check.count([&] { threshold(d_items.data(), kN, kK, d_result.data()); });
    std::vector<int> largest = items;
    std::sort(largest.rbegin(), largest.rend());
    check.equal(std::vector<long long>(largest.begin(), largest.begin() + kK), d_result.values(),
                "d_result");
    return grading::atomics(report);
}

/// 0, 1, ..., kN - 1 in an order that is as likely as any other.
std::vector<int> shuffled(std::uint64_t seed) {
    std::vector<int> items(kN);
    std::iota(items.begin(), items.end(), 0);
    for (std::size_t i = kN; i-- > 1;) {
        std::swap(items[i], items[grading::random_bits(seed, i) % (i + 1)]);
    }
    return items;
}

void counts(grading::Counts& check) {
    const Passing predicted = keys_that_pass();
    std::vector<int> items(kN);
    std::iota(items.begin(), items.end(), 0);
    check.begin("ascending order");
    check.predicted("keys that pass in ascending order", predicted.ascending, passing(check, items),
                    "Every key is larger than all before it. Which keys are in the list when the "
                    "next round begins?");
    std::reverse(items.begin(), items.end());
    check.begin("descending order");
    check.predicted("keys that pass in descending order", predicted.descending,
                    passing(check, items),
                    "When does the threshold change: after each key, or after each round?");
    check.begin("equal keys");
    check.predicted("keys that pass if all are equal", predicted.all_equal,
                    passing(check, std::vector<int>(kN, 7)),
                    "Does a key pass if it is equal to the threshold?");
    check.begin("random order");
    constexpr int kOrders = 24;
    double sum = 0;
    for (int order = 0; order < kOrders; ++order) sum += passing(check, shuffled(order));
    // The mean of that many orders differs by about 1 % from the expected value.
    const double mean = sum / kOrders;
    check.predicted("keys that pass in random order, on average", predicted.random, mean,
                    "What is a key compared with? In each round all 64 keys are compared with the "
                    "list of the rounds before.",
                    0.05 * mean);
}
#endif

}  // namespace

int main(int argc, char** argv) { return grading::Grader().GRADING_COUNTS(counts).run(argc, argv); }
