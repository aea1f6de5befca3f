// CUDA's half precision: storage, arithmetic, conversions, shuffles and atomicAdd.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"
#include "emulator/half.hpp"
#include "emulator/memory_access.hpp"
#include "emulator/warp.hpp"

struct __half_raw {
    unsigned short x;
};

struct __half {
    unsigned short bits = 0;

    __half() = default;
    __half(const __half_raw& raw) : bits(raw.x) {}
    template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value>>
    __half(Number number) : bits(emulator::half_bits(static_cast<double>(number))) {}
    operator __half_raw() const { return {bits}; }
    operator float() const { return emulator::half_value(bits); }
    template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value &&
                                                     !std::is_same<Number, float>::value>>
    explicit operator Number() const {
        return static_cast<Number>(emulator::half_value(bits));
    }
    float value() const { return emulator::half_value(bits); }
};

struct alignas(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half first, __half second) : x(first), y(second) {}
};

inline __half operator+(__half a, __half b) { return __half(a.value() + b.value()); }
inline __half2 operator+(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
inline __half& operator+=(__half& a, __half b) { return a = a + b; }
inline __half2& operator+=(__half2& a, __half2 b) { return a = a + b; }
inline __half operator-(__half a, __half b) { return __half(a.value() - b.value()); }
inline __half2 operator-(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
inline __half& operator-=(__half& a, __half b) { return a = a - b; }
inline __half2& operator-=(__half2& a, __half2 b) { return a = a - b; }
inline __half operator*(__half a, __half b) { return __half(a.value() * b.value()); }
inline __half2 operator*(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
inline __half& operator*=(__half& a, __half b) { return a = a * b; }
inline __half2& operator*=(__half2& a, __half2 b) { return a = a * b; }
inline __half operator/(__half a, __half b) { return __half(a.value() / b.value()); }
inline __half2 operator/(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
inline __half& operator/=(__half& a, __half b) { return a = a / b; }
inline __half2& operator/=(__half2& a, __half2 b) { return a = a / b; }
inline __half operator-(__half a) {
    a.bits = static_cast<unsigned short>(a.bits ^ 0x8000u);
    return a;
}
inline __half2 operator-(__half2 a) { return {-a.x, -a.y}; }
inline bool operator<(__half a, __half b) { return a.value() < b.value(); }
inline bool operator<=(__half a, __half b) { return a.value() <= b.value(); }
inline bool operator>(__half a, __half b) { return a.value() > b.value(); }
inline bool operator>=(__half a, __half b) { return a.value() >= b.value(); }
inline bool operator==(__half a, __half b) { return a.value() == b.value(); }
inline bool operator!=(__half a, __half b) { return a.value() != b.value(); }

inline __half __float2half(float x) { return __half(x); }
inline __half __float2half_rn(float x) { return __half(x); }
inline __half __double2half(double x) { return __half(x); }
inline float __half2float(__half x) { return x.value(); }
inline __half __int2half_rn(int x) { return __half(x); }
inline __half __uint2half_rn(unsigned x) { return __half(x); }
#define CPU_HALF_TO(name, Integer)                                   \
    inline Integer __half2##name##_rn(__half x) {                    \
        return emulator::to_integer<Integer>(nearbyintf(x.value())); \
    }                                                                \
    inline Integer __half2##name##_rz(__half x) {                    \
        return emulator::to_integer<Integer>(truncf(x.value()));     \
    }                                                                \
    inline Integer __half2##name##_rd(__half x) {                    \
        return emulator::to_integer<Integer>(floorf(x.value()));     \
    }                                                                \
    inline Integer __half2##name##_ru(__half x) {                    \
        return emulator::to_integer<Integer>(ceilf(x.value()));      \
    }
CPU_HALF_TO(int, int)
CPU_HALF_TO(uint, unsigned)
CPU_HALF_TO(short, short)
CPU_HALF_TO(ushort, unsigned short)
CPU_HALF_TO(ll, long long)
CPU_HALF_TO(ull, unsigned long long)
#undef CPU_HALF_TO
inline __half __short2half_rn(short x) { return __half(x); }
inline __half __ushort2half_rn(unsigned short x) { return __half(x); }
inline __half __ll2half_rn(long long x) { return __half(x); }
inline __half __ull2half_rn(unsigned long long x) { return __half(x); }
inline __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
inline __half __short_as_half(short bits) { return __half_raw{static_cast<unsigned short>(bits)}; }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline short __half_as_short(__half x) { return static_cast<short>(x.bits); }

inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
inline __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
inline float2 __half22float2(__half2 v) { return {v.x.value(), v.y.value()}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline float __low2float(__half2 v) { return v.x.value(); }
inline float __high2float(__half2 v) { return v.y.value(); }
inline __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
inline __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
inline __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }

