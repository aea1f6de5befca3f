#include "memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "allocations.hpp"
#include "diagnose.hpp"
#include "emulator/hooks.hpp"
#include "emulator/memory_api.hpp"
#include "emulator/report.hpp"
#include "kernel_heap.hpp"
#include "observer.hpp"
#include "pending_work.hpp"
#include "poison.hpp"
#include "return_address.hpp"
#include "state.hpp"
#include "symbols.hpp"

namespace emulator {
namespace {

/// What is wrong with a size that was below 0 before it became unsigned; empty: nothing.
std::string negative_size(std::size_t bytes) {
    const std::int64_t value = static_cast<std::int64_t>(bytes);
    if (sizeof bytes < sizeof value || value >= 0) return {};
    return fmt::format(
        "\nThat is {}, as an unsigned number: a product of two ints may have overflowed. "
        "Compute the size in\nstd::size_t: static_cast<std::size_t>(rows) * columns * "
        "sizeof(float).",
        value);
}

cudaError_t allocate(void** pointer, std::size_t bytes, MemoryKind kind, const char* call,
                     Site site, std::size_t pitch = 0, std::size_t height = 0) {
    require_host(call, site);
    const HostCall host(call, site);
    if (const cudaError_t earlier = host.earlier(); earlier != cudaSuccess) return earlier;
    if (pointer == nullptr) return host.refuse_null("the pointer that it sets");
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    const ToolTurn turn;    // a kernel's accesses are checked against the existing allocations
    const OpenToHost open;  // the new memory is closed to the host with the rest
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const Allocation* const target = find_in(all, pointer);
    if (target != nullptr && !target->on_host() && target->mapping != nullptr) {
        return host.refuse(
            cudaErrorInvalidValue,
            fmt::format("it stores the address on the host, but the pointer that it is to set is "
                        "in device memory,\n{}. Give it a pointer variable of the host, and copy "
                        "that (or the host's struct that\nholds it) to the device.",
                        describe(*target)));
    }
    const std::size_t free_bytes = device_bytes() - std::min(device_bytes(), all.used);
    Allocation made{kind, call, site, nullptr, bytes, nullptr, 0, all.made + 1};
    made.pitch = pitch;
    made.height = height;
    if (bytes > free_bytes) {
        return host.refuse(cudaErrorMemoryAllocation,
                           fmt::format("{} bytes needed, {} bytes free.{}", bytes, free_bytes,
                                       negative_size(bytes)),
                           Reason::out_of_memory);
    }
    if (!map_allocation(all, made)) {
        return host.refuse(cudaErrorMemoryAllocation,
                           fmt::format("the system gives this program no more memory; it has {} "
                                       "allocations.",
                                       all.live.size()),
                           Reason::out_of_memory);
    }
    ++all.made;
    has_succeeded(Reason::out_of_memory, {});
    if (kind != MemoryKind::pinned) all.used += bytes;
    all.add(made.mapping, made);
    *pointer = made.begin;
    return cudaSuccess;
}

cudaError_t release(void* pointer, const char* call, bool from_device, Site site) {
    require_host(call, site);
    const HostCall host(call, site);
    if (const cudaError_t earlier = host.earlier(); earlier == cudaErrorNotPermitted)
        return earlier;
    if (pointer == nullptr) return fault();
    const ToolTurn turn;
    const OpenToHost open;  // the zones around it are checked
    Memory& all = memory();
    std::unique_lock<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, pointer);
    const auto refuse = [&](const std::string& text) {
        lock.unlock();
        return host.refuse(cudaErrorInvalidValue, text, Reason::free);
    };
    if (found == nullptr) {
        // After a kernel's fault cudaMalloc gives no memory: the pointer may never have been set.
        if (fault() != cudaSuccess) return fault();
        const std::string name = variable_name(pointer);
        return refuse(fmt::format(
            "the pointer does not come from {}.{}", from_device ? "cudaMalloc" : "cudaMallocHost",
            !name.empty() ? fmt::format(" It is the variable {}: variables are not freed.", name)
            : is_mapped(pointer)
                ? " It is host memory: that of malloc() is freed by free(), that of "
                  "new by delete, and a variable not at all."
                : ""));
    }
    if (found->is_dead()) {
        std::string text =
            fmt::format("freed twice: {} was freed at {}.", describe(*found), words(found->freed));
        if (same_site(site, found->freed)) {
            text +=
                " Both are the same line. In a loop: free it after the loop. "
                "In a destructor: each copy of the object frees the memory. "
                "Pass objects by reference to functions, "
                "and to a kernel, whose arguments are copies, only the pointer.";
        }
        return refuse(text);
    }
    if (found->begin != pointer && found->kind != MemoryKind::heap) {
        return refuse(fmt::format("the pointer is {}; only its start can be freed.",
                                  describe_in(all, pointer)));
    }
    if (found->kind == MemoryKind::heap) {
        return refuse("memory of malloc() or new in a kernel is freed in a kernel.");
    }
    if (found->kind == MemoryKind::managed && found->mapping == nullptr) {
        return refuse("a __managed__ variable cannot be freed.");
    }
    const bool matches =
        from_device ? found->kind == MemoryKind::device || found->kind == MemoryKind::managed
                    : found->kind == MemoryKind::pinned;
    if (!matches) {
        return refuse(fmt::format("{} needs {}.", describe(*found),
                                  found->kind == MemoryKind::pinned ? "cudaFreeHost" : "cudaFree"));
    }
    std::ptrdiff_t offset = 0;
    const bool broken = damaged(*found, &offset);
    const Allocation dead = *found;
    all.remove(all.live.find(dead.mapping));
    if (dead.kind != MemoryKind::pinned) all.used -= dead.bytes;
    bury(all, dead, site);
    lock.unlock();
    if (broken) {
        publish({cudaErrorIllegalAddress,
                 Reason::out_of_bounds,
                 damage_text("something", dead, offset),
                 {},
                 file_of(dead.site),
                 dead.site.line});
        set_fault(cudaErrorIllegalAddress);
    }
    return fault();
}

}  // namespace

