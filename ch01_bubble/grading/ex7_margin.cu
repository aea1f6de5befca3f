// Grades exercise 1.7: are the keys as 16 half-steps leave them, and does no block load too much?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void half_steps(const int* d_from, int* d_to, unsigned n);

namespace {

std::vector<int> after_half_steps(std::vector<int> keys) {
    for (std::size_t step = 0; step < 16; ++step) {
        for (std::size_t i = step % 2; i + 1 < keys.size(); i += 2) {
            if (keys[i + 1] < keys[i]) std::swap(keys[i], keys[i + 1]);
        }
    }
    return keys;
}

void answers(grading::Answers& check) {
    std::vector<std::size_t> sizes = grading::sizes();
    // Besides the usual sizes, some around a block's keys and its margin.
    if (sizes.back() >= 256) sizes.insert(sizes.end(), {127, 128, 129, 143, 144, 145});
    for (std::size_t n : sizes) {
        for (const grading::Input<int>& input :
             n <= 257 ? grading::int_inputs(n)
                      : grading::inputs<int>(n, {"random", "reversed", "extremes"})) {
            check.begin("n = {}, input {}", n, input.name);
            const grading::DeviceArray<int> d_from(input.values, "d_from");
            grading::DeviceArray<int> d_to(n, "d_to");
            half_steps(d_from.data(), d_to.data(), static_cast<unsigned>(n));
            check.equal(after_half_steps(input.values), d_to.values(), "d_to");
            check.equal(input.values, d_from.values(), "d_from, which must stay as it is");
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr unsigned kKeys = 1024;
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    const grading::DeviceArray<int> d_from(keys);
    grading::DeviceArray<int> d_to(kKeys);
    check.begin("n = {}", kKeys);
    const lab::Report report = check.count([&] { half_steps(d_from.data(), d_to.data(), kKeys); });
    check.equal(after_half_steps(keys), d_to.values(), "d_to");
    // Eight blocks of 128 keys with a margin of 16 on both sides, except at the two ends.
    constexpr unsigned kLoaded = 8 * (16 + 128 + 16) - 2 * 16;
    check.at_most("bytes that loads move", grading::bytes_moved(report, lab::Operation::load),
                  sizeof(int) * kLoaded,
                  "How far can a key move in 16 half-steps? No key from further away matters.");
    check.at_least("keys that all threads load",
                   grading::lanes(report, lab::Space::global, lab::Operation::load), kLoaded,
                   "Every key that can affect the block's keys in 16 half-steps must be loaded.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
