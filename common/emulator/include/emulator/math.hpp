// Floating-point functions of CUDA that <math.h> does not have. The fast ones (__expf and so on)
// and those with a rounding mode give the correctly rounded or the C library's result here.
#pragma once

#include <math.h>

#include <cstdint>
#include <cstring>

namespace emulator {

template <class To, class From>
To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "bit_cast between types of one size");
    To to;
    __builtin_memcpy(static_cast<void*>(&to), &from, sizeof to);
    return to;
}

}  // namespace emulator

inline int __float_as_int(float x) { return emulator::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return emulator::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return emulator::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return emulator::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return emulator::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return emulator::bit_cast<double>(x); }
inline int __double2hiint(double x) {
    return static_cast<int>(emulator::bit_cast<std::uint64_t>(x) >> 32);
}
inline int __double2loint(double x) {
    return static_cast<int>(emulator::bit_cast<std::uint64_t>(x));
}
inline double __hiloint2double(int high, int low) {
    return emulator::bit_cast<double>(
        static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low));
}

// CUDA's float and mixed overloads: NaN loses against a number, as in fmin and fmax; and -0 is
// below +0, as in the PTX manual, while fmin and fmax may return either.
inline float min(float a, float b) { return a == b ? (signbit(a) ? a : b) : fminf(a, b); }
inline float max(float a, float b) { return a == b ? (signbit(a) ? b : a) : fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }

template <class = void>
float rsqrtf(float x) {
    return 1.0f / sqrtf(x);
}
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float sinpif(float x) { return static_cast<float>(sin(M_PI * static_cast<double>(x))); }
inline float cospif(float x) { return static_cast<float>(cos(M_PI * static_cast<double>(x))); }
inline double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
inline double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
inline float normcdff(float x) {
    return static_cast<float>(0.5 * erfc(-static_cast<double>(x) * M_SQRT1_2));
}
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float fdividef(float x, float y) { return x / y; }
inline double fdivide(double x, double y) { return x / y; }
inline float fdivide(float x, float y) { return x / y; }
inline float __fdividef(float x, float y) { return x / y; }
inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline double __drcp_rn(double x) { return 1.0 / x; }

// A separate operation: a volatile result keeps the compiler from fusing it with a neighbour.
#define CPU_ROUNDED(T, name, parameters, expression) \
    inline T name parameters {                       \
        volatile T result = expression;              \
        return result;                               \
    }
CPU_ROUNDED(float, __fadd_rn, (float x, float y), x + y)
CPU_ROUNDED(float, __fsub_rn, (float x, float y), x - y)
CPU_ROUNDED(float, __fmul_rn, (float x, float y), x* y)
CPU_ROUNDED(float, __fdiv_rn, (float x, float y), x / y)
CPU_ROUNDED(double, __dadd_rn, (double x, double y), x + y)
CPU_ROUNDED(double, __dsub_rn, (double x, double y), x - y)
CPU_ROUNDED(double, __dmul_rn, (double x, double y), x* y)
CPU_ROUNDED(double, __ddiv_rn, (double x, double y), x / y)
#undef CPU_ROUNDED
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

// Conversions as on the device: out-of-range values saturate, and NaN becomes 0.
namespace emulator {

template <class Integer, class Real>
Integer to_integer(Real rounded) {
    const Real lowest = static_cast<Real>(static_cast<Integer>(-1) < static_cast<Integer>(0)
                                              ? -ldexp(1.0, 8 * sizeof(Integer) - 1)
                                              : 0.0);
    const bool is_signed = static_cast<Integer>(-1) < static_cast<Integer>(0);
    const Real beyond = static_cast<Real>(ldexp(1.0, 8 * sizeof(Integer) - (is_signed ? 1 : 0)));
    if (rounded != rounded) return 0;
    if (rounded < lowest) {
        return is_signed
                   ? static_cast<Integer>(static_cast<Integer>(1) << (8 * sizeof(Integer) - 1))
                   : 0;
    }
    if (rounded >= beyond) {
        return is_signed
                   ? static_cast<Integer>(~(static_cast<Integer>(1) << (8 * sizeof(Integer) - 1)))
                   : static_cast<Integer>(-1);
    }
    return static_cast<Integer>(rounded);
}

}  // namespace emulator

#define CPU_CONVERSIONS(prefix, Real, name, Integer)        \
    inline Integer prefix##2##name##_rn(Real x) {           \
        return emulator::to_integer<Integer>(nearbyint(x)); \
    }                                                       \
    inline Integer prefix##2##name##_rz(Real x) {           \
        return emulator::to_integer<Integer>(trunc(x));     \
    }                                                       \
    inline Integer prefix##2##name##_rd(Real x) {           \
        return emulator::to_integer<Integer>(floor(x));     \
    }                                                       \
    inline Integer prefix##2##name##_ru(Real x) { return emulator::to_integer<Integer>(ceil(x)); }
CPU_CONVERSIONS(__float, float, int, int)
CPU_CONVERSIONS(__float, float, uint, unsigned)
CPU_CONVERSIONS(__float, float, ll, long long)
CPU_CONVERSIONS(__float, float, ull, unsigned long long)
CPU_CONVERSIONS(__double, double, int, int)
CPU_CONVERSIONS(__double, double, uint, unsigned)
CPU_CONVERSIONS(__double, double, ll, long long)
CPU_CONVERSIONS(__double, double, ull, unsigned long long)
#undef CPU_CONVERSIONS
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

// The C library declares these names for itself, so they cannot be functions here.
#define __expf(x) expf(x)
#define __exp10f(x) powf(10.0f, x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
#define __sincosf(x, sine, cosine) sincosf(x, sine, cosine)
