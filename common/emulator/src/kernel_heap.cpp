#include "kernel_heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "allocations.hpp"
#include "diagnose.hpp"
#include "emulator/hooks.hpp"
#include "emulator/kernel_heap.hpp"
#include "host_blocks.hpp"
#include "observer.hpp"
#include "poison.hpp"
#include "return_address.hpp"
#include "state.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

constexpr std::size_t kAlignment = 16;  // CUDA's own for malloc() in kernels

/// What a thread of a running block has at the same time as the others.
struct Holder {
    std::size_t held = 0;
    std::size_t most = 0;  ///< since the last barrier
};

/// A block and a thread of it.
using Owner = std::pair<std::uint64_t, int>;

struct Taken {
    std::size_t bytes;
    Owner owner;
};

struct Heap {
    std::mutex mutex;
    bool is_wanted = false;
    std::atomic<bool> is_used{false};          ///< also looked at without the lock
    bool was_full = false;                     ///< in this launch
    std::size_t bytes = std::size_t{8} << 20;  // CUDA's default
    std::byte* begin = nullptr;
    std::map<std::byte*, Taken> live;        ///< by address
    std::map<std::byte*, std::size_t> free;  ///< the same
    std::size_t live_bytes = 0;
    /// Threads run one after the other here. On a device those of a block run at the same time, so
    /// what one of them has freed since the last barrier is not yet free for another.
    std::map<Owner, Holder> holders;
    std::map<std::uint64_t, std::size_t> freed;  ///< the sum of most - held of a block's threads

    /// Whether there is room for what a thread asks for at the time when all others have the most.
    bool has_room(const Owner& owner, std::size_t wanted) {
        const Holder& own = holders[owner];
        const std::size_t others = freed[owner.first] - (own.most - own.held);
        return live_bytes + others + wanted <= bytes;
    }
    void hold(const Owner& owner, std::size_t more) {
        Holder& own = holders[owner];
        std::size_t& of_block = freed[owner.first];
        of_block -= own.most - own.held;
        own.held += more;
        own.most = std::max(own.most, own.held);
        of_block += own.most - own.held;
        live_bytes += more;
    }
    void drop(const Owner& owner, std::size_t less) {
        live_bytes -= less;
        const auto found = holders.find(owner);
        if (found == holders.end() || found->second.held < less) return;
        found->second.held -= less;
        freed[owner.first] += less;
    }
};

Heap& heap() {
    static Heap* const only = new Heap;  // used before main(), and until the very end
    return *only;
}

/// Takes the first gap that is large enough; null if there is none.
std::byte* take(Heap& all, std::size_t bytes) {
    for (auto at = all.free.begin(); at != all.free.end(); ++at) {
        if (at->second < bytes) continue;
        std::byte* const begin = at->first;
        const std::size_t left = at->second - bytes;
        all.free.erase(at);
        if (left != 0) all.free.emplace(begin + bytes, left);
        return begin;
    }
    return nullptr;
}

/// Frees it, merging it with the gaps on either side.
void give_back(Heap& all, std::map<std::byte*, Taken>::iterator taken) {
    std::byte* const begin = taken->first;
    std::size_t bytes = taken->second.bytes;
    all.drop(taken->second.owner, bytes);
    all.live.erase(taken);
    auto after = all.free.lower_bound(begin);
    if (after != all.free.end() && begin + bytes == after->first) {
        bytes += after->second;
        after = all.free.erase(after);
    }
    if (after != all.free.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second == begin) {
            before->second += bytes;
            return;
        }
    }
    all.free.emplace(begin, bytes);
}

}  // namespace

bool use_kernel_heap() {
    heap().is_wanted = true;
    return true;
}

void prepare_kernel_heap() {
    Heap& all = heap();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.was_full = false;
    all.holders.clear();
    all.freed.clear();
    if (!all.is_wanted || all.begin != nullptr || all.bytes == 0) return;
    Memory& device = memory();
    const std::lock_guard<std::mutex> device_lock(device.mutex);
    Allocation made{MemoryKind::heap, "malloc in kernels", {}, nullptr, all.bytes, nullptr, 0,
                    device.made + 1};
    if (!map_allocation(device, made)) return;  // malloc() then gives null
    ++device.made;
    device.add(made.mapping, made);
    all.begin = made.begin;
    all.free.emplace(all.begin, all.bytes / kAlignment * kAlignment);
}

void forget_kernel_heap() {
    Heap& all = heap();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.begin = nullptr;
    all.is_used = false;
    all.live.clear();
    all.free.clear();
    all.live_bytes = 0;
}

bool kernel_heap_was_full() { return heap().was_full; }

std::size_t kernel_heap_bytes() { return heap().bytes; }

