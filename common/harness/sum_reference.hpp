// What a sum of floats is compared with. Floating-point addition is not associative, so that every
// order of additions gives its own result: a result can be required to lie within an error bound,
// but not to be equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify.hpp"

namespace tutorial {

/// What is known of a sum before any kernel runs.
struct SumReference {
    double sum = 0.0;        ///< of all items; NaN or infinite if every order must give that
    double absolute = 0.0;   ///< sum of |x|, to which every error bound is proportional
    double own_error = 0.0;  ///< `sum` is at most this far from the exact sum
};

/// Adds pairwise in double. NaN items, or infinities of both signs, make every order's sum NaN.
/// Throws UsageError if the result depends on the order: if the items are so large that a partial
/// sum may overflow in one order but not in another.
SumReference reference_sum(const std::vector<float>& items);

/// |computed - exact| is at most this, if every item goes through at most `depth` additions in
/// float on its way to the result:
///
///     ((1 + u)^d - 1) * sum |x|,  u = 2^-24
///
/// Each addition returns (a + b)(1 + e) with |e| <= u, so that item x_i arrives as x_i times the
/// product of at most d such factors, which differs from 1 by at most (1 + u)^d - 1; adding that up
/// over the items gives the bound (Higham, "Accuracy and Stability of Numerical Algorithms",
/// section 4.2). Adding 0 is exact and does not count. Little more than d u sum |x| while d u is
/// small; far beyond d u = 1 it is still finite, but no longer says anything.
double sum_error_bound(const SumReference& reference, double depth);

/// Within the bound; NaN if the reference is NaN, infinite if it is infinite.
Verdict verify_sum(const SumReference& reference, double depth, float actual);

/// Items whose sum is the same in every order, so that one lost, doubled or wrongly read item
/// shows: whole numbers with sum |x| <= 2^24, so that every partial sum is a whole number that a
/// float holds exactly.
struct WholeNumbers {
    std::vector<float> items;
    float sum = 0.0f;
};

/// n of them. Up to 2^20 items none is 0; beyond that every run of n / 2^20 items holds one that is
/// not, and the first and the last are not.
WholeNumbers whole_numbers(std::size_t n, std::uint64_t seed);

/// Exactly equal. `n`: how many items there were; they themselves may be gone.
Verdict verify_whole_numbers(const WholeNumbers& expected, std::size_t n, float actual);

/// One row of the table that error_table() makes.
struct SumError {
    std::string row;
    double depth = 0.0;   ///< additions on the longest path from an item to the result
    float actual = 0.0f;  ///< the computed sum
};

/// A table of what each order of additions costs in accuracy: error, its bound, and how much of the
/// bound it uses.
std::string error_table(const SumReference& reference, const std::vector<SumError>& rows);

}  // namespace tutorial
