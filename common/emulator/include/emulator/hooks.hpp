// Where a tool that watches kernels (the lab) hooks in, and what it can query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel.hpp"
#include "site.hpp"

namespace emulator {

struct Launch;

/// Device memory, as a tool sees it.
struct Extent {
    const char* name;  ///< the call that made it
    const void* begin;
    std::size_t bytes;
    Site site;  ///< of that call
};

/// How the host orders what it gives to streams. A null stream is the default stream.
enum class StreamCall : std::uint8_t {
    created,
    created_non_blocking,
    recorded,  ///< an event, in a stream
    waits,     ///< a stream, for an event
    stream_synchronized,
    event_synchronized,
    device_synchronized,
    /// A function of the host in a stream (cudaLaunchHostFunc): it comes after everything given to
    /// the stream before.
    host_function_begins,
    host_function_ends,
};

/// How a lane requested a value that its group does not have.
enum class ShuffleBeyond : std::uint8_t {
    rank,          ///< of a coalesced group: undefined
    tile_rank,     ///< of a tile: it wraps round
    distance,      ///< the distance or the bit leads to no lane
    uneven_group,  ///< it may lead to one, but halving does not, as the size is not a power of two
};

/// A copy or a fill that the host requested, when it is done.
struct Copy {
    void* to;
    const void* from;  ///< null: a fill
    std::size_t bytes;
    const void* stream;
    bool is_async;  ///< the host does not wait for it
    const char* call;
    Site site;
    std::size_t to_pitch = 0, from_pitch = 0;  ///< of a row of several: bytes from each to the next
};

/// Memory that was allocated in a stream, or is freed: in a stream, or without waiting for any.
struct StreamMemory {
    void* begin;
    std::size_t bytes;
    const void* stream;
    bool is_of_host;  ///< the host itself frees it (or makes it pageable again), in no stream
    const char* call;
    Site site;
};

/// The notifications to a tool. Those for blocks and intervals come from the worker that runs the
/// block; those of one block never overlap. What a tool does not override goes to the next tool, if
/// there is one.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual void launch_begins(const KernelSite& where, const LaunchShape& shape) {
        if (next != nullptr) next->launch_begins(where, shape);
    }
    /// An argument of the launch that has begun, if it is a pointer or an object.
    virtual void argument(const Launch& launch, const LaunchArgument& argument) {
        if (next != nullptr) next->argument(launch, argument);
    }
    virtual void launch_ends(cudaError_t result) {
        if (next != nullptr) next->launch_ends(result);
    }
    virtual void block_begins(std::uint64_t block) {
        if (next != nullptr) next->block_begins(block);
    }
    virtual void block_ends(std::uint64_t block) {
        if (next != nullptr) next->block_ends(block);
    }
    /// All threads of the block passed the barrier: accesses before it are ordered before those
    /// after it.
    virtual void barrier_passed(std::uint64_t block, Site site) {
        if (next != nullptr) next->barrier_passed(block, site);
    }
    /// The lanes of one warp passed a collective.
    virtual void warp_passed(std::uint64_t block, int warp, unsigned lanes, Site site) {
        if (next != nullptr) next->warp_passed(block, warp, lanes, site);
    }
    /// In a shuffle, a lane asked for the value of one that is not in the mask or does not exist.
    /// Called in the CUDA thread that completes the shuffle.
    virtual void shuffled_from_outside(int lane, int source, unsigned mask, Site site) {
        if (next != nullptr) next->shuffled_from_outside(lane, source, mask, site);
    }
    /// In a shuffle, a lane requested what its group of that many lanes does not have: the value of
    /// a rank, or of a lane at a distance. Called in that thread.
    virtual void shuffled_beyond(ShuffleBeyond how, unsigned asked, unsigned size, Site site) {
        if (next != nullptr) next->shuffled_beyond(how, asked, size, site);
    }
    /// __activemask() gave only some of the lanes of its warp.
    virtual void diverged_mask(unsigned lanes, unsigned all, Site site) {
        if (next != nullptr) next->diverged_mask(lanes, all, site);
    }
    /// A cuda::barrier of the block was made; a thread arrived at it, perhaps as the last one that
    /// the barrier waits for; a thread learnt that its phase is complete.
    virtual void async_barrier_made(std::uint64_t block, const void* barrier) {
        if (next != nullptr) next->async_barrier_made(block, barrier);
    }
    virtual void async_barrier_reached(std::uint64_t block, int thread, const void* barrier,
                                       bool completes) {
        if (next != nullptr) next->async_barrier_reached(block, thread, barrier, completes);
    }
    virtual void async_barrier_passed(std::uint64_t block, int thread, const void* barrier) {
        if (next != nullptr) next->async_barrier_passed(block, thread, barrier);
    }
    /// A thread has begun a copy into memory of its block. It lands when the thread has waited for
    /// it, or, if a barrier is named, when the phase at which the thread arrives is complete.
    virtual void async_copy_begins(std::uint64_t block, int thread, const void* to,
                                   std::size_t bytes, const void* barrier) {
        if (next != nullptr) next->async_copy_begins(block, thread, to, bytes, barrier);
    }
    virtual void async_copies_committed(std::uint64_t block, int thread) {
        if (next != nullptr) next->async_copies_committed(block, thread);
    }
    virtual void async_copies_waited_for(std::uint64_t block, int thread, std::size_t prior,
                                         Site site) {
        if (next != nullptr) next->async_copies_waited_for(block, thread, prior, site);
    }
    virtual void copied(const Copy& copy) {
        if (next != nullptr) next->copied(copy);
    }
    virtual void memory_given(const StreamMemory& memory) {
        if (next != nullptr) next->memory_given(memory);
    }
    /// While it is still there.
    virtual void memory_freed(const StreamMemory& memory) {
        if (next != nullptr) next->memory_freed(memory);
    }
    /// malloc() in a kernel gave this memory: what was there before is gone.
    virtual void renewed(const void* begin, std::size_t bytes) {
        if (next != nullptr) next->renewed(begin, bytes);
    }
    /// The host's `delete` or `delete[]` gets this memory. True: it is CUDA's, and was reported.
    virtual bool deleted(const void* pointer, const char* call) {
        return next != nullptr ? next->deleted(pointer, call) : false;
    }
    /// free() or delete in a kernel frees it, in the call that returns to `instruction`.
    virtual void released(const void* begin, const void* instruction) {
        if (next != nullptr) next->released(begin, instruction);
    }
    /// A host function is given a local variable again, changed: whether nothing tells the host
    /// that the stream has called it, but a wait.
    virtual bool is_unaware_of_calls(Site call) {
        return next != nullptr ? next->is_unaware_of_calls(call) : false;
    }
    virtual void stream_call(StreamCall call, const void* stream, const void* event) {
        if (next != nullptr) next->stream_call(call, stream, event);
    }
    /// The source line that this instruction belongs to, for reports; no file: not known.
    virtual Site place(std::uintptr_t instruction) {
        return next != nullptr ? next->place(instruction) : Site{};
    }

  protected:
    Observer* next = nullptr;
};

