// What CUDA's two types of 16 bits have in common: cuda_fp16.h and cuda_bf16.h include this, once
// for each type, with its names in CPU_HALF, CPU_HALF2 (a pair), CPU_HALF_RAW, CPU_HALF_BITS (a
// double as the bits of the type) and CPU_HALF_VALUE (the bits as a float).

struct CPU_HALF_RAW {
    unsigned short x;
};

struct CPU_HALF {
    unsigned short bits = 0;

    CPU_HALF() = default;
    CPU_HALF(const CPU_HALF_RAW& raw) : bits(raw.x) {}
    template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value>>
    CPU_HALF(Number number) : bits(CPU_HALF_BITS(static_cast<double>(number))) {}
    /// From the other of the two types.
    template <class Other, class = decltype(Other().value()),
              class = std::enable_if_t<!std::is_same<Other, CPU_HALF>::value>>
    explicit CPU_HALF(const Other& other) : bits(CPU_HALF_BITS(other.value())) {}
    operator CPU_HALF_RAW() const { return {bits}; }
    operator float() const { return CPU_HALF_VALUE(bits); }
    template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value &&
                                                     !std::is_same<Number, float>::value>>
    explicit operator Number() const {
        return static_cast<Number>(CPU_HALF_VALUE(bits));
    }
    float value() const { return CPU_HALF_VALUE(bits); }
};

struct alignas(4) CPU_HALF2 {
    CPU_HALF x, y;
    CPU_HALF2() = default;
    CPU_HALF2(CPU_HALF first, CPU_HALF second) : x(first), y(second) {}
};

inline CPU_HALF operator+(CPU_HALF a, CPU_HALF b) { return CPU_HALF(a.value() + b.value()); }
inline CPU_HALF2 operator+(CPU_HALF2 a, CPU_HALF2 b) { return {a.x + b.x, a.y + b.y}; }
inline CPU_HALF& operator+=(CPU_HALF& a, CPU_HALF b) { return a = a + b; }
inline CPU_HALF2& operator+=(CPU_HALF2& a, CPU_HALF2 b) { return a = a + b; }
inline CPU_HALF operator-(CPU_HALF a, CPU_HALF b) { return CPU_HALF(a.value() - b.value()); }
inline CPU_HALF2 operator-(CPU_HALF2 a, CPU_HALF2 b) { return {a.x - b.x, a.y - b.y}; }
inline CPU_HALF& operator-=(CPU_HALF& a, CPU_HALF b) { return a = a - b; }
inline CPU_HALF2& operator-=(CPU_HALF2& a, CPU_HALF2 b) { return a = a - b; }
inline CPU_HALF operator*(CPU_HALF a, CPU_HALF b) { return CPU_HALF(a.value() * b.value()); }
inline CPU_HALF2 operator*(CPU_HALF2 a, CPU_HALF2 b) { return {a.x * b.x, a.y * b.y}; }
inline CPU_HALF& operator*=(CPU_HALF& a, CPU_HALF b) { return a = a * b; }
inline CPU_HALF2& operator*=(CPU_HALF2& a, CPU_HALF2 b) { return a = a * b; }
inline CPU_HALF operator/(CPU_HALF a, CPU_HALF b) { return CPU_HALF(a.value() / b.value()); }
inline CPU_HALF2 operator/(CPU_HALF2 a, CPU_HALF2 b) { return {a.x / b.x, a.y / b.y}; }
inline CPU_HALF& operator/=(CPU_HALF& a, CPU_HALF b) { return a = a / b; }
inline CPU_HALF2& operator/=(CPU_HALF2& a, CPU_HALF2 b) { return a = a / b; }
inline CPU_HALF operator-(CPU_HALF a) {
    a.bits = static_cast<unsigned short>(a.bits ^ 0x8000u);
    return a;
}
inline CPU_HALF2 operator-(CPU_HALF2 a) { return {-a.x, -a.y}; }
inline bool operator<(CPU_HALF a, CPU_HALF b) { return a.value() < b.value(); }
inline bool operator<=(CPU_HALF a, CPU_HALF b) { return a.value() <= b.value(); }
inline bool operator>(CPU_HALF a, CPU_HALF b) { return a.value() > b.value(); }
inline bool operator>=(CPU_HALF a, CPU_HALF b) { return a.value() >= b.value(); }
inline bool operator==(CPU_HALF a, CPU_HALF b) { return a.value() == b.value(); }
inline bool operator!=(CPU_HALF a, CPU_HALF b) { return a.value() != b.value(); }

