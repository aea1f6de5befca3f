// Grades exercise 3.1: the sum of each tile, for every n, by all threads.
#include "tile_sums.hpp"

void add_while_loading(const float* d_items, std::size_t n, float* d_partial);

namespace {

constexpr std::size_t kTile = 256 * 8;

void answers(grading::Answers& check) { check_tile_sums(check, add_while_loading, kTile); }

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kN = 4 * kTile;
    const lab::Report report = count_tile_sums(check, add_while_loading, kTile, kN);
    check.at_most(
        "requests that load from global memory",
        grading::requests(report, lab::Space::global, lab::Operation::load), kN / 32.0,
        "32 lanes load together, if all of them have items to add. Does every thread take "
        "its kItems?");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