inline __half __hadd(__half a, __half b) { return a + b; }
inline __half __hadd_rn(__half a, __half b) { return a + b; }
inline __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
inline __half2 __hadd2_rn(__half2 a, __half2 b) { return a + b; }
inline __half __hsub(__half a, __half b) { return a - b; }
inline __half __hsub_rn(__half a, __half b) { return a - b; }
inline __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
inline __half2 __hsub2_rn(__half2 a, __half2 b) { return a - b; }
inline __half __hmul(__half a, __half b) { return a * b; }
inline __half __hmul_rn(__half a, __half b) { return a * b; }
inline __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
inline __half2 __hmul2_rn(__half2 a, __half2 b) { return a * b; }
inline __half __hdiv(__half a, __half b) { return a / b; }
inline __half2 __h2div(__half2 a, __half2 b) { return a / b; }
inline __half __hneg(__half a) { return -a; }
inline __half2 __hneg2(__half2 a) { return -a; }
inline __half __habs(__half a) { return __half_raw{static_cast<unsigned short>(a.bits & 0x7fffu)}; }
inline __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
/// Rounded once: a double holds the product and the sum of 16-bit numbers precisely enough.
inline __half __hfma(__half a, __half b, __half c) {
    return __half(fma(static_cast<double>(a.value()), static_cast<double>(b.value()),
                      static_cast<double>(c.value())));
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __half __hadd_sat(__half a, __half b) { return __half(__saturatef((a + b).value())); }
inline __half __hmul_sat(__half a, __half b) { return __half(__saturatef((a * b).value())); }
inline bool __hisnan(__half a) { return a.value() != a.value(); }
inline int __hisinf(__half a) { return isinf(a.value()) ? (a.value() < 0 ? -1 : 1) : 0; }
inline __half __hmax(__half a, __half b) { return __half(fmaxf(a.value(), b.value())); }
inline __half __hmin(__half a, __half b) { return __half(fminf(a.value(), b.value())); }
inline __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
inline __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
inline bool __heq(__half a, __half b) { return a == b; }
inline bool __hne(__half a, __half b) { return a != b; }
inline bool __hlt(__half a, __half b) { return a < b; }
inline bool __hle(__half a, __half b) { return a <= b; }
inline bool __hgt(__half a, __half b) { return a > b; }
inline bool __hge(__half a, __half b) { return a >= b; }
inline bool __hequ(__half a, __half b) { return !(a < b || a > b); }
inline bool __hneu(__half a, __half b) { return !(a == b); }
inline bool __hltu(__half a, __half b) { return !(a >= b); }
inline bool __hleu(__half a, __half b) { return !(a > b); }
inline bool __hgtu(__half a, __half b) { return !(a <= b); }
inline bool __hgeu(__half a, __half b) { return !(a < b); }
/// Comparisons of pairs: 1 or 0 for each, whether both hold, and all bits or none for each.
#define CPU_HALF2_COMPARISON(name)                                                              \
    inline __half2 __h##name##2(__half2 a, __half2 b) {                                         \
        return {__half(__h##name(a.x, b.x) ? 1 : 0), __half(__h##name(a.y, b.y) ? 1 : 0)};      \
    }                                                                                           \
    inline bool __hb##name##2(__half2 a, __half2 b) {                                           \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                      \
    }                                                                                           \
    inline unsigned __h##name##2_mask(__half2 a, __half2 b) {                                   \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
    }
