// Grades exercise 4.7: what four blocks' clocks say, against arithmetic.
#include <algorithm>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

struct BlockRecord {
    int sm;
    long long start_cycles, end_cycles;
    long long start_ns, end_ns;
};

struct Clocks {
    double longest_block;
    double both_on_sm_3;
    double grid_ns;
    double mhz;
    double article;
};

const std::vector<BlockRecord>& records();
Clocks predict();

namespace {

/// From the first start to the last end of those blocks, by one of the two clocks.
template <class Start, class End>
double span(const std::vector<BlockRecord>& blocks, Start start, End end) {
    long long first = blocks[0].*start, last = blocks[0].*end;
    for (const BlockRecord& block : blocks) {
        first = std::min(first, block.*start);
        last = std::max(last, block.*end);
    }
    return static_cast<double>(last - first);
}

double cycles(const std::vector<BlockRecord>& blocks) {
    return span(blocks, &BlockRecord::start_cycles, &BlockRecord::end_cycles);
}

double nanoseconds(const std::vector<BlockRecord>& blocks) {
    return span(blocks, &BlockRecord::start_ns, &BlockRecord::end_ns);
}

void answers(grading::Answers& check) {
    double longest = 0;
    std::vector<BlockRecord> on_sm_3;
    for (const BlockRecord& block : records()) {
        longest = std::max(longest, cycles({block}));
        if (block.sm == 3) on_sm_3.push_back(block);
    }
    const Clocks said = predict();
    check.predicted("cycles of the block that took longest", said.longest_block, longest,
                    "Cycles, not nanoseconds: end minus start of each block, by its own counter.");
    check.predicted("cycles from first start to last end on SM 3", said.both_on_sm_3,
                    cycles(on_sm_3),
                    "Two blocks share one counter: count from the start of the first to the end of "
                    "the second, including what lies between.");
    check.predicted("nanoseconds from the grid's first start to its last end", said.grid_ns,
                    nanoseconds(records()), "Which clock do all SMs share?");
    check.predicted("MHz", said.mhz, 1000 * longest / nanoseconds({records()[1]}),
                    "Divide a block's cycles by the same block's nanoseconds: that gives cycles "
                    "per nanosecond.");
    check.predicted("the article's difference of cycles", said.article, cycles(records()),
                    "Take the largest end_cycles in the table and the smallest start_cycles, "
                    "whatever SM they come from.");
}

}  // namespace

int main(int argc, char** argv) { return grading::Grader().answers(answers).run(argc, argv); }
