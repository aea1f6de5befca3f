// Copies and fills, each checked before it is done: direction, size, freed memory.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>

#include "allocations.hpp"
#include "diagnose.hpp"
#include "emulator/memory_api.hpp"
#include "host_blocks.hpp"
#include "observer.hpp"
#include "pending_work.hpp"
#include "state.hpp"
#include "symbols.hpp"

#if defined(__GLIBC__) && defined(__LP64__)
extern "C" char end[];  // from the linker: the end of the program's last variable
#endif

namespace emulator {
namespace {

#if defined(__GLIBC__) && defined(__LP64__)
/// Where the C library's heap begins; 0: not known.
std::uintptr_t heap_begin() {
    // QEMU does not name the heap. There it begins on the page after the program.
    const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t behind = (reinterpret_cast<std::uintptr_t>(end) + page - 1) / page * page;
    const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(sbrk(0)) - 1;
    std::uintptr_t unnamed = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        char* rest = nullptr;
        const std::uintptr_t from = std::strtoull(line.c_str(), &rest, 16);
        if (line.find("[heap]") != std::string::npos) return from;
        const std::uintptr_t to = std::strtoull(rest + 1, nullptr, 16);
        if (from <= behind && behind <= last && last < to) unnamed = behind;
    }
    return unnamed;
}
#endif

constexpr std::size_t kUnknown = ~std::size_t{0};
thread_local std::size_t room_to = kUnknown, room_from = kUnknown;

/// Bytes from here to the end of the block of the C library's heap that begins here; kUnknown if
/// none does. The library keeps each block's size before it, with three flags in the lowest bits.
std::size_t heap_bytes([[maybe_unused]] const void* pointer) {
#if defined(__GLIBC__) && defined(__LP64__)
    constexpr std::uintptr_t kFlags = 7, kPreviousInUse = 1, kHeader = 16;
    static const std::uintptr_t begin = heap_begin();
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(pointer);
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(sbrk(0));
    if (begin == 0 || at % 16 != 0 || at < begin + kHeader || at + kHeader > end) return kUnknown;
    const std::uintptr_t size = reinterpret_cast<const std::uintptr_t*>(at)[-1];
    const std::uintptr_t next = at - kHeader + (size & ~kFlags);
    if ((size & 6) != 0 || (size & ~kFlags) < 32 || next + kHeader > end) return kUnknown;
    const std::uintptr_t next_size = reinterpret_cast<const std::uintptr_t*>(next)[1];
    if ((next_size & kPreviousInUse) == 0) return kUnknown;
    return (size & ~kFlags) - 8;
#else
    return kUnknown;
#endif
}

/// Whether a heap block certainly begins here: what looks like its size may be program data. Walks
/// through all blocks.
bool is_heap_block([[maybe_unused]] const void* pointer) {
#if defined(__GLIBC__) && defined(__LP64__)
    constexpr std::uintptr_t kFlags = 7, kHeader = 16;
    const std::uintptr_t wanted = reinterpret_cast<std::uintptr_t>(pointer) - kHeader;
    std::uintptr_t at = heap_begin();
    while (at != 0 && at < wanted) {
        const std::uintptr_t size = reinterpret_cast<const std::uintptr_t*>(at)[1] & ~kFlags;
        if (size == 0) return false;
        at += size;
    }
    return at == wanted;
#else
    return false;
#endif
}

/// Bytes that each side of a copy has from its first one on; the largest number: as many as needed.
struct Rooms {
    std::size_t to = kUnknown, from = kUnknown;
};

/// Checks a side that is ordinary host memory, as far as its size can be known. `room`: what the
/// compiler knows; the bytes that are there if these are too few.
std::string check_room(const char* side, const void* pointer, std::size_t bytes, std::size_t* room,
                       const std::string& rows) {
    const HostBlock block = host_block_at(pointer);
    const std::byte* const at = static_cast<const std::byte*>(pointer);
    std::size_t known = *room, before = 0;
    if (block.begin != nullptr) {
        before = static_cast<std::size_t>(at - block.begin);
        known = std::min(known, block.used - std::min(block.used, before));
    } else if (bytes <= known && bytes > heap_bytes(pointer) && is_heap_block(pointer)) {
        known = heap_bytes(pointer);
    }
    *room = kUnknown;
    if (bytes <= known) return {};
    *room = std::min(bytes, block.begin != nullptr ? block.bytes - before : known);
    // A vector's memory may be larger than its items.
    const std::string vector =
        block.used == block.bytes
            ? std::string()
            : fmt::format(
                  ": a std::vector with {} bytes of items (size()), in memory for {} "
                  "(capacity()).\nCopy only its items, or call resize() before the copy: "
                  "reserve() makes no items",
                  block.used, block.bytes);
    if (before != 0 && vector.empty()) {
        return fmt::format("the {} is byte {} of host memory of {} bytes, of which {} are left{}",
                           side, before, block.bytes, known,
                           rows.empty()
                               ? ".\nCopy only these: the last part may be shorter than the others"
                               : rows);
    }
    return fmt::format(
        "the {} is host memory with room for {} bytes{}", side, known,
        !rows.empty()     ? rows
        : !vector.empty() ? vector
                          : fmt::format(".\nCopy {} bytes, or make the array larger: the size of a "
                                        "copy is in bytes, number of items * sizeof(item)",
                                        known));
}

/// Checks one side of a copy. Empty: it is correct. `rows` is added if the copy is too large.
/// `by_name`: the call takes a variable.
std::string check_side(const Memory& all, const char* side, const void* pointer, std::size_t bytes,
                       bool device, bool any, const std::string& rows = {}, bool by_name = false) {
    const Allocation* found = find_in(all, pointer);
    if (found != nullptr && !found->is_given && !by_name) found = nullptr;
    if (pointer == nullptr) return fmt::format("the {} is a null pointer", side);
    if (found == nullptr) {
        if (!device || any) return {};
        const std::string name = variable_name(pointer);
        if (name.empty()) {
            return fmt::format("the {} is host memory, but the direction says device memory", side);
        }
        return fmt::format(
            "the {} is the host's side of the variable {}, but the direction says device memory.\n"
            "A __device__ or __constant__ variable is copied with cudaMemcpyToSymbol and "
            "cudaMemcpyFromSymbol, or by\nthe address that cudaGetSymbolAddress gives",
            side, name);
    }
    if (found->is_dead()) return fmt::format("the {} is {}", side, describe_in(all, pointer));
    if (found->kind == MemoryKind::heap) {
        return fmt::format(
            "the {} is {}, which only kernels can use.\nLet a kernel copy it to or from memory "
            "of cudaMalloc",
            side, describe(*found));
    }
    // Pinned memory is at the same address on both sides.
    if (!any && !device && !found->on_host()) {
        return fmt::format("the {} is device memory ({}), but the direction says host memory", side,
                           describe(*found));
    }
    if (found->holds(pointer, bytes)) return {};
    const std::byte* const at = static_cast<const std::byte*>(pointer);
    if (at < found->begin) {
        return fmt::format("the {} starts {} bytes before {}", side, found->begin - at,
                           describe(*found));
    }
    const std::size_t beyond = bytes - static_cast<std::size_t>(found->end() - at);
    return fmt::format("{} bytes from byte {} of the {}, {}, go {} byte{} beyond its end{}", bytes,
                       at - found->begin, side, describe(*found), beyond, beyond == 1 ? "" : "s",
                       rows);
}

/// `rooms`: of host memory that is too small. CUDA returns no error for it, so the copy is done as
/// far as it is there. `rows`: a sentence about a copy of rows, added if it is too large.
cudaError_t check_copy(const void* to, std::size_t to_bytes, const void* from,
                       std::size_t from_bytes, cudaMemcpyKind kind, const char* call, Site site,
                       Rooms* rooms, const std::string& rows = {}) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        return HostCall(call, site)
            .refuse(cudaErrorInvalidMemcpyDirection,
                    fmt::format("{} is not a direction.", static_cast<int>(kind)), Reason::copy);
    }
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const bool by_name = std::strstr(call, "Symbol") != nullptr;
    Memory& all = memory();
    std::string text, overrun;
    *rooms = {room_to, room_from};
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        text = check_side(all, "destination", to, to_bytes, to_device, any, rows, by_name);
        if (text.empty()) {
            text = check_side(all, "source", from, from_bytes, from_device, any, rows, by_name);
        }
        for (const bool is_to : {true, false}) {
            std::size_t& room = is_to ? rooms->to : rooms->from;
            if (!text.empty() || find_in(all, is_to ? to : from) != nullptr) {
                room = kUnknown;
                continue;
            }
            const std::string said = check_room(is_to ? "destination" : "source", is_to ? to : from,
                                                is_to ? to_bytes : from_bytes, &room, rows);
            if (overrun.empty()) overrun = said;
        }
    }
    if (text.empty() && overrun.empty()) return cudaSuccess;
    std::string said = fmt::format("{} of {} bytes at {}: {}.", call, to_bytes, words(site),
                                   text.empty() ? overrun : text);
    if (!text.empty()) return set_error(cudaErrorInvalidValue, Reason::copy, site, std::move(said));
    publish({cudaErrorInvalidValue, Reason::copy, std::move(said), {}, file_of(site), site.line});
    return cudaSuccess;
}

