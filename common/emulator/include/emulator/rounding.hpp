// Arithmetic with a rounding mode other than to the nearest: down (rd), up (ru), towards zero (rz).
// Except in conversions to float, the processor's own mode is set for one operation; volatile keeps
// the compiler from moving it.
#pragma once

#include <cfenv>
#include <cmath>
#include <limits>

#include "math.hpp"

namespace emulator {

class RoundingMode {
  public:
    explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
    ~RoundingMode() { std::fesetround(before_); }

  private:
    int before_;
};

/// The largest float not above x, and the smallest not below it. These need no rounding mode, which
/// WebAssembly lacks.
inline float float_down(double x) {
    const auto nearest = static_cast<float>(x);
    return nearest > x ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}
inline float float_up(double x) {
    const auto nearest = static_cast<float>(x);
    return nearest < x ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}
inline float float_towards_zero(double x) { return x < 0.0 ? float_up(x) : float_down(x); }

}  // namespace emulator

// Every int and unsigned is a double.
#define CPU_TO_FLOAT(suffix, rounded)                                               \
    inline float __double2float_##suffix(double x) { return emulator::rounded(x); } \
    inline float __int2float_##suffix(int x) { return emulator::rounded(x); }       \
    inline float __uint2float_##suffix(unsigned x) { return emulator::rounded(x); }

CPU_TO_FLOAT(rd, float_down)
CPU_TO_FLOAT(ru, float_up)
CPU_TO_FLOAT(rz, float_towards_zero)

#undef CPU_TO_FLOAT

#define CPU_ROUNDED_1(T, From, name, mode, expression) \
    inline T name(From a) {                            \
        const emulator::RoundingMode rounding(mode);   \
        volatile From x = a;                           \
        volatile T result = expression;                \
        return result;                                 \
    }
#define CPU_ROUNDED_2(T, name, mode, expression)     \
    inline T name(T a, T b) {                        \
        const emulator::RoundingMode rounding(mode); \
        volatile T x = a, y = b;                     \
        volatile T result = expression;              \
        return result;                               \
    }
#define CPU_ROUNDED_3(T, name, mode, expression)     \
    inline T name(T a, T b, T c) {                   \
        const emulator::RoundingMode rounding(mode); \
        volatile T x = a, y = b, z = c;              \
        volatile T result = expression;              \
        return result;                               \
    }
#define CPU_ROUNDING(suffix, mode)                                                              \
    CPU_ROUNDED_2(float, __fadd_##suffix, mode, x + y)                                          \
    CPU_ROUNDED_2(float, __fsub_##suffix, mode, x - y)                                          \
    CPU_ROUNDED_2(float, __fmul_##suffix, mode, x* y)                                           \
    CPU_ROUNDED_2(float, __fdiv_##suffix, mode, x / y)                                          \
    CPU_ROUNDED_1(float, float, __frcp_##suffix, mode, 1.0f / x)                                \
    CPU_ROUNDED_1(float, float, __fsqrt_##suffix, mode, sqrtf(x))                               \
    CPU_ROUNDED_3(float, __fmaf_##suffix, mode, fmaf(x, y, z))                                  \
    CPU_ROUNDED_2(double, __dadd_##suffix, mode, x + y)                                         \
    CPU_ROUNDED_2(double, __dsub_##suffix, mode, x - y)                                         \
    CPU_ROUNDED_2(double, __dmul_##suffix, mode, x* y)                                          \
    CPU_ROUNDED_2(double, __ddiv_##suffix, mode, x / y)                                         \
    CPU_ROUNDED_1(double, double, __drcp_##suffix, mode, 1.0 / x)                               \
    CPU_ROUNDED_1(double, double, __dsqrt_##suffix, mode, sqrt(x))                              \
    CPU_ROUNDED_3(double, __fma_##suffix, mode, fma(x, y, z))                                   \
    CPU_ROUNDED_1(float, long long, __ll2float_##suffix, mode, static_cast<float>(x))           \
    CPU_ROUNDED_1(double, long long, __ll2double_##suffix, mode, static_cast<double>(x))        \
    CPU_ROUNDED_1(float, unsigned long long, __ull2float_##suffix, mode, static_cast<float>(x)) \
    CPU_ROUNDED_1(double, unsigned long long, __ull2double_##suffix, mode, static_cast<double>(x))

CPU_ROUNDING(rd, FE_DOWNWARD)
CPU_ROUNDING(ru, FE_UPWARD)
CPU_ROUNDING(rz, FE_TOWARDZERO)

#undef CPU_ROUNDING
#undef CPU_ROUNDED_3
#undef CPU_ROUNDED_2
#undef CPU_ROUNDED_1
