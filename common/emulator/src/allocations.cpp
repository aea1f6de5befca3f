#include "allocations.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "diagnose.hpp"
#include "emulator/hooks.hpp"
#include "poison.hpp"
#include "symbols.hpp"

namespace emulator {
namespace {

constexpr std::size_t kZoneBytes = 256;  // before and after; also CUDA's alignment
/// At most this many have guard pages. Each of them takes two mappings, of which Linux allows a
/// process 65,530; without guard pages neighbours share one. A far access is then not stopped at
/// once, but what it writes into a red zone is still found, and the lab checks each access before
/// it is done.
constexpr std::size_t kGuarded = 16384;
constexpr std::size_t kGraveyardLength = 64;  // freed allocations whose addresses stay forbidden

std::size_t page_bytes() {
    static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

}  // namespace

#if !defined(__APPLE__)
/// Where the linker put the __managed__ variables; null if the program has none.
extern "C" std::byte __start_cpu_managed[] __attribute__((weak, visibility("hidden")));
extern "C" std::byte __stop_cpu_managed[] __attribute__((weak, visibility("hidden")));

static void add_managed_variables(Memory& all) {
    std::byte* const begin = __start_cpu_managed;
    if (begin == nullptr) return;
    const auto bytes = static_cast<std::size_t>(__stop_cpu_managed - begin);
    all.add(begin, Allocation{MemoryKind::managed, "__managed__", {}, begin, bytes, nullptr, 0, 0});
}
#else
static void add_managed_variables(Memory&) {}
#endif

Memory& memory() {
    static Memory* const all = [] {
        auto* const fresh = new Memory;
        add_managed_variables(*fresh);
        return fresh;
    }();
    return *all;
}

std::size_t device_bytes() {
    static const std::size_t bytes =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes() / 2;
    return bytes;
}

namespace {

bool host_is_kept_out = false;
int open_count = 0;  // living OpenToHost objects

void protect_device_memory(int protection) {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto& [begin, a] : all.live) {
        if (a.kind != MemoryKind::device || a.mapping == nullptr) continue;
        mprotect(a.mapping + a.guard_bytes, a.mapping_bytes - 2 * a.guard_bytes, protection);
    }
}

}  // namespace

void keep_host_out(bool out) {
    if (out == host_is_kept_out) return;
    host_is_kept_out = out;
    protect_device_memory(out ? PROT_NONE : PROT_READ | PROT_WRITE);
}

bool is_device_memory(const void* address) {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, address);
    return found != nullptr && found->kind == MemoryKind::device && !found->is_dead();
}

OpenToHost::OpenToHost() {
    if (host_is_kept_out && open_count++ == 0) protect_device_memory(PROT_READ | PROT_WRITE);
}

OpenToHost::~OpenToHost() {
    if (host_is_kept_out && --open_count == 0) protect_device_memory(PROT_NONE);
}

std::string describe(const Allocation& a) {
    // Made by a tool, which gave it a name but no source location.
    if (a.kind == MemoryKind::device && a.call != nullptr && a.site.file == nullptr) {
        return fmt::format("{} ({} bytes)", a.call, a.bytes);
    }
    if (a.kind == MemoryKind::managed && a.mapping == nullptr) return "the __managed__ variables";
    switch (a.kind) {
        case MemoryKind::device:
        case MemoryKind::managed:
        case MemoryKind::pinned:
            return fmt::format("the allocation of {} bytes from {} at {}", a.bytes, a.call,
                               words(a.site));
        case MemoryKind::symbol:
            return fmt::format("the __device__ variable {} of {} bytes", variable_name(a.begin),
                               a.bytes);
        case MemoryKind::heap:
            return "the memory of malloc() and new in kernels";
        case MemoryKind::registered:
            return fmt::format("the registered host memory of {} bytes", a.bytes);
    }
    return {};
}

const Allocation* find_in(const Memory& all, const void* address) {
    const std::byte* const at = static_cast<const std::byte*>(address);
    auto after = all.live.upper_bound(at);
    if (after != all.live.begin()) {
        const Allocation& candidate = std::prev(after)->second;
        // One past the end still belongs to it, as in C++.
        if (at < candidate.outer_end() || at == candidate.end()) return &candidate;
    }
    for (const Allocation& dead : all.graveyard) {
        if (at >= dead.outer_begin() && at < dead.outer_end()) return &dead;
    }
    return nullptr;
}

