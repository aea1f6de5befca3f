#include "block.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "device.hpp"
#include "fiber.hpp"
#include "launch.hpp"
#include "poison.hpp"
#include "settings_internal.hpp"

namespace emulator {
namespace {

constexpr std::size_t kRedZoneBytes = 64;
/// After dynamic shared memory, to distinguish a launch that gives too little of it from a wrong
/// index into another array.
constexpr std::size_t kDynamicGapBytes = std::size_t{64} * 1024;
constexpr int kRecallEvery = 4096;

std::uint64_t mix(std::uint64_t& state) {
    // splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

}  // namespace

Block::Block() {
    constexpr std::size_t kBytes = kGuardBytes + kFrontBytes + kArenaBytes + kGuardBytes;
    void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    arena_ = static_cast<std::byte*>(memory) + kGuardBytes + kFrontBytes;
    if (mprotect(memory, kGuardBytes, PROT_NONE) != 0 ||
        mprotect(arena_ + kArenaBytes, kGuardBytes, PROT_NONE) != 0) {
        throw std::bad_alloc();
    }
}

Block::~Block() {
    munmap(arena_ - kFrontBytes - kGuardBytes,
           kGuardBytes + kFrontBytes + kArenaBytes + kGuardBytes);
}

bool Block::owns(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(arena_) < kArenaBytes;
}

void Block::begin(const Launch& launch, std::uint64_t its_index) {
    index = its_index;
    const dim3 grid = launch.shape.grid;
    position = {static_cast<unsigned>(index % grid.x),
                static_cast<unsigned>(index / grid.x % grid.y),
                static_cast<unsigned>(index / grid.x / grid.y)};
    const dim3 shape = launch.shape.block;
    const std::size_t count = static_cast<std::size_t>(launch.threads);
    if (shape.x != shape_.x || shape.y != shape_.y || shape.z != shape_.z) {
        shape_ = shape;
        threads.resize(count);
        indices.resize(count);
        order_.resize(count);
        warps.resize((count + 31) / 32);
        for (std::size_t i = 0; i < count; ++i) {
            const unsigned n = static_cast<unsigned>(i);
            indices[i] = {n % shape.x, n / shape.x % shape.y, n / shape.x / shape.y};
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        threads[i].fiber = nullptr;
        threads[i].number = static_cast<std::uint16_t>(i);
        threads[i].state = State::unstarted;
        threads[i].mask = 0;
        threads[i].exchanges = 0;
    }
    for (std::size_t i = 0; i < warps.size(); ++i) {
        const std::size_t lanes = std::min<std::size_t>(32, count - i * 32);
        warps[i] = {lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u, 0, 0, 0,
                    static_cast<int>(lanes)};
    }
    random_ = settings().seed * 0x9e3779b97f4a7c15u + index;
    reorder();
    started_ = 0;
    ready_.clear();
    gave_way_.clear();
    since_recall_ = 0;
    returned = at_barrier = at_grid = predicates = predicate_result = 0;
    sites_differ = false;
    regions.clear();
    dynamic_arrays.clear();
    tiles.clear();
    arena_used_ = static_bytes = 0;
    dynamic_bytes = launch.shape.dynamic_bytes;
    if (dynamic_bytes != 0) {
        regions.push_back({nullptr, "dynamic shared memory", 0, dynamic_bytes, launch.where.site});
        poison(0, dynamic_bytes);
        arena_used_ = dynamic_bytes + kDynamicGapBytes;
    }
}

void Block::reorder() {
    const Order order = settings().order;
    std::iota(order_.begin(), order_.end(), static_cast<std::uint16_t>(0));
    if (order == Order::reverse) {
        std::reverse(order_.begin(), order_.end());
    } else if (order == Order::shuffle) {
        for (std::size_t i = order_.size(); i > 1; --i) {
            std::swap(order_[i - 1], order_[mix(random_) % i]);
        }
    }
}

Order Block::order() const { return settings().order; }

void Block::arrange(int* lanes, int count) {
    if (order() == Order::reverse) {
        std::reverse(lanes, lanes + count);
    } else if (order() == Order::shuffle) {
        for (int i = count; i > 1; --i) {
            std::swap(lanes[i - 1], lanes[mix(random_) % static_cast<unsigned>(i)]);
        }
    }
}

Thread* Block::next() {
    if (!gave_way_.empty() && ++since_recall_ >= kRecallEvery) recall();
    if (!ready_.empty()) {
        Thread& thread = threads[ready_.pop()];
        thread.state = State::runnable;
        // Loads the next thread's stack into the cache while this one runs.
        if (!ready_.empty()) threads[ready_.front()].fiber->prefetch();
        return &thread;
    }
    if (started_ < order_.size()) {
        Thread& thread = threads[order_[started_++]];
        thread.state = State::runnable;
        return &thread;
    }
    return nullptr;
}

void Block::make_ready(Thread& thread) {
    if (thread.state == State::gave_way) {
        gave_way_.push(thread.number);
        return;
    }
    thread.state = State::ready;
    ++warp_of(thread).runnable;
    ready_.push(thread.number);
}

void Block::recall() {
    since_recall_ = 0;
    while (!gave_way_.empty()) {
        // Still counts as yielding until it runs, because a report should describe it like that.
        const std::uint16_t number = gave_way_.pop();
        ++warp_of(threads[number]).runnable;
        ready_.push(number);
    }
}

void Block::release_all() {
    at_barrier = at_grid = 0;
    predicate_result = predicates;
    predicates = 0;
    sites_differ = false;
    if (settings().order == Order::shuffle) reorder();
    for (const std::uint16_t number : order_) make_ready(threads[number]);
}

void Block::release_async(const void* barrier) {
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(barrier);
    for (const std::uint16_t number : order_) {
        Thread& thread = threads[number];
        if (thread.state == State::at_async_barrier && thread.value == address) make_ready(thread);
    }
}

BlockStatus Block::status() const {
    const int count = static_cast<int>(threads.size());
    if (returned == count) return BlockStatus::finished;
    if (!gave_way_.empty()) return BlockStatus::spinning;
    if (at_grid == count && !sites_differ) return BlockStatus::at_grid;
    return BlockStatus::stuck;
}

void Block::poison(std::size_t offset, std::size_t bytes) {
    if (offset == 0) std::memset(arena_ - kRedZoneBytes, kRedZone, kRedZoneBytes);
    std::memset(arena_ + offset, kPoison, bytes);
    std::memset(arena_ + offset + bytes, kRedZone, kRedZoneBytes);
}

void* Block::reserve_shared(const SharedVariable& variable) {
    const std::size_t offset = round_up(arena_used_, std::max<std::size_t>(variable.alignment, 16));
    if (variable.bytes > kArenaBytes || offset + variable.bytes + kRedZoneBytes > kArenaBytes) {
        return nullptr;
    }
    regions.push_back({&variable, variable.name, offset, variable.bytes, variable.site});
    poison(offset, variable.bytes);
    arena_used_ = offset + variable.bytes + kRedZoneBytes;
    static_bytes = round_up(static_bytes, variable.alignment) + variable.bytes;
    return arena_ + offset;
}

void* Block::dynamic_storage(const char* name, Site site) {
    if (std::none_of(dynamic_arrays.begin(), dynamic_arrays.end(),
                     [&](const SharedRegion& each) { return each.name == name; })) {
        dynamic_arrays.push_back({nullptr, name, 0, 0, site});
    }
    for (SharedRegion& region : regions) {
        if (region.variable != nullptr) continue;
        region.name = name;
        region.site = site;
        return arena_ + region.offset;
    }
    // The launch requested none: there is only a red zone, so that any write is found.
    regions.push_back({nullptr, name, round_up(arena_used_, 16), 0, site});
    poison(regions.back().offset, 0);
    arena_used_ = regions.back().offset + kDynamicGapBytes;
    return arena_ + regions.back().offset;
}

const SharedRegion* Block::damaged_region(std::ptrdiff_t* offset) const {
    const std::size_t before_first = regions.empty() ? 0 : kRedZoneBytes;
    for (std::size_t i = 1; i <= before_first; ++i) {
        if (*(arena_ - i) != static_cast<std::byte>(kRedZone)) {
            *offset = -static_cast<std::ptrdiff_t>(i);
            return &regions.front();
        }
    }
    for (const SharedRegion& region : regions) {
        const std::byte* const zone = arena_ + region.offset + region.bytes;
        for (std::size_t i = 0; i < kRedZoneBytes; ++i) {
            if (zone[i] != static_cast<std::byte>(kRedZone)) {
                *offset = static_cast<std::ptrdiff_t>(i);
                return &region;
            }
        }
    }
    return nullptr;
}

}  // namespace emulator
