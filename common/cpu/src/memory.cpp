#include "memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "cpu/device_api.hpp"
#include "cpu/hooks.hpp"
#include "cpu/report.hpp"
#include "diagnose.hpp"
#include "poison.hpp"
#include "state.hpp"

namespace cpu {
namespace {

constexpr std::size_t kZoneBytes = 256;       // before and behind; also CUDA's alignment
constexpr std::size_t kGraveyardLength = 64;  // freed allocations whose addresses stay forbidden

enum class Kind { device, managed, pinned, symbol, registered };

struct Allocation {
    Kind kind;
    const char* call;
    Site site;
    std::byte* begin;
    std::size_t bytes;
    std::byte* mapping;  ///< with guard pages; null where the memory is not ours
    std::size_t mapping_bytes;
    std::size_t number;  ///< counted from 1 over the program's life
    Site freed = {};     ///< of the freeing call

    const std::byte* end() const { return begin + bytes; }
    const std::byte* outer_begin() const { return mapping != nullptr ? mapping : begin; }
    const std::byte* outer_end() const {
        return mapping != nullptr ? mapping + mapping_bytes : end();
    }
    bool on_device() const {
        return kind == Kind::device || kind == Kind::managed || kind == Kind::symbol;
    }
    bool on_host() const { return kind != Kind::device && kind != Kind::symbol; }
};

struct Memory {
    std::mutex mutex;
    std::map<const std::byte*, Allocation> live;  ///< by outer_begin
    std::deque<Allocation> graveyard;             ///< freed; their pages can not be touched
    std::size_t used = 0;                         ///< bytes of device and managed memory
    std::size_t made = 0;
};

Memory& memory() {
    static Memory* const all = new Memory;
    return *all;
}

std::size_t page_bytes() {
    static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/// Half of this machine's memory: the other half is for the host's copies.
std::size_t device_bytes() {
    static const std::size_t bytes =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes() / 2;
    return bytes;
}

std::string describe(const Allocation& a) {
    switch (a.kind) {
        case Kind::device:
        case Kind::managed:
        case Kind::pinned:
            return fmt::format("the allocation of {} bytes from {} at {}", a.bytes, a.call,
                               words(a.site));
        case Kind::symbol:
            return fmt::format("the __device__ variable of {} bytes", a.bytes);
        case Kind::registered:
            return fmt::format("the registered host memory of {} bytes", a.bytes);
    }
    return {};
}

/// The allocation, guard pages included, that an address belongs to. Needs the lock.
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

bool is_dead(const Allocation& a) { return a.freed.file != nullptr; }

std::string describe_in(const Memory& all, const void* address) {
    if (address == nullptr) return "a null pointer";
    const Allocation* const found = find_in(all, address);
    const std::byte* const at = static_cast<const std::byte*>(address);
    if (found == nullptr) {
        if (reinterpret_cast<std::uintptr_t>(address) < 65536) return "near a null pointer";
        return "not device memory";
    }
    std::string place;
    if (at < found->begin) {
        place = fmt::format("{} bytes before the start of ", found->begin - at);
    } else if (at >= found->end()) {
        place = at == found->end() ? std::string("right behind the end of ")
                                   : fmt::format("{} bytes behind the end of ", at - found->end());
    } else {
        place = fmt::format("{} bytes into ", at - found->begin);
    }
    place += describe(*found);
    if (is_dead(*found)) place += fmt::format(", which was freed at {}", words(found->freed));
    return place;
}

/// Maps pages, poisons the middle, and writes red zones around it. Null where there is no memory.
std::byte* map_allocation(Allocation& a) {
    const std::size_t page = page_bytes();
    const std::size_t inner = (kZoneBytes + a.bytes + kZoneBytes + page - 1) / page * page;
    a.mapping_bytes = inner + 2 * page;
    void* const mapping = mmap(nullptr, a.mapping_bytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    a.mapping = static_cast<std::byte*>(mapping);
    if (mprotect(a.mapping + page, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, a.mapping_bytes);
        return nullptr;
    }
    a.begin = a.mapping + page + kZoneBytes;
    std::memset(a.mapping + page, kRedZone, kZoneBytes);
    std::memset(a.begin, kPoison, a.bytes);
    std::memset(a.begin + a.bytes, kRedZone, inner - kZoneBytes - a.bytes);
    return a.begin;
}

cudaError_t allocate(void** pointer, std::size_t bytes, Kind kind, const char* call, Site site) {
    if (const cudaError_t earlier = fault(); earlier != cudaSuccess) return earlier;
    if (pointer == nullptr) return set_error(cudaErrorInvalidValue);
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const std::size_t free_bytes = device_bytes() - std::min(device_bytes(), all.used);
    Allocation made{kind, call, site, nullptr, bytes, nullptr, 0, all.made + 1};
    if (bytes > free_bytes || map_allocation(made) == nullptr) {
        return set_error(cudaErrorMemoryAllocation, site,
                         fmt::format("{} at {}: {} bytes needed, {} bytes free.", call, words(site),
                                     bytes, free_bytes));
    }
    ++all.made;
    if (kind != Kind::pinned) all.used += bytes;
    all.live.emplace(made.mapping, made);
    *pointer = made.begin;
    return cudaSuccess;
}

/// Where the zone around an allocation was written to: bytes before its start (negative) or from
/// its end; false where it is whole.
bool damaged(const Allocation& a, std::ptrdiff_t* offset) {
    if (a.mapping == nullptr) return false;
    const auto bad = [](std::byte b) { return b != static_cast<std::byte>(kRedZone); };
    const std::byte* const zone_end = a.begin + a.bytes;
    // As far as the zone is looked at after every launch; the guard page follows.
    const std::byte* const last = std::min<const std::byte*>(
        zone_end + kZoneBytes, a.mapping + a.mapping_bytes - page_bytes());
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
    const std::string place =
        offset < 0 ? fmt::format("{} byte{} before the start of", -offset, offset == -1 ? "" : "s")
        : offset == 0 ? std::string("right behind the end of")
                      : fmt::format("{} byte{} behind the end of", offset, offset == 1 ? "" : "s");
    return fmt::format("out of bounds: {} wrote {} {}.", culprit, place, describe(a));
}

void bury(Memory& all, Allocation dead, Site site) {
    dead.freed = site;
    if (dead.freed.file == nullptr) dead.freed.file = "cudaDeviceReset";
    // The addresses stay taken for a while, so that a use after free is met and not hidden; the
    // memory itself goes back.
    mmap(dead.mapping, dead.mapping_bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    all.graveyard.push_back(dead);
    if (all.graveyard.size() > kGraveyardLength) {
        munmap(all.graveyard.front().mapping, all.graveyard.front().mapping_bytes);
        all.graveyard.pop_front();
    }
}

cudaError_t release(void* pointer, const char* call, bool from_device, Site site) {
    if (pointer == nullptr) return fault();
    Memory& all = memory();
    std::unique_lock<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, pointer);
    const auto refuse = [&](const std::string& text) {
        lock.unlock();
        return set_error(cudaErrorInvalidValue, site,
                         fmt::format("{} at {}: {}", call, words(site), text));
    };
    if (found == nullptr) {
        return refuse(from_device ? "the pointer does not come from cudaMalloc."
                                  : "the pointer does not come from cudaMallocHost.");
    }
    if (is_dead(*found)) {
        return refuse(
            fmt::format("freed twice: {} was freed at {}.", describe(*found), words(found->freed)));
    }
    if (found->begin != pointer) {
        return refuse(fmt::format("the pointer is {}; only its start can be freed.",
                                  describe_in(all, pointer)));
    }
    const bool matches = from_device ? found->kind == Kind::device || found->kind == Kind::managed
                                     : found->kind == Kind::pinned;
    if (!matches) {
        return refuse(fmt::format("{} needs {}.", describe(*found),
                                  found->kind == Kind::pinned ? "cudaFreeHost" : "cudaFree"));
    }
    std::ptrdiff_t offset = 0;
    const bool broken = damaged(*found, &offset);
    const Allocation dead = *found;
    all.live.erase(dead.mapping);
    if (dead.kind != Kind::pinned) all.used -= dead.bytes;
    bury(all, dead, site);
    lock.unlock();
    if (broken) {
        publish({cudaErrorIllegalAddress,
                 damage_text("something", dead, offset),
                 {},
                 file_of(dead.site),
                 dead.site.line});
        set_fault(cudaErrorIllegalAddress);
    }
    return fault();
}

/// Checks one side of a copy. Empty: it is right.
std::string check_side(const Memory& all, const char* side, const void* pointer, std::size_t bytes,
                       bool device, bool any) {
    const Allocation* const found = find_in(all, pointer);
    if (pointer == nullptr) return fmt::format("the {} is a null pointer", side);
    if (found == nullptr) {
        if (!device || any) return {};
        return fmt::format("the {} is host memory, but the direction says device memory", side);
    }
    if (is_dead(*found)) return fmt::format("the {} is {}", side, describe_in(all, pointer));
    if (!any && device && !found->on_device()) {
        return fmt::format("the {} is host memory ({}), but the direction says device memory", side,
                           describe(*found));
    }
    if (!any && !device && !found->on_host()) {
        return fmt::format("the {} is device memory ({}), but the direction says host memory", side,
                           describe(*found));
    }
    const std::byte* const at = static_cast<const std::byte*>(pointer);
    if (at < found->begin || at + bytes > found->end()) {
        if (at < found->begin) {
            return fmt::format("the {} starts {} bytes before {}", side, found->begin - at,
                               describe(*found));
        }
        return fmt::format("{} bytes from byte {} of the {}, {}, go {} bytes beyond its end", bytes,
                           at - found->begin, side, describe(*found), at + bytes - found->end());
    }
    return {};
}

cudaError_t check_copy(const void* to, std::size_t to_bytes, const void* from,
                       std::size_t from_bytes, cudaMemcpyKind kind, const char* call, Site site) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        return set_error(cudaErrorInvalidMemcpyDirection, site,
                         fmt::format("{} at {}: {} is not a direction.", call, words(site),
                                     static_cast<int>(kind)));
    }
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    Memory& all = memory();
    std::string text;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        text = check_side(all, "destination", to, to_bytes, to_device, any);
        if (text.empty()) text = check_side(all, "source", from, from_bytes, from_device, any);
    }
    if (text.empty()) return cudaSuccess;
    return set_error(cudaErrorInvalidValue, site,
                     fmt::format("{} of {} bytes at {}: {}.", call, to_bytes, words(site), text));
}

}  // namespace

