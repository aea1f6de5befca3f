// For each word of memory: its last users, and which of its bytes have been written.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/for_observers.hpp"
#include "happens_before.hpp"
#include "word_users.hpp"

namespace lab {

constexpr std::size_t kWordBytes = 4;

struct alignas(64) Cell {
    // What nearly every access needs is in one cache line: everything up to read[0].
    Stamp write;               ///< the last, except for atomic operations
    std::uint32_t serial = 0;  ///< shared memory: of the block whose bytes were written
    std::uint8_t written = 0;  ///< bytes that were written, a bit for each
    bool is_awaited = false;   ///< an asynchronous copy into it has not landed
    bool has_more = false;     ///< `more` is not null
    Users read[2];
    MoreUsers* more = nullptr;  ///< atomic operations, and users beyond these two

    template <class Is>
    bool any_read(Is is) const {
        if (more != nullptr && std::any_of(more->reads.begin(), more->reads.end(), is)) return true;
        return is(read[0]) || is(read[1]);
    }
    template <class Is>
    bool any_atomic(Is is) const {
        return more != nullptr && (is(more->atomic[0]) || is(more->atomic[1]) ||
                                   std::any_of(more->atomics.begin(), more->atomics.end(), is));
    }
    template <class Look>
    void each_write(Look look) const {
        look(write);
        if (more == nullptr) return;
        for (const Stamp& each : more->writes) look(each);
    }
    template <class Look>
    void each_read(Look look) const {
        any_read([&](const Users& one) {
            look(one);
            return false;
        });
    }
    /// Those that store (a plain or an atomic operation) and, if asked, those that load:
    /// look(stamp, whether it stores).
    template <class Look>
    void each_use(bool and_loads, Look look) const {
        each_write([&](const Stamp& each) { look(each, true); });
        each_atomic([&](const Users& each) { look(each, true); });
        if (and_loads) each_read([&](const Users& each) { look(each, false); });
    }
    template <class Look>
    void each_atomic(Look look) const {
        any_atomic([&](const Users& one) {
            look(one);
            return false;
        });
    }
};

/// Pages of cells, allocated only when they are used.
class Cells {
  public:
    explicit Cells(std::size_t count);
    ~Cells();
    Cells(const Cells&) = delete;
    Cells& operator=(const Cells&) = delete;
    Cell& operator[](std::size_t i) { return cells_[i]; }
    /// Adds a load or an atomic operation to those of a cell. `is_over`: whether everything of
    /// another epoch has ended.
    template <class IsOver>
    void keep(Cell& cell, const Stamp& now, bool is_load, const HappensBefore& order,
              const BlockClock& block, IsOver is_over) {
        put(cell, now, is_load, is_over,
            [&](WordUsers users) { return users.add(now, order, block); });
    }
    /// The same for a store, by a thread or a copy. It becomes the last writer of its bytes.
    template <class IsOver>
    void write(Cell& cell, const Stamp& now, IsOver is_over) {
        const Stamp old = cell.write;
        cell.write = now;
        const bool is_left = old.epoch == now.epoch || (old.epoch != 0 && !is_over(old.epoch));
        const bool is_same = old.epoch == now.epoch && old.block == now.block &&
                             old.interval == now.interval && old.clock == now.clock &&
                             old.thread == now.thread;
        if (is_same) cell.write.bytes = (old.bytes | now.bytes) & 0xfu;
        if (is_left && !is_same && (old.bytes & ~now.bytes) != 0) more(cell).writes.push_back(old);
        if (cell.more == nullptr) return;
        cell.more->epoch = now.epoch;
        std::vector<Stamp>& others = cell.more->writes;
        others.erase(std::remove_if(others.begin(), others.end(),
                                    [&](Stamp& each) {
                                        each.bytes = each.bytes & ~now.bytes & 0xfu;
                                        return each.bytes == 0 ||
                                               (each.epoch != now.epoch && is_over(each.epoch));
                                    }),
                     others.end());
    }
    /// The same for a load by a copy, which belongs to no thread.
    template <class IsOver>
    void append(Cell& cell, const Stamp& now, IsOver is_over) {
        put(cell, now, true, is_over, [&](WordUsers users) { return users.append(Users(now)); });
    }

