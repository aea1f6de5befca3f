// What kind of memory an address is.
#pragma once

#include <cstdint>
#include <vector>

#include "block.hpp"
#include "emulator/hooks.hpp"
#include "lab/lab.hpp"

namespace lab {

/// Device memory at the time of a launch, and the shared memory of one block.
/// Whether this is an address of a __constant__ variable. Asked first on a large stack.
bool is_constant(std::uintptr_t address);

class Spaces {
  public:
    /// Looks up which device memory there is.
    void look();

    /// Says whose shared memory is meant from now on.
    void enter(const emulator::Block& block);

    /// Global (device memory and the program's variables), shared, constant (__constant__
    /// variables), or local (everything else: a thread's stack, the compiler's constants).
    Space of(std::uintptr_t address) const {
        if (address - arena_ < kArenaBytes) return Space::shared;
        if (address - last_begin_ < last_bytes_) return Space::global;
        return search(address);
    }

  private:
    static constexpr std::uintptr_t kArenaBytes = 512 * 1024;  // as much as a block has

    Space search(std::uintptr_t address) const;

    std::vector<emulator::Extent> device_;
    std::uintptr_t arena_ = ~std::uintptr_t{0} - kArenaBytes;
    mutable std::uintptr_t last_begin_ = 0, last_bytes_ = 0;
};

}  // namespace lab
