// CUDA's bfloat16: storage, arithmetic, conversions, shuffles and atomicAdd.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"
#include "emulator/half.hpp"
#include "emulator/memory_access.hpp"
#include "emulator/warp.hpp"

struct __nv_bfloat16_raw {
    unsigned short x;
};

struct __nv_bfloat16 {
    unsigned short bits = 0;

    __nv_bfloat16() = default;
    __nv_bfloat16(const __nv_bfloat16_raw& raw) : bits(raw.x) {}
    template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value>>
    __nv_bfloat16(Number number) : bits(emulator::bfloat_bits(static_cast<double>(number))) {}
    operator __nv_bfloat16_raw() const { return {bits}; }
    operator float() const { return emulator::bfloat_value(bits); }
    template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value &&
                                                     !std::is_same<Number, float>::value>>
    explicit operator Number() const {
        return static_cast<Number>(emulator::bfloat_value(bits));
    }
    float value() const { return emulator::bfloat_value(bits); }
};

struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 first, __nv_bfloat16 second) : x(first), y(second) {}
};

inline __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(a.value() + b.value());
}
inline __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) {
    return {a.x + b.x, a.y + b.y};
}
inline __nv_bfloat16& operator+=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a + b; }
inline __nv_bfloat162& operator+=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a + b; }
inline __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(a.value() - b.value());
}
inline __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) {
    return {a.x - b.x, a.y - b.y};
}
inline __nv_bfloat16& operator-=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a - b; }
inline __nv_bfloat162& operator-=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a - b; }
inline __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(a.value() * b.value());
}
inline __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) {
    return {a.x * b.x, a.y * b.y};
}
inline __nv_bfloat16& operator*=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a * b; }
inline __nv_bfloat162& operator*=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a * b; }
inline __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(a.value() / b.value());
}
inline __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) {
    return {a.x / b.x, a.y / b.y};
}
inline __nv_bfloat16& operator/=(__nv_bfloat16& a, __nv_bfloat16 b) { return a = a / b; }
inline __nv_bfloat162& operator/=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a / b; }
inline __nv_bfloat16 operator-(__nv_bfloat16 a) {
    a.bits = static_cast<unsigned short>(a.bits ^ 0x8000u);
    return a;
}
inline __nv_bfloat162 operator-(__nv_bfloat162 a) { return {-a.x, -a.y}; }
inline bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return a.value() < b.value(); }
inline bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return a.value() <= b.value(); }
inline bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return a.value() > b.value(); }
inline bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return a.value() >= b.value(); }
inline bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return a.value() == b.value(); }
inline bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return a.value() != b.value(); }

inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
inline __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
inline float __bfloat162float(__nv_bfloat16 x) { return x.value(); }
inline __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __nv_bfloat16(x); }
inline int __bfloat162int_rn(__nv_bfloat16 x) { return __float2int_rn(x.value()); }
inline int __bfloat162int_rz(__nv_bfloat16 x) { return __float2int_rz(x.value()); }
inline int __bfloat162int_rd(__nv_bfloat16 x) { return __float2int_rd(x.value()); }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16_raw{bits}; }
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(bits)};
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
inline short __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.bits); }

inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
inline __nv_bfloat162 __bfloat16s2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __float2bfloat162_rn(float x) { return {__nv_bfloat16(x), __nv_bfloat16(x)}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
    return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 v) {
    return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 v) { return {v.x.value(), v.y.value()}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
inline float __low2float(__nv_bfloat162 v) { return v.x.value(); }
inline float __high2float(__nv_bfloat162 v) { return v.y.value(); }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return {v.y, v.x}; }

inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
inline __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
inline __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
inline __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
inline __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
inline __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
inline __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
inline __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return a / b; }
inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
inline __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return -a; }
inline __nv_bfloat16 __habs(__nv_bfloat16 a) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(a.bits & 0x7fffu)};
}
inline __nv_bfloat162 __habs2(__nv_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
/// Rounded once: a double holds the product and the sum of 16-bit numbers precisely enough.
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return __nv_bfloat16(fma(static_cast<double>(a.value()), static_cast<double>(b.value()),
                             static_cast<double>(c.value())));
}
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(__saturatef((a + b).value()));
}
inline __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(__saturatef((a * b).value()));
}
inline bool __hisnan(__nv_bfloat16 a) { return a.value() != a.value(); }
inline int __hisinf(__nv_bfloat16 a) { return isinf(a.value()) ? (a.value() < 0 ? -1 : 1) : 0; }
inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(fmaxf(a.value(), b.value()));
}
inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __nv_bfloat16(fminf(a.value(), b.value()));
}
inline __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
inline __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}
inline bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return a == b; }
inline bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return a != b; }
inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b; }
inline bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return a <= b; }
inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b; }
inline bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return a >= b; }
inline __nv_bfloat16 hsqrt(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(sqrt(x));
}
inline __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
inline __nv_bfloat16 hexp(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(exp(x));
}
inline __nv_bfloat162 h2exp(__nv_bfloat162 a) { return {hexp(a.x), hexp(a.y)}; }
inline __nv_bfloat16 hlog(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(log(x));
}
inline __nv_bfloat162 h2log(__nv_bfloat162 a) { return {hlog(a.x), hlog(a.y)}; }
inline __nv_bfloat16 hsin(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(sin(x));
}
inline __nv_bfloat162 h2sin(__nv_bfloat162 a) { return {hsin(a.x), hsin(a.y)}; }
inline __nv_bfloat16 hcos(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(cos(x));
}
inline __nv_bfloat162 h2cos(__nv_bfloat162 a) { return {hcos(a.x), hcos(a.y)}; }
inline __nv_bfloat16 hrcp(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(1.0 / x);
}
inline __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return {hrcp(a.x), hrcp(a.y)}; }
inline __nv_bfloat16 hrsqrt(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(1.0 / sqrt(x));
}
inline __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
inline __nv_bfloat16 hexp2(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(exp2(x));
}
inline __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return {hexp2(a.x), hexp2(a.y)}; }
inline __nv_bfloat16 hlog2(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(log2(x));
}
inline __nv_bfloat162 h2log2(__nv_bfloat162 a) { return {hlog2(a.x), hlog2(a.y)}; }
inline __nv_bfloat16 hfloor(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(floor(x));
}
inline __nv_bfloat162 h2floor(__nv_bfloat162 a) { return {hfloor(a.x), hfloor(a.y)}; }
inline __nv_bfloat16 hceil(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(ceil(x));
}
inline __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return {hceil(a.x), hceil(a.y)}; }
inline __nv_bfloat16 htrunc(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(trunc(x));
}
inline __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return {htrunc(a.x), htrunc(a.y)}; }
inline __nv_bfloat16 hrint(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(rint(x));
}
inline __nv_bfloat162 h2rint(__nv_bfloat162 a) { return {hrint(a.x), hrint(a.y)}; }
inline __nv_bfloat16 htanh(__nv_bfloat16 a) {
    const double x = static_cast<double>(a.value());
    return __nv_bfloat16(tanh(x));
}
inline __nv_bfloat162 h2tanh(__nv_bfloat162 a) { return {htanh(a.x), htanh(a.y)}; }

inline __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
    return emulator::atomic_change<__nv_bfloat16, std::uint16_t, emulator::kDeviceScope>(
        address, [value](__nv_bfloat16 before) { return before + value; });
}
inline __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
    return emulator::atomic_change<__nv_bfloat162, std::uint32_t, emulator::kDeviceScope>(
        address, [value](__nv_bfloat162 before) { return before + value; });
}

inline __nv_bfloat16 __shfl_sync(unsigned mask, __nv_bfloat16 value, int lane, int width = 32,
                                 emulator::Site site = emulator::Site::here()) {
    const auto bits = static_cast<unsigned>(value.bits);
    return __nv_bfloat16_raw{
        static_cast<unsigned short>(__shfl_sync(mask, bits, lane, width, site))};
}
inline __nv_bfloat162 __shfl_sync(unsigned mask, __nv_bfloat162 value, int lane, int width = 32,
                                  emulator::Site site = emulator::Site::here()) {
    return emulator::bit_cast<__nv_bfloat162>(
        __shfl_sync(mask, emulator::bit_cast<unsigned>(value), lane, width, site));
}
inline __nv_bfloat16 __shfl_down_sync(unsigned mask, __nv_bfloat16 value, unsigned lane,
                                      int width = 32,
                                      emulator::Site site = emulator::Site::here()) {
    const auto bits = static_cast<unsigned>(value.bits);
    return __nv_bfloat16_raw{
        static_cast<unsigned short>(__shfl_down_sync(mask, bits, lane, width, site))};
}
inline __nv_bfloat162 __shfl_down_sync(unsigned mask, __nv_bfloat162 value, unsigned lane,
                                       int width = 32,
                                       emulator::Site site = emulator::Site::here()) {
    return emulator::bit_cast<__nv_bfloat162>(
        __shfl_down_sync(mask, emulator::bit_cast<unsigned>(value), lane, width, site));
}
inline __nv_bfloat16 __shfl_up_sync(unsigned mask, __nv_bfloat16 value, unsigned lane,
                                    int width = 32, emulator::Site site = emulator::Site::here()) {
    const auto bits = static_cast<unsigned>(value.bits);
    return __nv_bfloat16_raw{
        static_cast<unsigned short>(__shfl_up_sync(mask, bits, lane, width, site))};
}
inline __nv_bfloat162 __shfl_up_sync(unsigned mask, __nv_bfloat162 value, unsigned lane,
                                     int width = 32, emulator::Site site = emulator::Site::here()) {
    return emulator::bit_cast<__nv_bfloat162>(
        __shfl_up_sync(mask, emulator::bit_cast<unsigned>(value), lane, width, site));
}
inline __nv_bfloat16 __shfl_xor_sync(unsigned mask, __nv_bfloat16 value, int lane, int width = 32,
                                     emulator::Site site = emulator::Site::here()) {
    const auto bits = static_cast<unsigned>(value.bits);
    return __nv_bfloat16_raw{
        static_cast<unsigned short>(__shfl_xor_sync(mask, bits, lane, width, site))};
}
inline __nv_bfloat162 __shfl_xor_sync(unsigned mask, __nv_bfloat162 value, int lane, int width = 32,
                                      emulator::Site site = emulator::Site::here()) {
    return emulator::bit_cast<__nv_bfloat162>(
        __shfl_xor_sync(mask, emulator::bit_cast<unsigned>(value), lane, width, site));
}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
