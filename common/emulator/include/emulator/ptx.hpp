// What rewriting/ptx.py makes of inline PTX: special registers and bit instructions.
#pragma once

#include "builtins.hpp"
#include "integer.hpp"

namespace emulator {

/// The thread's number in its block, counted over x, then y, then z.
inline unsigned ptx_thread() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
inline unsigned ptx_laneid() { return ptx_thread() % 32; }
inline unsigned ptx_warpid() { return ptx_thread() / 32; }
inline unsigned ptx_nwarpid() { return (blockDim.x * blockDim.y * blockDim.z + 31) / 32; }
/// The modelled device's number of multiprocessors, and the one that a block is assumed to run on:
/// they take turns.
unsigned ptx_nsmid();
inline unsigned ptx_smid() {
    return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) % ptx_nsmid();
}

inline unsigned ptx_lanemask_eq() { return 1u << ptx_laneid(); }
inline unsigned ptx_lanemask_lt() { return ptx_lanemask_eq() - 1u; }
inline unsigned ptx_lanemask_le() { return ptx_lanemask_lt() | ptx_lanemask_eq(); }
inline unsigned ptx_lanemask_gt() { return ~ptx_lanemask_le(); }
inline unsigned ptx_lanemask_ge() { return ~ptx_lanemask_lt(); }

/// Position of the highest set bit; all ones if there is none.
inline unsigned ptx_bfind(unsigned x) {
    return x == 0 ? 0xffffffffu : 31u - static_cast<unsigned>(__clz(static_cast<int>(x)));
}

/// `length` bits of `from`, beginning at bit `position`; both count modulo 256, as in PTX.
inline unsigned ptx_bfe_u32(unsigned from, unsigned position, unsigned length) {
    position &= 0xffu;
    length &= 0xffu;
    if (position >= 32 || length == 0) return 0;
    const unsigned shifted = from >> position;
    return length >= 32 ? shifted : shifted & ((1u << length) - 1u);
}
/// The same with the sign of the field's highest bit, or of `from` if the field reaches beyond.
inline int ptx_bfe_s32(int from, unsigned position, unsigned length) {
    position &= 0xffu;
    length &= 0xffu;
    if (length == 0) return 0;
    const unsigned last = position + length - 1 < 31 ? position + length - 1 : 31;
    const bool is_negative = (static_cast<unsigned>(from) >> last & 1u) != 0;
    const unsigned bits = ptx_bfe_u32(static_cast<unsigned>(from), position, length);
    const unsigned kept = position >= 32 ? 0 : last - position + 1;
    const unsigned fill = kept >= 32 ? 0u : ~0u << kept;
    return static_cast<int>(is_negative ? bits | fill : bits);
}
/// `into` with its `length` bits from `position` on replaced by the lowest bits of `bits`.
inline unsigned ptx_bfi(unsigned bits, unsigned into, unsigned position, unsigned length) {
    position &= 0xffu;
    length &= 0xffu;
    if (position >= 32 || length == 0) return into;
    const unsigned mask = (length >= 32 ? ~0u : (1u << length) - 1u) << position;
    return (into & ~mask) | (bits << position & mask);
}
/// Bitwise function of three inputs with the truth table `table`.
inline unsigned ptx_lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned result = 0;
    for (unsigned row = 0; row < 8; ++row) {
        if ((table >> row & 1u) == 0) continue;
        result |=
            ((row & 4u) != 0 ? a : ~a) & ((row & 2u) != 0 ? b : ~b) & ((row & 1u) != 0 ? c : ~c);
    }
    return result;
}

}  // namespace emulator