bool device_can_read(const void* pointer, std::string* text) {
    if (pointer == nullptr) return true;
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, pointer);
    if (found != nullptr && !is_dead(*found)) return true;
    *text =
        found != nullptr ? "a pointer to " + describe_in(all, pointer) : "a pointer to host memory";
    return false;
}

bool find_damage(const std::string& kernel, std::string* text, Site* site) {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto& [begin, allocation] : all.live) {
        std::ptrdiff_t offset = 0;
        if (!damaged(allocation, &offset)) continue;
        *text = damage_text("kernel " + kernel, allocation, offset);
        *site = allocation.site;
        return true;
    }
    return false;
}

std::string describe_address(std::uintptr_t address) {
    Memory& all = memory();
    // Called from a signal handler, which may have interrupted nothing that holds this lock: the
    // fault was raised by a CUDA thread.
    const std::lock_guard<std::mutex> lock(all.mutex);
    return describe_in(all, reinterpret_cast<const void*>(address));
}

void release_all_memory() {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto& [begin, allocation] : all.live) {
        if (allocation.mapping != nullptr) bury(all, allocation, {"cudaDeviceReset", 0});
    }
    all.live.clear();
    all.used = 0;
}

std::vector<Extent> device_extents() {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::vector<Extent> extents;
    for (const auto& [begin, a] : all.live) extents.push_back({a.call, a.begin, a.bytes, a.site});
    return extents;
}

