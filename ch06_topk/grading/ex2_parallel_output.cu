// Grades exercise 6.2, parallel_output.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "reference.hpp"

void top_of_blocks(const int* d_items, std::size_t n, unsigned k, long long* d_top);

namespace {

constexpr std::size_t kItems = 256;  // of a block

std::vector<long long> expected_of(const std::vector<int>& items, unsigned k) {
    std::vector<long long> expected;
    for (std::size_t first = 0; first < items.size(); first += kItems) {
        const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
        const auto size = static_cast<std::ptrdiff_t>(std::min(kItems, items.size() - first));
        const std::vector<int> list = largest_on_host({begin, begin + size}, k);
        expected.insert(expected.end(), list.begin(), list.end());
        expected.insert(expected.end(), k - list.size(), LLONG_MIN);
    }
    return expected;
}

void check_one(grading::Answers& check, const std::vector<int>& items, unsigned k) {
    const std::vector<long long> expected = expected_of(items, k);
    grading::DeviceArray<int> d_items(items, "d_items");
    grading::DeviceArray<long long> d_top(expected.size(), "d_top");
    top_of_blocks(d_items.data(), items.size(), k, d_top.data());
    check.equal(expected, d_top.values(), "d_top");
}

void answers(grading::Answers& check) {
    for (const std::size_t n : grading::sizes(257)) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("n = {}, k = 20, input {}", n, input.name);
            check_one(check, input.values, 20);
        }
    }
    for (const unsigned k : {1u, 63u, 64u, 65u, 80u}) {
        check.begin("n = 300, k = {}, random input", k);
        check_one(check, grading::make_input<int>("random", 300, k), k);
    }
    for (const std::size_t n : grading::sizes()) {
        if (n <= 257) continue;
        check.begin("n = {}, k = 5, random input", n);
        check_one(check, grading::make_input<int>("random", n, 6), 5);
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    for (const unsigned k : {20u, 80u}) {
        const std::vector<int> items = grading::make_input<int>("random", 4 * kItems, 7);
        grading::DeviceArray<int> d_items(items);
        grading::DeviceArray<long long> d_top(4 * k);
        const lab::Report report =
            check.count([&] { top_of_blocks(d_items.data(), items.size(), k, d_top.data()); });
        check.begin("n = {}, k = {}", items.size(), k);
        check.equal(expected_of(items, k), d_top.values(), "d_top");
        // A warp can write at most 32 entries per request.
        check.at_most("requests that store in global memory, per block",
                      grading::requests(report, lab::Space::global, lab::Operation::store) / 4,
                      (k + 31) / 32,
                      "How many of a warp's 32 lanes write something in each of its requests?");
        check.shares(report,
                     {lab::Space::global, lab::Operation::store, sizeof(long long),
                      std::ceil(k / 64.0), 4.0 * k, 4.0 * std::min(k, 64u)},
                     "Share the k entries of a block among its 64 threads.");
        check.shares(report,
                     {lab::Space::global, lab::Operation::load, sizeof(int), 2 * 4.0,
                      static_cast<double>(items.size()), 4.0 * 64},
                     "The items have already been read: the list is in shared memory.");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
