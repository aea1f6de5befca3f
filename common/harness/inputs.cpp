#include "inputs.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "fmt.hpp"
#include "options.hpp"
#include "verify.hpp"

namespace tutorial {
namespace {

/// Any value from 64 random bits: integers from the top bits, floats uniform in [-1, 1).
template <class T>
T random_value(std::uint64_t bits) {
    if constexpr (std::is_floating_point_v<T>) {
        // As many random bits as the type has digits: each value is exact, and 1 is never reached.
        constexpr int kDigits = std::numeric_limits<T>::digits;
        const auto whole = static_cast<T>(bits >> (64 - kDigits));
        return whole / static_cast<T>(std::uint64_t{1} << (kDigits - 1)) - T{1};
    } else {
        // To unsigned, then to signed: every bit pattern is a value.
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(bits >> (64 - 8 * sizeof(T))));
    }
}

/// A float from its bits; the only way to choose a NaN's payload.
template <class T>
T from_bits(std::uint64_t bits) {
    T value;
    if constexpr (sizeof(T) == 4) {
        const auto low = static_cast<std::uint32_t>(bits);
        std::memcpy(&value, &low, sizeof value);
    } else {
        std::memcpy(&value, &bits, sizeof value);
    }
    return value;
}

template <class T>
std::vector<T> extreme_values() {
    using Limit = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
        return {Limit::lowest(),
                Limit::max(),
                T{0},
                -T{0},
                T{1},
                T{-1},
                Limit::infinity(),
                -Limit::infinity(),
                Limit::denorm_min(),
                -Limit::denorm_min(),
                Limit::min(),
                -Limit::min()};
    } else {
        return {Limit::min(),
                Limit::max(),
                T{0},
                T{1},
                static_cast<T>(-1),
                static_cast<T>(Limit::min() + 1),
                static_cast<T>(Limit::max() - 1)};
    }
}

/// Quiet NaNs of both signs with several payloads.
template <class T>
std::vector<T> nan_values() {
    if constexpr (std::is_same_v<T, float>) {
        return {from_bits<T>(0x7fc00000), from_bits<T>(0xffc00000), from_bits<T>(0x7fc00001),
                from_bits<T>(0xffc12345), from_bits<T>(0x7fffffff), from_bits<T>(0xffffffff)};
    } else {
        return {from_bits<T>(0x7ff8000000000000), from_bits<T>(0xfff8000000000000),
                from_bits<T>(0x7ff8000000000001), from_bits<T>(0xfff8000012345678),
                from_bits<T>(0x7fffffffffffffff), from_bits<T>(0xffffffffffffffff)};
    }
}

/// The streams of random bits that an input may need besides the one for its values.
constexpr std::uint64_t kPickStream = 0x5049434b;
constexpr std::uint64_t kSwapStream = 0x53574150;

/// A random index below `count`, which is small compared with 2^64, so that the bias of % is small
/// as well.
std::size_t pick(std::uint64_t seed, std::uint64_t index, std::size_t count) {
    return static_cast<std::size_t>(random_bits(seed ^ kPickStream, index) % count);
}

/// Items begin, begin + 1, ... of the stream; the same holds for the functions below.
template <class T>
std::vector<T> random_items(std::size_t n, std::uint64_t seed, std::size_t begin = 0) {
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = random_value<T>(random_bits(seed, begin + i));
    return items;
}

template <class T>
std::vector<T> picked_from(const std::vector<T>& values, std::size_t n, std::uint64_t seed,
                           std::size_t begin = 0) {
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = values[pick(seed, begin + i, values.size())];
    return items;
}

template <class T>
std::vector<T> organ_pipe(std::size_t n, std::uint64_t seed) {
    const std::vector<T> sorted = sorted_copy(random_items<T>(n, seed));
    std::vector<T> items(n);
    // Every second value goes to the front half, the others backwards to the back half.
    for (std::size_t i = 0; i < n; ++i) items[i % 2 == 0 ? i / 2 : n - 1 - i / 2] = sorted[i];
    return items;
}

template <class T>
std::vector<T> almost_sorted(std::size_t n, std::uint64_t seed) {
    std::vector<T> items = sorted_copy(random_items<T>(n, seed));
    if (n < 2) return items;
    const std::size_t swaps = n / 100 + 1;
    for (std::size_t i = 0; i < swaps; ++i) {
        const std::size_t a = pick(seed ^ kSwapStream, 2 * i, n);
        const std::size_t b = pick(seed ^ kSwapStream, 2 * i + 1, n);
        std::swap(items[a], items[b]);
    }
    return items;
}

