// Grades exercise 5.8: a merge that is divided evenly. The longest thread is counted; on a GPU the
// merge is timed against one by a single thread.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void merge(const int* d_a, std::size_t n_a, const int* d_b, std::size_t n_b, int* d_merged);

namespace {

struct Runs {
    std::vector<int> a, b;

    Runs(const std::vector<int>& keys, std::size_t n_a)
        : a(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n_a)),
          b(keys.begin() + static_cast<std::ptrdiff_t>(n_a), keys.end()) {
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
    }
};

void check_merged(grading::Checks& check, const Runs& runs,
                  const grading::DeviceArray<int>& d_merged) {
    std::vector<int> expected(runs.a.size() + runs.b.size());
    std::merge(runs.a.begin(), runs.a.end(), runs.b.begin(), runs.b.end(), expected.begin());
    check.equal(expected, d_merged.values(), "d_merged");
}

void check_merge(grading::Checks& check, const std::string& name, const std::vector<int>& keys,
                 std::size_t n_a) {
    const std::size_t n = keys.size();
    check.begin("n_a = {}, n_b = {}, input {}", n_a, n - n_a, name);
    const Runs runs(keys, n_a);
    const grading::DeviceArray<int> d_a(runs.a, "d_a"), d_b(runs.b, "d_b");
    grading::DeviceArray<int> d_merged(n, "d_merged");
    merge(d_a.data(), n_a, d_b.data(), n - n_a, d_merged.data());
    check_merged(check, runs, d_merged);
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes(1025)) {
        if (n < 2) continue;
        for (const auto& input : grading::int_inputs(n)) {
            for (std::size_t n_a : {n / 2, n / 5, n - n / 5}) {
                if (n > 1000 && (n_a != n / 5 || input.name == "sorted")) continue;
                check_merge(check, input.name, input.values, n_a);
            }
        }
    }
    // Not larger: a search that reads every key should fail by its count, not by its time.
    check_merge(check, "random", grading::make_input<int>("random", 3001, 1), 1000);
    for (std::size_t n : {0, 1, 8, 32, 1025}) {
        for (std::size_t n_a : {std::size_t{0}, n}) {
            check_merge(check, "random", grading::make_input<int>("random", n, 1), n_a);
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    for (std::size_t n_a : {1024, 300}) {
        constexpr std::size_t kKeys = 2048;
        check.begin("n_a = {}, n_b = {}, input random", n_a, kKeys - n_a);
        const Runs runs(grading::make_input<int>("random", kKeys, 1), n_a);
        const grading::DeviceArray<int> d_a(runs.a), d_b(runs.b);
        grading::DeviceArray<int> d_merged(kKeys);
        const lab::Report report =
            check.count([&] { merge(d_a.data(), n_a, d_b.data(), kKeys - n_a, d_merged.data()); });
        check_merged(check, runs, d_merged);
        check.at_most("steps of the longest thread", grading::longest_thread(report), 400,
                      "A thread merges eight keys, after a binary search in at most 2048 places.");
        // At most three loads for each of eight keys, and two for each of 11 probes.
        check.shares(report,
                     {lab::Space::global, lab::Operation::load, sizeof(int), 8 * 3 + 2 * 12, kKeys,
                      kKeys / 8},
                     "A thread merges eight keys, after a binary search in at most 2048 places.");
        check.shares(report,
                     {lab::Space::global, lab::Operation::store, sizeof(int), 8, kKeys, kKeys / 8},
                     "Every thread writes eight keys.");
    }
    // More than 16 bits can count; only here, because a search that reads every key has failed by
    // now.
    check_merge(check, "random", grading::make_input<int>("random", 71000, 1), 66000);
}
#endif

/// What the merge is timed against: one thread.
__global__ void merge_alone_kernel(const int* a, unsigned n_a, const int* b, unsigned n_b,
                                   int* merged) {
    unsigned x = 0, y = 0;
    for (unsigned i = 0; i < n_a + n_b; ++i) {
        const bool take_a = x < n_a && (y == n_b || !(b[y] < a[x]));
        merged[i] = take_a ? a[x++] : b[y++];
    }
}

void times(grading::Times& check) {
    constexpr std::size_t kKeys = std::size_t{1} << 16;
    check.begin("n_a = {}, n_b = {}, input random", kKeys / 2, kKeys / 2);
    const Runs runs(grading::make_input<int>("random", kKeys, 1), kKeys / 2);
    const grading::DeviceArray<int> d_a(runs.a), d_b(runs.b);
    grading::DeviceArray<int> d_merged(kKeys);
    check.at_most_times(
        "one thread that merges everything, as at the end of `merge_thread`",
        [&] {
            merge_alone_kernel<<<1, 1>>>(d_a.data(), kKeys / 2, d_b.data(), kKeys / 2,
                                         d_merged.data());
        },
        [&] { merge(d_a.data(), kKeys / 2, d_b.data(), kKeys / 2, d_merged.data()); }, 0.1);
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
