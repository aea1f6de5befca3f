// A copy by several threads, each of which does its share at once; a device may do it
// asynchronously. A tool is told what arrives, and when.
#pragma once

#include <cstddef>

#include "site.hpp"

namespace emulator {

struct AsyncBarrier;

/// Ends the launch if a device could not copy this in one piece.
void check_async_copy(const void* to, const void* from, std::size_t bytes, std::size_t zeros,
                      Site site);

/// The calling thread has begun a copy that lands at its wait, or when a phase of this barrier
/// completes (null: at its wait); has committed all that it has begun; waits for all but the last
/// `prior` commits.
void async_copy_begins(const void* to, std::size_t bytes, const AsyncBarrier* barrier);
void async_copies_committed();
void async_copies_waited_for(std::size_t prior, Site site);

/// Every `threads`-th piece, from piece number `rank`.
template <class Piece>
inline void copy_pieces(void* to, const void* from, std::size_t bytes, std::size_t rank,
                        std::size_t threads, const AsyncBarrier* barrier) {
    Piece* const target = static_cast<Piece*>(to);
    const Piece* const source = static_cast<const Piece*>(from);
    for (std::size_t i = rank; i < bytes / sizeof(Piece); i += threads) {
        target[i] = source[i];
        async_copy_begins(target + i, sizeof(Piece), barrier);
    }
}

/// In pieces of 16, 8 or 4 bytes if addresses and size allow it, as a device copies.
inline void copy_share(void* to, const void* from, std::size_t bytes, std::size_t rank,
                       std::size_t threads, const AsyncBarrier* barrier = nullptr) {
    struct alignas(16) [[gnu::may_alias]] Sixteen {
        long long parts[2];
    };
    using Eight [[gnu::may_alias]] = long long;
    using Four [[gnu::may_alias]] = int;
    const std::size_t bits =
        reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes;
    if (bits % 16 == 0) {
        copy_pieces<Sixteen>(to, from, bytes, rank, threads, barrier);
    } else if (bits % 8 == 0) {
        copy_pieces<Eight>(to, from, bytes, rank, threads, barrier);
    } else if (bits % 4 == 0) {
        copy_pieces<Four>(to, from, bytes, rank, threads, barrier);
    } else {
        copy_pieces<unsigned char>(to, from, bytes, rank, threads, barrier);
    }
}

}  // namespace emulator