/// Floats: two of four items random, one extreme, one NaN. Integers have no NaN: extremes.
template <class T>
std::vector<T> special(std::size_t n, std::uint64_t seed, std::size_t begin = 0) {
    const std::vector<T> extremes = extreme_values<T>();
    if constexpr (std::is_floating_point_v<T>) {
        const std::vector<T> nans = nan_values<T>();
        std::vector<T> items = random_items<T>(n, seed, begin);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t choice = pick(seed, begin + i, 256);
            if (choice % 4 == 0) items[i] = extremes[choice / 4 % extremes.size()];
            if (choice % 4 == 1) items[i] = nans[choice / 4 % nans.size()];
        }
        return items;
    } else {
        return picked_from(extremes, n, seed, begin);
    }
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
    const auto mix = [](std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    };
    // The seed is mixed too: streams of neighbouring seeds must not be shifts of each other.
    return mix(mix(seed) + (index + 1) * 0x9e3779b97f4a7c15);
}

const std::vector<std::string>& input_kinds() {
    static const std::vector<std::string> kinds = {
        "random",     "sorted",        "reversed", "equal",   "two",   "sixteen",
        "organ_pipe", "almost_sorted", "extremes", "special", "digits"};
    return kinds;
}

template <class T>
std::vector<T> make_input_part(const std::string& kind, std::uint64_t seed, std::size_t begin,
                               std::size_t count) {
    if (kind == "random") return random_items<T>(count, seed, begin);
    if (kind == "equal") return std::vector<T>(count, random_value<T>(random_bits(seed, 0)));
    if (kind == "two") return picked_from(random_items<T>(2, seed), count, seed, begin);
    if (kind == "sixteen") return picked_from(random_items<T>(16, seed), count, seed, begin);
    if (kind == "extremes") return picked_from(extreme_values<T>(), count, seed, begin);
    if (kind == "special") return special<T>(count, seed, begin);
    if (kind == "digits") {
        return picked_from<T>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, count, seed, begin);
    }
    throw UsageError(
        fmt::format("input '{}' cannot be made in parts; these can: random, equal, two, sixteen, "
                    "extremes, special, digits",
                    kind));
}

template <class T>
std::vector<T> make_input(const std::string& kind, std::size_t n, std::uint64_t seed) {
    if (kind == "sorted") return sorted_copy(random_items<T>(n, seed));
    if (kind == "reversed") {
        std::vector<T> items = sorted_copy(random_items<T>(n, seed));
        std::reverse(items.begin(), items.end());
        return items;
    }
    if (kind == "organ_pipe") return organ_pipe<T>(n, seed);
    if (kind == "almost_sorted") return almost_sorted<T>(n, seed);
    const std::vector<std::string>& kinds = input_kinds();
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) {
        return make_input_part<T>(kind, seed, 0, n);
    }
    throw UsageError(
        fmt::format("unknown input '{}'; there are {}", kind, fmt::join(input_kinds(), ", ")));
}

template std::vector<int> make_input_part(const std::string&, std::uint64_t, std::size_t,
                                          std::size_t);
template std::vector<unsigned> make_input_part(const std::string&, std::uint64_t, std::size_t,
                                               std::size_t);
template std::vector<float> make_input_part(const std::string&, std::uint64_t, std::size_t,
                                            std::size_t);

template std::vector<int> make_input(const std::string&, std::size_t, std::uint64_t);
template std::vector<unsigned> make_input(const std::string&, std::size_t, std::uint64_t);
template std::vector<long> make_input(const std::string&, std::size_t, std::uint64_t);
template std::vector<unsigned long> make_input(const std::string&, std::size_t, std::uint64_t);
template std::vector<long long> make_input(const std::string&, std::size_t, std::uint64_t);
template std::vector<unsigned long long> make_input(const std::string&, std::size_t, std::uint64_t);
template std::vector<float> make_input(const std::string&, std::size_t, std::uint64_t);
template std::vector<double> make_input(const std::string&, std::size_t, std::uint64_t);

}  // namespace tutorial
