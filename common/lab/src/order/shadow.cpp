#include "shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>

namespace lab {
namespace {

/// Device memory that is watched: a cell is 32 times as large as its word.
constexpr std::size_t kMaxBytes = std::size_t{48} << 20;

}  // namespace

Cells::Cells(std::size_t count) : bytes_(count * sizeof(Cell)) {
    // Fresh pages are zero, which is what a fresh Cell is.
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    cells_ = static_cast<Cell*>(memory);
}

Cells::~Cells() { munmap(cells_, bytes_); }

MoreUsers& Cells::more(Cell& cell) {
    if (!cell.has_more) cell.more = &more_.emplace_back();
    cell.has_more = true;
    return *cell.more;
}

void DeviceShadow::look_anew() {
    emulator::Memory& all = emulator::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    last_ = nullptr;
    last_begin_ = last_bytes_ = 0;
    for (; changes_ < all.changes.size(); ++changes_) {
        const emulator::Memory::Change& change = all.changes[changes_];
        if (!change.is_added) {
            remove(reinterpret_cast<std::uintptr_t>(change.begin));
            continue;
        }
        // An allocation that has been freed since is no longer in the list.
        const auto at = all.live.find(change.outer_begin);
        if (at != all.live.end()) add(at->second);
    }
}

void DeviceShadow::remove(std::uintptr_t begin) {
    const auto at = by_begin_.find(begin);
    if (at == by_begin_.end() || at->second.number == 0) return;
    if (at->second.cells != nullptr) watched_ -= at->second.bytes;
    if (at->second.holds_values) freed_[begin] = at->second.bytes;
    by_begin_.erase(at);
}

void DeviceShadow::add(const emulator::Allocation& added) {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(added.begin);
    if (by_begin_.count(begin) != 0) return;
    // Freed memory that overlaps it is in use again; freed ranges never overlap each other.
    auto old = freed_.lower_bound(begin);
    if (old != freed_.begin() && std::prev(old)->first + std::prev(old)->second > begin) --old;
    while (old != freed_.end() && old->first < begin + added.bytes) old = freed_.erase(old);
    Watched made{
        added.number,
        begin,
        added.bytes,
        added.kind,
        added.kind != emulator::MemoryKind::device && added.kind != emulator::MemoryKind::heap,
        describe(added),
        added.call,
        added.site,
        nullptr,
        added.pitch,
        added.height};
    if (watched_ + added.bytes <= kMaxBytes) {
        watched_ += added.bytes;
        made.cells = std::make_unique<Cells>(added.bytes / kWordBytes + 2);
    } else {
        unwatched_ = std::max(unwatched_, added.bytes);
    }
    by_begin_.emplace(begin, std::move(made));
    if (low_ == 0 || begin < low_) low_ = begin;
    if (begin + added.bytes > high_) high_ = begin + added.bytes;
}

Watched* DeviceShadow::search(std::uintptr_t address, std::size_t reach) {
    auto after = by_begin_.upper_bound(address);
    if (after != by_begin_.begin()) {
        Watched& found = std::prev(after)->second;
        last_ = &found;
        last_begin_ = found.begin;
        last_bytes_ = found.bytes;
        if (after != by_begin_.end()) {
            last_bytes_ = std::min<std::size_t>(last_bytes_, after->first - found.begin);
        }
        if (address - found.begin < found.bytes + reach) return &found;
    }
    if (after != by_begin_.end() && after->first - address <= reach) return &after->second;
    return nullptr;
}

bool is_written_unseen(Watched& memory) {
    if (!memory.holds_values || memory.cells == nullptr || memory.has_unseen_writer) {
        return memory.has_unseen_writer;
    }
    for (std::size_t i = 0; i < memory.bytes && !memory.has_unseen_writer; ++i) {
        const Cell& cell = (*memory.cells)[i / kWordBytes];
        memory.has_unseen_writer =
            (cell.written >> i % kWordBytes & 1u) == 0 && !is_poison(memory.begin + i, 1);
    }
    return memory.has_unseen_writer;
}

const Watched* DeviceShadow::nearest(std::uintptr_t address, std::uint32_t bytes) const {
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 30;
    const Watched* found = nullptr;
    std::uint64_t least = (std::uint64_t{1} << 32) * bytes;
    for (const auto& [begin, each] : by_begin_) {
        const std::uint64_t distance = address < begin ? begin - address : address - begin;
        if (distance < kLeast || distance > least || distance % bytes != 0) continue;
        least = distance;
        found = &each;
    }
    return found;
}

const Watched* DeviceShadow::wrapped(std::uintptr_t address, std::uint32_t bytes) const {
    constexpr std::uint64_t kAround = 1 << 16;
    const Watched* found = nullptr;
    std::uint64_t least = kAround;
    for (const auto& [begin, each] : by_begin_) {
        const std::uint64_t below = begin + (std::uint64_t{1} << 32) * bytes - address;
        if (below == 0 || below / bytes >= least || below % bytes != 0) continue;
        least = below / bytes;
        found = &each;
    }
    return found;
}

void DeviceShadow::renew(std::uintptr_t begin, std::size_t bytes) {
    Watched* const found = find(begin, 0);
    if (found == nullptr || found->cells == nullptr) return;
    const std::size_t first = (begin - found->begin) / kWordBytes;
    for (std::size_t i = first; i < first + (bytes + kWordBytes - 1) / kWordBytes; ++i) {
        Cell& cell = (*found->cells)[i];
        MoreUsers* const more = cell.more;
        if (more != nullptr) *more = {};
        cell = Cell{};
        cell.more = more;
        cell.has_more = more != nullptr;
    }
}

void DeviceShadow::written(std::uintptr_t begin, std::size_t bytes) {
    look();
    Watched* const found = find(begin, 0);
    if (found == nullptr || found->cells == nullptr) return;
    const std::size_t first = begin - found->begin, last = first + bytes;
    for (std::size_t at = first / kWordBytes * kWordBytes; at < last; at += kWordBytes) {
        const unsigned from = at < first ? 0xfu << (first - at) : 0xfu;
        const unsigned to = last - at < kWordBytes ? (1u << (last - at)) - 1u : 0xfu;
        (*found->cells)[at / kWordBytes].written |= static_cast<std::uint8_t>(from & to & 0xfu);
    }
}

}  // namespace lab
