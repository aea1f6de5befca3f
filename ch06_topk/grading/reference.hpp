// The right results, for the graders of this chapter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

/// The min(k, n) largest of the values, in descending order; duplicates count.
inline std::vector<int> largest_on_host(std::vector<int> values, std::size_t k) {
    std::sort(values.begin(), values.end(), std::greater<>());
    values.resize(std::min(k, values.size()));
    return values;
}