cudaError_t check_fill(const void* to, std::size_t bytes, const char* call, Site site) {
    Memory& all = memory();
    std::string text;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        const Allocation* const found = find_in(all, to);
        text = check_side(all, "destination", to, bytes, true, false);
        if (found == nullptr && to != nullptr) text = "the destination is host memory";
    }
    if (text.empty()) return cudaSuccess;
    return set_error(cudaErrorInvalidValue, Reason::copy, site,
                     fmt::format("{} of {} bytes at {}: {}.", call, bytes, words(site), text));
}

/// `error`: different for copies and fills.
cudaError_t refuse_pitch(cudaError_t error, const char* call, std::size_t width, std::size_t pitch,
                         Site site) {
    constexpr std::size_t kMaxItem = 16;
    const bool is_count = pitch != 0 && width % pitch == 0 && width / pitch <= kMaxItem;
    return HostCall(call, site)
        .refuse(error,
                fmt::format("rows of {} bytes cannot be {} bytes apart.{}", width, pitch,
                            is_count ? fmt::format(" Is {0} a number of items? Then the pitch is "
                                                   "{0} * {1} bytes.",
                                                   pitch, width / pitch)
                                     : ""),
                Reason::copy);
}

/// One side of a copy, or what is filled: rows of pitched memory, in slices.
struct Rows {
    std::byte* begin;
    std::size_t pitch;       ///< bytes from one row to the next
    std::size_t height;      ///< rows from one slice to the next
    std::size_t before = 0;  ///< bytes of the memory before the first row
};