/// describe_in(), or "host memory" with the variable's name.
static std::string describe_on_host(const Memory& all, const void* pointer) {
    if (find_in(all, pointer) != nullptr || !is_mapped(pointer)) return describe_in(all, pointer);
    const std::string name = variable_name(pointer);
    return name.empty() ? "host memory" : fmt::format("host memory, the variable {}", name);
}

Site attached_elsewhere(const void* pointer, cudaStream_t stream) {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const Allocation* const found = pointer != nullptr ? find_in(all, pointer) : nullptr;
    const bool is_elsewhere = found != nullptr && !found->is_dead() && found->attached_to != stream;
    return is_elsewhere ? found->attached : Site{};
}

void detach_from_stream(cudaStream_t stream) {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (auto& [begin, each] : all.live) {
        if (each.attached_to == stream) each.attached = {};
    }
}

bool device_can_read(const void* pointer, std::string* text) {
    if (pointer == nullptr) return true;
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, pointer);
    const bool is_name = found != nullptr && !found->is_given;
    if (found != nullptr && !found->is_dead() && !is_name) return true;
    if (found != nullptr && !is_name) {
        *text = "a pointer to " + describe_in(all, pointer);
    } else if (!is_mapped(pointer)) {
        *text = fmt::format(
            "{}, an address where there is no memory: the pointer was never set, or computed "
            "wrongly",
            pointer);
    } else {
        *text = "a pointer to host memory";
        const std::string name = variable_name(pointer);
        if (!name.empty()) *text += fmt::format(", the variable {}", name);
    }
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
    // Called from a signal handler, which cannot have interrupted a holder of this lock: a CUDA
    // thread raised the fault.
    const std::lock_guard<std::mutex> lock(all.mutex);
    return describe_in(all, reinterpret_cast<const void*>(address));
}

void let_use_freed(std::uintptr_t address) {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, reinterpret_cast<const void*>(address));
    if (found == nullptr || !found->is_dead() || found->mapping == nullptr) return;
    mprotect(found->mapping, found->mapping_bytes, PROT_READ | PROT_WRITE);
    std::memset(found->begin, kPoison, found->bytes);
}

bool was_freed(std::uintptr_t address) {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, reinterpret_cast<const void*>(address));
    return found != nullptr && found->is_dead();
}

void release_all_memory(Site site) {
    forget_kernel_heap();
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto& [begin, allocation] : all.live) {
        if (allocation.mapping != nullptr) bury(all, allocation, site);
    }
    for (auto at = all.live.begin(); at != all.live.end();) {
        // A __managed__ variable lives as long as the program.
        const bool stays = at->second.kind == MemoryKind::managed && at->second.mapping == nullptr;
        at = stays ? std::next(at) : all.remove(at);
    }
    all.used = 0;
}

std::vector<Extent> device_extents() {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::vector<Extent> extents;
    for (const auto& [begin, a] : all.live) extents.push_back({a.call, a.begin, a.bytes, a.site});
    return extents;
}

