// A copy by several threads, of which each does its share at once; a device may do it on the side.
#pragma once

#include <cstddef>

namespace emulator {

/// Every `threads`-th piece, from piece number `rank`.
template <class Piece>
inline void copy_pieces(void* to, const void* from, std::size_t bytes, std::size_t rank,
                        std::size_t threads) {
    Piece* const target = static_cast<Piece*>(to);
    const Piece* const source = static_cast<const Piece*>(from);
    for (std::size_t i = rank; i < bytes / sizeof(Piece); i += threads) target[i] = source[i];
}

/// In pieces of 16, 8 or 4 bytes where addresses and size allow it, as a device copies.
inline void copy_share(void* to, const void* from, std::size_t bytes, std::size_t rank,
                       std::size_t threads) {
    struct alignas(16) [[gnu::may_alias]] Sixteen {
        long long parts[2];
    };
    using Eight [[gnu::may_alias]] = long long;
    using Four [[gnu::may_alias]] = int;
    const std::size_t bits =
        reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes;
    if (bits % 16 == 0) {
        copy_pieces<Sixteen>(to, from, bytes, rank, threads);
    } else if (bits % 8 == 0) {
        copy_pieces<Eight>(to, from, bytes, rank, threads);
    } else if (bits % 4 == 0) {
        copy_pieces<Four>(to, from, bytes, rank, threads);
    } else {
        copy_pieces<unsigned char>(to, from, bytes, rank, threads);
    }
}

}  // namespace emulator