cudaError_t set_kernel_heap_bytes(std::size_t bytes, const HostCall& call) {
    Heap& all = heap();
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        if (all.is_used) {
            return call.refuse(cudaErrorInvalidValue,
                               "the heap's size cannot be changed once a kernel has called "
                               "malloc() or new.",
                               Reason::unsupported);
        }
        all.bytes = bytes;
        if (all.begin == nullptr) return fault();
        Memory& device = memory();
        const std::lock_guard<std::mutex> device_lock(device.mutex);
        for (auto at = device.live.begin(); at != device.live.end(); ++at) {
            if (at->second.kind != MemoryKind::heap) continue;
            const Allocation dead = at->second;
            device.remove(at);
            bury(device, dead, {"cudaDeviceSetLimit", 0});
            break;
        }
    }
    forget_kernel_heap();
    return fault();
}

void kernel_heap_passes_barrier(std::uint64_t block) {
    Heap& all = heap();
    if (!all.is_used) return;
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (auto at = all.holders.lower_bound({block, 0});
         at != all.holders.end() && at->first.first == block; ++at) {
        at->second.most = at->second.held;
    }
    all.freed.erase(block);
}

void* kernel_heap_malloc(std::size_t bytes) {
    if (!in_kernel()) return std::malloc(bytes);
    const ToolIsBusy not_to_be_interrupted;
    Heap& all = heap();
    // With a gap after it, as in CUDA's own heap, so that a tool sees accesses beyond the end.
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment + kAlignment;
    std::byte* taken = nullptr;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        all.is_used = true;
        const Owner owner{this_worker->block->index, this_worker->thread->number};
        if (rounded >= bytes && all.has_room(owner, rounded)) taken = take(all, rounded);
        if (taken != nullptr) {
            all.live.emplace(taken, Taken{rounded, owner});
            all.hold(owner, rounded);
        }
        all.was_full = all.was_full || taken == nullptr;
    }
    if (taken == nullptr) return nullptr;
    std::memset(taken, kPoison, bytes);
    if (Observer* const observer = current_observer()) observer->renewed(taken, bytes);
    return taken;
}

void kernel_heap_free(void* pointer, Site site, const void* caller) {
    if (pointer == nullptr) return;
    if (!in_kernel()) {
        std::free(pointer);
        return;
    }
    if (caller == nullptr) caller = RETURN_ADDRESS;
    Observer* const observer = current_observer();
    {
        const ToolIsBusy not_to_be_interrupted;
        Heap& all = heap();
        const std::lock_guard<std::mutex> lock(all.mutex);
        const auto taken = all.live.find(static_cast<std::byte*>(pointer));
        if (taken != all.live.end()) {
            if (observer != nullptr) observer->released(pointer, caller);
            give_back(all, taken);
            return;
        }
    }
    Worker& worker = *this_worker;
    if (site.file == nullptr && observer != nullptr) {
        site = observer->place(reinterpret_cast<std::uintptr_t>(caller));
    }
    worker.fail(
        {cudaErrorIllegalAddress, Reason::free,
         fmt::format("free() or delete in {}{}: the pointer does not come from malloc() or "
                     "new in a kernel, or was freed already.",
                     who(worker), site.file != nullptr ? " at " + words(site) : std::string()),
         worker.launch->kernel_name(), file_of(site), site.line});
}

}  // namespace emulator

// Code that was not rewritten may also destroy what a kernel has made.
namespace {

bool is_of_kernel_heap(const void* pointer) {
    const emulator::Heap& all = emulator::heap();
    const std::byte* const at = static_cast<const std::byte*>(pointer);
    return all.begin != nullptr && at >= all.begin && at < all.begin + all.bytes;
}

void delete_any(void* pointer, const void* caller, const char* call) {
    if (is_of_kernel_heap(pointer)) {
        emulator::kernel_heap_free(pointer, {}, caller);
        return;
    }
    emulator::Observer* const observer = emulator::current_observer();
    if (observer != nullptr && pointer != nullptr && observer->deleted(pointer, call)) return;
    emulator::host_block_gone(pointer);
    std::free(pointer);
}

}  // namespace

// Weak: a program may have its own.
// NOLINTBEGIN(misc-new-delete-overloads): operator new is in host_blocks.cpp.
__attribute__((weak)) void operator delete(void* pointer) noexcept {
    delete_any(pointer, RETURN_ADDRESS, "delete");
}
__attribute__((weak)) void operator delete[](void* pointer) noexcept {
    delete_any(pointer, RETURN_ADDRESS, "delete[]");
}
__attribute__((weak)) void operator delete(void* pointer, std::size_t) noexcept {
    delete_any(pointer, RETURN_ADDRESS, "delete");
}
__attribute__((weak)) void operator delete[](void* pointer, std::size_t) noexcept {
    delete_any(pointer, RETURN_ADDRESS, "delete[]");
}
// NOLINTEND(misc-new-delete-overloads)