inline float __low2float(CPU_HALF2 v) { return v.x.value(); }
inline float __high2float(CPU_HALF2 v) { return v.y.value(); }
inline CPU_HALF2 __lowhigh2highlow(CPU_HALF2 v) { return {v.y, v.x}; }

inline CPU_HALF __hadd(CPU_HALF a, CPU_HALF b) { return a + b; }
inline CPU_HALF __hadd_rn(CPU_HALF a, CPU_HALF b) { return a + b; }
inline CPU_HALF2 __hadd2(CPU_HALF2 a, CPU_HALF2 b) { return a + b; }
inline CPU_HALF2 __hadd2_rn(CPU_HALF2 a, CPU_HALF2 b) { return a + b; }
inline CPU_HALF __hsub(CPU_HALF a, CPU_HALF b) { return a - b; }
inline CPU_HALF __hsub_rn(CPU_HALF a, CPU_HALF b) { return a - b; }
inline CPU_HALF2 __hsub2(CPU_HALF2 a, CPU_HALF2 b) { return a - b; }
inline CPU_HALF2 __hsub2_rn(CPU_HALF2 a, CPU_HALF2 b) { return a - b; }
inline CPU_HALF __hmul(CPU_HALF a, CPU_HALF b) { return a * b; }
inline CPU_HALF __hmul_rn(CPU_HALF a, CPU_HALF b) { return a * b; }
inline CPU_HALF2 __hmul2(CPU_HALF2 a, CPU_HALF2 b) { return a * b; }
inline CPU_HALF2 __hmul2_rn(CPU_HALF2 a, CPU_HALF2 b) { return a * b; }
inline CPU_HALF __hdiv(CPU_HALF a, CPU_HALF b) { return a / b; }
inline CPU_HALF2 __h2div(CPU_HALF2 a, CPU_HALF2 b) { return a / b; }
inline CPU_HALF __hneg(CPU_HALF a) { return -a; }
inline CPU_HALF2 __hneg2(CPU_HALF2 a) { return -a; }
inline CPU_HALF __habs(CPU_HALF a) {
    return CPU_HALF_RAW{static_cast<unsigned short>(a.bits & 0x7fffu)};
}
inline CPU_HALF2 __habs2(CPU_HALF2 a) { return {__habs(a.x), __habs(a.y)}; }
/// Rounded once: a double holds the product and the sum of 16-bit numbers precisely enough.
inline CPU_HALF __hfma(CPU_HALF a, CPU_HALF b, CPU_HALF c) {
    return CPU_HALF(fma(static_cast<double>(a.value()), static_cast<double>(b.value()),
                        static_cast<double>(c.value())));
}
inline CPU_HALF2 __hfma2(CPU_HALF2 a, CPU_HALF2 b, CPU_HALF2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline CPU_HALF __hadd_sat(CPU_HALF a, CPU_HALF b) {
    return CPU_HALF(__saturatef((a + b).value()));
}
inline CPU_HALF __hmul_sat(CPU_HALF a, CPU_HALF b) {
    return CPU_HALF(__saturatef((a * b).value()));
}
inline bool __hisnan(CPU_HALF a) { return a.value() != a.value(); }
inline int __hisinf(CPU_HALF a) { return isinf(a.value()) ? (a.value() < 0 ? -1 : 1) : 0; }
inline CPU_HALF __hmax(CPU_HALF a, CPU_HALF b) { return CPU_HALF(fmaxf(a.value(), b.value())); }
inline CPU_HALF __hmin(CPU_HALF a, CPU_HALF b) { return CPU_HALF(fminf(a.value(), b.value())); }
inline CPU_HALF2 __hmax2(CPU_HALF2 a, CPU_HALF2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
inline CPU_HALF2 __hmin2(CPU_HALF2 a, CPU_HALF2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
inline bool __heq(CPU_HALF a, CPU_HALF b) { return a == b; }
inline bool __hne(CPU_HALF a, CPU_HALF b) { return a != b; }
inline bool __hlt(CPU_HALF a, CPU_HALF b) { return a < b; }
inline bool __hle(CPU_HALF a, CPU_HALF b) { return a <= b; }
inline bool __hgt(CPU_HALF a, CPU_HALF b) { return a > b; }
inline bool __hge(CPU_HALF a, CPU_HALF b) { return a >= b; }
inline bool __hequ(CPU_HALF a, CPU_HALF b) { return !(a < b || a > b); }
inline bool __hneu(CPU_HALF a, CPU_HALF b) { return !(a == b); }
inline bool __hltu(CPU_HALF a, CPU_HALF b) { return !(a >= b); }
inline bool __hleu(CPU_HALF a, CPU_HALF b) { return !(a > b); }
inline bool __hgtu(CPU_HALF a, CPU_HALF b) { return !(a <= b); }
inline bool __hgeu(CPU_HALF a, CPU_HALF b) { return !(a < b); }
/// Comparisons of pairs: 1 or 0 for each, whether both hold, and all bits or none for each.
#define CPU_HALF_COMPARISON(name)                                                               \
    inline CPU_HALF2 __h##name##2(CPU_HALF2 a, CPU_HALF2 b) {                                   \
        return {CPU_HALF(__h##name(a.x, b.x) ? 1 : 0), CPU_HALF(__h##name(a.y, b.y) ? 1 : 0)};  \
    }                                                                                           \
    inline bool __hb##name##2(CPU_HALF2 a, CPU_HALF2 b) {                                       \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                      \
    }                                                                                           \
    inline unsigned __h##name##2_mask(CPU_HALF2 a, CPU_HALF2 b) {                               \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
    }
CPU_HALF_COMPARISON(eq)
CPU_HALF_COMPARISON(ne)
CPU_HALF_COMPARISON(lt)
CPU_HALF_COMPARISON(le)
CPU_HALF_COMPARISON(gt)
CPU_HALF_COMPARISON(ge)
CPU_HALF_COMPARISON(equ)
CPU_HALF_COMPARISON(neu)
CPU_HALF_COMPARISON(ltu)
CPU_HALF_COMPARISON(leu)
CPU_HALF_COMPARISON(gtu)
CPU_HALF_COMPARISON(geu)
#undef CPU_HALF_COMPARISON
inline CPU_HALF2 __hisnan2(CPU_HALF2 a) {
    return {CPU_HALF(__hisnan(a.x) ? 1 : 0), CPU_HALF(__hisnan(a.y) ? 1 : 0)};
}
inline CPU_HALF __hmax_nan(CPU_HALF a, CPU_HALF b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
inline CPU_HALF __hmin_nan(CPU_HALF a, CPU_HALF b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
inline CPU_HALF2 __hmax2_nan(CPU_HALF2 a, CPU_HALF2 b) {
    return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)};
}
inline CPU_HALF2 __hmin2_nan(CPU_HALF2 a, CPU_HALF2 b) {
    return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)};
}
inline CPU_HALF __hsub_sat(CPU_HALF a, CPU_HALF b) {
    return CPU_HALF(__saturatef((a - b).value()));
}
inline CPU_HALF __hfma_sat(CPU_HALF a, CPU_HALF b, CPU_HALF c) {
    return CPU_HALF(__saturatef(__hfma(a, b, c).value()));
}
inline CPU_HALF __hfma_relu(CPU_HALF a, CPU_HALF b, CPU_HALF c) {
    const CPU_HALF sum = __hfma(a, b, c);
    return __hisnan(sum) || sum.value() > 0.0f ? sum : CPU_HALF(0.0f);
}
inline CPU_HALF2 __hadd2_sat(CPU_HALF2 a, CPU_HALF2 b) {
    return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)};
}
inline CPU_HALF2 __hsub2_sat(CPU_HALF2 a, CPU_HALF2 b) {
    return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)};
}
inline CPU_HALF2 __hmul2_sat(CPU_HALF2 a, CPU_HALF2 b) {
    return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)};
}
inline CPU_HALF2 __hfma2_sat(CPU_HALF2 a, CPU_HALF2 b, CPU_HALF2 c) {
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
inline CPU_HALF2 __hfma2_relu(CPU_HALF2 a, CPU_HALF2 b, CPU_HALF2 c) {
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
/// As CUDA: of a number, and of each of a pair.
#define CPU_HALF_FUNCTION(name, expression)              \
    inline CPU_HALF h##name(CPU_HALF a) {                \
        const double x = static_cast<double>(a.value()); \
        return CPU_HALF(expression);                     \
    }                                                    \
    inline CPU_HALF2 h2##name(CPU_HALF2 a) { return {h##name(a.x), h##name(a.y)}; }
CPU_HALF_FUNCTION(sqrt, sqrt(x))
CPU_HALF_FUNCTION(exp, exp(x))
CPU_HALF_FUNCTION(log, log(x))
CPU_HALF_FUNCTION(sin, sin(x))
CPU_HALF_FUNCTION(cos, cos(x))
CPU_HALF_FUNCTION(rcp, 1.0 / x)
CPU_HALF_FUNCTION(rsqrt, 1.0 / sqrt(x))
CPU_HALF_FUNCTION(exp2, exp2(x))
CPU_HALF_FUNCTION(exp10, pow(10.0, x))
CPU_HALF_FUNCTION(log10, log10(x))
CPU_HALF_FUNCTION(log2, log2(x))
CPU_HALF_FUNCTION(floor, floor(x))
CPU_HALF_FUNCTION(ceil, ceil(x))
CPU_HALF_FUNCTION(trunc, trunc(x))
CPU_HALF_FUNCTION(rint, rint(x))
CPU_HALF_FUNCTION(tanh, tanh(x))
#undef CPU_HALF_FUNCTION

inline CPU_HALF atomicAdd(CPU_HALF* address, CPU_HALF value) {
    return emulator::atomic_change<CPU_HALF, std::uint16_t, emulator::kDeviceScope>(
        address, [value](CPU_HALF before) { return before + value; });
}
inline CPU_HALF2 atomicAdd(CPU_HALF2* address, CPU_HALF2 value) {
    return emulator::atomic_change<CPU_HALF2, std::uint32_t, emulator::kDeviceScope>(
        address, [value](CPU_HALF2 before) { return before + value; });
}

#define CPU_HALF_SHUFFLE(name, Lane)                                                           \
    inline CPU_HALF name(unsigned mask, CPU_HALF value, Lane lane, int width = 32,             \
                         emulator::Site site = emulator::Site::here()) {                       \
        const auto bits = static_cast<unsigned>(value.bits);                                   \
        return CPU_HALF_RAW{static_cast<unsigned short>(name(mask, bits, lane, width, site))}; \
    }                                                                                          \
    inline CPU_HALF2 name(unsigned mask, CPU_HALF2 value, Lane lane, int width = 32,           \
                          emulator::Site site = emulator::Site::here()) {                      \
        return emulator::bit_cast<CPU_HALF2>(                                                  \
            name(mask, emulator::bit_cast<unsigned>(value), lane, width, site));               \
    }
CPU_HALF_SHUFFLE(__shfl_sync, int)
CPU_HALF_SHUFFLE(__shfl_down_sync, unsigned)
CPU_HALF_SHUFFLE(__shfl_up_sync, unsigned)
CPU_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef CPU_HALF_SHUFFLE

#undef CPU_HALF
#undef CPU_HALF2
#undef CPU_HALF_RAW
#undef CPU_HALF_BITS
#undef CPU_HALF_VALUE
