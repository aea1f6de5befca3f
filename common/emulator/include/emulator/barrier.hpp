// Barriers of a block, memory fences, and yielding to other threads.
#pragma once

#include "site.hpp"

namespace emulator {

/// What a barrier that also counts a predicate gives to all threads of a block.
struct BarrierCount {
    int count;    ///< threads whose predicate was not 0
    int threads;  ///< threads of the block
};

/// Waits until every thread of the block is here. It is a fault if one of them has returned, or
/// waits at another line.
BarrierCount block_barrier(bool predicate, Site site);

/// Waits until every thread of every block of a cooperative launch is here.
void grid_barrier(Site site);

/// Lets other threads of the block, and other blocks, run.
void give_way(unsigned nanoseconds, Site site);

/// A round of a loop that may wait for another thread: from the second on it yields.
void note_wait(Site site = Site::here());

/// Ends the launch as a trap instruction does.
[[noreturn]] void trap(Site site);

}  // namespace emulator

inline void __syncthreads(emulator::Site site = emulator::Site::here()) {
    emulator::block_barrier(false, site);
}
inline int __syncthreads_count(int predicate, emulator::Site site = emulator::Site::here()) {
    return emulator::block_barrier(predicate != 0, site).count;
}
inline int __syncthreads_and(int predicate, emulator::Site site = emulator::Site::here()) {
    const emulator::BarrierCount result = emulator::block_barrier(predicate != 0, site);
    return result.count == result.threads;
}
inline int __syncthreads_or(int predicate, emulator::Site site = emulator::Site::here()) {
    return emulator::block_barrier(predicate != 0, site).count != 0;
}

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
/// Block scope only, which an observing tool can tell from the memory order.
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
/// By the second fence a tool knows that it was this one.
inline void __threadfence_system() {
    __threadfence();
    __asm__ volatile("" ::: "memory");  // or compilers drop the weaker of two
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/// Only one thread of a worker runs at a time here; this call lets another one run.
inline void __nanosleep(unsigned nanoseconds, emulator::Site site = emulator::Site::here()) {
    emulator::give_way(nanoseconds, site);
}

/// Launches run one after another, so this one can read what the previous one wrote.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

[[noreturn]] inline void __trap(emulator::Site site = emulator::Site::here()) {
    emulator::trap(site);
}
