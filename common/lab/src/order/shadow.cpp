#include "shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <set>

namespace lab {
namespace {

/// Device memory that is watched: a cell is 26 times its word.
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
    if (cell.more == nullptr) cell.more = &more_.emplace_back();
    return *cell.more;
}

void DeviceShadow::look_anew() {
    emulator::Memory& all = emulator::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    last_ = nullptr;
    last_begin_ = last_bytes_ = 0;
    made_ = all.made;
    live_ = all.live.size();
    std::set<std::size_t> live;
    for (const auto& [outer, each] : all.live) live.insert(each.number);
    for (auto at = by_begin_.begin(); at != by_begin_.end();) {
        const bool gone = at->second.number != 0 && live.count(at->second.number) == 0;
        if (gone && at->second.cells != nullptr) watched_ -= at->second.bytes;
        if (gone && at->second.holds_values) freed_[at->first] = at->second.bytes;
        at = gone ? by_begin_.erase(at) : std::next(at);
    }
    for (const auto& [outer, each] : all.live) {
        const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(each.begin);
        if (by_begin_.count(begin) != 0) continue;
        for (auto old = freed_.begin(); old != freed_.end();) {
            const bool overlaps =
                old->first < begin + each.bytes && begin < old->first + old->second;
            old = overlaps ? freed_.erase(old) : std::next(old);
        }
        Watched made{
            each.number,
            begin,
            each.bytes,
            each.kind,
            each.kind != emulator::MemoryKind::device && each.kind != emulator::MemoryKind::heap,
            describe(each),
            each.call,
            each.site,
            nullptr};
        if (watched_ + each.bytes <= kMaxBytes) {
            watched_ += each.bytes;
            made.cells = std::make_unique<Cells>(each.bytes / kWordBytes + 2);
        } else {
            unwatched_ = std::max(unwatched_, each.bytes);
        }
        by_begin_.emplace(begin, std::move(made));
    }
    std::uintptr_t low = by_begin_.empty() ? 0 : by_begin_.begin()->first, high = 0;
    for (const auto& [begin, each] : by_begin_) high = std::max(high, begin + each.bytes);
    for (const auto& [begin, bytes] : freed_) {
        low = low == 0 ? begin : std::min(low, begin);
        high = std::max(high, begin + bytes);
    }
    low_ = low;
    high_ = high;
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
    }
}

void DeviceShadow::written(std::uintptr_t begin, std::size_t bytes) {
    look();
    Watched* const found = find(begin, 0);
    if (found == nullptr || found->cells == nullptr) return;
    const std::size_t first = (begin - found->begin) / kWordBytes;
    const std::size_t last = (begin - found->begin + bytes + kWordBytes - 1) / kWordBytes;
    for (std::size_t i = first; i < last; ++i) (*found->cells)[i].written = 0xf;
}

}  // namespace lab
