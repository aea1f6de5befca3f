// What the graders of this chapter share: items whose sums are exact in every order, and the check
// of a launcher that leaves the sum of each tile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "../../common/harness/sum_reference.hpp"

/// Whole numbers, so that the sum is the same in every order and each lost item shows. All ones
/// come first: if their sum is wrong, it says how many items were lost.
inline std::vector<grading::Input<float>> exact_inputs(std::size_t n) {
    std::vector<grading::Input<float>> inputs = {{"all ones", std::vector<float>(n, 1.0f)}};
    if (n > 0) inputs.push_back({"whole numbers", grading::whole_numbers(n, n + 1).items});
    return inputs;
}

/// The number of tiles of n items; one if there are no items, so that a block writes the 0.
inline std::size_t tiles_of(std::size_t n, std::size_t tile) {
    return n == 0 ? 1 : (n + tile - 1) / tile;
}

/// The sum of each tile, exact for exact_inputs().
inline std::vector<float> tile_sums(const std::vector<float>& items, std::size_t tile) {
    std::vector<float> sums(tiles_of(items.size(), tile), 0.0f);
    for (std::size_t i = 0; i < items.size(); ++i) sums[i / tile] += items[i];
    return sums;
}

/// grading::sizes(), with 0 at the end: if other sizes show the same bug, they describe it better
/// than no items at all.
inline std::vector<std::size_t> sizes_zero_last() {
    std::vector<std::size_t> sizes = grading::sizes();
    std::rotate(sizes.begin(), std::upper_bound(sizes.begin(), sizes.end(), std::size_t{0}),
                sizes.end());
    return sizes;
}

/// Leaves the sum of each tile of d_items[0..n) in d_partial.
using TileLauncher = void (*)(const float* d_items, std::size_t n, float* d_partial);

/// Every size, also those around a tile and several of them, and a large odd one.
inline void check_tile_sums(grading::Answers& check, TileLauncher launch, std::size_t tile) {
    std::vector<std::size_t> sizes = sizes_zero_last();
    // The last is more than 16 bits can count.
    for (const std::size_t n : {tile - 1, tile, tile + 1, 3 * tile + 5, std::size_t{70001}}) {
        if (n < 65536 || check.in_usual_order()) sizes.push_back(n);
    }
    for (const std::size_t n : sizes) {
        for (const grading::Input<float>& input : exact_inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            const grading::DeviceArray<float> d_items(input.values, "d_items");
            grading::DeviceArray<float> d_partial(tiles_of(n, tile), "d_partial");
            launch(d_items.data(), n, d_partial.data());
            check.equal(tile_sums(input.values, tile), d_partial.values(), "d_partial");
        }
    }
}

#if GRADING_HAS_LAB
/// What the launcher does to memory with n items.
inline lab::Report count_tile_sums(grading::Counts& check, TileLauncher launch, std::size_t tile,
                                   std::size_t n) {
    check.begin("n = {}", n);
    const std::vector<float> items = grading::whole_numbers(n, 1).items;
    const grading::DeviceArray<float> d_items(items);
    grading::DeviceArray<float> d_partial(tiles_of(n, tile));
    lab::Report report = check.count([&] { launch(d_items.data(), n, d_partial.data()); });
    check.equal(tile_sums(items, tile), d_partial.values(), "d_partial");
    return report;
}

/// Bytes of all sectors that loads touch, divided by the bytes of n floats.
inline double moved_by_needed(const lab::Report& report, std::size_t n) {
    return grading::bytes_moved(report, lab::Operation::load) /
           static_cast<double>(n * sizeof(float));
}
#endif
