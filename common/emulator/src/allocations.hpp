// Which allocations exist, which of them an address belongs to, and whether the red zones are
// intact.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/runtime_types.hpp"
#include "emulator/site.hpp"

namespace emulator {

enum class MemoryKind {
    device,
    managed,
    pinned,
    symbol,
    registered,
    heap,  ///< of malloc() in kernels
};

struct Allocation {
    MemoryKind kind;
    const char* call;
    Site site;
    std::byte* begin;
    std::size_t bytes;
    std::byte* mapping;  ///< with guard pages; null if the memory is not ours
    std::size_t mapping_bytes;
    std::size_t number;           ///< counted from 1 over the program's life
    Site freed = {};              ///< of the freeing call
    std::size_t guard_bytes = 0;  ///< of pages on each side that cannot be touched
    std::size_t pitch = 0;        ///< of cudaMallocPitch and cudaMalloc3D
    std::size_t height = 0;       ///< of cudaMalloc3D: rows from one slice to the next
    Site attached = {};           ///< of the call that leaves it to one stream
    cudaStream_t attached_to = nullptr;
    bool is_given = true;  ///< false: a variable whose address the host has not asked for

    const std::byte* end() const { return begin + bytes; }
    const std::byte* outer_begin() const { return mapping != nullptr ? mapping : begin; }
    const std::byte* outer_end() const {
        return mapping != nullptr ? mapping + mapping_bytes : end();
    }
    bool is_dead() const { return freed.file != nullptr; }
    /// Whether this many bytes from here are inside.
    bool holds(const void* from, std::size_t count) const {
        const std::byte* const at = static_cast<const std::byte*>(from);
        return at >= begin && at <= end() && count <= static_cast<std::size_t>(end() - at);
    }
    bool on_host() const {
        return kind != MemoryKind::device && kind != MemoryKind::symbol && kind != MemoryKind::heap;
    }
};

/// Everything below needs the lock.
struct Memory {
    std::mutex mutex;
    std::map<const std::byte*, Allocation> live;  ///< by outer_begin
    /// What was added and what was removed, in order: a tool reads the new entries.
    struct Change {
        const std::byte* outer_begin;
        const std::byte* begin;
        bool is_added;
    };
    std::vector<Change> changes;
    std::deque<Allocation> graveyard;  ///< freed; their pages cannot be accessed
    std::size_t used = 0;              ///< bytes of device and managed memory
    std::size_t made = 0;

    /// False: there is already one at this address.
    bool add(const std::byte* outer_begin, const Allocation& a) {
        if (!live.emplace(outer_begin, a).second) return false;
        changes.push_back({outer_begin, a.begin, true});
        return true;
    }
    std::map<const std::byte*, Allocation>::iterator remove(
        std::map<const std::byte*, Allocation>::iterator at) {
        changes.push_back({at->first, at->second.begin, false});
        return live.erase(at);
    }
};

Memory& memory();

/// Half this machine's memory: the other half is for the host's copies.
std::size_t device_bytes();

/// Pages in which the allocation's bytes are poison, between red zones and guard pages. False if
/// the system has no memory, or no mappings, left. If there are a great many allocations, the later
/// ones have no guard pages.
bool map_allocation(const Memory& all, Allocation& a);

/// While it lives, the host may touch device memory from which it is kept out (hooks.hpp): for
/// CUDA's own calls, and while a kernel runs. May be nested.
class OpenToHost {
  public:
    OpenToHost();
    ~OpenToHost();
    OpenToHost(const OpenToHost&) = delete;
    OpenToHost& operator=(const OpenToHost&) = delete;
};

/// Releases the memory, and reserves the addresses of the last few, so that any use of them is
/// found.
void bury(Memory& all, Allocation dead, Site site);

/// The allocation, guard pages included, that an address belongs to: live, or freed not long ago.
const Allocation* find_in(const Memory& all, const void* address);

/// Whether there is any memory at the address.
bool is_mapped(const void* address);

/// Where the zone around an allocation was overwritten: bytes before its start (negative) or from
/// its end; false if it is intact.
bool damaged(const Allocation& a, std::ptrdiff_t* offset);

/// "the allocation of 400 bytes from cudaMalloc at main.cu:12"
std::string describe(const Allocation& a);

/// "4 bytes past the end of the allocation of ...", "a null pointer", ...
std::string describe_in(const Memory& all, const void* address);

/// "out of bounds: kernel k wrote 4 bytes past the end of ..."
std::string damage_text(const std::string& culprit, const Allocation& a, std::ptrdiff_t offset);

}  // namespace emulator