std::vector<Leak> leaks() {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::vector<const Allocation*> left;
    for (const auto& [begin, a] : all.live) {
        if (a.mapping != nullptr && a.kind != MemoryKind::heap) left.push_back(&a);
    }
    std::sort(left.begin(), left.end(),
              [](const Allocation* a, const Allocation* b) { return a->number < b->number; });
    std::vector<Leak> found;
    found.reserve(left.size());
    for (const Allocation* each : left) {
        found.push_back({fmt::format("not freed: {} bytes from {} at {}", each->bytes, each->call,
                                     words(each->site)),
                         each->kind == MemoryKind::pinned ? "cudaFreeHost" : "cudaFree", each->call,
                         each->site});
    }
    return found;
}

cudaError_t allocate_device(void** pointer, std::size_t bytes, const char* call, Site site) {
    return allocate(pointer, bytes, MemoryKind::device, call, site);
}

cudaError_t allocate_managed(void** pointer, std::size_t bytes, Site site) {
    return allocate(pointer, bytes, MemoryKind::managed, "cudaMallocManaged", site);
}

cudaError_t allocate_host(void** pointer, std::size_t bytes, const char* call, Site site) {
    return allocate(pointer, bytes, MemoryKind::pinned, call, site);
}

/// 0: the width is too large.
static std::size_t pitch_of(std::size_t width) {
    constexpr std::size_t kPitch = 512;
    return width > SIZE_MAX - kPitch ? 0 : (width + kPitch - 1) / kPitch * kPitch;
}

/// `height`: the rows of a slice, if there are several.
static cudaError_t allocate_rows(void** pointer, cudaExtent extent, std::size_t height,
                                 const char* call, Site site) {
    const std::size_t pitch = pitch_of(extent.width);
    std::size_t bytes = 0;
    const bool overflows = __builtin_mul_overflow(pitch, extent.height, &bytes) ||
                           __builtin_mul_overflow(bytes, extent.depth, &bytes);
    if (overflows || (pitch == 0 && extent.width != 0)) {
        return HostCall(call, site)
            .refuse(
                cudaErrorInvalidValue,
                fmt::format("{} slices of {} rows of {} bytes are more than there can be.{}",
                            extent.depth, extent.height, extent.width, negative_size(extent.width)),
                Reason::out_of_memory);
    }
    return allocate(pointer, bytes, MemoryKind::device, call, site, pitch, height);
}

cudaError_t allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width,
                             std::size_t height, Site site) {
    if (pitch == nullptr) return HostCall("cudaMallocPitch", site).refuse_null("the pitch");
    *pitch = pitch_of(width);
    return allocate_rows(pointer, {width, height, 1}, 0, "cudaMallocPitch", site);
}

cudaError_t allocate_3d(cudaPitchedPtr* made, cudaExtent extent, Site site) {
    if (made == nullptr) return HostCall("cudaMalloc3D", site).refuse_null("the result");
    const cudaError_t error =
        allocate_rows(&made->ptr, extent, extent.height, "cudaMalloc3D", site);
    if (error == cudaSuccess) {
        *made = {made->ptr, pitch_of(extent.width), extent.width, extent.height};
    }
    return error;
}

/// Freeing waits for everything that may still use the memory.
static void wait_for_device() {
    host_waits_for_device();
    const ToolTurn turn;
    if (Observer* const observer = current_observer()) {
        observer->stream_call(StreamCall::device_synchronized, nullptr, nullptr);
    }
}

/// Tells a tool that memory from cudaMallocAsync, or what kernels use of the host's, is about to be
/// freed. False: it is other memory, or none.
static bool tell_of_free(void* pointer, cudaStream_t stream, bool is_of_host, const char* call,
                         Site site) {
    Memory& all = memory();
    std::unique_lock<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, pointer);
    if (found == nullptr || found->is_dead() || found->begin != pointer) return false;
    if (found->kind != MemoryKind::pinned && found->kind != MemoryKind::registered &&
        std::strcmp(found->call, "cudaMallocAsync") != 0) {
        return false;
    }
    const std::size_t bytes = found->bytes;
    lock.unlock();
    const ToolTurn turn;
    if (Observer* const observer = current_observer()) {
        observer->memory_freed({pointer, bytes, stream, is_of_host, call, site});
    }
    return true;
}

/// For memory from cudaMallocAsync, cudaFree does not wait.
cudaError_t release_device(void* pointer, const char* call, Site site) {
    if (!tell_of_free(pointer, nullptr, true, call, site)) wait_for_device();
    return release(pointer, call, true, site);
}

