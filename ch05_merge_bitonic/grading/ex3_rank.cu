// Grades exercise 5.3: a stable merge of keys with values, and how many keys each thread looks at.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void merge(const int* d_keys, const int* d_values, std::size_t n_a, std::size_t n_b,
           int* d_merged_keys, int* d_merged_values);

namespace {

/// Two sorted runs, one after the other; every key's value is its position.
struct Runs {
    std::vector<int> keys, values;

    Runs(std::vector<int> input, std::size_t n_a) : keys(std::move(input)), values(keys.size()) {
        std::sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n_a));
        std::sort(keys.begin() + static_cast<std::ptrdiff_t>(n_a), keys.end());
        std::iota(values.begin(), values.end(), 0);
    }
};

void check_merged(grading::Checks& check, const Runs& runs,
                  const grading::DeviceArray<int>& d_merged_keys,
                  const grading::DeviceArray<int>& d_merged_values) {
    std::vector<int> expected_values = runs.values;
    std::stable_sort(expected_values.begin(), expected_values.end(),
                     [&](int one, int other) { return runs.keys[one] < runs.keys[other]; });
    std::vector<int> expected_keys;
    for (int value : expected_values) expected_keys.push_back(runs.keys[value]);
    check.equal(expected_keys, d_merged_keys.values(), "d_merged_keys");
    check.equal(expected_values, d_merged_values.values(),
                "d_merged_values (each is the index that its key had before)");
}

void check_merge(grading::Checks& check, const Runs& runs, std::size_t n_a) {
    const std::size_t n = runs.keys.size();
    const grading::DeviceArray<int> d_keys(runs.keys, "d_keys"), d_values(runs.values, "d_values");
    grading::DeviceArray<int> d_merged_keys(n, "d_merged_keys"),
        d_merged_values(n, "d_merged_values");
    merge(d_keys.data(), d_values.data(), n_a, n - n_a, d_merged_keys.data(),
          d_merged_values.data());
    check_merged(check, runs, d_merged_keys, d_merged_values);
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes(1025)) {
        for (const auto& input : grading::int_inputs(n)) {
            for (std::size_t n_a : {n / 2, n / 5, std::size_t{0}, n}) {
                if (n > 1000 && (n_a != n / 5 || input.name != "sixteen")) continue;
                check.begin("n_a = {}, n_b = {}, input {}", n_a, n - n_a, input.name);
                check_merge(check, Runs(input.values, n_a), n_a);
            }
        }
    }
    // Not larger: a search that reads every key should fail by its count, not by its time.
    check.begin("n_a = {}, n_b = {}, input sixteen", 1001, 2000);
    check_merge(check, Runs(grading::make_input<int>("sixteen", 3001, 1), 1001), 1001);
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kRun = 512;
    constexpr std::size_t n = 2 * kRun;
    check.begin("n_a = {}, n_b = {}, input random", kRun, kRun);
    const Runs runs(grading::make_input<int>("random", n, 1), kRun);
    const grading::DeviceArray<int> d_keys(runs.keys), d_values(runs.values);
    grading::DeviceArray<int> d_merged_keys(n), d_merged_values(n);
    const lab::Report report = check.count([&] {
        merge(d_keys.data(), d_values.data(), kRun, kRun, d_merged_keys.data(),
              d_merged_values.data());
    });
    check_merged(check, runs, d_merged_keys, d_merged_values);
    const double loads = static_cast<double>(
        report.kernels.front().total(lab::Space::global, lab::Operation::load).lanes);
    // The key, its value, and at most 10 probes; twice as many for code that reads each probe
    // twice.
    check.at_most("keys that a thread loads, on average", loads / n, 22,
                  "A binary search in a run of 512 keys looks at no more than 10 of them.");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 400,
                  "A thread finds the place of one key, by about 10 probes.");
    check.shares(report, {lab::Space::global, lab::Operation::load, sizeof(int), 23, 2 * n, n},
                 "A thread finds the place of one key, by about 10 probes.");
    check.shares(report, {lab::Space::global, lab::Operation::store, sizeof(int), 2, 2 * n, n},
                 "A thread stores one key and its value.");
    // More than 16 bits can count; only here, because a search that reads every key has failed by
    // now.
    check.begin("n_a = {}, n_b = {}, input random", 66000, 5000);
    check_merge(check, Runs(grading::make_input<int>("random", 71000, 1), 66000), 66000);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
