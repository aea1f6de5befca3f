// What the graders of this chapter share: ints, and the exact sum of their squares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

using Sum = unsigned long long;

inline Sum square(int item) {
    const long long wide = item;
    return static_cast<Sum>(wide * wide);
}

/// Exact below 2^64.
inline Sum sum_of_squares(const std::vector<int>& items) {
    Sum sum = 0;
    for (const int item : items) sum += square(item);
    return sum;
}

/// grading::sizes(), with 0 at the end: if other sizes show the same bug, they describe it better
/// than no items at all.
inline std::vector<std::size_t> sizes_zero_last() {
    std::vector<std::size_t> sizes = grading::sizes();
    std::rotate(sizes.begin(), std::upper_bound(sizes.begin(), sizes.end(), std::size_t{0}),
                sizes.end());
    return sizes;
}

/// sizes_zero_last(), and one that is more than 16 bits can count.
inline std::vector<std::size_t> sizes_to_large(const grading::Answers& check) {
    std::vector<std::size_t> sizes = sizes_zero_last();
    if (check.in_usual_order()) sizes.push_back(70001);
    return sizes;
}

/// n ints from -most to most. All ones come first: if their sum is wrong, it says how many items
/// were lost. `most` is among the others, if there are any. At most 65535 items are also tried in
/// sorted order.
inline std::vector<grading::Input<int>> square_inputs(std::size_t n, int most) {
    std::vector<grading::Input<int>> inputs = {{"all ones", std::vector<int>(n, 1)}};
    if (n == 0) return inputs;
    std::vector<int> items(n);
    const auto values = 2 * static_cast<std::uint64_t>(most) + 1;
    for (std::size_t i = 0; i < n; ++i) {
        items[i] =
            static_cast<int>(static_cast<long long>(grading::random_bits(n, i) % values) - most);
    }
    items[n / 2] = most;
    inputs.push_back({"random", items});
    if (n > 65535) return inputs;  // smaller ones have shown that the order makes no difference
    std::sort(items.begin(), items.end());
    inputs.push_back({"sorted", items});
    return inputs;
}
