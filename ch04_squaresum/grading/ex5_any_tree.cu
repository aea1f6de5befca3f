// Grades exercise 4.5: a block's sum for every number of threads, in a tree that is no higher than
// necessary.
#include "squares.hpp"

void any_tree(const int* d_items, unsigned blocks, unsigned threads, Sum* d_sums);

namespace {

void answers(grading::Answers& check) {
    constexpr unsigned kBlocks = 2;
    for (const unsigned threads :
         {1u, 2u, 3u, 31u, 32u, 33u, 96u, 127u, 255u, 256u, 257u, 1023u, 1024u}) {
        for (const grading::Input<int>& input : square_inputs(kBlocks * threads, 46340)) {
            check.begin("a grid of {} x {} threads, input {}", kBlocks, threads, input.name);
            const grading::DeviceArray<int> d_items(input.values, "d_items");
            grading::DeviceArray<Sum> d_sums(kBlocks, "d_sums");
            any_tree(d_items.data(), kBlocks, threads, d_sums.data());
            std::vector<Sum> expected(kBlocks, 0);
            for (std::size_t i = 0; i < input.values.size(); ++i) {
                expected[i / threads] += square(input.values[i]);
            }
            check.equal(expected, d_sums.values(), "d_sums");
        }
    }
}

#if GRADING_HAS_LAB
unsigned levels_of(unsigned threads) {
    unsigned levels = 0;
    for (unsigned left = threads; left > 1; left = (left + 1) / 2) ++levels;
    return levels;
}

void counts(grading::Counts& check) {
    // One warp first: there each thread's load is a request of its own.
    for (const unsigned threads : {27u, 96u, 127u, 1000u}) {
        check.begin("a block of {} threads", threads);
        const std::vector<int> items = square_inputs(threads, 46340).back().values;
        const grading::DeviceArray<int> d_items(items);
        grading::DeviceArray<Sum> d_sums(1);
        const lab::Report report =
            check.count([&] { any_tree(d_items.data(), 1, threads, d_sums.data()); });
        check.equal(sum_of_squares(items), d_sums.values()[0], "d_sums");
        const unsigned levels = levels_of(threads);
        // If the halves are powers of two, more threads have no partner: of 96, 32 add 32 others.
        // Shuffles within warps leave little to read.
        const bool shuffles = grading::exchanges(report) > 0;
        check.shares(report,
                     {lab::Space::shared, lab::Operation::load, sizeof(Sum), 2.0 * levels + 1,
                      shuffles ? 1.0 : threads, shuffles ? 1.0 : threads / 3.0},
                     "Does one thread add several sums, one after the other?");
        check.shares(report,
                     {lab::Space::global, lab::Operation::load, sizeof(int), 1,
                      static_cast<double>(threads), static_cast<double>(threads)},
                     "Each thread squares one item.");
        check.exactly("atomic operations", grading::atomics(report), 0,
                      "Additions to one word are done one after the other. That is not a tree, "
                      "even with only a few barriers.");
        check.at_most("shuffles and votes of a warp",
                      grading::exchanges(report) / std::ceil(threads / 32.0), 10,
                      "Five shuffles add 32 sums, and five more those of 32 warps.");
        // Each warp adds at most once per level, with two loads. At the end thread 0 reads the sum.
        const double warps = (threads + 31) / 32;
        check.at_most("requests that load from shared memory",
                      grading::requests(report, lab::Space::shared, lab::Operation::load),
                      2 * warps * levels + 1,
                      "Does one thread add several sums, one after the other?");
        check.at_most("barriers, including the one before the tree", grading::barriers(report),
                      levels + 1,
                      "Each level should leave half the sums, rounded up. When is one left?");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
