// Seeded inputs, the same on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace conformance {

/// Source: S. Vigna, splitmix64, https://prng.di.unimi.it/splitmix64.c (public domain algorithm).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
        return mixed ^ (mixed >> 31);
    }

    /// A number from 0 to `bound` - 1.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  private:
    std::uint64_t state_;
};

/// `count` random items: integers over their whole range, floating-point numbers in [-1, 1).
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::is_floating_point_v<T>) {
            // 24 random bits are exact in a float and in a double.
            value = T(double(random.next() >> 40) / double(1 << 23) - 1.0);
        } else {
            value = T(random.next());
        }
    }
    return values;
}

/// `count` random integers from 0 to `bound` - 1.
template <class T>
std::vector<T> random_below(std::size_t count, std::uint64_t bound, std::uint64_t seed) {
    Random random(seed);
    std::vector<T> values(count);
    for (T& value : values) value = T(random.below(bound));
    return values;
}

/// Sizes around zero, a warp, a block of 256 and a block of 1024, and a large odd one.
inline const std::vector<int>& edge_sizes() {
    static const std::vector<int> sizes = {0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 5003};
    return sizes;
}

}  // namespace conformance
