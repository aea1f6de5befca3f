// Grades exercise 1.4: do segments that alternate sort any n keys, in as many rounds as are needed?
#include <vector>

#include "sorted_keys.hpp"

void sort_keys(int* d_keys, unsigned n);

namespace {

void answers(grading::Answers& check) {
    // Around a segment and a half of 64 keys, besides the usual sizes.
    std::vector<std::size_t> sizes = {0, 1, 31, 32, 33, 63, 64, 65, 96, 97, 256, 257};
    if (check.in_usual_order()) sizes.push_back(1025);
    check_sorted(check, sort_keys, sizes);
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    for (unsigned n : {64u, 257u}) {
        const std::vector<int> keys = grading::make_input<int>("random", n, 1);
        grading::DeviceArray<int> d_keys(keys);
        check.begin("n = {}", n);
        const lab::Report report =
            check.count([&] { sort_keys(d_keys.data(), n); }, [&] { d_keys.set(keys); });
        check.exactly(
            "launches", grading::launches(report), n == 64 ? 1 : 9,
            "One segment is sorted by one launch. Otherwise treat half-segments as items, "
            "of 32 keys: as many half-steps as there are items.");
        check.equal(sorted_keys(keys), d_keys.values(), "d_keys");
        check.exactly("threads of a block", grading::threads(report) / grading::blocks(report), 32,
                      "A segment of 64 keys has 32 pairs in each half-step: a thread for each.");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