cudaError_t allocate_in_stream(void** pointer, std::size_t bytes, cudaStream_t stream, Site site) {
    const HostCall call("cudaMallocAsync", site);
    if (const cudaError_t error = check_stream(call, stream); error != cudaSuccess) return error;
    const cudaError_t result =
        allocate(pointer, bytes, MemoryKind::device, "cudaMallocAsync", site);
    const ToolTurn turn;
    Observer* const observer = current_observer();
    if (result == cudaSuccess && bytes != 0 && observer != nullptr) {
        observer->memory_given({*pointer, bytes, stream, false, "cudaMallocAsync", site});
    }
    return result;
}

cudaError_t release_in_stream(void* pointer, cudaStream_t stream, Site site) {
    const HostCall call("cudaFreeAsync", site);
    if (const cudaError_t error = check_stream(call, stream); error != cudaSuccess) return error;
    tell_of_free(pointer, stream, false, "cudaFreeAsync", site);
    return release(pointer, "cudaFreeAsync", true, site);
}

cudaError_t release_host(void* pointer, Site site) {
    tell_of_free(pointer, nullptr, true, "cudaFreeHost", site);
    wait_for_device();
    return release(pointer, "cudaFreeHost", false, site);
}

cudaError_t device_pointer_of_host(void** device, void* host, Site site) {
    const HostCall call("cudaHostGetDevicePointer", site);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (device == nullptr) return call.refuse_null("the result");
    Memory& all = memory();
    std::unique_lock<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, host);
    if (found != nullptr && !found->is_dead() && found->on_host()) {
        *device = host;
        return cudaSuccess;
    }
    const std::string what = describe_on_host(all, host);
    lock.unlock();
    return call.refuse(cudaErrorInvalidValue,
                       fmt::format("the pointer is {}. Only memory from cudaHostAlloc or "
                                   "cudaMallocHost, and memory\nthat cudaHostRegister was given, "
                                   "has an address on the device.",
                                   what));
}

}  // namespace emulator

using emulator::HostCall;

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    const HostCall call("cudaMemGetInfo", RETURN_ADDRESS);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (free_bytes == nullptr || total_bytes == nullptr) return call.refuse_null("a result");
    emulator::Memory& all = emulator::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    *total_bytes = emulator::device_bytes();
    *free_bytes = emulator::device_bytes() - all.used;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    const HostCall call("cudaPointerGetAttributes", RETURN_ADDRESS);
    if (attributes == nullptr) return call.refuse_null("the result");
    emulator::Memory& all = emulator::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<void*>(pointer)};
    const emulator::Allocation* const found = emulator::find_in(all, pointer);
    const std::byte* const at = static_cast<const std::byte*>(pointer);
    if (found == nullptr || found->is_dead() || at < found->begin || at >= found->end()) {
        return cudaSuccess;
    }
    attributes->device = 0;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (!found->on_host()) attributes->hostPointer = nullptr;
    attributes->type = found->kind == emulator::MemoryKind::managed ? cudaMemoryTypeManaged
                       : found->on_host()                           ? cudaMemoryTypeHost
                                                                    : cudaMemoryTypeDevice;
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
    const HostCall call("cudaHostRegister", RETURN_ADDRESS);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (pointer == nullptr) return call.refuse_null("the memory");
    if (bytes == 0) return call.refuse(cudaErrorInvalidValue, "it registers 0 bytes.");
    emulator::Memory& all = emulator::memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::byte* const begin = static_cast<std::byte*>(pointer);
    const bool fresh = all.add(
        begin,
        emulator::Allocation{
            emulator::MemoryKind::registered, "cudaHostRegister", {}, begin, bytes, nullptr, 0, 0});
    if (fresh) return cudaSuccess;
    return call.refuse(cudaErrorHostMemoryAlreadyRegistered, "this memory is registered already.");
}

cudaError_t cudaHostUnregister(void* pointer) {
    const HostCall call("cudaHostUnregister", RETURN_ADDRESS);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    emulator::tell_of_free(pointer, nullptr, true, "cudaHostUnregister", call.site());
    emulator::wait_for_device();
    emulator::Memory& all = emulator::memory();
    std::unique_lock<std::mutex> lock(all.mutex);
    const auto found = all.live.find(static_cast<std::byte*>(pointer));
    if (found == all.live.end() || found->second.kind != emulator::MemoryKind::registered) {
        const std::string what = emulator::describe_on_host(all, pointer);
        lock.unlock();
        return call.refuse(cudaErrorHostMemoryNotRegistered,
                           fmt::format("the pointer is {}, not one that cudaHostRegister was "
                                       "given.",
                                       what));
    }
    all.remove(found);
    return cudaSuccess;
}
