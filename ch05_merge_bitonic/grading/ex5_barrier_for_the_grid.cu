// Grades exercise 5.5: a bitonic sort by many blocks.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void bitonic_sort(int* d_keys, std::size_t n);

namespace {

void check_sort(grading::Answers& check, const std::vector<int>& keys) {
    grading::DeviceArray<int> d_keys(keys, "d_keys");
    bitonic_sort(d_keys.data(), keys.size());
    std::vector<int> expected = keys;
    std::sort(expected.begin(), expected.end());
    check.equal(expected, d_keys.values(), "d_keys");
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes(257)) {
        // Which keys a network compares does not depend on the keys: a few inputs are enough.
        for (const auto& input :
             grading::inputs<int>(n, {"small", "random", "sixteen", "extremes"})) {
            check.begin("n = {}, input {}", n, input.name);
            check_sort(check, input.values);
        }
    }
    for (std::size_t n : {1023, 1024, 1025, 2051}) {
        if (!check.in_usual_order() && n != 1025) continue;
        check.begin("n = {}, input random", n);
        check_sort(check, grading::make_input<int>("random", n, n));
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kKeys = 2048;
    check.begin("n = {}, input random", kKeys);
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    const lab::Report report =
        check.count([&] { bitonic_sort(d_keys.data(), kKeys); }, [&] { d_keys.set(keys); });
    std::vector<int> expected = keys;
    std::sort(expected.begin(), expected.end());
    check.equal(expected, d_keys.values(), "d_keys");
    check.at_least("blocks of a launch, on average",
                   grading::blocks(report) / grading::launches(report), 4,
                   "1024 pairs with a thread each need several blocks of 256. A single block uses "
                   "only one multiprocessor.");
    check.exactly("threads of a block", grading::threads(report) / grading::blocks(report), 256,
                  "The task requires blocks of 256 threads.");
    check.shares(
        report,
        {lab::Space::global, lab::Operation::load, sizeof(int), 66 * 4, 66.0 * kKeys, kKeys / 2},
        "In each of the 66 steps, each of the 1024 pairs is compared by a thread of its own.");
    check.shares(
        report, {lab::Space::global, lab::Operation::store, sizeof(int), 66 * 2, kKeys, kKeys / 2},
        "In each of the 66 steps a thread stores the two keys of its own pair, and no others.");
    check.even_loads(report, lab::Space::global, 1.25, "Keep a thread for each pair of keys.");
    check.at_most(
        "steps of the longest thread", grading::longest_thread(report), 2500,
        "Keep a thread for each pair. In each of the 66 steps it does at most one comparison.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
