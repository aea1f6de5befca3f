// A library's count of items in the width that the chapters' own kernels use: 32 bits if they are
// enough. With 64 it would compile to other, longer kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tutorial {

/// call(n), with n as an int if it fits, otherwise as 64 bits.
template <class Call>
void with_library_count(std::size_t n, const Call& call) {
    if (n <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        call(static_cast<int>(n));
    } else {
        call(static_cast<std::int64_t>(n));
    }
}

}  // namespace tutorial