std::byte* row_of(const Rows& rows, std::size_t slice, std::size_t row) {
    return rows.begin + (slice * rows.height + row) * rows.pitch;
}

/// Bytes from the memory's begin to the last one; the largest number if that overflows.
std::size_t region_bytes(const Rows& rows, cudaExtent extent) {
    std::size_t slices = 0, count = 0, bytes = 0;
    const bool overflows = __builtin_mul_overflow(rows.height, extent.depth - 1, &slices) ||
                           __builtin_add_overflow(slices, extent.height - 1, &count) ||
                           __builtin_mul_overflow(rows.pitch, count, &bytes) ||
                           __builtin_add_overflow(bytes, extent.width, &bytes) ||
                           __builtin_add_overflow(bytes, rows.before, &bytes);
    return overflows ? SIZE_MAX : bytes;
}

bool is_empty(cudaExtent extent) {
    return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

/// The bytes from each row to the next, for a tool; 0: there is only one.
std::size_t told_pitch(const Rows& rows, cudaExtent extent) {
    return extent.height * extent.depth > 1 ? rows.pitch : 0;
}

/// Slices of more rows than there are from one slice to the next would overlap.
/// `error`: different for copies and fills.
cudaError_t check_slices(const HostCall& host, cudaError_t error, const Rows& rows,
                         cudaExtent extent) {
    if (extent.depth == 1 || extent.height <= rows.height) return cudaSuccess;
    return host.refuse(
        error,
        fmt::format("slices of {} rows cannot be {} rows apart (the ysize of cudaPitchedPtr).",
                    extent.height, rows.height),
        Reason::copy);
}

/// The copy is done all the same: a device returns no error for it.
void report_overlap(std::size_t bytes, const char* call, Site site) {
    publish(
        {cudaErrorInvalidValue,
         Reason::copy,
         fmt::format("{} at {}: source and destination overlap by {} bytes, which CUDA does not "
                     "allow: a part may be\noverwritten before it is read. Copy by way of a "
                     "second array, or in a kernel that reads all before it writes.",
                     call, words(site), bytes),
         {},
         file_of(site),
         site.line});
}

/// Whether the host waits for a copy: it waits for one into its pageable memory even if not asked
/// to.
bool is_waited_for(const Copy& copy) {
    if (!copy.is_async) return true;
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    return find_in(all, copy.to) == nullptr;
}

void tell_of(const Copy& copy) {
    auto* const stream = static_cast<cudaStream_t>(const_cast<void*>(copy.stream));
    stream_gets_work(stream);
    if (is_waited_for(copy)) host_waits_for_stream(stream);
    if (Observer* const observer = current_observer()) observer->copied(copy);
}

bool is_async(const char* call) {
    const std::string name = call;
    return name.size() > 5 && name.compare(name.size() - 5, 5, "Async") == 0;
}

}  // namespace

