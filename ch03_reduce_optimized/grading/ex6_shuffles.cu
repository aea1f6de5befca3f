// Grades exercise 3.6: a block's sum for every number of warps, with one barrier.
#include "tile_sums.hpp"

void shuffles(const float* d_items, unsigned blocks, unsigned threads, float* d_partial);

namespace {

void answers(grading::Answers& check) {
    constexpr unsigned kBlocks = 3;
    for (const unsigned threads : {32u, 64u, 96u, 256u, 480u, 992u, 1024u}) {
        for (const grading::Input<float>& input : exact_inputs(kBlocks * threads)) {
            check.begin("a grid of {} x {} threads, input {}", kBlocks, threads, input.name);
            const grading::DeviceArray<float> d_items(input.values, "d_items");
            grading::DeviceArray<float> d_partial(kBlocks, "d_partial");
            shuffles(d_items.data(), kBlocks, threads, d_partial.data());
            check.equal(tile_sums(input.values, threads), d_partial.values(), "d_partial");
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    for (const unsigned threads : {64u, 1024u}) {
        check.begin("a grid of 2 x {} threads", threads);
        const std::vector<float> items = grading::whole_numbers(2 * threads, 1).items;
        const grading::DeviceArray<float> d_items(items);
        grading::DeviceArray<float> d_partial(2);
        const lab::Report report =
            check.count([&] { shuffles(d_items.data(), 2, threads, d_partial.data()); });
        check.equal(tile_sums(items, threads), d_partial.values(), "d_partial");
        check.at_least("shuffles of all warps", grading::exchanges(report), 2 * threads / 32 * 5.0,
                       "Each warp adds its 32 values by five shuffles.");
        check.at_most("shuffles of all warps", grading::exchanges(report), 2 * threads / 32 * 10.0,
                      "Five shuffles add 32 values, and five more the warps' sums.");
        check.shares(report,
                     {lab::Space::global, lab::Operation::load, sizeof(float), 1, 2.0 * threads,
                      2.0 * threads},
                     "Each thread has its own `mine`, and gets other values by shuffles.");
        check.at_least("values that threads store in shared memory",
                       grading::lanes(report, lab::Space::shared, lab::Operation::store),
                       2 * (threads / 32.0 - 1),
                       "One word for each warp goes through shared memory.");
        check.at_most("values that threads store in shared memory",
                      grading::lanes(report, lab::Space::shared, lab::Operation::store),
                      2 * 2 * threads / 32.0,
                      "A warp passes on only one sum: its lanes have added by shuffles.");
        check.at_most("barriers of a block", grading::barriers_per_block(report), 1,
                      "Which threads must wait, and when? Once all sums are written, no thread "
                      "must wait again.");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
