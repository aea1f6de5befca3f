#include "verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "fmt.hpp"

namespace tutorial {
namespace {

/// The unsigned integer with as many bits as T.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
Bits<T> bits_of(T value) {
    Bits<T> bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <class T>
bool same(T a, T b) {
    return bits_of(a) == bits_of(b);
}

/// Enough digits to tell any two values apart; the bits of a NaN, because its text does not.
template <class T>
std::string text_of(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) return fmt::format("nan (bits {:#x})", bits_of(value));
    }
    return fmt::format("{}", value);
}

/// The order used where one is required: ascending, -0 before +0, NaN last by bit pattern.
template <class T>
bool sorts_before(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        const bool a_is_nan = std::isnan(a);
        const bool b_is_nan = std::isnan(b);
        if (a_is_nan || b_is_nan) {
            return a_is_nan && b_is_nan ? bits_of(a) < bits_of(b) : b_is_nan;
        }
        if (a == b) return std::signbit(a) && !std::signbit(b);
    }
    return a < b;
}

}  // namespace

template <class T>
Verdict verify_equal(const std::vector<T>& expected, const std::vector<T>& actual) {
    if (expected.size() != actual.size()) {
        return {false, fmt::format("expected {} items, got {}", expected.size(), actual.size())};
    }
    const std::size_t n = expected.size();
    std::size_t first = n;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (same(expected[i], actual[i])) continue;
        if (wrong == 0) first = i;
        ++wrong;
    }
    if (wrong == 0) return {true, {}};
    return {false, fmt::format("wrong at index {} of {}: expected {}, got {} ({} wrong in all)",
                               first, n, text_of(expected[first]), text_of(actual[first]), wrong)};
}

Verdict verify_close(double expected, double actual, double bound) {
    const double difference = std::fabs(actual - expected);
    // Not `difference > bound`: with a NaN every comparison is false, and the NaN would pass.
    if (!(difference <= bound)) {
        return {false,
                fmt::format("expected {}, got {}: they differ by {:.3g}, the limit is {:.3g}",
                            expected, actual, difference, bound)};
    }
    return {true, {}};
}

template <class T>
std::vector<T> sorted_copy(const std::vector<T>& keys) {
    std::vector<T> sorted = keys;
    std::sort(sorted.begin(), sorted.end(), sorts_before<T>);
    return sorted;
}

#define TUTORIAL_INSTANTIATE(T)                                                     \
    template Verdict verify_equal<T>(const std::vector<T>&, const std::vector<T>&); \
    template std::vector<T> sorted_copy<T>(const std::vector<T>&);
TUTORIAL_INSTANTIATE(int)
TUTORIAL_INSTANTIATE(unsigned)
TUTORIAL_INSTANTIATE(long)
TUTORIAL_INSTANTIATE(unsigned long)
TUTORIAL_INSTANTIATE(long long)
TUTORIAL_INSTANTIATE(unsigned long long)
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(double)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial
