// CUDA's complex numbers: float2 and double2 with functions.
#pragma once

#include "cuda_runtime.h"

#define CPU_COMPLEX(C, T, make, prefix, suffix, root)                                  \
    typedef T##2 C;                                                                    \
    inline C make(T real, T imaginary) { return make_##T##2(real, imaginary); }        \
    inline T prefix##real##suffix(C x) { return x.x; }                                 \
    inline T prefix##imag##suffix(C x) { return x.y; }                                 \
    inline C prefix##add##suffix(C x, C y) { return make(x.x + y.x, x.y + y.y); }      \
    inline C prefix##sub##suffix(C x, C y) { return make(x.x - y.x, x.y - y.y); }      \
    inline C prefix##mul##suffix(C x, C y) {                                           \
        return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                     \
    }                                                                                  \
    inline C prefix##div##suffix(C x, C y) {                                           \
        const T scale = T(1) / (y.x * y.x + y.y * y.y);                                \
        return make((x.x * y.x + x.y * y.y) * scale, (x.y * y.x - x.x * y.y) * scale); \
    }                                                                                  \
    inline T prefix##abs##suffix(C x) { return root(x.x, x.y); }                       \
    inline C prefix##fma##suffix(C x, C y, C z) {                                      \
        return prefix##add##suffix(prefix##mul##suffix(x, y), z);                      \
    }

CPU_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, cuC, f, hypotf)
CPU_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, cuC, , hypot)
#undef CPU_COMPLEX

inline cuFloatComplex cuConjf(cuFloatComplex x) { return make_cuFloatComplex(x.x, -x.y); }
inline cuDoubleComplex cuConj(cuDoubleComplex x) { return make_cuDoubleComplex(x.x, -x.y); }

typedef cuFloatComplex cuComplex;
inline cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