std::string leak_report() {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::vector<const Allocation*> leaks;
    for (const auto& [begin, a] : all.live) {
        if (a.mapping != nullptr) leaks.push_back(&a);
    }
    std::sort(leaks.begin(), leaks.end(),
              [](const Allocation* a, const Allocation* b) { return a->number < b->number; });
    std::string text;
    for (const Allocation* leak : leaks) {
        text += fmt::format("not freed: {} bytes from {} at {}\n", leak->bytes, leak->call,
                            words(leak->site));
    }
    return text;
}

cudaError_t allocate_device(void** pointer, std::size_t bytes, const char* call, Site site) {
    return allocate(pointer, bytes, Kind::device, call, site);
}

cudaError_t allocate_managed(void** pointer, std::size_t bytes, Site site) {
    if (bytes == 0) return set_error(cudaErrorInvalidValue);
    return allocate(pointer, bytes, Kind::managed, "cudaMallocManaged", site);
}

cudaError_t allocate_host(void** pointer, std::size_t bytes, const char* call, Site site) {
    return allocate(pointer, bytes, Kind::pinned, call, site);
}

cudaError_t allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width,
                             std::size_t height, Site site) {
    if (pitch == nullptr) return set_error(cudaErrorInvalidValue);
    constexpr std::size_t kPitch = 512;
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    return allocate(pointer, *pitch * height, Kind::device, "cudaMallocPitch", site);
}

