// Grades warm-up 10: were blocks, warps and those with work foreseen?
#include <cstddef>
#include <string>
#include <vector>

#include "shares.hpp"

struct Prediction {
    double row_blocks, row_warps, row_storing;
    double picture_blocks, picture_warps, picture_storing;
};
Prediction prediction();
void row(int* d_items);
void picture(int* d_pixels);

namespace {

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const Prediction guess = prediction();
    const auto check_one = [&](const std::string& name, const lab::Report& report, double blocks,
                               double warps, double storing, const std::string& think) {
        check.predicted("blocks of `" + name + "`", blocks, grading::blocks(report),
                        "As many as are needed; the last one need not be full. In two dimensions, "
                        "multiply the blocks along x by those along y.");
        check.predicted(
            "warps of `" + name + "`", warps, static_cast<double>(report.kernels.front().warps),
            "Divide the threads of a block by 32. Each block has that many warps, full or not.");
        check.predicted("warps of `" + name + "` that store", storing,
                        grading::requests(report, lab::Space::global, lab::Operation::store),
                        think);
    };
    check.begin("1,000 items, blocks of 192 threads");
    grading::DeviceArray<int> d_items(1000), d_pixels(100 * 70);
    const lab::Report rows = check.count([&] { row(d_items.data()); });
    std::vector<int> items(1000), pixels(100 * 70);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<int>(i % 100);
    check.equal(items, d_items.values(), "items");
    check_one("row", rows, guess.row_blocks, guess.row_warps, guess.row_storing,
              "How many items are left for the last block? How many warps do they take?");
    check.begin("100 x 70 pixels, blocks of 16 x 16 threads");
    const lab::Report pictures = check.count([&] { picture(d_pixels.data()); });
    check.equal(pixels, d_pixels.values(), "pixels");
    check_one("picture", pictures, guess.picture_blocks, guess.picture_warps, guess.picture_storing,
              "32 threads in a row, counted along x, are two rows of 16. How many rows of the "
              "picture are left for the blocks at the bottom? Does any warp lie completely to the "
              "right of the picture?");
}
#endif

}  // namespace

int main(int argc, char** argv) { return grading::Grader().GRADING_COUNTS(counts).run(argc, argv); }
