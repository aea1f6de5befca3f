// CUDA's rarer mathematical functions: norms, inverse error functions and the like. float ones are
// computed in double, and so are at least as exact as a device's.
#pragma once

#include "math.hpp"

namespace emulator {

/// The square root of the sum of squares, without overflow in between.
inline double norm_of(int count, const double* p) {
    double largest = 0.0;
    for (int i = 0; i < count; ++i) largest = fmax(largest, fabs(p[i]));
    if (largest == 0.0 || isinf(largest)) return largest;
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += p[i] / largest * (p[i] / largest);
    return largest * sqrt(sum);
}
inline float norm_of(int count, const float* p) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        if (isinf(p[i])) return HUGE_VALF;
        sum += static_cast<double>(p[i]) * static_cast<double>(p[i]);
    }
    return static_cast<float>(sqrt(sum));
}

/// exp(x * x) * erfc(x); for large x by its asymptotic series (Abramowitz and Stegun, 7.1.23).
inline double erfcx_of(double x) {
    if (x < 25.0) return exp(x * x) * erfc(x);
    double sum = 1.0;
    for (int k = 6; k > 0; --k) sum = 1.0 - (2 * k - 1) / (2.0 * x * x) * sum;
    return M_2_SQRTPI / 2.0 / x * sum;
}

/// The inverse of erf on [-0.5, 0.5]: Newton's method.
inline double small_erfinv(double y) {
    double x = 0.5 * sqrt(M_PI) * y;
    for (int i = 0; i < 20; ++i) {
        const double step = (erf(x) - y) / (M_2_SQRTPI * exp(-x * x));
        x -= step;
        if (fabs(step) <= 1e-16 * fabs(x)) break;
    }
    return x;
}

/// The inverse of erfc. Its logarithm is concave, and erfc(x) <= exp(-x * x): from there on
/// Newton's method comes down to the root.
inline double erfcinv_of(double y) {
    if (!(y >= 0.0 && y <= 2.0)) return NAN;
    if (y == 0.0) return HUGE_VAL;
    if (y == 2.0) return -HUGE_VAL;
    if (y >= 0.5 && y <= 1.5) return small_erfinv(1.0 - y);
    if (y > 1.5) return -erfcinv_of(2.0 - y);
    constexpr double kLast = 26.5;  // beyond, erfc() is below the smallest normal number
    double x = fmin(sqrt(-log(y)), kLast);
    for (int i = 0; i < 60; ++i) {
        const double value = erfc(x);
        const double step = (log(value) - log(y)) * value / (M_2_SQRTPI * exp(-x * x));
        x += step;
        if (fabs(step) <= 1e-16 * x) break;
    }
    return x;
}
inline double erfinv_of(double y) {
    if (!(y >= -1.0 && y <= 1.0)) return NAN;
    if (fabs(y) <= 0.5) return small_erfinv(y);
    return y < 0.0 ? -erfcinv_of(1.0 + y) : erfcinv_of(1.0 - y);
}

/// The modified Bessel function of order 0 or 1, by its power series.
inline double bessel_i(int order, double x) {
    const double quarter = x * x / 4.0;
    double term = order == 0 ? 1.0 : x / 2.0, sum = term;
    for (int k = 1; k < 2000; ++k) {
        term *= quarter / (static_cast<double>(k) * (k + order));
        sum += term;
        if (fabs(term) <= 1e-17 * fabs(sum)) break;
    }
    return sum;
}

}  // namespace emulator

inline double norm(int count, const double* p) { return emulator::norm_of(count, p); }
inline float normf(int count, const float* p) { return emulator::norm_of(count, p); }
inline double rnorm(int count, const double* p) { return 1.0 / emulator::norm_of(count, p); }
inline float rnormf(int count, const float* p) { return 1.0f / emulator::norm_of(count, p); }
inline double norm3d(double a, double b, double c) {
    const double all[] = {a, b, c};
    return norm(3, all);
}
inline float norm3df(float a, float b, float c) {
    const float all[] = {a, b, c};
    return normf(3, all);
}
inline double norm4d(double a, double b, double c, double d) {
    const double all[] = {a, b, c, d};
    return norm(4, all);
}
inline float norm4df(float a, float b, float c, float d) {
    const float all[] = {a, b, c, d};
    return normf(4, all);
}
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
inline float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline void sincospi(double x, double* sine, double* cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}

#define CPU_SPECIAL(name, expression)                   \
    inline double name(double x) { return expression; } \
    inline float name##f(float single) {                \
        const double x = static_cast<double>(single);   \
        return static_cast<float>(expression);          \
    }
CPU_SPECIAL(erfcx, emulator::erfcx_of(x))
CPU_SPECIAL(erfinv, emulator::erfinv_of(x))
CPU_SPECIAL(erfcinv, emulator::erfcinv_of(x))
CPU_SPECIAL(normcdfinv, -M_SQRT2* emulator::erfcinv_of(2.0 * x))
CPU_SPECIAL(cyl_bessel_i0, emulator::bessel_i(0, x))
CPU_SPECIAL(cyl_bessel_i1, emulator::bessel_i(1, x))
#undef CPU_SPECIAL
