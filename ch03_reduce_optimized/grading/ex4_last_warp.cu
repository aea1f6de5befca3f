// Grades exercise 3.4: sums of 256 items, right in every order of the threads, with four barriers.
#include "tile_sums.hpp"

void last_warp(const float* d_items, unsigned blocks, float* d_partial);

namespace {

constexpr std::size_t kThreads = 256;

void answers(grading::Answers& check) {
    for (const unsigned blocks : {1u, 2u, 13u}) {
        for (const grading::Input<float>& input : exact_inputs(blocks * kThreads)) {
            check.begin("blocks = {}, input {}", blocks, input.name);
            const grading::DeviceArray<float> d_items(input.values, "d_items");
            grading::DeviceArray<float> d_partial(blocks, "d_partial");
            last_warp(d_items.data(), blocks, d_partial.data());
            check.equal(tile_sums(input.values, kThreads), d_partial.values(), "d_partial");
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::vector<float> items = grading::whole_numbers(4 * kThreads, 1).items;
    const grading::DeviceArray<float> d_items(items);
    grading::DeviceArray<float> d_partial(4);
    check.begin("blocks = {}", 4);
    const lab::Report report = check.count([&] { last_warp(d_items.data(), 4, d_partial.data()); });
    check.equal(tile_sums(items, kThreads), d_partial.values(), "d_partial");
    // Two loads per warp and level: four warps, two, one; then five levels of one; and the sum.
    const double least = 4 * (2 * (4 + 2 + 1) + 2 * 5 + 1);
    check.at_most("requests that load from shared memory",
                  grading::requests(report, lab::Space::shared, lab::Operation::load), 1.2 * least,
                  "Five levels are enough for 32 sums if all lanes take part.");
    check.at_most("shuffles", grading::exchanges(report), 4 * 10,
                  "Five levels are enough for 32 sums: one shuffle each, or two.");
    check.shares(
        report,
        {lab::Space::global, lab::Operation::load, sizeof(float), 1, 4 * kThreads, 4 * kThreads},
        "Each thread has its own item. Fix only the end of the tree.");
    check.at_most("items of 4 bytes that the busiest thread loads from shared memory",
                  grading::most_loaded(report, lab::Space::shared) / sizeof(float), 2 * 8 + 1,
                  "A level is one addition per lane: its own sum and one other.");
    check.at_most("barriers of a block", grading::barriers_per_block(report), 4,
                  "Once 32 sums are left, one warp does all the work. What makes only its 32 lanes "
                  "wait for each other?");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
