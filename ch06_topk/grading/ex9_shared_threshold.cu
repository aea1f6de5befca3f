// Grades exercise 6.9, shared_threshold.
#include <climits>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "reference.hpp"

void keep_candidates(const int* d_items, std::size_t n, long long* d_highest, int* d_candidates,
                     unsigned* d_count);

namespace {

constexpr std::size_t kBest = 8;

/// What a call needs. d_highest is LLONG_MIN, d_count is 0.
struct Call {
    explicit Call(const std::vector<int>& items)
        : n(items.size()),
          d_items(items, "d_items"),
          d_candidates(n, "d_candidates"),
          d_highest(std::vector<long long>{LLONG_MIN}, "d_highest"),
          d_count(std::vector<unsigned>{0}, "d_count") {}

    void run() {
        keep_candidates(d_items.data(), n, d_highest.data(), d_candidates.data(), d_count.data());
    }

    void reset() {
        d_highest.set({LLONG_MIN});
        d_count.set({0});
    }

    std::size_t n;
    grading::DeviceArray<int> d_items, d_candidates;
    grading::DeviceArray<long long> d_highest;
    grading::DeviceArray<unsigned> d_count;
};

/// Which keys are candidates depends on the order of the blocks; the largest of them do not.
void check_candidates(grading::Checks& check, const std::vector<int>& items, const Call& call) {
    std::vector<int> got = call.d_candidates.values();
    got.resize(call.d_count.values()[0]);
    check.equal(largest_on_host(items, kBest), largest_on_host(got, kBest),
                "the 8 largest candidates");
}

void answers(grading::Answers& check) {
    check.results_may_differ();
    for (const std::size_t n : grading::sizes()) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            Call call(input.values);
            call.run();
            check_candidates(check, input.values, call);
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kN = 16384;
    check.results_may_differ();
    const std::vector<int> items = grading::make_input<int>("random", kN, 1);
    Call call(items);
    check.begin("n = {}, random input", kN);
    check.follow(call.d_items);
    const lab::Report report = check.count([&] { call.run(); }, [&] { call.reset(); });
    check_candidates(check, items, call);
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int), 8, kN, 16 * 128, true},
                 "A block has its own 1024 keys, and what the others have published in *highest.");
    // The lab runs one block after the other. In block 0 all 128 keys of the first round pass, and
    // on average 8 / j of the j-th round after it: 149 in all. In each of the 15 others 8 of 1024
    // keys reach block 0's threshold: 120 in all, or fewer when it rises.
    check.at_most("keys that pass", call.d_count.values()[0], 350,
                  "What does a block know before it has read a key?");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
