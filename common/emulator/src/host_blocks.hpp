// Memory of the host whose size is known: a copy that goes beyond it is an overrun of the heap, of
// which neither the C library nor CUDA says anything.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace emulator {

/// What operator new, or malloc() in a file that a tool watches, has returned.
struct HostBlock {
    const std::byte* begin = nullptr;
    std::size_t bytes = 0;
    std::size_t used = 0;      ///< bytes of a std::vector's items; of other memory: all
    std::uint64_t number = 0;  ///< the larger, the later
};

void host_block_made(void* begin, std::size_t bytes);
void host_block_gone(const void* begin);

/// The block that an address is in; one without a begin: none is known there.
HostBlock host_block_at(const void* address);

/// Bytes that are allocated behind each block, and belong to none.
constexpr std::size_t kBehindBlock = 64;
constexpr std::size_t with_room_behind(std::size_t bytes) {
    return bytes > ~kBehindBlock ? bytes : bytes + kBehindBlock;
}
/// The block behind which an address is, by fewer bytes than these; one without a begin: none.
HostBlock host_block_before(const void* address);

/// Which units of kBehindBlock bytes may hold the end of a block.
constexpr std::size_t kBlockEnds = std::size_t{1} << 16;
extern std::array<std::atomic<bool>, kBlockEnds> host_block_ends;
/// Whether the address may be behind a block: quick, and nearly always false.
inline bool may_be_behind_block(std::uintptr_t address) {
    const std::uintptr_t unit = address / kBehindBlock;
    return host_block_ends[unit % kBlockEnds].load(std::memory_order_relaxed) ||
           host_block_ends[(unit - 1) % kBlockEnds].load(std::memory_order_relaxed);
}

}  // namespace emulator
