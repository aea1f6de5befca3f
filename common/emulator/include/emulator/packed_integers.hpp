// Two numbers of 16 bits or four of 8 in one word ("SIMD intrinsics" of CUDA's math API).
#pragma once

#include <cstdint>

#include "integer.hpp"

namespace emulator {

/// Applies `operation` to each pair of parts; the result is cut to the part's bits.
template <class Part, class Operation>
unsigned in_parts(unsigned a, unsigned b, Operation operation) {
    constexpr unsigned kBits = 8 * sizeof(Part);
    constexpr unsigned kMask = (1u << kBits) - 1u;
    unsigned result = 0;
    for (unsigned at = 0; at < 32; at += kBits) {
        const int x = static_cast<Part>(a >> at & kMask), y = static_cast<Part>(b >> at & kMask);
        result |= (static_cast<unsigned>(operation(x, y)) & kMask) << at;
    }
    return result;
}

/// The sum of what `operation` gives for each pair.
template <class Part, class Operation>
unsigned sum_of_parts(unsigned a, unsigned b, Operation operation) {
    constexpr unsigned kBits = 8 * sizeof(Part);
    constexpr unsigned kMask = (1u << kBits) - 1u;
    unsigned sum = 0;
    for (unsigned at = 0; at < 32; at += kBits) {
        const int x = static_cast<Part>(a >> at & kMask), y = static_cast<Part>(b >> at & kMask);
        sum += static_cast<unsigned>(operation(x, y));
    }
    return sum;
}

inline int clamp_to(int x, int low, int high) { return x < low ? low : x > high ? high : x; }

}  // namespace emulator

#define CPU_PACKED_1(name, Part, expression)                                           \
    inline unsigned name(unsigned a) {                                                 \
        return emulator::in_parts<Part>(a, 0u, [](int x, int) { return expression; }); \
    }
#define CPU_PACKED_2(name, Part, expression)                                            \
    inline unsigned name(unsigned a, unsigned b) {                                      \
        return emulator::in_parts<Part>(a, b, [](int x, int y) { return expression; }); \
    }
#define CPU_PACKED_SUM(name, Part, expression)                                              \
    inline unsigned name(unsigned a, unsigned b) {                                          \
        return emulator::sum_of_parts<Part>(a, b, [](int x, int y) { return expression; }); \
    }
