// Grades exercise 3.5: predicted launches, barriers and shuffles, against arithmetic and the lab.
#include "../../common/grading/lib/grading.hpp"

struct Ends {
    double launches, blocks;
    double barriers_tree;
    double barriers_last;
    double barriers_shuffle, shuffles;
};

Ends predict();
void sum(int end, const float* d_items, unsigned n, float* d_partial);

namespace {

constexpr unsigned kN = 100000;
constexpr unsigned kThreads = 256;
constexpr unsigned kTile = 8 * kThreads;

unsigned blocks_for(unsigned n) { return (n + kTile - 1) / kTile; }

void compare(grading::Checks& check, const Ends& found) {
    const Ends said = predict();
    check.begin("n = {}", kN);
    check.predicted("launches", said.launches, found.launches,
                    "How many sums does the first launch leave, and who adds them?");
    check.predicted("blocks", said.blocks, found.blocks,
                    "How many tiles of 2048 items are there in each launch? A tile that is not "
                    "full counts as one.");
    check.predicted("barriers of tree_kernel<1>", said.barriers_tree, found.barriers_tree,
                    "One barrier before the loop; then for which values of `half`? And in how many "
                    "blocks?");
    check.predicted("barriers of tree_kernel<32>", said.barriers_last, found.barriers_last,
                    "Count in the same manner, but only values of `half` of 32 or more.");
    check.predicted("barriers of shuffle_kernel", said.barriers_shuffle, found.barriers_shuffle,
                    "How often do the threads of a block wait at the only __syncthreads()?");
    check.predicted("shuffles of shuffle_kernel", said.shuffles, found.shuffles,
                    "Multiply the values of `half` by the warps of a block and by the blocks.");
}

/// With pencil and paper.
Ends work_out() {
    Ends ends = {};
    unsigned n = kN;
    do {
        n = blocks_for(n);
        ends.launches += 1;
        ends.blocks += n;
    } while (n > 1);
    double levels = 0, levels_of_a_warp = 0;
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        levels += 1;
        if (half < 32) levels_of_a_warp += 1;
    }
    ends.barriers_tree = ends.blocks * (1 + levels);
    ends.barriers_last = ends.blocks * (1 + levels - levels_of_a_warp);
    ends.barriers_shuffle = ends.blocks;
    ends.shuffles = ends.blocks * (kThreads / 32) * levels_of_a_warp;
    return ends;
}

void answers(grading::Answers& check) { compare(check, work_out()); }

#if GRADING_HAS_LAB
lab::Report measure(grading::Counts& check, int end) {
    const grading::DeviceArray<float> d_items(std::vector<float>(kN, 1.0f));
    grading::DeviceArray<float> d_partial(blocks_for(kN)), d_sum(1);
    lab::Report report = check.count([&] {
        const float* d_from = d_items.data();
        for (unsigned n = kN; n > 1; n = blocks_for(n)) {
            float* d_to = blocks_for(n) > 1 ? d_partial.data() : d_sum.data();
            sum(end, d_from, n, d_to);
            d_from = d_to;
        }
    });
    check.equal({static_cast<float>(kN)}, d_sum.values(), "d_sum");
    return report;
}

void counts(grading::Counts& check) {
    const lab::Report tree = measure(check, 0), last = measure(check, 1),
                      shuffle = measure(check, 2);
    compare(check,
            {grading::launches(tree), grading::blocks(tree), grading::barriers(tree),
             grading::barriers(last), grading::barriers(shuffle), grading::exchanges(shuffle)});
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
