#include "sum_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmt.hpp"
#include "inputs.hpp"
#include "options.hpp"

namespace tutorial {
namespace {

constexpr double kUnitRoundoff = 0x1p-24;      // of float
constexpr double kDoubleRoundoff = 0x1p-53;    // of the reference's own additions
constexpr std::size_t kLeaf = 1024;            // items that the reference adds one by one
constexpr std::size_t kDenseCount = 1u << 20;  // whole numbers that are not 0
constexpr std::uint64_t kLargestWhole = 15;    // 15 * (2^20 + 2) < 2^24

struct Sums {
    double sum = 0.0;
    double absolute = 0.0;
};

Sums add_pairwise(const float* items, std::size_t n) {
    Sums sums;
    if (n <= kLeaf) {
        for (std::size_t i = 0; i < n; ++i) {
            sums.sum += items[i];
            sums.absolute += std::fabs(items[i]);
        }
        return sums;
    }
    const std::size_t half = n / 2;
    const Sums left = add_pairwise(items, half);
    const Sums right = add_pairwise(items + half, n - half);
    return {left.sum + right.sum, left.absolute + right.absolute};
}

}  // namespace

SumReference reference_sum(const std::vector<float>& items) {
    const Sums sums = add_pairwise(items.data(), items.size());
    SumReference reference;
    reference.sum = sums.sum;
    reference.absolute = sums.absolute;
    if (std::isnan(sums.sum)) return reference;

    // Without the infinities, no order may come near the largest float.
    double finite = sums.absolute;
    if (std::isinf(sums.absolute)) {
        finite = 0.0;
        for (const float item : items) {
            if (std::isfinite(item)) finite += std::fabs(item);
        }
    }
    if (finite > static_cast<double>(std::numeric_limits<float>::max()) && items.size() > 1) {
        throw UsageError(
            "the items of this --input are so large that their sum overflows a float in one order "
            "of adding and not in another: there is no result to check; use another --input");
    }
    const double levels =
        kLeaf + std::ceil(std::log2(std::max(2.0, static_cast<double>(items.size()))));
    reference.own_error = levels * kDoubleRoundoff * sums.absolute;
    return reference;
}

double sum_error_bound(const SumReference& reference, double depth) {
    // (1 + u)^d - 1, without losing its digits where it is small.
    const double growth = std::expm1(depth * std::log1p(kUnitRoundoff));
    return growth * reference.absolute + reference.own_error;
}

Verdict verify_sum(const SumReference& reference, double depth, float actual) {
    if (std::isnan(reference.sum)) {
        if (std::isnan(actual)) return {true, {}};
        return {false, fmt::format("the input holds NaN, or infinities of both signs, so the sum "
                                   "is NaN; got {}",
                                   actual)};
    }
    if (std::isinf(reference.sum)) {
        if (static_cast<double>(actual) == reference.sum) return {true, {}};
        return {false, fmt::format("expected {}, got {}", reference.sum, actual)};
    }
    // However large the bound, NaN and infinity must not pass.
    if (!std::isfinite(actual)) {
        return {false, fmt::format("expected {}, got {}", reference.sum, actual)};
    }
    return verify_close(reference.sum, actual, sum_error_bound(reference, depth));
}

WholeNumbers whole_numbers(std::size_t n, std::uint64_t seed) {
    WholeNumbers numbers;
    numbers.items.assign(n, 0.0f);
    const auto value = [&](std::uint64_t bits) {
        const auto size = static_cast<float>(1 + (bits >> 8) % kLargestWhole);
        return (bits & 1) != 0 ? -size : size;
    };
    const std::size_t run = (n + kDenseCount - 1) / kDenseCount;
    for (std::size_t begin = 0; begin < n; begin += run) {
        const std::uint64_t bits = random_bits(seed, begin);
        const std::size_t length = std::min(run, n - begin);
        numbers.items[begin + (bits >> 32) % length] = value(bits);
    }
    if (n > 0) {
        numbers.items.front() = value(random_bits(seed, n));
        numbers.items.back() = value(random_bits(seed, n + 1));
    }
    double sum = 0.0;
    for (const float item : numbers.items) sum += item;
    numbers.sum = static_cast<float>(sum);
    return numbers;
}

Verdict verify_whole_numbers(const WholeNumbers& expected, std::size_t n, float actual) {
    // Not verify_equal: a sum of -0 and 0 may be either.
    if (actual == expected.sum) return {true, {}};
    return {false, fmt::format("{} whole numbers, exact in every order: expected {}, got {}", n,
                               expected.sum, actual)};
}

std::string error_table(const SumReference& reference, const std::vector<SumError>& rows) {
    if (!std::isfinite(reference.sum) || rows.empty()) return {};
    std::string table = fmt::format(
        "Error of each order of addition, next to the bound that its check uses\n"
        "(depth: the most additions between an item and the result; exact sum {:.9g})\n"
        "{:<14} {:>12} {:>16} {:>11} {:>11} {:>10}\n",
        reference.sum, "row", "depth", "sum", "error", "bound", "% of it");
    for (const SumError& row : rows) {
        const double error = std::fabs(static_cast<double>(row.actual) - reference.sum);
        const double bound = sum_error_bound(reference, row.depth);
        const std::string used = bound == 0.0 ? "-" : fmt::format("{:.2g}", 100.0 * error / bound);
        table += fmt::format("{:<14} {:>12.0f} {:>16.9g} {:>11.2e} {:>11.2e} {:>10}\n", row.row,
                             row.depth, row.actual, error, bound, used);
    }
    return table;
}

}  // namespace tutorial
