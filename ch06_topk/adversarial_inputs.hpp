// Inputs that are bad for one way or another to find the k largest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../common/harness/inputs.hpp"
#include "../common/harness/options.hpp"

namespace topk {

/// The names that --adversarial takes:
///   none        --input decides
///   ascending   every key is larger than all before
///   descending  the largest come first
///   runs        ascending runs of 2^20 keys
///   repeats     ascending, every value a thousand times
///   top         the 20 largest values a million times each (in small data: in one key of ten),
///               mixed into random ones
///   giant       ascending, but every 16th key is one value larger than all
///   giants      the same, but another value, larger than all before, every 2^16 keys
inline const std::vector<std::string>& adversarial_kinds() {
    static const std::vector<std::string> kinds = {"none",    "ascending", "descending", "runs",
                                                   "repeats", "top",       "giant",      "giants"};
    return kinds;
}

/// n keys in such an order; for float the integers below, rounded to float.
template <class Key>
std::vector<Key> adversarial_input(const std::string& kind, std::size_t n, std::uint64_t seed) {
    enum { none, ascending, descending, runs, repeats, top, giant, giants };
    const std::vector<std::string>& kinds = adversarial_kinds();
    const auto which = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    constexpr std::int64_t kHigh = 2000000000;
    const auto size = static_cast<std::int64_t>(n);
    const auto value = [&](std::int64_t i) -> std::int64_t {
        const bool sixteenth = i % 16 == 5;
        switch (which) {
            case ascending:
                return i - size / 2;
            case descending:
                return size / 2 - i;
            case runs:
                return i % (1 << 20) * 1024 + (i >> 20) - (1 << 29);
            case repeats:
                return i / 1000;
            case top: {
                const auto bits = tutorial::random_bits(seed, static_cast<std::uint64_t>(i));
                const std::uint64_t in = n > 200000000 ? n : 10 * 20000000ull;
                if ((bits >> 32) % in < 20000000) return kHigh + static_cast<int>(bits % 20);
                return static_cast<std::int64_t>(bits & 0x3FFFFFFF);
            }
            case giant:
                return sixteenth ? kHigh : i / 4;
            case giants:
                return sixteenth ? 1100000000 + (i >> 16) : i / 4;
            default:
                throw tutorial::UsageError("no adversarial input is named '" + kind + "'");
        }
    };
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<Key>(value(static_cast<std::int64_t>(i)));
    }
    return keys;
}

}  // namespace topk
