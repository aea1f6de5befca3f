// What one request of a warp costs: sectors of global memory, wavefronts of shared memory.
#pragma once

#include <cstdint>

namespace lab {

/// The addresses that the lanes of `mask` use in one instruction, `bytes` (1 to 16, a power of two)
/// each. Entries of other lanes mean nothing.
struct Request {
    const std::uint64_t* address;
    std::uint32_t mask;
    std::uint32_t bytes;
    bool is_load = false;
};

struct Cost {
    std::uint32_t actual;  ///< in sectors or wavefronts
    std::uint32_t least;   ///< the cost of the same bytes if placed well
};

/// 32-byte sectors that hold the bytes; at least, as many as the distinct bytes fill.
Cost sectors(const Request& request);

/// Passes over the 32 banks of 4 bytes. Lanes that use the same word share a pass. A request of 8
/// bytes per lane is served half a warp at a time, one of 16 bytes a quarter. Two such parts of a
/// load are served together if lanes share addresses in pairs: each with its neighbour, or each
/// with the lane two places on (inactive lanes in between do not matter). An H200 counts like this;
/// see ncu/.
Cost wavefronts(const Request& request);

/// Different words of constant memory, which are read one after the other.
Cost constant_words(const Request& request);

/// The most lanes of an atomic operation that use the same address.
std::uint32_t turns(const Request& request);

/// Passes of an atomic operation on shared memory: lanes that use the same word take turns.
Cost atomic_wavefronts(const Request& request);

}  // namespace lab
