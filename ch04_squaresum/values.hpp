// The numbers whose squares are added, by --values, and the type of their sum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../common/harness/inputs.hpp"
#include "../common/harness/options.hpp"

namespace tutorial {

/// Holds any sum of squares below 2^64: 2^31 items of up to 92681, or three of INT_MIN.
using Sum = unsigned long long;

/// The squares of -46340..46340 are those that an int still holds.
constexpr int kWideMost = 46340;

/// Any int, scaled to low, low + 1, ..., low + count - 1, so that the order stays.
inline int scaled(int key, int low, std::int64_t count) {
    const std::int64_t from_zero = static_cast<std::int64_t>(key) + (std::int64_t{1} << 31);
    return static_cast<int>(low + ((from_zero * count) >> 32));
}

/// `values`: "digits", 0..9 as in the article; "wide", -46340..46340; "full", any int.
inline int item_of(int key, const std::string& values) {
    if (values == "digits") return scaled(key, 0, 10);
    if (values == "wide") return scaled(key, -kWideMost, 2 * kWideMost + 1);
    return key;
}

inline std::vector<int> make_items(const Options& options, const std::string& values) {
    std::vector<int> items = make_input<int>(options.input, options.n, options.seed);
    for (int& item : items) item = item_of(item, values);
    return items;
}

}  // namespace tutorial
