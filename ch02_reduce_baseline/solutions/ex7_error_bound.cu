// Exercise 2.7: how far off may a sum be?                                       (fill in the blank)
//
// Task: a kernel has added `items` in an order of its own; each item went through at most
// `depth` additions in float. Say whether `computed` can be the result of right code: accept it
// as long as rounding may explain the difference, refuse it when it cannot. The bound below was
// found by trying. Derive one. No NaN in the items; but a kernel that is wrong may compute
// anything.
// Read: ../README.md, "How wrong is a sum of floats?"
// Check: ./tutorial check ch02/ex7      Stuck? Add --hint
#include <cuda_runtime.h>

#include <cmath>
#include <vector>

bool may_be_right(const std::vector<float>& items, double depth, float computed) {
    double exact = 0.0;  // as good as exact: a double has 29 more bits than a float
    for (float item : items) exact += item;
    // TODO (about 4 lines): derive the bound.
    const double u = std::ldexp(1.0, -24);
    double absolute = 0.0;
    for (float item : items) absolute += std::fabs(item);
    const double bound = (std::pow(1.0 + u, depth) - 1.0) * absolute;
    return std::fabs(computed - exact) <= bound;
    // END
}
