// Access sites: the places in the instrumented program that call the lab, each with a small number.
#pragma once

#include <cstdint>

#include "program.hpp"

namespace lab {

/// What happens at a place.
enum class Kind : std::uint8_t {
    end,        ///< no place: a thread's record ends here
    block,      ///< a basic block begins
    entry,      ///< a function begins
    exit,       ///< a function returns
    read,       ///< a load of 1, 2, 4, 8 or 16 bytes
    write,      ///< a store of them
    read_some,  ///< a load of a struct of any other size, or with a lower alignment
    write_some,
    atomic,
};

constexpr bool is_access(Kind kind) { return kind >= Kind::read; }

/// What the compiler says about an access besides its kind and size. One word without gaps: every
/// access of a kernel passes it on, and a processor stalls when it reads a word that was written in
/// parts.
struct Traits {
    std::uint32_t is_volatile : 1;
    std::uint32_t is_block_scope : 1;   ///< atomicAdd_block and the like: for a block's threads
    std::uint32_t is_atomic : 1;        ///< a load or a store of a cuda::atomic
    std::uint32_t is_swap : 1;          ///< a compare-and-swap
    std::uint32_t is_free : 1;          ///< free() or delete of the kernel's heap
    std::uint32_t is_thread_scope : 1;  ///< of thread_scope_thread: atomic for no other thread
    std::uint32_t is_system_scope : 1;  ///< of an atomic operation: atomic for the host too
    std::uint32_t unused : 9;
    std::uint32_t alignment : 16;  ///< of a struct's type; 0: not known
};
/// If memcpy gets a pointer, nvcc does not know the alignment either, whatever the pointer's type:
/// it copies byte by byte. For an array in shared memory it does see the alignment.
constexpr std::uint32_t kAlignmentOfBytes = 0xffff;

struct AccessSite {
    std::uintptr_t pc = 0;      ///< the call's return address
    std::uintptr_t caller = 0;  ///< for a place in a header: where its function was called from
    std::uintptr_t kernel_call = 0;  ///< for a place in a helper: where the kernel called it from
    std::uint32_t bytes = 0;         ///< of an access
    Kind kind = Kind::end;
    Traits traits{};
    bool is_read_only_load = false;  ///< __ldg
    bool in_header = false;          ///< no part of it is in the user's files
    bool is_plain = false;  ///< a load or store in the user's files that is none of the above
};

/// Number 0 is unused. Numbers fit into 16 bits.
using SiteId = std::uint16_t;
constexpr SiteId kNoSite = 0;

/// A function returns: one number for all places, because lanes that return reconverge wherever
/// they return.
constexpr SiteId kExitSite = 1;

/// The number of a place, by its return address; made on first use.
__attribute__((cold)) SiteId new_site_id(std::uintptr_t pc, Kind kind, std::uint32_t bytes,
                                         Traits traits);

extern SiteId* const site_by_offset;  ///< by distance from the start of the program's code
extern AccessSite* const access_sites;

/// The same; kNoSite: it has none yet. Called at every event.
inline SiteId known_site_id(const void* pc) {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(pc);
    return __atomic_load_n(&site_by_offset[at - code_begin()], __ATOMIC_ACQUIRE);
}

inline SiteId site_id(const void* pc, Kind kind, std::uint32_t bytes, Traits traits) {
    const SiteId known = known_site_id(pc);
    if (known != kNoSite) return known;
    return new_site_id(reinterpret_cast<std::uintptr_t>(pc), kind, bytes, traits);
}

/// The number that stands for `site` when its function was called from `caller`.
SiteId site_id_from(SiteId site, std::uintptr_t caller);

/// The number that stands for `site` when its function was reached by the kernel's call at
/// `kernel_call`; `site` itself if there are too many numbers already.
SiteId site_id_called(SiteId site, std::uintptr_t kernel_call);

inline const AccessSite& site(SiteId id) { return access_sites[id]; }

/// How many there are; all numbers are below this.
unsigned site_count();

}  // namespace lab
