#include "host_blocks.hpp"

#include <cstdint>
#include <cstdlib>
#if defined(__GLIBC__) || defined(__wasi__)
#include <malloc.h>
#endif
#include <functional>
#include <mutex>
#include <new>
#include <unordered_map>

#include "emulator/hooks.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

/// Memory for the list itself, which must not be in it.
template <class T>
struct OfMalloc {
    using value_type = T;
    OfMalloc() = default;
    template <class U>
    explicit OfMalloc(const OfMalloc<U>&) {}
    T* allocate(std::size_t count) {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): the table asks for room for pointers as well.
        void* const made = std::malloc(count * sizeof(T));
        if (made == nullptr) std::abort();
        return static_cast<T*>(made);
    }
    void deallocate(T* memory, std::size_t) { std::free(memory); }
    bool operator==(const OfMalloc&) const { return true; }
    bool operator!=(const OfMalloc&) const { return false; }
};

struct Blocks {
    using Entry = std::pair<const std::byte* const, HostBlock>;
    std::mutex mutex;
    std::uint64_t made = 0;
    // Not in the order of addresses: a host allocates much more often than it copies.
    std::unordered_map<const std::byte*, HostBlock, std::hash<const std::byte*>, std::equal_to<>,
                       OfMalloc<Entry>>
        all;
    /// The block that ends in a unit of kBehindBlock bytes: no two can.
    std::unordered_map<std::uintptr_t, const std::byte*, std::hash<std::uintptr_t>, std::equal_to<>,
                       OfMalloc<std::pair<const std::uintptr_t, const std::byte*>>>
        ends;
};

/// Never destroyed: memory is freed until the very end of a program.
Blocks& blocks() {
    alignas(Blocks) static std::byte memory[sizeof(Blocks)];
    static Blocks* const made = new (memory) Blocks;
    return *made;
}

/// A library may have freed it, unseen, and be using its place.
bool is_still_there([[maybe_unused]] const HostBlock& block) {
#if defined(__GLIBC__) || defined(__wasi__)
    constexpr std::size_t kMaxOver = 8192;  // of memory in whole pages
    const std::size_t bytes = malloc_usable_size(const_cast<std::byte*>(block.begin));
    return bytes - with_room_behind(block.bytes) < kMaxOver;
#else
    return true;
#endif
}

std::uintptr_t unit_of(const std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address) / kBehindBlock;
}

}  // namespace

std::array<std::atomic<bool>, kBlockEnds> host_block_ends{};

void host_block_made(void* begin, std::size_t bytes) {
    if (begin == nullptr || in_kernel()) return;
    const ToolIsBusy not_to_be_interrupted;
    Blocks& known = blocks();
    const std::byte* const at = static_cast<const std::byte*>(begin);
    const std::lock_guard<std::mutex> lock(known.mutex);
    known.all.insert_or_assign(at, HostBlock{at, bytes, bytes, ++known.made});
    known.ends[unit_of(at + bytes)] = at;
    host_block_ends[unit_of(at + bytes) % kBlockEnds].store(true, std::memory_order_relaxed);
}

void host_block_gone(const void* begin) {
    if (begin == nullptr) return;
    const ToolIsBusy not_to_be_interrupted;
    Blocks& known = blocks();
    const std::lock_guard<std::mutex> lock(known.mutex);
    const auto found = known.all.find(static_cast<const std::byte*>(begin));
    if (found == known.all.end()) return;
    known.ends.erase(unit_of(found->first + found->second.bytes));
    known.all.erase(found);
}

HostBlock host_block_at(const void* address) {
    Blocks& known = blocks();
    const std::byte* const at = static_cast<const std::byte*>(address);
    const std::lock_guard<std::mutex> lock(known.mutex);
    if (const auto found = known.all.find(at); found != known.all.end()) return found->second;
    HostBlock newest;  // a library may have freed an older one there
    for (const auto& [begin, block] : known.all) {
        const bool holds = begin < at && at < begin + block.bytes;
        if (holds && block.number > newest.number) newest = block;
    }
    return newest;
}

HostBlock host_block_before(const void* address) {
    Blocks& known = blocks();
    const std::byte* const at = static_cast<const std::byte*>(address);
    const std::lock_guard<std::mutex> lock(known.mutex);
    for (const std::uintptr_t unit : {unit_of(at), unit_of(at) - 1}) {
        const auto end = known.ends.find(unit);
        if (end == known.ends.end()) continue;
        const HostBlock& block = known.all.find(end->second)->second;
        const std::byte* const past = block.begin + block.bytes;
        if (at >= past && at < past + kBehindBlock && is_still_there(block)) return block;
    }
    return {};
}

}  // namespace emulator

// libstdc++'s std::vector calls it when the number of its items changes, in files that are compiled
// for that (lab/memory_calls.hpp).
extern "C" __attribute__((weak)) void __sanitizer_annotate_contiguous_container(
    const void* begin, const void* end, const void*, const void* items_end) {
    using namespace emulator;
    Blocks& known = blocks();
    const std::byte* const at = static_cast<const std::byte*>(begin);
    const std::lock_guard<std::mutex> lock(known.mutex);
    const auto found = known.all.find(at);
    if (found == known.all.end() || at + found->second.bytes != end) return;
    found->second.used = static_cast<std::size_t>(static_cast<const std::byte*>(items_end) - at);
}

#ifndef __wasm__
// Weak: a program may have its own.
// NOLINTNEXTLINE(misc-new-delete-overloads): operator delete is in kernel_heap.cpp.
__attribute__((weak)) void* operator new(std::size_t bytes) {
    void* made = nullptr;
    while ((made = std::malloc(emulator::with_room_behind(bytes))) == nullptr) {
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) throw std::bad_alloc();
        handler();
    }
    emulator::host_block_made(made, bytes);
    return made;
}
#endif
