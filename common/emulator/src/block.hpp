// A resident block: its threads, warps, shared memory, and which thread can run next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/async_barrier.hpp"
#include "emulator/settings.hpp"
#include "emulator/shared.hpp"
#include "emulator/vector_types.hpp"
#include "emulator/warp.hpp"
#include "ring.hpp"

namespace emulator {

class Fiber;
struct Launch;

enum class State : std::uint8_t {
    unstarted,
    runnable,          ///< runs
    ready,             ///< is in the ready queue
    at_barrier,        ///< waits for the block
    at_grid,           ///< waits for the grid
    at_async_barrier,  ///< waits for a cuda::barrier
    in_warp,           ///< waits for lanes of its warp
    converging,        ///< waits until no other lane of its warp can run (__activemask)
    gave_way,          ///< called __nanosleep, or waits in a loop
    returned,
};

struct Thread {
    Fiber* fiber;  ///< null while none is needed
    /// What it passes to a collective, then what it gets; for a cuda::barrier, its address.
    std::uint64_t value;
    Site site;      ///< where it waits
    unsigned mask;  ///< of its last collective; 0: there was none
    int source;
    unsigned exchanges;    ///< shuffles and votes that it has taken part in
    std::uint16_t number;  ///< over x, then y, then z
    State state;
    Collective kind;
};

struct Warp {
    unsigned lanes;       ///< that exist
    unsigned returned;    ///< that have returned
    unsigned waiting;     ///< waiting in a collective
    unsigned converging;  ///< waiting in __activemask
    int runnable;         ///< how many can run or have not started
};

/// One shared variable of this block.
struct SharedRegion {
    const SharedVariable* variable;  ///< null: the dynamic shared memory
    const char* name;
    std::size_t offset, bytes;
    Site site;
};

/// Threads of a block that wait for each other as a tile of more than a warp.
struct Tile {
    unsigned size, first;  ///< threads of a full one; number of its first one
    AsyncBarrier barrier;
    std::vector<unsigned char> values[2];  ///< what its threads pass, by rank
};

enum class BlockStatus { finished, at_grid, spinning, stuck };

class Block {
  public:
    Block();
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    /// Makes it block number `index` of the launch, with no thread started.
    void begin(const Launch& launch, std::uint64_t index);

    /// Which thread runs next: null if none can.
    Thread* next();

    void make_ready(Thread& thread);

    /// Lets the threads that yielded run again.
    void recall();

    /// Makes all threads that wait at the block's (or the grid's) barrier ready.
    void release_all();

    /// The same for those waiting for this cuda::barrier.
    void release_async(const void* barrier);

    BlockStatus status() const;

    /// The order of the block's threads, and some of them in that order.
    Order order() const;
    void arrange(int* lanes, int count);

    Warp& warp_of(const Thread& thread) { return warps[thread.number / 32]; }

    const void* address(const SharedRegion& region) const { return arena_ + region.offset; }

    /// Whether the address is in the memory set aside for its shared variables.
    bool owns(std::uintptr_t address) const;

    /// Whether the address is in the pages after it, where an access ends the kernel.
    bool guards_end(std::uintptr_t address) const {
        return address - reinterpret_cast<std::uintptr_t>(arena_) - kArenaBytes < kGuardBytes;
    }
    /// The same for those before it.
    bool guards(std::uintptr_t address) const {
        const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(arena_);
        return guards_end(address) || address - (begin - kFrontBytes - kGuardBytes) < kGuardBytes;
    }

    /// A shared variable's storage: null if this block has not used it yet.
    void* find_shared(const SharedVariable& variable) const {
        for (const SharedRegion& region : regions) {
            if (region.variable == &variable) return arena_ + region.offset;
        }
        return nullptr;
    }

    /// Storage for one that it has not used yet; null if there is no room.
    void* reserve_shared(const SharedVariable& variable);
    void* dynamic_storage(const char* name, Site site);

    /// Looks for writes past shared variables and before the first one; returns the variable, or
    /// null, and where: bytes past its end, or below 0, before its beginning.
    const SharedRegion* damaged_region(std::ptrdiff_t* offset) const;

    std::uint64_t index = 0;
    uint3 position{};
    std::vector<Thread> threads;
    std::vector<uint3> indices;  ///< threadIdx of each thread
    std::vector<Warp> warps;
    std::vector<SharedRegion> regions;
    /// The extern __shared__ arrays that were declared, all at the same address: one for each name.
    std::vector<SharedRegion> dynamic_arrays;
    std::vector<std::unique_ptr<Tile>> tiles;  ///< that have been used so far
    std::size_t static_bytes = 0;              ///< static shared memory used so far
    std::size_t dynamic_bytes = 0;             ///< asked for by the launch
    int returned = 0, at_barrier = 0, at_grid = 0;
    int predicates = 0;        ///< threads at the barrier with a predicate other than 0
    int predicate_result = 0;  ///< the same at the last barrier passed
    Site barrier_site;         ///< of the first thread to arrive
    bool sites_differ = false;
    std::uint64_t grid_generation = 0;

  private:
    /// Room for all shared memory of a block and a red zone after each variable.
    static constexpr std::size_t kArenaBytes = std::size_t{512} * 1024;
    /// A loop past the end of an array cannot step over it.
    static constexpr std::size_t kGuardBytes = std::size_t{64} * 1024;
    /// What an index below 0 of the first array reaches: nothing else is there.
    static constexpr std::size_t kFrontBytes = std::size_t{64} * 1024;

    void poison(std::size_t offset, std::size_t bytes);
    void reorder();

    std::byte* arena_;
    std::size_t arena_used_ = 0;
    dim3 shape_{0, 0, 0};
    std::vector<std::uint16_t> order_;
    std::size_t started_ = 0;
    Ring ready_, gave_way_;
    int since_recall_ = 0;
    std::uint64_t random_ = 0;
};

}  // namespace emulator
