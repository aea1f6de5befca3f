// Grades exercise 1.2: is the result right, and nothing touched beyond the keys?
#include <vector>

#include "sorted_keys.hpp"

void sort_keys(int* d_keys, unsigned n);

namespace {

void answers(grading::Answers& check) {
    std::vector<std::size_t> sizes = sizes_for_bubbles(check);
    if (check.in_usual_order()) sizes.push_back(2049);  // the most that the task names
    check_sorted(check, sort_keys, sizes);
}

#if GRADING_HAS_LAB
/// The bug is fixed, and the threads still share the work.
void counts(grading::Counts& check) {
    constexpr unsigned kKeys = 128;
    const std::vector<int> keys = grading::make_input<int>("reversed", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.begin("n = {}, input reversed", kKeys);
    const lab::Report report =
        check.count([&] { sort_keys(d_keys.data(), kKeys); }, [&] { d_keys.set(keys); });
    check.equal(sorted_keys(keys), d_keys.values(), "d_keys");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 8000,
                  "The original kernel has a thread for each pair of keys. Fix only the bug.");
    check.exactly("bytes of shared memory that a launch asks for",
                  grading::dynamic_shared_bytes(report), kKeys * sizeof(int),
                  "n ints are enough. A longer array would only hide the bug.");
    check.at_most("bytes moved between the block and global memory, per key",
                  grading::bytes_moved(report) / kKeys, 9.0,
                  "The keys are sorted in shared memory: load each key once, and store it once.");
    for (const lab::Operation operation : {lab::Operation::load, lab::Operation::store}) {
        check.shares(report, {lab::Space::global, operation, sizeof(int), 2, kKeys, kKeys / 2},
                     "Each of the 64 threads loads two keys and stores two.");
    }
    check.shares(report,
                 {lab::Space::shared, lab::Operation::load, sizeof(int), 4 * kKeys + 2,
                  kKeys * (kKeys - 1.0), kKeys / 2},
                 "Each thread has one pair of keys in each half-step.");
    // Reversed keys: each pair changes places once, as neighbours; and all keys are loaded.
    check.shares(report,
                 {lab::Space::shared, lab::Operation::store, sizeof(int), 2 * kKeys + 2,
                  kKeys * (kKeys - 1.0) + kKeys, kKeys / 2},
                 "A half-step compares and swaps neighbours, and no others.");
    check.even_loads(report, lab::Space::shared, 1.25,
                     "Each thread has one pair of keys in each half-step.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
