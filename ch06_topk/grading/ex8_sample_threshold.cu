// Grades exercise 6.8, sample_threshold.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void find_candidates(const int* d_items, std::size_t n, unsigned k, long long* d_threshold,
                     int* d_candidates, unsigned* d_count);

namespace {

/// What a call needs. d_count is 0.
struct Call {
    Call(const std::vector<int>& items, unsigned most)
        : n(items.size()),
          k(most),
          d_items(items, "d_items"),
          d_candidates(n, "d_candidates"),
          d_threshold(1, "d_threshold"),
          d_count(std::vector<unsigned>{0}, "d_count") {}

    void run() {
        find_candidates(d_items.data(), n, k, d_threshold.data(), d_candidates.data(),
                        d_count.data());
    }

    std::size_t n;
    unsigned k;
    grading::DeviceArray<int> d_items, d_candidates;
    grading::DeviceArray<long long> d_threshold;
    grading::DeviceArray<unsigned> d_count;
};

/// The candidates are the items that reach the threshold, and they are enough.
void check_candidates(grading::Checks& check, const std::vector<int>& items, unsigned k,
                      const Call& call) {
    const long long threshold = call.d_threshold.values()[0];
    std::vector<int> expected;
    for (const int item : items) {
        if (item >= threshold) expected.push_back(item);
    }
    const std::size_t least = std::min<std::size_t>(k, items.size());
    check.that(expected.size() >= least,
               "{} of {} keys reach the threshold {}. There must be at least {}: one of the "
               "largest keys is below the threshold",
               expected.size(), items.size(), threshold, least);
    check.equal(expected.size(), call.d_count.values()[0], "the number of candidates");
    std::vector<int> got = call.d_candidates.values();
    got.resize(expected.size());
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    check.equal(expected, got, "the candidates, sorted");
}

void check_one(grading::Checks& check, const std::vector<int>& items, unsigned k) {
    Call call(items, k);
    call.run();
    check_candidates(check, items, k, call);
}

void answers(grading::Answers& check) {
    check.results_may_differ();  // there is more than one right threshold
    for (const std::size_t n : grading::sizes()) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("n = {}, k = 8, input {}", n, input.name);
            check_one(check, input.values, 8);
        }
    }
    for (const unsigned k : {1u, 2u, 127u, 128u}) {
        for (const std::size_t n : {1, 127, 128, 3000}) {
            for (const std::string kind : {"random", "sorted", "reversed"}) {
                if (!check.in_usual_order() && (kind != "random" || k % 2 != 0)) continue;
                check.begin("n = {}, k = {}, input {}", n, k, kind);
                check_one(check, grading::make_input<int>(kind, n, k), k);
            }
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kN = 16384;
    check.results_may_differ();
    for (const char* kind : {"random", "sorted", "reversed", "organ_pipe"}) {
        const std::vector<int> items = grading::make_input<int>(kind, kN, 1);
        Call call(items, 8);
        check.begin("n = {}, k = 8, input {}", kN, kind);
        check.follow(call.d_items);
        const lab::Report report = check.count([&] { call.run(); }, [&] { call.d_count.set({0}); });
        check_candidates(check, items, 8, call);
        check.at_most(
            "keys that threshold_kernel reads",
            static_cast<double>(grading::only(report, "threshold_kernel")
                                    .kernels.at(0)
                                    .total(lab::Space::global, lab::Operation::load)
                                    .lanes),
            2048,  // each key of a sample of 1024 may be read twice
            "A single block takes a long time: let it look at a sample, not at all keys.");
        check.at_most(
            "requests of threshold_kernel that load keys",
            grading::requests(grading::only(report, "threshold_kernel"), lab::Space::global,
                              lab::Operation::load),
            128,  // 32 lanes load together: 32 for the sample, and each key may come twice
            "There are 128 threads: let all of them look at the sample.");
        check.shares(grading::only(report, "threshold_kernel"),
                     {lab::Space::global, lab::Operation::load, sizeof(int), 16, 128, 128, true},
                     "There are 128 threads: let all of them look at the sample.");
        // A key may be read once more when it is the thread's best so far: 11 reads of 8 keys on
        // average, and 16 at most.
        check.even_shares(
            grading::only(report, "threshold_kernel"), 1.6,
            "There are 128 threads: each should look at an equal share of the sample.");
        check.at_most(
            "keys that reach the threshold", call.d_count.values()[0], kN / 16,
            "Which keys are in the sample? The k-th largest of which numbers is the threshold?");
    }
}
#endif

/// The threshold of the exercise's code: the smallest of the first k keys.
__global__ void first_keys_kernel(const int* items, std::size_t n, unsigned k,
                                  long long* threshold) {
    long long least = n < k ? -(1ll << 62) : items[0];
    for (unsigned i = 0; i < k && i < n; ++i) {
        if (items[i] < least) least = items[i];
    }
    *threshold = least;
}

__global__ void reach_kernel(const int* items, std::size_t n, const long long* threshold,
                             int* candidates, unsigned* count) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && items[i] >= *threshold) candidates[atomicAdd(count, 1u)] = items[i];
}

void times(grading::Times& check) {
    constexpr std::size_t kN = std::size_t{1} << 24;
    Call call(grading::make_input<int>("random", kN, 1), 8);
    check.begin("n = 2^24, k = 8, random input");
    check.at_most_times(
        "the original threshold, the smallest of the first k keys",
        [&] {
            first_keys_kernel<<<1, 1>>>(call.d_items.data(), call.n, call.k,
                                        call.d_threshold.data());
            reach_kernel<<<static_cast<unsigned>(kN / 256), 256>>>(
                call.d_items.data(), call.n, call.d_threshold.data(), call.d_candidates.data(),
                call.d_count.data());
        },
        [&] { call.run(); }, 0.5, [&] { call.d_count.set({0}); });
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