HostRoom::HostRoom(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) {
    room_to = std::min(to_bytes, variable_room(to));
    room_from = std::min(from_bytes, variable_room(from));
}

HostRoom::~HostRoom() { room_to = room_from = kUnknown; }

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* call, Site site, cudaStream_t stream) {
    const HostCall host(call, site);
    if (const cudaError_t error = check_stream(host, stream); error != cudaSuccess) return error;
    if (bytes == 0) return cudaSuccess;
    Rooms rooms;
    if (const cudaError_t wrong = check_copy(to, bytes, from, bytes, kind, call, site, &rooms);
        wrong != cudaSuccess) {
        return wrong;
    }
    const std::size_t apart = to < from
                                  ? static_cast<std::size_t>(static_cast<const std::byte*>(from) -
                                                             static_cast<std::byte*>(to))
                                  : static_cast<std::size_t>(static_cast<std::byte*>(to) -
                                                             static_cast<const std::byte*>(from));
    if (apart < bytes) report_overlap(bytes - apart, call, site);
    if (!is_async(call)) let_others_go_first();
    const ToolTurn turn;
    const OpenToHost open;
    std::memmove(to, from, std::min({bytes, rooms.to, rooms.from}));
    tell_of({to, from, std::min(bytes, rooms.to), stream, is_async(call), call, site});
    return cudaSuccess;
}