CPU_HALF2_COMPARISON(eq)
CPU_HALF2_COMPARISON(ne)
CPU_HALF2_COMPARISON(lt)
CPU_HALF2_COMPARISON(le)
CPU_HALF2_COMPARISON(gt)
CPU_HALF2_COMPARISON(ge)
CPU_HALF2_COMPARISON(equ)
CPU_HALF2_COMPARISON(neu)
CPU_HALF2_COMPARISON(ltu)
CPU_HALF2_COMPARISON(leu)
CPU_HALF2_COMPARISON(gtu)
CPU_HALF2_COMPARISON(geu)
#undef CPU_HALF2_COMPARISON
inline __half2 __hisnan2(__half2 a) {
    return {__half(__hisnan(a.x) ? 1 : 0), __half(__hisnan(a.y) ? 1 : 0)};
}
inline __half __hmax_nan(__half a, __half b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
inline __half __hmin_nan(__half a, __half b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
inline __half2 __hmax2_nan(__half2 a, __half2 b) {
    return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)};
}
inline __half2 __hmin2_nan(__half2 a, __half2 b) {
    return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)};
}
inline __half __hsub_sat(__half a, __half b) { return __half(__saturatef((a - b).value())); }
inline __half __hfma_sat(__half a, __half b, __half c) {
    return __half(__saturatef(__hfma(a, b, c).value()));
}
inline __half __hfma_relu(__half a, __half b, __half c) {
    const __half sum = __hfma(a, b, c);
    return __hisnan(sum) || sum.value() > 0.0f ? sum : __half(0.0f);
}
inline __half2 __hadd2_sat(__half2 a, __half2 b) {
    return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)};
}
inline __half2 __hsub2_sat(__half2 a, __half2 b) {
    return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)};
}
inline __half2 __hmul2_sat(__half2 a, __half2 b) {
    return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)};
}
inline __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
inline __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
inline __half hsqrt(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(sqrt(x));
}
inline __half2 h2sqrt(__half2 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
inline __half hexp(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(exp(x));
}
inline __half2 h2exp(__half2 a) { return {hexp(a.x), hexp(a.y)}; }
inline __half hlog(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(log(x));
}
inline __half2 h2log(__half2 a) { return {hlog(a.x), hlog(a.y)}; }
inline __half hsin(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(sin(x));
}
inline __half2 h2sin(__half2 a) { return {hsin(a.x), hsin(a.y)}; }
inline __half hcos(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(cos(x));
}
inline __half2 h2cos(__half2 a) { return {hcos(a.x), hcos(a.y)}; }
inline __half hrcp(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(1.0 / x);
}
inline __half2 h2rcp(__half2 a) { return {hrcp(a.x), hrcp(a.y)}; }
inline __half hrsqrt(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(1.0 / sqrt(x));
}
inline __half2 h2rsqrt(__half2 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
inline __half hexp2(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(exp2(x));
}
inline __half2 h2exp2(__half2 a) { return {hexp2(a.x), hexp2(a.y)}; }
inline __half hexp10(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(pow(10.0, x));
}
inline __half2 h2exp10(__half2 a) { return {hexp10(a.x), hexp10(a.y)}; }
inline __half hlog10(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(log10(x));
}
inline __half2 h2log10(__half2 a) { return {hlog10(a.x), hlog10(a.y)}; }
inline __half hlog2(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(log2(x));
}
inline __half2 h2log2(__half2 a) { return {hlog2(a.x), hlog2(a.y)}; }
inline __half hfloor(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(floor(x));
}
inline __half2 h2floor(__half2 a) { return {hfloor(a.x), hfloor(a.y)}; }
inline __half hceil(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(ceil(x));
}
inline __half2 h2ceil(__half2 a) { return {hceil(a.x), hceil(a.y)}; }
inline __half htrunc(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(trunc(x));
}
inline __half2 h2trunc(__half2 a) { return {htrunc(a.x), htrunc(a.y)}; }
inline __half hrint(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(rint(x));
}
inline __half2 h2rint(__half2 a) { return {hrint(a.x), hrint(a.y)}; }
inline __half htanh(__half a) {
    const double x = static_cast<double>(a.value());
    return __half(tanh(x));
}
inline __half2 h2tanh(__half2 a) { return {htanh(a.x), htanh(a.y)}; }

inline __half atomicAdd(__half* address, __half value) {
    return emulator::atomic_change<__half, std::uint16_t, emulator::kDeviceScope>(
        address, [value](__half before) { return before + value; });
}
inline __half2 atomicAdd(__half2* address, __half2 value) {
    return emulator::atomic_change<__half2, std::uint32_t, emulator::kDeviceScope>(
        address, [value](__half2 before) { return before + value; });
}

inline __half __shfl_sync(unsigned mask, __half value, int lane, int width = 32,
                          emulator::Site site = emulator::Site::here()) {
    const auto bits = static_cast<unsigned>(value.bits);
    return __half_raw{static_cast<unsigned short>(__shfl_sync(mask, bits, lane, width, site))};
}
inline __half2 __shfl_sync(unsigned mask, __half2 value, int lane, int width = 32,
                           emulator::Site site = emulator::Site::here()) {
    return emulator::bit_cast<__half2>(
        __shfl_sync(mask, emulator::bit_cast<unsigned>(value), lane, width, site));
}
inline __half __shfl_down_sync(unsigned mask, __half value, unsigned lane, int width = 32,
                               emulator::Site site = emulator::Site::here()) {
    const auto bits = static_cast<unsigned>(value.bits);
    return __half_raw{static_cast<unsigned short>(__shfl_down_sync(mask, bits, lane, width, site))};
}
inline __half2 __shfl_down_sync(unsigned mask, __half2 value, unsigned lane, int width = 32,
                                emulator::Site site = emulator::Site::here()) {
    return emulator::bit_cast<__half2>(
        __shfl_down_sync(mask, emulator::bit_cast<unsigned>(value), lane, width, site));
}
inline __half __shfl_up_sync(unsigned mask, __half value, unsigned lane, int width = 32,
                             emulator::Site site = emulator::Site::here()) {
    const auto bits = static_cast<unsigned>(value.bits);
    return __half_raw{static_cast<unsigned short>(__shfl_up_sync(mask, bits, lane, width, site))};
}
inline __half2 __shfl_up_sync(unsigned mask, __half2 value, unsigned lane, int width = 32,
                              emulator::Site site = emulator::Site::here()) {
    return emulator::bit_cast<__half2>(
        __shfl_up_sync(mask, emulator::bit_cast<unsigned>(value), lane, width, site));
}
inline __half __shfl_xor_sync(unsigned mask, __half value, int lane, int width = 32,
                              emulator::Site site = emulator::Site::here()) {
    const auto bits = static_cast<unsigned>(value.bits);
    return __half_raw{static_cast<unsigned short>(__shfl_xor_sync(mask, bits, lane, width, site))};
}
inline __half2 __shfl_xor_sync(unsigned mask, __half2 value, int lane, int width = 32,
                               emulator::Site site = emulator::Site::here()) {
    return emulator::bit_cast<__half2>(
        __shfl_xor_sync(mask, emulator::bit_cast<unsigned>(value), lane, width, site));
}

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
