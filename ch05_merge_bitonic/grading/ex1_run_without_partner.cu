// Grades exercise 5.1: a level of a merge sort, with runs of every kind at the end.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void merge_level(const int* d_from, int* d_to, std::size_t n, std::size_t run);

namespace {

/// `keys` with every `run` of them sorted.
std::vector<int> in_runs(std::vector<int> keys, std::size_t run) {
    for (std::size_t begin = 0; begin < keys.size(); begin += run) {
        const auto first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
        std::sort(first, first + static_cast<std::ptrdiff_t>(std::min(run, keys.size() - begin)));
    }
    return keys;
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        for (const auto& input : grading::int_inputs(n)) {
            // A last run that is short, or alone, or complete; the only run; or nearly complete.
            for (std::size_t run : {std::size_t{1}, std::size_t{11}, std::size_t{32}, n / 2 + 1}) {
                if (n > 2000 && run < 11) continue;  // enough of them below
                check.begin("n = {}, run = {}, input {}", n, run, input.name);
                const grading::DeviceArray<int> d_from(in_runs(input.values, run), "d_from");
                grading::DeviceArray<int> d_to(n, "d_to");
                merge_level(d_from.data(), d_to.data(), n, run);
                check.equal(in_runs(input.values, 2 * run), d_to.values(), "d_to");
            }
        }
    }
    if (!check.in_usual_order()) return;
    constexpr std::size_t kMany = 70001, kRun = 500;  // more than 16 bits can count
    check.begin("n = {}, run = {}, input random", kMany, kRun);
    const std::vector<int> keys = grading::make_input<int>("random", kMany, 1);
    const grading::DeviceArray<int> d_from(in_runs(keys, kRun), "d_from");
    grading::DeviceArray<int> d_to(kMany, "d_to");
    merge_level(d_from.data(), d_to.data(), kMany, kRun);
    check.equal(in_runs(keys, 2 * kRun), d_to.values(), "d_to");
}

#if GRADING_HAS_LAB
/// The end is handled, and every pair of runs still has its thread.
void counts(grading::Counts& check) {
    constexpr std::size_t kKeys = 1000, kRun = 8;
    const grading::DeviceArray<int> d_from(
        in_runs(grading::make_input<int>("random", kKeys, 1), kRun));
    grading::DeviceArray<int> d_to(kKeys);
    check.begin("n = {}, run = {}", kKeys, kRun);
    const lab::Report report =
        check.count([&] { merge_level(d_from.data(), d_to.data(), kKeys, kRun); });
    check.equal(in_runs(d_from.values(), 2 * kRun), d_to.values(), "d_to");
    check.at_most(
        "steps of the longest thread", grading::longest_thread(report), 1000,
        "A thread should merge one pair of runs, 16 keys here, and not the pairs of others.");
    const char* const think = "A thread should merge one pair of runs, and each pair has a thread.";
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int), 4 * 2 * kRun, kKeys, 63},
                 think);
    check.shares(report,
                 {lab::Space::global, lab::Operation::store, sizeof(int), 2 * kRun, kKeys, 63},
                 think);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
