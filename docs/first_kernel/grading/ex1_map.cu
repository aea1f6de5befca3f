// Grades warm-up 1: is every pixel brighter, by a thread of its own?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "shares.hpp"

void brighter(const unsigned char* d_from, unsigned char* d_to, int n, int amount);

namespace {

/// 0, 1, …, 255, 0, …: every value, in a pattern that no block repeats; with a seed others.
std::vector<unsigned char> picture(std::size_t n) {
    std::vector<unsigned char> pixels(n);
    for (std::size_t i = 0; i < n; ++i)
        pixels[i] = static_cast<unsigned char>(i + i / 256 + grading::hidden_bits(n, i));
    return pixels;
}

std::vector<unsigned char> brighter_by(int amount, std::vector<unsigned char> pixels) {
    for (auto& pixel : pixels) pixel = static_cast<unsigned char>(std::min(pixel + amount, 255));
    return pixels;
}

void answers(grading::Answers& check) {
    // First a size that is not a multiple of the block size.
    std::vector<std::size_t> sizes = grading::sizes();
    sizes.insert(sizes.begin(), 100);
    for (std::size_t n : sizes) {
        for (int amount : {0, 1, 100, 255}) {
            check.begin("n = {}, amount = {}", n, amount);
            const std::vector<unsigned char> from = picture(n);
            grading::DeviceArray<unsigned char> d_from(from, "from"), d_to(n, "to");
            brighter(d_from.data(), d_to.data(), static_cast<int>(n), amount);
            check.equal(brighter_by(amount, from), d_to.values(), "to");
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::size_t n = grading::counted_size(4096, 32);
    check.begin("n = {}", n);
    grading::DeviceArray<unsigned char> d_from(picture(n)), d_to(n);
    const lab::Report report =
        check.count([&] { brighter(d_from.data(), d_to.data(), static_cast<int>(n), 7); });
    check.equal(brighter_by(7, picture(n)), d_to.values(), "to");
    check.exactly("requests that store, one for each 32 pixels",
                  grading::requests(report, lab::Space::global, lab::Operation::store),
                  static_cast<double>(n / 32),
                  "Each thread stores one pixel, and the 32 of a warp store theirs together.");
    const auto items = static_cast<double>(n);
    check_shares(check, report, 1, items, 2, 1, items);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