/// The copy of rows, of which all but the pitches is checked.
static cudaError_t copy_rows(const Rows& to, const Rows& from, cudaExtent extent,
                             cudaMemcpyKind kind, const char* call, Site site,
                             cudaStream_t stream) {
    const auto [width, height, depth] = extent;
    if (to.pitch < width || from.pitch < width) {
        return refuse_pitch(cudaErrorInvalidPitchValue, call, width, std::min(to.pitch, from.pitch),
                            site);
    }
    const bool is_gap_new =
        to.pitch != width && from.pitch != width && to.pitch != height && from.pitch != height;
    const std::string rows = fmt::format(
        ".\nIt copies {} rows of {} bytes each, {} bytes apart in the destination and {} in the "
        "source. {}",
        height * depth, width, to.pitch, from.pitch,
        depth > 1 ? fmt::format("Slices\nare {} rows apart in the destination and {} in the source",
                                to.height, from.height)
        : is_gap_new ? fmt::format("Rows\nwith nothing between them, as in an array of the host, "
                                   "are {} bytes apart",
                                   width)
                     : std::string("The width\nin bytes comes before the number of rows: the two "
                                   "may be swapped"));
    Rooms rooms;
    if (const cudaError_t wrong =
            check_copy(to.begin - to.before, region_bytes(to, extent), from.begin - from.before,
                       region_bytes(from, extent), kind, call, site, &rooms, rows);
        wrong != cudaSuccess) {
        return wrong;
    }
    const ToolTurn turn;
    const OpenToHost open;
    for (std::size_t slice = 0; slice < depth; ++slice) {
        for (std::size_t row = 0; row < height; ++row) {
            std::byte* const target = row_of(to, slice, row);
            const std::byte* const source = row_of(from, slice, row);
            const auto left = [](std::size_t room, const Rows& side, const std::byte* at) {
                const std::size_t before = static_cast<std::size_t>(at - side.begin) + side.before;
                return room - std::min(room, before);
            };
            const std::size_t room = std::min(width, left(rooms.to, to, target));
            if (room == 0) continue;
            std::memmove(target, source, std::min(room, left(rooms.from, from, source)));
            tell_of({target, source, room, stream, is_async(call), call, site,
                     told_pitch(to, extent), told_pitch(from, extent)});
        }
    }
    return cudaSuccess;
}

cudaError_t copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind, const char* call,
                    Site site, cudaStream_t stream) {
    const HostCall host(call, site);
    if (const cudaError_t error = check_stream(host, stream); error != cudaSuccess) return error;
    const cudaExtent extent{width, height, 1};
    if (is_empty(extent)) return cudaSuccess;
    auto* const source = static_cast<std::byte*>(const_cast<void*>(from));
    return copy_rows({static_cast<std::byte*>(to), to_pitch, height}, {source, from_pitch, height},
                     extent, kind, call, site, stream);
}

cudaError_t copy_3d(const cudaMemcpy3DParms* parameters, const char* call, Site site,
                    cudaStream_t stream) {
    const HostCall host(call, site);
    if (const cudaError_t error = check_stream(host, stream); error != cudaSuccess) return error;
    if (parameters == nullptr) return host.refuse_null("the description of the copy");
    const cudaMemcpy3DParms& given = *parameters;
    if (given.srcArray != nullptr || given.dstArray != nullptr) {
        return host.refuse(cudaErrorNotSupported,
                           "arrays for textures are not in the emulator: copy between srcPtr and "
                           "dstPtr.",
                           Reason::copy);
    }
    if (is_empty(given.extent)) return cudaSuccess;
    if (given.srcPtr.ptr == nullptr || given.dstPtr.ptr == nullptr) {
        return host.refuse(cudaErrorInvalidValue,
                           fmt::format("the address in {} is null.",
                                       given.srcPtr.ptr == nullptr ? "srcPtr" : "dstPtr"),
                           Reason::copy);
    }
    const auto side = [](const cudaPitchedPtr& memory, const cudaPos& at) {
        const Rows rows{static_cast<std::byte*>(memory.ptr), memory.pitch, memory.ysize};
        std::byte* const begin = row_of(rows, at.z, at.y) + at.x;
        return Rows{begin, rows.pitch, rows.height, static_cast<std::size_t>(begin - rows.begin)};
    };
    const Rows to = side(given.dstPtr, given.dstPos), from = side(given.srcPtr, given.srcPos);
    for (const auto& [rows, at] : {std::pair{to, given.dstPos}, std::pair{from, given.srcPos}}) {
        const cudaError_t wrong =
            check_slices(host, cudaErrorInvalidPitchValue, rows, given.extent);
        if (wrong != cudaSuccess) return wrong;
        const bool is_one_slice = given.extent.depth == 1 && rows.height == 0;
        const bool is_past_row =
            rows.pitch >= given.extent.width && at.x + given.extent.width > rows.pitch;
        if (is_past_row || (!is_one_slice && at.y + given.extent.height > rows.height)) {
            return host.refuse(
                cudaErrorInvalidValue,
                is_past_row ? fmt::format("{} bytes from byte {} of a row go past its {} bytes.",
                                          given.extent.width, at.x, rows.pitch)
                            : fmt::format("{} rows from row {} of a slice go past its {} rows.",
                                          given.extent.height, at.y, rows.height),
                Reason::copy);
        }
    }
    return copy_rows(to, from, given.extent, given.kind, call, site, stream);
}

