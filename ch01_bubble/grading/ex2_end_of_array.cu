// Grades exercise 1.2: is the result right, and nothing touched beyond the keys?
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/grading.hpp"

void sort_keys(int* d_keys, unsigned n);

namespace {

/// The work grows with the square of n, so of large sizes there is only one.
std::vector<std::size_t> sizes() {
    std::vector<std::size_t> sizes = grading::sizes(257);
    sizes.push_back(1025);
    return sizes;
}

/// All inputs for small n, the worst one for large n.
std::vector<grading::Input<int>> inputs(std::size_t n) {
    if (n <= 33) return grading::int_inputs(n);
    if (n <= 257) return grading::inputs<int>(n, {"random", "reversed", "sixteen"});
    return grading::inputs<int>(n, {"reversed"});
}

void answers(grading::Answers& check) {
    for (std::size_t n : sizes()) {
        for (const grading::Input<int>& input : inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            std::vector<int> expected = input.values;
            std::sort(expected.begin(), expected.end());
            grading::DeviceArray<int> d_keys(input.values, "d_keys");
            sort_keys(d_keys.data(), static_cast<unsigned>(n));
            check.equal(expected, d_keys.values(), "d_keys");
        }
    }
}

#if GRADING_HAS_LAB
/// The fault is to be mended, and the threads are to go on sharing the work.
void counts(grading::Counts& check) {
    constexpr unsigned kKeys = 128;
    const std::vector<int> keys = grading::make_input<int>("reversed", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.begin("n = {}, input reversed", kKeys);
    const lab::Report report =
        check.count([&] { sort_keys(d_keys.data(), kKeys); }, [&] { d_keys.set(keys); });
    check.at_most("steps of the longest thread", grading::longest_thread(report), 8000,
                  "The kernel as it was handed out has a thread for each pair of keys. Only the "
                  "fault is to go.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
