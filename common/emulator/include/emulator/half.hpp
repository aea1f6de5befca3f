// half and bfloat16: 16 bits, each operation done in float and rounded to the nearest even, which
// is what a device's own 16-bit addition, multiplication and division give (float has more than
// twice the bits, so that rounding twice gives the same as rounding once). fma rounds once too,
// through double.
#pragma once

#include <cstdint>
#include <cstring>

#include "math.hpp"
#include "vector_types.hpp"

namespace emulator {

/// Bits of the binary16 number next to x; ties go to the even one.
inline std::uint16_t half_bits(double x) {
    const std::uint64_t bits = bit_cast<std::uint64_t>(x);
    const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
    const double size = fabs(x);
    if (size == 0.0) return sign;
    if (x != x) return static_cast<std::uint16_t>(0x7fffu);
    if (size >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
    // Multiples of the unit in the last place: nearbyint rounds as asked for.
    int exponent = 0;
    frexp(size, &exponent);
    const int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    const auto steps = static_cast<std::uint32_t>(nearbyint(ldexp(size, -unit)));
    // A normal number's leading bit adds one to the exponent's field, and a carry one more.
    const std::uint32_t field = unit == -24 ? 0u : static_cast<std::uint32_t>(unit + 24);
    return static_cast<std::uint16_t>(sign | (steps + (field << 10)));
}
inline float half_value(std::uint16_t bits) {
    const int exponent = bits >> 10 & 0x1f;
    const int fraction = bits & 0x3ff;
    float size = 0.0f;
    if (exponent == 0x1f) {
        size = fraction != 0 ? bit_cast<float>(0x7fffffffu) : bit_cast<float>(0x7f800000u);
    } else if (exponent == 0) {
        size = ldexpf(static_cast<float>(fraction), -24);
    } else {
        size = ldexpf(static_cast<float>(fraction + 1024), exponent - 25);
    }
    return (bits & 0x8000u) != 0 ? -size : size;
}

/// Bits of the bfloat16 number next to x; ties go to the even one.
inline std::uint16_t bfloat_bits(double x) {
    if (x != x) return static_cast<std::uint16_t>(0x7fffu);
    // Rounded to odd, a float keeps what decides the second rounding.
    const auto near = static_cast<float>(x);
    std::uint32_t bits = bit_cast<std::uint32_t>(near);
    if (static_cast<double>(near) != x && near - near == 0.0f) {
        const bool is_larger = fabs(static_cast<double>(near)) > fabs(x);
        if (is_larger) --bits;
        bits |= 1u;
    }
    if ((bits & 0x7f800000u) == 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16);
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline float bfloat_value(std::uint16_t bits) {
    return bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace emulator

// To whole numbers, from __half or __nv_bfloat16.
#define CPU_HALF_TO(Half, from, name, Integer)                       \
    inline Integer from##2##name##_rn(Half x) {                      \
        return emulator::to_integer<Integer>(nearbyintf(x.value())); \
    }                                                                \
    inline Integer from##2##name##_rz(Half x) {                      \
        return emulator::to_integer<Integer>(truncf(x.value()));     \
    }                                                                \
    inline Integer from##2##name##_rd(Half x) {                      \
        return emulator::to_integer<Integer>(floorf(x.value()));     \
    }                                                                \
    inline Integer from##2##name##_ru(Half x) {                      \
        return emulator::to_integer<Integer>(ceilf(x.value()));      \
    }
#define CPU_HALF_TO_INTEGERS(Half, from)            \
    CPU_HALF_TO(Half, from, int, int)               \
    CPU_HALF_TO(Half, from, uint, unsigned)         \
    CPU_HALF_TO(Half, from, short, short)           \
    CPU_HALF_TO(Half, from, ushort, unsigned short) \
    CPU_HALF_TO(Half, from, ll, long long)          \
    CPU_HALF_TO(Half, from, ull, unsigned long long)
