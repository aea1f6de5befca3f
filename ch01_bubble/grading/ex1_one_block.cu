// Grades exercise 1.1: does one block sort in descending order, whatever n and the keys are?
#include <vector>

#include "sorted_keys.hpp"

void sort_keys(int* d_keys, unsigned n);

namespace {

void answers(grading::Answers& check) {
    check_sorted(check, sort_keys, sizes_for_bubbles(check), Order::descending);
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr unsigned kKeys = 128;  // 64 pairs: one for each thread
    const std::vector<int> keys = grading::make_input<int>("sorted", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.begin("n = {}, input sorted", kKeys);
    const lab::Report report =
        check.count([&] { sort_keys(d_keys.data(), kKeys); }, [&] { d_keys.set(keys); });
    check.equal(sorted_keys(keys, Order::descending), d_keys.values(), "d_keys");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 8000,
                  "Does one thread compare all the pairs? The threads should share them: here each "
                  "has one pair in each half-step.");
    check.exactly("requests to shared memory", grading::requests(report, lab::Space::shared), 0,
                  "The keys stay in global memory; exercise 1.3 uses shared memory.");
    // Ascending keys become descending: each of the n (n - 1) / 2 pairs changes places once, as
    // neighbours, by two stores.
    check.at_least("keys that threads store in global memory",
                   grading::lanes(report, lab::Space::global, lab::Operation::store),
                   kKeys * (kKeys - 1.0),
                   "A half-step compares and swaps neighbours, and no others.");
    // A pair in each half-step: both keys to compare them, and both again to swap them.
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int), 4 * kKeys,
                  kKeys * (kKeys - 1.0), kKeys / 2},
                 "Each of the 64 threads has one pair of neighbours in each half-step.");
    check.even_loads(report, lab::Space::global, 1.25,
                     "Each of the 64 threads has one pair of neighbours in each half-step.");
    check.at_least("barriers", grading::barriers(report), kKeys - 1,
                   "Between two half-steps all warps of the block must synchronize.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