  private:
    template <class IsOver, class Add>
    void put(Cell& cell, const Stamp& now, bool is_load, IsOver is_over, Add add) {
        if (!is_load) more(cell);
        const auto users = [&] {
            if (!is_load) return WordUsers(cell.more->atomic, &cell.more->atomics);
            return WordUsers(cell.read, cell.more != nullptr ? &cell.more->reads : nullptr);
        };
        if (cell.more != nullptr) cell.more->epoch = now.epoch;
        users().forget(now.epoch, is_over);
        if (add(users())) return;
        more(cell).epoch = now.epoch;
        add(users());
    }
    MoreUsers& more(Cell& cell);

    Cell* cells_;
    std::size_t bytes_;
    std::deque<MoreUsers> more_;
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
    std::size_t pitch = 0;         ///< of cudaMallocPitch and cudaMalloc3D
    std::size_t height = 0;        ///< of cudaMalloc3D: rows from one slice to the next
    std::uint8_t set_bytes = 0;    ///< each was set to this small number, as if that set each item
    bool has_unseen_writer = false;  ///< such as a library's fread() into memory of the host
};

/// Whether memory still holds what it was filled with when it was allocated.
inline bool is_poison(std::uintptr_t address, std::size_t bytes) {
    const unsigned char* const at = reinterpret_cast<const unsigned char*>(address);
    return std::all_of(at, at + bytes,
                       [](unsigned char byte) { return byte == emulator::kPoison; });
}

/// Whether the host's part of it holds values that no known store has put there: then nothing says
/// that a byte of the value of fresh memory was not written as well.
bool is_written_unseen(Watched& memory);

/// Device memory, watched as far as there is room.
class DeviceShadow {
  public:
    /// Looks up which allocations have been made and freed since the last time.
    void look() {
        if (all_.changes.size() != changes_) look_anew();
    }

    /// False: no allocation is near; quick, for the host's many accesses.
    bool may_hold(std::uintptr_t address) {
        look();
        return was_near(address);
    }
    /// The same as at the last look-up; any thread may ask.
    bool was_near(std::uintptr_t address, std::size_t reach = 0) const {
        const std::uintptr_t low = low_.load(std::memory_order_relaxed) - reach;
        return address - low < high_.load(std::memory_order_relaxed) + reach - low;
    }

    /// The allocation that holds the address, or the nearest within `reach` bytes; null: none.
    Watched* find(std::uintptr_t address, std::size_t reach) {
        return address - last_begin_ < last_bytes_ ? last_ : search(address, reach);
    }

    /// The one that find() returned last, if it contains the address; else null.
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

    /// Whether host-accessible memory was here and has been freed.
    bool is_freed(std::uintptr_t address) const {
        return std::any_of(freed_.begin(), freed_.end(),
                           [&](const auto& each) { return address - each.first < each.second; });
    }

    /// This is fresh memory, which nothing has used yet.
    void renew(std::uintptr_t begin, std::size_t bytes);

    /// The host has written here.
    void written(std::uintptr_t begin, std::size_t bytes);

    /// Bytes that are not watched because there are too many.
    std::size_t unwatched() const { return unwatched_; }

  private:
    void look_anew();
    void add(const emulator::Allocation& made);
    void remove(std::uintptr_t begin);
    Watched* search(std::uintptr_t address, std::size_t reach);

    const emulator::Memory& all_ = emulator::memory();
    std::map<std::uintptr_t, Watched> by_begin_;
    std::map<std::uintptr_t, std::size_t> freed_;  ///< managed and pinned memory: begin, bytes
    /// The one that was found last, and the addresses that are its own only.
    Watched* last_ = nullptr;
    std::uintptr_t last_begin_ = 0;
    std::size_t last_bytes_ = 0;
    std::size_t watched_ = 0, unwatched_ = 0;
    std::atomic<std::uintptr_t> low_{0}, high_{0};  ///< all of them are between these
    std::size_t changes_ = 0;  ///< of the allocations, when they were looked up last
};

}  // namespace lab
