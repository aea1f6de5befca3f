// What graders of this chapter share: the check of a launcher that sorts, with sizes and inputs
// that n^2 work allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

/// The usual sizes, in number of keys. The work grows with the square of n, so there is only one
/// large size, and none in another order of threads.
inline std::vector<std::size_t> sizes_for_bubbles(const grading::Answers& check) {
    std::vector<std::size_t> sizes = grading::sizes(257);
    if (check.in_usual_order()) sizes.push_back(1025);
    return sizes;
}

enum class Order { ascending, descending };

/// The keys in that order.
inline std::vector<int> sorted_keys(std::vector<int> keys, Order order = Order::ascending) {
    std::sort(keys.begin(), keys.end());
    if (order == Order::descending) std::reverse(keys.begin(), keys.end());
    return keys;
}

/// Keys in that order, except that the first one is last: it has the longest way to go, one place
/// per half-step, and no other key costs time.
inline grading::Input<int> first_key_last(std::size_t n, Order order = Order::ascending) {
    std::vector<int> keys = sorted_keys(grading::make_input<int>("random", n, n + 1), order);
    std::rotate(keys.begin(), keys.begin() + 1, keys.end());
    return {"sorted, except for the first key, which is last", std::move(keys)};
}

/// All inputs for small n, the one that needs all half-steps for large n.
inline std::vector<grading::Input<int>> inputs_for_bubbles(std::size_t n,
                                                           Order order = Order::ascending) {
    if (n <= 33) return grading::int_inputs(n);
    if (n > 257) return {first_key_last(n, order)};
    const char* const worst = order == Order::ascending ? "reversed" : "sorted";
    return grading::inputs<int>(n, {"small", "random", worst, "sixteen"});
}

/// `sort` must leave d_keys[0..n) in that order, for each of `sizes`.
inline void check_sorted(grading::Answers& check, void (*sort)(int* d_keys, unsigned n),
                         const std::vector<std::size_t>& sizes, Order order = Order::ascending) {
    for (std::size_t n : sizes) {
        for (const grading::Input<int>& input : inputs_for_bubbles(n, order)) {
            check.begin("n = {}, input {}", n, input.name);
            grading::DeviceArray<int> d_keys(input.values, "d_keys");
            sort(d_keys.data(), static_cast<unsigned>(n));
            check.equal(sorted_keys(input.values, order), d_keys.values(), "d_keys");
        }
    }
}