/// "12.3 GiB past the start of the allocation of ..., as from an index that has overflowed" for
/// an address that an index may lead to from an allocation; empty: there is none.
static std::string far_from(const Memory& all, const void* address) {
    constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address);
    const Allocation* nearest = nullptr;
    std::uint64_t least = 64 * kGiB;  // a 32-bit index of 16-byte items
    for (const auto& [outer, each] : all.live) {
        if (each.kind != MemoryKind::device && each.kind != MemoryKind::managed) continue;
        const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(each.begin);
        const std::uintptr_t distance = at < begin ? begin - at : at - begin;
        if (distance >= least) continue;
        least = distance;
        nearest = &each;
    }
    if (nearest == nullptr) return {};
    const bool is_before = at < reinterpret_cast<std::uintptr_t>(nearest->begin);
    const bool is_large = least >= kGiB;
    return fmt::format(
        "{:.1f} {} {} the start of {}, as from an index that {}",
        static_cast<double>(least) / static_cast<double>(is_large ? kGiB : kGiB >> 10),
        is_large ? "GiB" : "MiB", is_before ? "before" : "past", describe(*nearest),
        is_large ? "has overflowed" : "is far out of bounds");
}

std::string describe_in(const Memory& all, const void* address) {
    if (address == nullptr) return "a null pointer";
    const Allocation* const found = find_in(all, address);
    const std::byte* const at = static_cast<const std::byte*>(address);
    if (found == nullptr) {
        if (reinterpret_cast<std::uintptr_t>(address) < 65536) return "near a null pointer";
        const std::string far = far_from(all, address);
        return far.empty() ? "in no allocation; the pointer was never set, or computed wrongly"
                           : far;
    }
    std::string place;
    if (at < found->begin) {
        place = fmt::format("{} bytes before the start of ", found->begin - at);
    } else if (at >= found->end()) {
        place = at == found->end() ? std::string("just past the end of ")
                                   : fmt::format("{} bytes past the end of ", at - found->end());
    } else if (at != found->begin) {
        place = fmt::format("{} bytes into ", at - found->begin);
    }
    place += describe(*found);
    if (found->is_dead()) place += fmt::format(", which was freed at {}", words(found->freed));
    return place;
}

bool is_mapped(const void* address) {
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) & ~(page_bytes() - 1);
    return msync(reinterpret_cast<void*>(page), 1, MS_ASYNC) == 0;
}

bool map_allocation(const Memory& all, Allocation& a) {
    const std::size_t page = page_bytes();
    const std::size_t inner = (kZoneBytes + a.bytes + kZoneBytes + page - 1) / page * page;
    a.guard_bytes = all.live.size() < kGuarded ? page : 0;
    a.mapping_bytes = inner + 2 * a.guard_bytes;
    const int protection = a.guard_bytes != 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
    void* const mapping = mmap(nullptr, a.mapping_bytes, protection,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return false;
    a.mapping = static_cast<std::byte*>(mapping);
    if (a.guard_bytes != 0 && mprotect(a.mapping + page, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, a.mapping_bytes);
        return false;
    }
    a.begin = a.mapping + a.guard_bytes + kZoneBytes;
    std::memset(a.begin - kZoneBytes, kRedZone, kZoneBytes);
    std::memset(a.begin, kPoison, a.bytes);
    std::memset(a.begin + a.bytes, kRedZone, inner - kZoneBytes - a.bytes);
    return true;
}

bool damaged(const Allocation& a, std::ptrdiff_t* offset) {
    if (a.mapping == nullptr) return false;
    const auto bad = [](std::byte b) { return b != static_cast<std::byte>(kRedZone); };
    const std::byte* const zone_end = a.begin + a.bytes;
    // The part of the zone that is checked after every launch; the guard page follows.
    const std::byte* const last = std::min<const std::byte*>(
        zone_end + kZoneBytes, a.mapping + a.mapping_bytes - a.guard_bytes);
    if (const std::byte* const hit = std::find_if(zone_end, last, bad); hit != last) {
        *offset = hit - zone_end;
        return true;
    }
    for (const std::byte* at = a.begin; at-- != a.begin - kZoneBytes;) {
        if (bad(*at)) {
            *offset = at - a.begin;
            return true;
        }
    }
    return false;
}

std::string damage_text(const std::string& culprit, const Allocation& a, std::ptrdiff_t offset) {
    return fmt::format("out of bounds: {} wrote {} {}.", culprit, outside_text(offset),
                       describe(a));
}

void bury(Memory& all, Allocation dead, Site site) {
    dead.freed = site;
    if (dead.freed.file == nullptr) dead.freed.file = "cudaDeviceReset";
    // The addresses stay reserved for a while, so that a use after free is found, not hidden; the
    // memory itself is released, or kept if that fails.
    static_cast<void>(mmap(dead.mapping, dead.mapping_bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
    all.graveyard.push_back(dead);
    if (all.graveyard.size() > kGraveyardLength) {
        munmap(all.graveyard.front().mapping, all.graveyard.front().mapping_bytes);
        all.graveyard.pop_front();
    }
}

}  // namespace emulator
