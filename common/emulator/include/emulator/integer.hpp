// Integer and bit functions of CUDA, and min/max as CUDA overloads them.
#pragma once

#include <cstdint>

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }

inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
           __brev(static_cast<unsigned>(x >> 32));
}

/// Picks four of the eight bytes of y:x. Bit 3 of a selector copies the byte's sign instead.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned selector = selectors >> (4 * i) & 0xfu;
        unsigned byte = static_cast<unsigned>(bytes >> (8 * (selector & 7u))) & 0xffu;
        if ((selector & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xffu : 0u;
        result |= byte << (8 * i);
    }
    return result;
}

/// The upper 32 bits of high:low shifted left; the plain form takes the shift modulo 32, _lc clamps
/// it to 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<unsigned>(both << (shift & 31u) >> 32);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
/// The lower 32 bits of high:low shifted right.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<unsigned>(both >> (shift & 31u));
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

/// The position of the n-th set bit of `mask`, counted from `base`, as CUDA's fns; -1 if none.
inline unsigned __fns(unsigned mask, unsigned base, int n) {
    if (n == 0) return (base < 32 && (mask >> base & 1u) != 0) ? base : 0xffffffffu;
    const int step = n > 0 ? 1 : -1;
    int left = n > 0 ? n : -n;
    for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
        if ((mask >> bit & 1u) != 0 && --left == 0) return static_cast<unsigned>(bit);
    }
    return 0xffffffffu;
}

inline int __mul24(int x, int y) {
    const auto low = [](int v) {
        return static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<unsigned>(v) << 8) >>
                                         8);
    };
    return static_cast<int>(low(x) * low(y));
}
inline unsigned __umul24(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(x & 0xffffffu) * (y & 0xffffffu));
}
inline int __mulhi(int x, int y) {
    return static_cast<int>(static_cast<std::int64_t>(x) * y >> 32);
}
inline unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
    __extension__ typedef __int128 Wide;
    return static_cast<long long>(static_cast<Wide>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<unsigned long long>(static_cast<Wide>(x) * y >> 64);
}
inline unsigned __sad(int x, int y, unsigned z) {
    const std::int64_t difference = static_cast<std::int64_t>(x) - y;
    return static_cast<unsigned>(difference < 0 ? -difference : difference) + z;
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }
inline int __hadd(int x, int y) {
    return static_cast<int>((static_cast<std::int64_t>(x) + y) >> 1);
}
inline int __rhadd(int x, int y) {
    return static_cast<int>((static_cast<std::int64_t>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<std::uint64_t>(x) + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<std::uint64_t>(x) + y + 1) >> 1);
}

/// The sum of the products of four pairs of bytes, and c.
inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8)
        c += static_cast<std::int8_t>(a >> i) * static_cast<std::int8_t>(b >> i);
    return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xffu) * (b >> i & 0xffu);
    return c;
}

// CUDA's own overloads: mixed signs give the unsigned type, as arithmetic does. Those of two ints,
// and rsqrtf(), are templates: NVIDIA's helper_math.h defines these for host compilers, as we are.
#define CPU_MIN_MAX(Result, A, B)                                                        \
    constexpr Result min(A a, B b) {                                                     \
        return static_cast<Result>(b) < static_cast<Result>(a) ? static_cast<Result>(b)  \
                                                               : static_cast<Result>(a); \
    }                                                                                    \
    constexpr Result max(A a, B b) {                                                     \
        return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(b)  \
                                                               : static_cast<Result>(a); \
    }

template <class = void>
constexpr int min(int a, int b) {
    return b < a ? b : a;
}
template <class = void>
constexpr int max(int a, int b) {
    return a < b ? b : a;
}
CPU_MIN_MAX(unsigned, unsigned, unsigned)
CPU_MIN_MAX(unsigned, int, unsigned)
CPU_MIN_MAX(unsigned, unsigned, int)
CPU_MIN_MAX(long, long, long)
CPU_MIN_MAX(unsigned long, unsigned long, unsigned long)
CPU_MIN_MAX(unsigned long, long, unsigned long)
CPU_MIN_MAX(unsigned long, unsigned long, long)
CPU_MIN_MAX(long long, long long, long long)
CPU_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CPU_MIN_MAX(unsigned long long, long long, unsigned long long)
CPU_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef CPU_MIN_MAX

inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
