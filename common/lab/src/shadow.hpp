// For each word of memory: who used it last, and which of its bytes have been written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "block.hpp"
#include "happens_before.hpp"

namespace lab {

constexpr std::size_t kWordBytes = 4;

struct Cell {
    // What nearly every access asks for comes first, in one line of a cache.
    Stamp write;               ///< the last, but for atomic operations
    std::uint32_t serial = 0;  ///< shared memory: of the block whose bytes were written
    std::uint8_t written = 0;  ///< bytes that hold something, a bit for each
    bool has_atomic = false;   ///< one of the next two is set
    Stamp read[2];             ///< the last load, and that of another block or thread
    Stamp atomic[2];           ///< the last atomic operation, likewise
};

/// Pages of cells that take memory only where they are used.
class Cells {
  public:
    explicit Cells(std::size_t count);
    ~Cells();
    Cells(const Cells&) = delete;
    Cells& operator=(const Cells&) = delete;
    Cell& operator[](std::size_t i) { return cells_[i]; }

  private:
    Cell* cells_;
    std::size_t bytes_;
};

/// One allocation of device memory.
struct Watched {
    std::size_t number;  ///< of the allocation
    std::uintptr_t begin;
    std::size_t bytes;
    emulator::MemoryKind kind;
    bool holds_values;  ///< the host can write it too
    std::string description;
    std::string call;
    emulator::Site site;
    std::unique_ptr<Cells> cells;  ///< null: too large to be watched
};

/// Device memory, as far as there is room to watch it.
class DeviceShadow {
  public:
    /// Looks up which allocations there are now, if there are others than the last time.
    void look() {
        if (all_.made != made_ || all_.live.size() != live_) look_anew();
    }

    /// False: no allocation is near; quick, for the host's many accesses.
    bool may_hold(std::uintptr_t address) {
        look();
        return was_near(address);
    }
    /// The same as it was looked up last; any thread may ask.
    bool was_near(std::uintptr_t address) const {
        const std::uintptr_t low = low_.load(std::memory_order_relaxed);
        return address - low < high_.load(std::memory_order_relaxed) - low;
    }

    /// The allocation that holds the address, or the nearest within `reach` bytes; null: none.
    Watched* find(std::uintptr_t address, std::size_t reach) {
        return address - last_begin_ < last_bytes_ ? last_ : search(address, reach);
    }

    /// The one that find() gave last, if the address lies in it; null: it does not.
    const Watched* last(std::uintptr_t address) const {
        return address - last_begin_ < last_bytes_ ? last_ : nullptr;
    }

    /// An allocation from whose start the address is a multiple of `bytes` away, more than 1 GiB
    /// and at most as far as an index of 32 bits leads; null: none.
    const Watched* nearest(std::uintptr_t address, std::uint32_t bytes) const;

    /// An allocation that the address misses because a small negative index was unsigned, of 32
    /// bits; null: none.
    const Watched* wrapped(std::uintptr_t address, std::uint32_t bytes) const;

    /// The first allocation for which it is true; null: none.
    template <class Is>
    const Watched* find_if(Is is) const {
        for (const auto& [begin, each] : by_begin_) {
            if (is(each)) return &each;
        }
        return nullptr;
    }

    /// What is here is fresh memory, not used by anyone yet.
    void renew(std::uintptr_t begin, std::size_t bytes);

    /// The host has written here.
    void written(std::uintptr_t begin, std::size_t bytes);

    /// Bytes that are not watched because they are too many.
    std::size_t unwatched() const { return unwatched_; }

  private:
    void look_anew();
    Watched* search(std::uintptr_t address, std::size_t reach);

    const emulator::Memory& all_ = emulator::memory();
    std::map<std::uintptr_t, Watched> by_begin_;
    /// The one that was found last, and which addresses are only its own.
    Watched* last_ = nullptr;
    std::uintptr_t last_begin_ = 0;
    std::size_t last_bytes_ = 0;
    std::size_t watched_ = 0, unwatched_ = 0;
    std::atomic<std::uintptr_t> low_{0}, high_{0};  ///< all of them lie between
    std::size_t made_ = 0, live_ = 0;               ///< allocations, when they were looked up last
};

}  // namespace lab
