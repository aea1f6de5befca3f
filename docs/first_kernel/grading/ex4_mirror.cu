// Grades warm-up 4: is every row mirrored, and do neighbours read neighbours?
#include <cstddef>
#include <vector>

#include "shares.hpp"

void mirror(const int* d_from, int* d_to, int width, int height);

namespace {

struct Size {
    int width, height;
};

std::vector<int> picture(Size size) {
    std::vector<int> pixels(static_cast<std::size_t>(size.width) * size.height);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = static_cast<int>(i) ^ static_cast<int>(grading::hidden_bits(size.width, i));
    }
    return pixels;
}

std::vector<int> mirrored(const std::vector<int>& from, Size size) {
    std::vector<int> to(from.size());
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            to[y * size.width + (size.width - 1 - x)] = from[y * size.width + x];
        }
    }
    return to;
}

void answers(grading::Answers& check) {
    for (const Size size : {Size{16, 16}, Size{5, 3}, Size{3, 5}, Size{33, 7}, Size{7, 33},
                            Size{1, 70}, Size{70, 1}, Size{1, 1}, Size{0, 5}, Size{5, 0},
                            Size{63, 65}, Size{130, 31}, Size{4096, 2}, Size{2, 4096}}) {
        check.begin("width {}, height {}", size.width, size.height);
        const std::vector<int> from = picture(size);
        grading::DeviceArray<int> d_from(from, "from"), d_to(from.size(), "to");
        mirror(d_from.data(), d_to.data(), size.width, size.height);
        check.equal(mirrored(from, size), d_to.values(), "to");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const Size size{64, 64};
    check.begin("width {}, height {}", size.width, size.height);
    grading::DeviceArray<int> d_from(picture(size)), d_to(picture(size).size());
    const lab::Report report =
        check.count([&] { mirror(d_from.data(), d_to.data(), size.width, size.height); });
    check.equal(mirrored(picture(size), size), d_to.values(), "to");
    // A warp is two rows of the block: twice 16 ints side by side, twice 2 sectors.
    check.at_most("sectors per request", grading::sectors_per_request(report),
                  grading::kNeighbouringWords,
                  "Threads whose threadIdx.x differ by one should read pixels side by side.");
    check_shares(check, report, sizeof(int), 64 * 64, 2, 1, 64 * 64);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
