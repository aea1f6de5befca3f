// What graders of this chapter share: the check of a launcher that sorts, in sizes and with inputs
// that n^2 work allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

/// The usual sizes, in number of keys. The work grows with the square of n, so of large sizes there
/// is only one.
inline std::vector<std::size_t> sizes_for_bubbles() {
    std::vector<std::size_t> sizes = grading::sizes(257);
    sizes.push_back(1025);
    return sizes;
}

/// All inputs for small n, the worst one for large n.
inline std::vector<grading::Input<int>> inputs_for_bubbles(std::size_t n) {
    if (n <= 33) return grading::int_inputs(n);
    if (n <= 257) return grading::inputs<int>(n, {"random", "reversed", "sixteen"});
    return grading::inputs<int>(n, {"reversed"});
}

/// `sort` must leave d_keys[0..n) in ascending order, for each of `sizes`.
inline void check_sorted(grading::Answers& check, void (*sort)(int* d_keys, unsigned n),
                         const std::vector<std::size_t>& sizes = sizes_for_bubbles()) {
    for (std::size_t n : sizes) {
        for (const grading::Input<int>& input : inputs_for_bubbles(n)) {
            check.begin("n = {}, input {}", n, input.name);
            std::vector<int> expected = input.values;
            std::sort(expected.begin(), expected.end());
            grading::DeviceArray<int> d_keys(input.values, "d_keys");
            sort(d_keys.data(), static_cast<unsigned>(n));
            check.equal(expected, d_keys.values(), "d_keys");
        }
    }
}