/// A comparison: __vcmp... gives all ones, __vset... gives 1.
#define CPU_PACKED_COMPARISON(name, n, Part, expression)       \
    CPU_PACKED_2(__vcmp##name##n, Part, (expression) ? -1 : 0) \
    CPU_PACKED_2(__vset##name##n, Part, (expression) ? 1 : 0)
#define CPU_PACKED(n, S, U, low, high, most)                                    \
    CPU_PACKED_1(__vabs##n, S, x < 0 ? -x : x)                                  \
    CPU_PACKED_1(__vabsss##n, S, emulator::clamp_to(x < 0 ? -x : x, low, high)) \
    CPU_PACKED_1(__vneg##n, S, -x)                                              \
    CPU_PACKED_1(__vnegss##n, S, emulator::clamp_to(-x, low, high))             \
    CPU_PACKED_2(__vadd##n, U, x + y)                                           \
    CPU_PACKED_2(__vaddss##n, S, emulator::clamp_to(x + y, low, high))          \
    CPU_PACKED_2(__vaddus##n, U, emulator::clamp_to(x + y, 0, most))            \
    CPU_PACKED_2(__vsub##n, U, x - y)                                           \
    CPU_PACKED_2(__vsubss##n, S, emulator::clamp_to(x - y, low, high))          \
    CPU_PACKED_2(__vsubus##n, U, emulator::clamp_to(x - y, 0, most))            \
    CPU_PACKED_2(__vabsdiffs##n, S, x > y ? x - y : y - x)                      \
    CPU_PACKED_2(__vabsdiffu##n, U, x > y ? x - y : y - x)                      \
    CPU_PACKED_2(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)                    \
    CPU_PACKED_2(__vavgu##n, U, (x + y + 1) >> 1)                               \
    CPU_PACKED_2(__vhaddu##n, U, (x + y) >> 1)                                  \
    CPU_PACKED_2(__vmaxs##n, S, x > y ? x : y)                                  \
    CPU_PACKED_2(__vmaxu##n, U, x > y ? x : y)                                  \
    CPU_PACKED_2(__vmins##n, S, x < y ? x : y)                                  \
    CPU_PACKED_2(__vminu##n, U, x < y ? x : y)                                  \
    CPU_PACKED_SUM(__vsads##n, S, x > y ? x - y : y - x)                        \
    CPU_PACKED_SUM(__vsadu##n, U, x > y ? x - y : y - x)                        \
    CPU_PACKED_COMPARISON(eq, n, U, x == y)                                     \
    CPU_PACKED_COMPARISON(ne, n, U, x != y)                                     \
    CPU_PACKED_COMPARISON(ges, n, S, x >= y)                                    \
    CPU_PACKED_COMPARISON(geu, n, U, x >= y)                                    \
    CPU_PACKED_COMPARISON(gts, n, S, x > y)                                     \
    CPU_PACKED_COMPARISON(gtu, n, U, x > y)                                     \
    CPU_PACKED_COMPARISON(les, n, S, x <= y)                                    \
    CPU_PACKED_COMPARISON(leu, n, U, x <= y)                                    \
    CPU_PACKED_COMPARISON(lts, n, S, x < y)                                     \
    CPU_PACKED_COMPARISON(ltu, n, U, x < y)

CPU_PACKED(2, std::int16_t, std::uint16_t, -32768, 32767, 65535)
CPU_PACKED(4, std::int8_t, std::uint8_t, -128, 127, 255)

// The largest and smallest of sums ("DPX"): of a word, or of its two parts of 16 bits; _relu: a
// result below 0 becomes 0.
#define CPU_DPX_3(function, name, T, one_step, after) \
    inline T function##name(T a, T b, T c) { return after(one_step(a, b), c); }
#define CPU_DPX(name, T, add, most, least)      \
    CPU_DPX_3(__viaddmax_, name, T, add, most)  \
    CPU_DPX_3(__viaddmin_, name, T, add, least) \
    CPU_DPX_3(__vimax3_, name, T, most, most)   \
    CPU_DPX_3(__vimin3_, name, T, least, least)
#define CPU_DPX_RELU(name, T, most, least)                                                       \
    inline T __vimax_##name##_relu(T a, T b) { return most(most(a, b), 0); }                     \
    inline T __vimin_##name##_relu(T a, T b) { return most(least(a, b), 0); }                    \
    inline T __viaddmax_##name##_relu(T a, T b, T c) {                                           \
        return most(__viaddmax_##name(a, b, c), 0);                                              \
    }                                                                                            \
    inline T __viaddmin_##name##_relu(T a, T b, T c) {                                           \
        return most(__viaddmin_##name(a, b, c), 0);                                              \
    }                                                                                            \
    inline T __vimax3_##name##_relu(T a, T b, T c) { return most(__vimax3_##name(a, b, c), 0); } \
    inline T __vimin3_##name##_relu(T a, T b, T c) { return most(__vimin3_##name(a, b, c), 0); }
// These also say which one it was: the first, if both are equal.
#define CPU_DPX_WHICH(name, T)                           \
    inline T __vibmax_##name(T a, T b, bool* is_first) { \
        *is_first = a >= b;                              \
        return *is_first ? a : b;                        \
    }                                                    \
    inline T __vibmin_##name(T a, T b, bool* is_first) { \
        *is_first = a <= b;                              \
        return *is_first ? a : b;                        \
    }
#define CPU_DPX_WHICH_2(function, name, extreme, compared)                      \
    inline unsigned function##name(unsigned a, unsigned b, bool* high_is_first, \
                                   bool* low_is_first) {                        \
        const unsigned is_first = compared(a, b);                               \
        *high_is_first = is_first >> 16 != 0;                                   \
        *low_is_first = (is_first & 0xffffu) != 0;                              \
        return extreme(a, b);                                                   \
    }

namespace emulator {
inline int wrapped_sum(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
inline unsigned wrapped_sum(unsigned a, unsigned b) { return a + b; }
}  // namespace emulator

CPU_DPX(s32, int, emulator::wrapped_sum, max, min)
CPU_DPX(u32, unsigned, emulator::wrapped_sum, max, min)
CPU_DPX(s16x2, unsigned, __vadd2, __vmaxs2, __vmins2)
CPU_DPX(u16x2, unsigned, __vadd2, __vmaxu2, __vminu2)
CPU_DPX_RELU(s32, int, max, min)
CPU_DPX_RELU(s16x2, unsigned, __vmaxs2, __vmins2)
CPU_DPX_WHICH(s32, int)
CPU_DPX_WHICH(u32, unsigned)
CPU_DPX_WHICH_2(__vibmax_, s16x2, __vmaxs2, __vsetges2)
CPU_DPX_WHICH_2(__vibmin_, s16x2, __vmins2, __vsetles2)
CPU_DPX_WHICH_2(__vibmax_, u16x2, __vmaxu2, __vsetgeu2)
CPU_DPX_WHICH_2(__vibmin_, u16x2, __vminu2, __vsetleu2)

#undef CPU_DPX_WHICH_2
#undef CPU_DPX_WHICH
#undef CPU_DPX_RELU
#undef CPU_DPX
#undef CPU_DPX_3
#undef CPU_PACKED
#undef CPU_PACKED_COMPARISON
#undef CPU_PACKED_SUM
#undef CPU_PACKED_2
#undef CPU_PACKED_1
