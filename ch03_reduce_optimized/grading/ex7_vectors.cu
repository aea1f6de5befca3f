// Grades exercise 3.7: the sum of each tile, with a quarter of the requests and hardly a byte more.
#include "tile_sums.hpp"

void vectors(const float* d_items, std::size_t n, float* d_partial);

namespace {

constexpr std::size_t kTile = 256 * 16;

void answers(grading::Answers& check) { check_tile_sums(check, vectors, kTile); }

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    for (const std::size_t n :
         {grading::counted_size(2 * kTile, 128), grading::counted_size(3 * kTile + 515)}) {
        const lab::Report report = count_tile_sums(check, vectors, kTile, n);
        // A request of a warp loads 128 items. One more if the last vectors do not fill a warp, and
        // one for the items that fill no vector; some answers look for these in every warp.
        const double least = static_cast<double>((n + 127) / 128 + 1);
        check.at_most(
            "requests that load from global memory",
            grading::requests(report, lab::Space::global, lab::Operation::load), 1.05 * least,
            "Does every load read 16 bytes, as a float4? Are the last n % 4 items read only once?");
        check.at_most("bytes moved by loads, for each byte needed", moved_by_needed(report, n),
                      1.05, "Neighbouring lanes should read neighbouring vectors.");
        // Four vectors; the first threads also take one of the items that fill none.
        check.shares(report,
                     {lab::Space::global, lab::Operation::load, sizeof(float), 16 + 3,
                      static_cast<double>(n), static_cast<double>(n) / 16 - 1},
                     "16 items per thread are four vectors. Do all warps take part?");
        check.at_most("steps of the longest thread", grading::longest_thread(report), 300,
                      "16 items per thread are four vectors. Do all warps take part?");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
