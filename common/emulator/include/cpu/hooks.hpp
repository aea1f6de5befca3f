// Where a tool that watches kernels (the lab) hooks in, and what it can ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel.hpp"
#include "site.hpp"

namespace cpu {

/// Device memory or a shared variable, as a tool sees it.
struct Extent {
    const char* name;  ///< a shared variable's name; for device memory the call that made it
    const void* begin;
    std::size_t bytes;
    Site site;  ///< of the declaration or of the allocating call
};

/// What is told to a tool. The calls for blocks and intervals come from the worker that runs the
/// block; those of one block never overlap.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual void launch_begins(const KernelSite& where, const LaunchShape& shape) = 0;
    virtual void launch_ends(cudaError_t result) = 0;
    virtual void block_begins(std::uint64_t block) = 0;
    virtual void block_ends(std::uint64_t block) = 0;
    /// All threads of the block passed the barrier: accesses before it are ordered before those
    /// after it.
    virtual void barrier_passed(std::uint64_t block, Site site) = 0;
    /// The lanes of one warp passed a collective.
    virtual void warp_passed(std::uint64_t block, int warp, unsigned lanes, Site site) = 0;
    /// A copy or a fill that the host asked for has written here.
    virtual void memory_written(const void*, std::size_t) {}
};

/// Installs a tool, or removes it (null). Not while a kernel runs.
void set_observer(Observer* observer);

/// While it lives, the calling CUDA thread is not ended for taking too long: a tool holds locks and
/// allocates. Ended it is a little later.
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

/// Device allocations that are live, by address.
std::vector<Extent> device_extents();

/// Shared variables of the calling thread's block that have been used so far.
std::vector<Extent> shared_extents();

/// The calling CUDA thread, counted over x, then y, then z; -1 outside of a kernel.
std::int64_t current_block();
int current_thread();

/// The running kernel's site, or null.
const KernelSite* current_kernel();

}  // namespace cpu
