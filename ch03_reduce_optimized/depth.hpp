// How many additions an item goes through at most on its way to the result. The bound on the error
// of a sum of floats grows with that number: see ../common/harness/sum_reference.hpp.
#pragma once

#include <cstddef>

namespace tutorial {

/// A block of 512 threads that adds in a tree: 9 levels.
constexpr double kTreeDepth = 9;

/// 16 warps that add by shuffles, 5 levels, whose sums thread 0 then adds one by one.
constexpr double kWarpsDepth = 5 + 15;

/// A 16-byte vector whose four items are added in pairs.
constexpr double kVectorDepth = 2;

/// Launches that each leave one sum for every `items_per_block` items, until only one is left; an
/// item goes through `per_launch` additions in each of them.
inline double depth_in_launches(std::size_t n, std::size_t items_per_block, double per_launch) {
    double depth = per_launch;
    for (std::size_t left = n; left > items_per_block; depth += per_launch) {
        left = (left + items_per_block - 1) / items_per_block;
    }
    return depth;
}

/// One launch: a thread adds `vectors` vectors one by one, its block the threads' sums; then the
/// threads of one block, `threads` of them, take turns to add the sums of all `blocks`.
inline double depth_in_one_launch(std::size_t vectors, std::size_t blocks, std::size_t threads) {
    const std::size_t per_collector = (blocks + threads - 1) / threads;
    return kVectorDepth + static_cast<double>(vectors) + kWarpsDepth +
           static_cast<double>(per_collector) + kWarpsDepth;
}

}  // namespace tutorial
