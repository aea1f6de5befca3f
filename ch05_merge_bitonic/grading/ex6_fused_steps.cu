// Grades exercise 5.6: a bitonic sort whose small steps share a launch. Launches and bytes are
// counted; on a GPU it is timed against the same sort with a launch for each step.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void sort_fused(int* d_keys, std::size_t n);
void sort_by_steps(int* d_keys, std::size_t n);

namespace {

void check_sort(grading::Answers& check, const std::vector<int>& keys) {
    grading::DeviceArray<int> d_keys(keys, "d_keys");
    sort_fused(d_keys.data(), keys.size());
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
    constexpr std::size_t kKeys = 4096;
    check.begin("n = {}, input random", kKeys);
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    const lab::Report report =
        check.count([&] { sort_fused(d_keys.data(), kKeys); }, [&] { d_keys.set(keys); });
    std::vector<int> expected = keys;
    std::sort(expected.begin(), expected.end());
    check.equal(expected, d_keys.values(), "d_keys");
    check.at_most(
        "launches for 4096 keys", grading::launches(report), 6,
        "One launch does all levels up to 1024. Level 2048 takes a wide step and a launch for the "
        "rest, and level 4096 takes two wide steps and a launch for the rest.");
    check.at_most("bytes moved for each byte of keys",
                  grading::bytes_moved(report) / (kKeys * sizeof(int)), 12.5,
                  "Each of the six launches reads and writes every key once.");
    // A launch does a step in global memory, or the rest of a level in four tiles.
    const double launches = grading::launches(report);
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int),
                  launches * kKeys / (4.0 * 256), launches * kKeys, launches * 4 * 256},
                 "Each tile has a block, whose threads share its keys.");
    check.shares(report,
                 {lab::Space::global, lab::Operation::store, sizeof(int),
                  launches * kKeys / (4.0 * 256), launches * kKeys, launches * 4 * 256},
                 "Each tile has a block, whose threads share its keys.");
    check.shares(report,
                 {lab::Space::shared, lab::Operation::load, sizeof(int),
                  4 * ((55 + 10 + 10) * 2 + 3.0), (55 + 10 + 10) * kKeys / 2.0, 3 * 4 * 256},
                 "In each step of a launch, all threads of a block share the tile.");
    check.at_least("blocks of a launch, on average",
                   grading::blocks(report) / grading::launches(report), 4,
                   "Use a block for each tile. A single block uses only one multiprocessor.");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 8000,
                  "In each of the 55 steps of a launch, all threads of a block share the tile.");
}
#endif

void times(grading::Times& check) {
    constexpr std::size_t kKeys = std::size_t{1} << 16;
    check.begin("n = {}, input random", kKeys);
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.at_most_times(
        "sort_by_steps(), a launch for each step", [&] { sort_by_steps(d_keys.data(), kKeys); },
        [&] { sort_fused(d_keys.data(), kKeys); }, 0.6, [&] { d_keys.set(keys); });
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
