// Exercise 2.7: how far off may a sum be?                                       (fill in the blank)
//
// Task: Derive a bound for the rounding error, and decide whether correct code can produce
// `computed`.
// Given: A kernel has added `items` in some order. Each item went through at most `depth`
// additions in float. No item is NaN, but a kernel that is wrong may compute anything. The bound
// below was found by trial and error.
// Required: Accept `computed` as long as rounding can explain the difference, and reject it
// otherwise.
// Read: ../README.md, "How wrong is a sum of floats?"
// Check: ./tutorial check ch02/ex7     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cmath>
#include <vector>

bool may_be_right(const std::vector<float>& items, double depth, float computed) {
    double exact = 0.0;  // as good as exact: a double has 29 more bits than a float
    for (float item : items) exact += item;
    // TODO (about 4 lines): derive the bound.
    return std::fabs(computed - exact) <= 1e-6 * depth * std::fabs(exact);
    // END
}
