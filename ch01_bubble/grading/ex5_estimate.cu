// Grades exercise 1.5: were launches, blocks and half-steps of the many-block sort foreseen?
#include <algorithm>
#include <cmath>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

struct Estimate {
    double launches;
    double blocks;
    double blocks_of_one;
    double half_steps;
};
Estimate estimate();
void sort_keys(int* d_keys);

namespace {

#if GRADING_HAS_LAB
constexpr unsigned kKeys = 640;
constexpr double kMultiprocessors = 4.0;

void counts(grading::Counts& check) {
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.begin("640 keys, segments of 64, 4 multiprocessors");
    const lab::Report report =
        check.count([&] { sort_keys(d_keys.data()); }, [&] { d_keys.set(keys); });
    std::vector<int> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    check.equal(sorted, d_keys.values(), "d_keys");

    // A block has a barrier after its loads and one for each half-step. In each launch some
    // multiprocessor gets only whole segments, and as many blocks as any other.
    const double launches = grading::launches(report);
    const double blocks_of_one = std::ceil(grading::blocks(report) / launches / kMultiprocessors);
    const double half_steps = launches * blocks_of_one * 64.0;

    const Estimate guess = estimate();
    check.predicted("launches", guess.launches, launches,
                    "A round is one launch. There are as many rounds as half-segments.");
    check.predicted("blocks, of all launches together", guess.blocks, grading::blocks(report),
                    "How many segments does each launch have? The last may be shorter.");
    check.predicted("blocks of the busiest multiprocessor, in one launch", guess.blocks_of_one,
                    blocks_of_one,
                    "A block cannot be divided: one multiprocessor gets the last block.");
    check.predicted("half-steps, one after the other", guess.half_steps, half_steps,
                    "Launches come one after the other, and so do the blocks of one "
                    "multiprocessor. A block of 64 keys does 64 half-steps.");
}
#endif

}  // namespace

int main(int argc, char** argv) { return grading::Grader().GRADING_COUNTS(counts).run(argc, argv); }
