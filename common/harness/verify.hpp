// Is the result right, and if not, where does it first go wrong?
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutorial {

/// Right, or the first mismatch in words. A default-made Verdict is a failure ("not checked"), so
/// that a forgotten check never passes.
struct Verdict {
    bool ok = false;
    std::string message = "not checked";  ///< empty when ok
};

/// Every element equal, bit for bit (so NaN equals only the same NaN, and -0 is not +0). The
/// message names n, the first wrong index and both values; another length is a mismatch. Key types:
/// int, unsigned, 64-bit integers, float, double.
template <class T>
Verdict verify_equal(const std::vector<T>& expected, const std::vector<T>& actual);

/// |actual - expected| <= bound, written so that NaN never passes. `bound` is absolute.
Verdict verify_close(double expected, double actual, double bound);

/// The host reference for sorts: a copy of `keys` in ascending order, NaN last (all NaN kept, by
/// bit pattern), -0 before +0.
template <class T>
std::vector<T> sorted_copy(const std::vector<T>& keys);

}  // namespace tutorial
