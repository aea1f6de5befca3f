// Sorting on the host, for references of many items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace tutorial {

/// std::stable_sort by `less`; many items are sorted in parts, one thread for each, and then merged
/// in pairs. One thread would take half a minute for 2^28 of them. `part`: items per part; 0: at
/// most 32 parts, none of them small.
template <class T, class Less>
void sort_in_parts(std::vector<T>& items, const Less& less, std::size_t part = 0) {
    if (part == 0) part = std::max<std::size_t>(std::size_t{1} << 18, (items.size() + 31) / 32);
    const std::size_t n = items.size();
    const auto at = [&](std::size_t i) {
        return items.begin() + static_cast<std::ptrdiff_t>(std::min(i, n));
    };
    const auto for_each = [&](std::size_t stride, const auto& work) {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < n; i += stride) threads.emplace_back([&, i] { work(i); });
        for (std::thread& thread : threads) thread.join();
    };
    if (n <= part) return std::stable_sort(items.begin(), items.end(), less);
    for_each(part, [&](std::size_t i) { std::stable_sort(at(i), at(i + part), less); });
    for (std::size_t run = part; run < n; run *= 2) {
        for_each(2 * run, [&](std::size_t i) {
            std::inplace_merge(at(i), at(i + run), at(i + 2 * run), less);
        });
    }
}

}  // namespace tutorial
