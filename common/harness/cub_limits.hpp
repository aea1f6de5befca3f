// How many items the reductions of this toolkit's CUB can take. Only for nvcc.
#pragma once

#include <cub/version.cuh>

#include <cstddef>
#include <limits>

#include "interface.hpp"

namespace tutorial {

/// Before version 3 (CUDA 13) some releases count items in an int, and take a larger number for a
/// smaller one silently.
#if CUB_VERSION >= 300000
inline Limits cub_limits() { return {}; }
#else
inline Limits cub_limits() {
    return {std::numeric_limits<int>::max(), "this release of CUB may count items in 32 bits"};
}
#endif

}  // namespace tutorial