/// Installs a tool, or removes it (null). Not while a kernel runs.
void set_observer(Observer* observer);

/// While it lives, the calling CUDA thread is not ended for taking too long, because a tool holds
/// locks and allocates. It is ended a little later instead.
class ToolIsBusy {
  public:
    ToolIsBusy() : before_(is_busy) { is_busy = true; }
    ~ToolIsBusy() { is_busy = before_; }
    ToolIsBusy(const ToolIsBusy&) = delete;
    ToolIsBusy& operator=(const ToolIsBusy&) = delete;

    static __thread bool is_busy;

  private:
    bool before_;
};

/// The host is about to wait. If it has several threads, the others get time to give work to the
/// device first: a thread that has waited may otherwise hide that they wait for nothing. Without a
/// tool it does nothing.
void let_others_go_first();

/// While it lives, no other thread of the host is in a call that the tool observes: launches,
/// copies, waiting. Without a tool it does nothing. A thread may hold several.
class ToolTurn {
  public:
    ToolTurn();
    /// Gives up after this many milliseconds: a kernel launched by another thread may be waiting
    /// for this one.
    explicit ToolTurn(int most_milliseconds);
    ~ToolTurn();
    ToolTurn(const ToolTurn&) = delete;
    ToolTurn& operator=(const ToolTurn&) = delete;
    /// False: it gave up.
    bool is_held() const { return is_held_; }

  private:
    bool is_held_;
};

/// Device allocations that are live, by address.
std::vector<Extent> device_extents();

/// From here on the host's code is kept out of device memory (cudaMalloc), as on a GPU: code that
/// touches it and is neither a kernel nor one of CUDA's calls gets a SIGSEGV. False: no longer. Not
/// while a kernel runs.
void keep_host_out(bool out);

/// Whether this is an address of device memory from cudaMalloc, or of the zones around it.
bool is_device_memory(const void* address);

}  // namespace emulator
