// What kind of memory an address is.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/for_observers.hpp"
#include "lab/lab.hpp"

namespace lab {

/// Device memory at the time of a launch, and the shared memory of one block.
/// Whether this is an address of a __constant__ variable. The first call must be on a large stack.
bool is_constant(std::uintptr_t address);

class Spaces {
  public:
    /// Looks up which device memory there is.
    void look();

    /// Sets whose shared memory, and which warp's lanes, are meant from now on.
    void enter(const emulator::Block& block, int warp);

    /// A thread of a launch.
    struct Owner {
        std::uint64_t block;
        int thread;
        bool operator==(const Owner& other) const {
            return block == other.block && thread == other.thread;
        }
    };
    /// malloc() or new gives these bytes to a thread: local memory, as long as no other thread uses
    /// them.
    void give(std::uintptr_t begin, std::size_t bytes, Owner owner);
    bool has_given() const { return !given_.empty(); }
    /// Whether malloc() or new gave this address, and threads other than the owner have used it,
    /// now or before: then it passes data between threads, as global memory does.
    bool is_shared_heap(std::uintptr_t address, int lane) const;

    /// Global (device memory and the program's variables), shared, constant (__constant__
    /// variables), or local (everything else: a thread's stack, what malloc() gives in a
    /// kernel, the compiler's constants).
    Space of(std::uintptr_t address) const {
        if (address - arena_ < kArenaBytes) return Space::shared;
        if (global_.holds(address)) return Space::global;
        if (local_.holds(address)) return Space::local;
        return search(address);
    }

    /// Whether all addresses between two are of the same kind; false: perhaps not. To be called
    /// after of() for one of them.
    bool is_all_alike(std::uintptr_t low, std::uintptr_t high) const {
        if (low - arena_ < kArenaBytes || high - arena_ < kArenaBytes) {
            return low - arena_ < kArenaBytes && high - arena_ < kArenaBytes;
        }
        if (low < arena_ && arena_ < high) return false;
        return (global_.holds(low) && global_.holds(high)) ||
               (local_.holds(low) && local_.holds(high));
    }

  private:
    static constexpr std::uintptr_t kArenaBytes = 512 * 1024;  // as much as a block has

    Space search(std::uintptr_t address) const;

    std::vector<emulator::Extent> device_;
    /// One entry for each 16 bytes; without owners if other threads use them.
    mutable std::unordered_map<std::uintptr_t, std::vector<Owner>> given_;
    Owner first_lane_{0, 0};
    std::uintptr_t arena_ = ~std::uintptr_t{0} - kArenaBytes;
    /// Where the last address was found, except for the arena, which may lie in between.
    struct Range {
        std::uintptr_t begin = 0, bytes = 0;
        bool holds(std::uintptr_t address) const { return address - begin < bytes; }
    };
    mutable Range global_, local_;
};

}  // namespace lab
