// What runs, and what comes before what: the part of the lab that knows the order; the rules
// observe it.
//
// Threads, warps and blocks have the order of HappensBefore; kernels, copies, allocations and the
// host that of StreamOrder; asynchronous copies into shared memory that of AsyncCopies. Each word
// of memory keeps its users, stamped with a place in these orders.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "access_sites.hpp"
#include "async_copies.hpp"
#include "emulator/for_observers.hpp"
#include "fault_hooks.hpp"
#include "happens_before.hpp"
#include "shadow.hpp"
#include "stream_order.hpp"

namespace lab {

constexpr std::size_t kArenaBytes = std::size_t{512} * 1024;  ///< of a block's shared memory
constexpr std::uintptr_t kNull = 65536;  ///< addresses below are a null pointer with an index

/// One access, or the part of it in one word.
struct Access {
    std::uintptr_t address;
    std::uint32_t bytes;
    SiteId site;
    bool is_store;
    bool is_atomic;               ///< or volatile, which flags are
    bool is_volatile;             ///< and no atomic operation
    std::uint32_t alignment = 1;  ///< that a device asks for
};

/// A function that a thread is in.
struct Call {
    std::uintptr_t caller;
    bool is_kernel;
};

struct WatchedThread {
    std::vector<Call> calls;
    std::vector<LocalArray> arrays;
    int kernels = 0;  ///< of the calls
};

struct WatchedBlock {
    /// The block's shared memory is known from its first variable on.
    void find_arena();

    const emulator::Block* block = nullptr;
    std::uint64_t index = 0;
    std::uint32_t serial = 0;
    std::uint64_t grid_generation = 0;
    emulator::Site barrier;  ///< the last that it passed
    std::uintptr_t arena = 0;
    BlockClock clock;
    std::vector<WatchedThread> threads;
    std::unique_ptr<Cells> shared;
    AsyncCopies copies;
};

struct Launched {
    std::string name;
    std::size_t dynamic_bytes = 0;
    emulator::Site site;
};

/// How the bytes of an array were set: by cudaMemset and the like, or from the host.
struct Filled {
    std::uintptr_t begin;
    std::size_t bytes;
    emulator::Site site;
    const char* call;
    bool is_copy = false;
};

struct Execution {
    HappensBefore order;
    StreamOrder streams;
    DeviceShadow device;
    std::unique_ptr<Cells> variables;  ///< the program's own, __device__ ones among them
    Launched launched;
    std::vector<Filled> fills;  ///< the last ones
    /// The epochs of the last launches, and their shapes.
    std::vector<std::pair<std::uint32_t, emulator::LaunchShape>> launches;
    std::size_t launch_count = 0;
    std::vector<emulator::LaunchArgument> arguments;  ///< of that launch
    bool has_async_copies = false;                    ///< one has begun
    std::vector<std::unique_ptr<WatchedBlock>> blocks;

    // The running thread; null: none, or none that is watched.
    const emulator::Worker* worker = nullptr;
    const emulator::Thread* current = nullptr;
    WatchedBlock* block = nullptr;
    WatchedThread* thread = nullptr;
    int number = 0;
    const void* last_pc = nullptr;  ///< of its last event

    void begin_launch();
    WatchedBlock& begin_block(std::uint64_t index);
    void end_block(std::uint64_t index);
    WatchedBlock* find(std::uint64_t index);

    /// Asynchronous copies into a block's shared memory.
    void begin_copy(std::uint64_t index, int thread, const void* to, std::size_t bytes,
                    const void* barrier);
    void wait_for_copies(std::uint64_t index, int thread, std::size_t prior, emulator::Site site);
    void land(WatchedBlock& block, const AsyncCopy& copy);

    std::uint32_t epoch() const { return streams.epoch(); }
    /// Whether all users of memory in this other epoch have certainly ended.
    bool is_over(std::uint32_t other) const {
        return !streams.has_streams() || !streams.is_pending_use(other);
    }

    /// Those lanes that did what is stamped and with which the running thread's access, of the same
    /// epoch, races.
    std::uint32_t racing_lanes(const Access& access, std::uintptr_t word, const Stamp& now,
                               const Stamp& other, std::uint32_t lanes, bool other_stores) const;

    /// Whether the address lies in the running block's shared memory.
    bool is_shared(std::uintptr_t address) const {
        return block->arena != 0 && address - block->arena < kArenaBytes;
    }
    /// The shared variable that holds the bytes; null: none does.
    const emulator::SharedRegion* find_region(std::size_t offset, std::uint32_t bytes) const;
    /// The running thread's local array in whose red zone an access ends or begins; null: none.
    const LocalArray* local_array_beside(std::uintptr_t address, std::uint32_t bytes) const;
    /// The allocation that an access uses, or narrowly misses; null: none. A __device__ variable
    /// that a copy has named counts as one; an access inside another variable next to it is no
    /// miss.
    Watched* watched_at(std::uintptr_t address);

    /// The place in the user's files; for a kernel's helper, with the kernel's call.
    inline __attribute__((always_inline)) SiteId users_site(SiteId id) {
        const std::vector<Call>& calls = thread->calls;
        const bool is_helper = calls.size() >= 2 && !calls.back().is_kernel;
        return !is_helper && !site(id).in_header ? id : users_site_of_helper(id);
    }

  private:
    SiteId users_site_of_helper(SiteId id);
    SiteId called(SiteId site, std::uintptr_t kernel_call);

    /// The last results of site_id_called(), for most places.
    struct KnownCall {
        SiteId site = kNoSite, made = kNoSite;
        std::uintptr_t kernel_call = 0;
    };
    static constexpr std::size_t kKnownCalls = 1024;
    std::vector<KnownCall> known_calls_{kKnownCalls};

    std::vector<std::unique_ptr<WatchedBlock>> free_;
    std::uint32_t serial_ = 0;
};

}  // namespace lab