cudaError_t fill(void* to, int value, std::size_t bytes, const char* call, Site site,
                 cudaStream_t stream) {
    const HostCall host(call, site);
    if (const cudaError_t error = check_stream(host, stream); error != cudaSuccess) return error;
    if (bytes == 0) {
        // With a value it is perhaps a mistake, which a tool may explain later.
        const ToolTurn turn;
        if (value != 0) tell_of({to, nullptr, 0, stream, true, call, site});
        return cudaSuccess;
    }
    if (const cudaError_t wrong = check_fill(to, bytes, call, site); wrong != cudaSuccess) {
        return wrong;
    }
    const ToolTurn turn;
    const OpenToHost open;
    std::memset(to, value, bytes);
    // The host never waits for a fill of device memory.
    tell_of({to, nullptr, bytes, stream, true, call, site});
    return cudaSuccess;
}

cudaError_t fill_2d(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                    const char* call, Site site, cudaStream_t stream) {
    return fill_3d({to, pitch, width, height}, value, {width, height, 1}, call, site, stream);
}

cudaError_t fill_3d(cudaPitchedPtr to, int value, cudaExtent extent, const char* call, Site site,
                    cudaStream_t stream) {
    const HostCall host(call, site);
    if (const cudaError_t error = check_stream(host, stream); error != cudaSuccess) return error;
    if (is_empty(extent)) return cudaSuccess;
    const Rows rows{static_cast<std::byte*>(to.ptr), to.pitch, to.ysize};
    if (rows.pitch < extent.width) {
        return refuse_pitch(cudaErrorInvalidValue, call, extent.width, rows.pitch, site);
    }
    if (const cudaError_t wrong = check_slices(host, cudaErrorInvalidValue, rows, extent);
        wrong != cudaSuccess) {
        return wrong;
    }
    if (const cudaError_t wrong = check_fill(to.ptr, region_bytes(rows, extent), call, site);
        wrong != cudaSuccess) {
        return wrong;
    }
    const ToolTurn turn;
    const OpenToHost open;
    for (std::size_t slice = 0; slice < extent.depth; ++slice) {
        for (std::size_t row = 0; row < extent.height; ++row) {
            std::byte* const target = row_of(rows, slice, row);
            std::memset(target, value, extent.width);
            tell_of({target, nullptr, extent.width, stream, true, call, site,
                     told_pitch(rows, extent), rows.pitch});
        }
    }
    return cudaSuccess;
}

