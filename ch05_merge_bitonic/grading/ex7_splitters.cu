// Grades exercise 5.7: where the splitters cut two runs, and the merge of the pieces.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void find_cuts(const int* d_a, std::size_t n_a, const int* d_b, std::size_t n_b, uint2* d_cuts);
void merge_pieces(const int* d_a, std::size_t n_a, const int* d_b, std::size_t n_b,
                  const uint2* d_cuts, int* d_merged);

namespace {

constexpr std::size_t kEvery = 64;

/// The cuts at every splitter, by walking through a serial merge.
std::vector<std::pair<std::size_t, std::size_t>> expected_cuts(const std::vector<int>& a,
                                                               const std::vector<int>& b) {
    std::vector<std::pair<std::size_t, std::size_t>> cuts;
    std::size_t x = 0, y = 0;
    while (x < a.size() || y < b.size()) {
        const bool take_a = x < a.size() && (y == b.size() || a[x] <= b[y]);
        if ((take_a ? x : y) % kEvery == 0) cuts.emplace_back(x, y);
        ++(take_a ? x : y);
    }
    return cuts;
}

void check_cuts(grading::Checks& check,
                const std::vector<std::pair<std::size_t, std::size_t>>& expected,
                const std::vector<uint2>& cuts) {
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        const auto [x, y] = expected[k];
        check.that(cuts[k].x == x && cuts[k].y == y,
                   "d_cuts[{}] is ({}, {}), and should be ({}, {}): the numbers of keys of a and "
                   "of b that come before that splitter",
                   k, cuts[k].x, cuts[k].y, x, y);
    }
}

void check_merge(grading::Answers& check, const std::vector<int>& a, const std::vector<int>& b) {
    const auto expected = expected_cuts(a, b);
    const grading::DeviceArray<int> d_a(a, "d_a"), d_b(b, "d_b");
    grading::DeviceArray<uint2> d_cuts(expected.size(), "d_cuts");
    find_cuts(d_a.data(), a.size(), d_b.data(), b.size(), d_cuts.data());
    check_cuts(check, expected, d_cuts.values());
    grading::DeviceArray<int> d_merged(a.size() + b.size(), "d_merged");
    merge_pieces(d_a.data(), a.size(), d_b.data(), b.size(), d_cuts.data(), d_merged.data());
    std::vector<int> merged(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    check.equal(merged, d_merged.values(), "d_merged");
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        for (const auto& input : grading::int_inputs(n)) {
            for (std::size_t n_a : {n / 2, n / 5, n, std::size_t{0}}) {
                if (n > 2000 && n_a != n / 5) continue;  // enough of them below
                check.begin("n_a = {}, n_b = {}, input {}", n_a, n - n_a, input.name);
                std::vector<int> a(input.values.begin(),
                                   input.values.begin() + static_cast<std::ptrdiff_t>(n_a));
                std::vector<int> b(input.values.begin() + static_cast<std::ptrdiff_t>(n_a),
                                   input.values.end());
                std::sort(a.begin(), a.end());
                std::sort(b.begin(), b.end());
                check_merge(check, a, b);
            }
        }
    }
    if (!check.in_usual_order()) return;
    check.begin("n_a = {}, n_b = {}, input random", 66000, 5000);  // more than 16 bits can count
    std::vector<int> a = grading::make_input<int>("random", 66000, 1);
    std::vector<int> b = grading::make_input<int>("random", 5000, 2);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    check_merge(check, a, b);
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::size_t n_a = grading::counted_size(2048), n_b = grading::counted_size(2000);
    check.begin("n_a = {}, n_b = {}, input random", n_a, n_b);
    std::vector<int> a = grading::make_input<int>("random", n_a, 1);
    std::vector<int> b = grading::make_input<int>("random", n_b, 2);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const auto expected = expected_cuts(a, b);
    const grading::DeviceArray<int> d_a(a), d_b(b);
    grading::DeviceArray<uint2> d_cuts(expected.size());
    const lab::Report report =
        check.count([&] { find_cuts(d_a.data(), n_a, d_b.data(), n_b, d_cuts.data()); });
    check_cuts(check, expected, d_cuts.values());
    check.at_most("steps of the longest thread", grading::longest_thread(report), 400,
                  "A thread finds one cut, by a binary search in the other run.");
    const auto cuts = static_cast<double>(expected.size());
    check.shares(report, {lab::Space::global, lab::Operation::load, sizeof(int), 26, cuts, cuts},
                 "A thread finds one cut, by a binary search in the other run.");
    check.shares(report, {lab::Space::global, lab::Operation::store, sizeof(uint2), 1, cuts, cuts},
                 "A thread stores one cut.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
