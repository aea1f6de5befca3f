// dim3 and CUDA's short vectors (int2, float4, ...) with CUDA's sizes and alignments.
#pragma once

struct uint3;

// One struct and one make_ function for each length; alignment as in CUDA's vector_types.h, where a
// vector of three is aligned like its element.
#define CPU_VECTOR_TYPES(T, name, align2, align4)                         \
    struct name##1 {                                                      \
        T x;                                                              \
    };                                                                    \
    struct alignas(align2) name##2 {                                      \
        T x, y;                                                           \
    };                                                                    \
    struct name##3 {                                                      \
        T x, y, z;                                                        \
    };                                                                    \
    struct alignas(align4) name##4 {                                      \
        T x, y, z, w;                                                     \
    };                                                                    \
    constexpr name##1 make_##name##1(T x) { return {x}; }                 \
    constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
    constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
    constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

CPU_VECTOR_TYPES(signed char, char, 2, 4)
CPU_VECTOR_TYPES(unsigned char, uchar, 2, 4)
CPU_VECTOR_TYPES(short, short, 4, 8)
CPU_VECTOR_TYPES(unsigned short, ushort, 4, 8)
CPU_VECTOR_TYPES(int, int, 8, 16)
CPU_VECTOR_TYPES(unsigned int, uint, 8, 16)
CPU_VECTOR_TYPES(long, long, 2 * sizeof(long), 16)
CPU_VECTOR_TYPES(unsigned long, ulong, 2 * sizeof(long), 16)
CPU_VECTOR_TYPES(long long, longlong, 16, 16)
CPU_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
CPU_VECTOR_TYPES(float, float, 8, 16)
CPU_VECTOR_TYPES(double, double, 16, 16)

#undef CPU_VECTOR_TYPES

/// A grid's or a block's extent; an omitted dimension is 1.
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned x_extent = 1, unsigned y_extent = 1, unsigned z_extent = 1)
        : x(x_extent), y(y_extent), z(z_extent) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