cudaError_t release_device(void* pointer, const char* call, Site site) {
    return release(pointer, call, true, site);
}

cudaError_t release_host(void* pointer, Site site) {
    return release(pointer, "cudaFreeHost", false, site);
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* call, Site site) {
    if (const cudaError_t earlier = fault(); earlier != cudaSuccess) return earlier;
    if (bytes == 0) return cudaSuccess;
    if (const cudaError_t wrong = check_copy(to, bytes, from, bytes, kind, call, site);
        wrong != cudaSuccess) {
        return wrong;
    }
    std::memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind, Site site) {
    if (const cudaError_t earlier = fault(); earlier != cudaSuccess) return earlier;
    if (width == 0 || height == 0) return cudaSuccess;
    if (to_pitch < width || from_pitch < width) return set_error(cudaErrorInvalidPitchValue);
    if (const cudaError_t wrong =
            check_copy(to, to_pitch * (height - 1) + width, from, from_pitch * (height - 1) + width,
                       kind, "cudaMemcpy2D", site);
        wrong != cudaSuccess) {
        return wrong;
    }
    for (std::size_t row = 0; row < height; ++row) {
        std::memmove(static_cast<std::byte*>(to) + row * to_pitch,
                     static_cast<const std::byte*>(from) + row * from_pitch, width);
    }
    return cudaSuccess;
}

cudaError_t fill(void* to, int value, std::size_t bytes, const char* call, Site site) {
    if (const cudaError_t earlier = fault(); earlier != cudaSuccess) return earlier;
    if (bytes == 0) return cudaSuccess;
    Memory& all = memory();
    std::string text;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        const Allocation* const found = find_in(all, to);
        if (found != nullptr && found->kind == Kind::pinned) {
            text = check_side(all, "destination", to, bytes, false, false);
        } else {
            text = check_side(all, "destination", to, bytes, true, false);
            if (found == nullptr && to != nullptr) text = "the destination is host memory";
        }
    }
    if (!text.empty()) {
        return set_error(cudaErrorInvalidValue, site,
                         fmt::format("{} of {} bytes at {}: {}.", call, bytes, words(site), text));
    }
    std::memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t symbol_address(void** pointer, void* symbol, std::size_t symbol_bytes) {
    if (pointer == nullptr) return set_error(cudaErrorInvalidValue);
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::byte* const begin = static_cast<std::byte*>(symbol);
    all.live.emplace(
        begin,
        Allocation{Kind::symbol, "cudaGetSymbolAddress", {}, begin, symbol_bytes, nullptr, 0, 0});
    *pointer = symbol;
    return cudaSuccess;
}

cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* from,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, Site site) {
    if (const cudaError_t earlier = fault(); earlier != cudaSuccess) return earlier;
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
        return set_error(cudaErrorInvalidValue, site,
                         fmt::format("cudaMemcpyToSymbol at {}: {} bytes at offset {} do not fit "
                                     "into a variable of {} bytes.",
                                     words(site), bytes, offset, symbol_bytes));
    }
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) {
        return set_error(cudaErrorInvalidMemcpyDirection);
    }
    std::byte* const to = static_cast<std::byte*>(symbol) + offset;
    void* address = nullptr;
    symbol_address(&address, symbol, symbol_bytes);
    return copy(to, from, bytes, kind, "cudaMemcpyToSymbol", site);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                             Site site) {
    if (const cudaError_t earlier = fault(); earlier != cudaSuccess) return earlier;
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
        return set_error(cudaErrorInvalidValue, site,
                         fmt::format("cudaMemcpyFromSymbol at {}: a variable of {} bytes does not "
                                     "have {} bytes at offset {}.",
                                     words(site), symbol_bytes, bytes, offset));
    }
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) {
        return set_error(cudaErrorInvalidMemcpyDirection);
    }
    void* address = nullptr;
    symbol_address(&address, const_cast<void*>(symbol), symbol_bytes);
    return copy(to, static_cast<const std::byte*>(symbol) + offset, bytes, kind,
                "cudaMemcpyFromSymbol", site);
}

}  // namespace cpu

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    if (const cudaError_t earlier = cpu::fault(); earlier != cudaSuccess) return earlier;
    if (free_bytes == nullptr || total_bytes == nullptr) {
        return cpu::set_error(cudaErrorInvalidValue);
    }
    cpu::Memory& all = cpu::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    *total_bytes = cpu::device_bytes();
    *free_bytes = cpu::device_bytes() - all.used;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (attributes == nullptr) return cpu::set_error(cudaErrorInvalidValue);
    cpu::Memory& all = cpu::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<void*>(pointer)};
    const cpu::Allocation* const found = cpu::find_in(all, pointer);
    const std::byte* const at = static_cast<const std::byte*>(pointer);
    if (found == nullptr || cpu::is_dead(*found) || at < found->begin || at >= found->end()) {
        return cudaSuccess;
    }
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (!found->on_host()) attributes->hostPointer = nullptr;
    attributes->type = found->kind == cpu::Kind::managed ? cudaMemoryTypeManaged
                       : found->on_host()                ? cudaMemoryTypeHost
                                                         : cudaMemoryTypeDevice;
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
    if (pointer == nullptr || bytes == 0) return cpu::set_error(cudaErrorInvalidValue);
    cpu::Memory& all = cpu::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::byte* const begin = static_cast<std::byte*>(pointer);
    const bool fresh =
        all.live
            .emplace(
                begin,
                cpu::Allocation{
                    cpu::Kind::registered, "cudaHostRegister", {}, begin, bytes, nullptr, 0, 0})
            .second;
    return fresh ? cudaSuccess : cpu::set_error(cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
    cpu::Memory& all = cpu::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.live.find(static_cast<std::byte*>(pointer));
    if (found == all.live.end() || found->second.kind != cpu::Kind::registered) {
        return cpu::set_error(cudaErrorHostMemoryNotRegistered);
    }
    all.live.erase(found);
    return cudaSuccess;
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
    if (width == 0 || height == 0) return cpu::fault();
    if (pitch < width) return cpu::set_error(cudaErrorInvalidPitchValue);
    for (std::size_t row = 0; row < height; ++row) {
        const cudaError_t error =
            cpu::fill(static_cast<std::byte*>(to) + row * pitch, value, width, "cudaMemset2D", {});
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

namespace {

/// Advice about managed memory: nothing to do, as there is one memory, but the range must be one.
cudaError_t check_managed(const void* pointer, std::size_t bytes) {
    if (const cudaError_t earlier = cpu::fault(); earlier != cudaSuccess) return earlier;
    cpu::Memory& all = cpu::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const cpu::Allocation* const found = cpu::find_in(all, pointer);
    const std::byte* const at = static_cast<const std::byte*>(pointer);
    const bool inside = found != nullptr && !cpu::is_dead(*found) &&
                        found->kind == cpu::Kind::managed && at >= found->begin &&
                        at + bytes <= found->end();
    return inside ? cudaSuccess : cpu::set_error(cudaErrorInvalidValue);
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation, unsigned,
                                 cudaStream_t) {
    return check_managed(pointer, bytes);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise,
                          cudaMemLocation) {
    return check_managed(pointer, bytes);
}