namespace {

/// `is_given`: the host gets the address on the device. On a GPU the variable has a different
/// address on the host.
void add_symbol(void* symbol, std::size_t symbol_bytes, bool is_given) {
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::byte* const begin = static_cast<std::byte*>(symbol);
    Allocation made{
        MemoryKind::symbol, "cudaGetSymbolAddress", {}, begin, symbol_bytes, nullptr, 0, 0};
    made.is_given = is_given;
    if (!all.add(begin, made) && is_given) all.live.find(begin)->second.is_given = true;
}

}  // namespace

cudaError_t symbol_address(void** pointer, void* symbol, std::size_t symbol_bytes, Site site) {
    const HostCall call("cudaGetSymbolAddress", site);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (pointer == nullptr) return call.refuse_null("the result");
    add_symbol(symbol, symbol_bytes, true);
    *pointer = symbol;
    return cudaSuccess;
}

cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* from,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                           const char* call, Site site, cudaStream_t stream) {
    const HostCall host(call, site);
    if (const cudaError_t earlier = host.earlier(); earlier != cudaSuccess) return earlier;
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
        return host.refuse(cudaErrorInvalidValue,
                           fmt::format("{} bytes at offset {} do not fit into a variable of {} "
                                       "bytes.",
                                       bytes, offset, symbol_bytes),
                           Reason::copy);
    }
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) {
        return host.refuse(cudaErrorInvalidMemcpyDirection,
                           "the direction says host memory, but it copies to a variable of the "
                           "device.",
                           Reason::copy);
    }
    std::byte* const to = static_cast<std::byte*>(symbol) + offset;
    add_symbol(symbol, symbol_bytes, false);
    return copy(to, from, bytes, kind, call, site, stream);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                             const char* call, Site site, cudaStream_t stream) {
    const HostCall host(call, site);
    if (const cudaError_t earlier = host.earlier(); earlier != cudaSuccess) return earlier;
    if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
        return host.refuse(cudaErrorInvalidValue,
                           fmt::format("a variable of {} bytes does not have {} bytes at offset "
                                       "{}.",
                                       symbol_bytes, bytes, offset),
                           Reason::copy);
    }
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) {
        return host.refuse(cudaErrorInvalidMemcpyDirection,
                           "the direction says host memory, but it copies from a variable of the "
                           "device.",
                           Reason::copy);
    }
    add_symbol(const_cast<void*>(symbol), symbol_bytes, false);
    return copy(to, static_cast<const std::byte*>(symbol) + offset, bytes, kind, call, site,
                stream);
}

cudaError_t check_managed(const void* pointer, std::size_t bytes, const char* call, Site site,
                          cudaStream_t stream) {
    const HostCall host(call, site);
    if (const cudaError_t error = check_stream(host, stream); error != cudaSuccess) return error;
    Memory& all = memory();
    std::unique_lock<std::mutex> lock(all.mutex);
    const Allocation* const found = find_in(all, pointer);
    const bool is_managed =
        found != nullptr && !found->is_dead() && found->kind == MemoryKind::managed;
    if (is_managed && found->holds(pointer, bytes)) return cudaSuccess;
    const std::string what = found != nullptr ? describe_in(all, pointer) : "host memory";
    lock.unlock();
    return host.refuse(
        cudaErrorInvalidValue,
        is_managed
            ? fmt::format("{} bytes from {} go beyond its end.", bytes, what)
            : fmt::format("the pointer is {}. Only memory from cudaMallocManaged can be moved or "
                          "advised about: leave the call out.",
                          what));
}

cudaError_t attach_to_stream(cudaStream_t stream, void* pointer, bool is_single, Site site) {
    const cudaError_t error = check_managed(pointer, 0, "cudaStreamAttachMemAsync", site, stream);
    if (error != cudaSuccess) return error;
    Memory& all = memory();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = std::find_if(all.live.begin(), all.live.end(), [&](const auto& each) {
        return each.second.holds(pointer, 0);
    });
    found->second.attached = is_single ? site : Site{};
    found->second.attached_to = stream;
    return cudaSuccess;
}

}  // namespace emulator
