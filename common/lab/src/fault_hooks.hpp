// What the hooks call in a program that is searched for faults. A program that only counts is
// linked without the search, and contains only this interface.
#pragma once

#include <cstddef>
#include <cstdint>

#include "access_sites.hpp"
#include "emulator/for_observers.hpp"

namespace lab {

/// One of system scope follows one of device scope, at the same place.
enum class FenceScope { block, device, system };

/// A local array whose address the kernel passes on. memory_calls.hpp puts red zones beside it.
struct LocalArray {
    std::uintptr_t begin;
    std::size_t bytes;
    const char* name;
    emulator::Site site;
};
constexpr std::size_t kLocalZone = 64;  ///< bytes

class FaultHooks {
  public:
    /// A basic block of a CUDA thread, or of the host: the most frequent call.
    virtual void block_begins(const void* pc) = 0;
    /// Anything else that note() in hooks.cpp gets.
    virtual void look(const void* pc, Kind kind, std::uintptr_t address, std::uint32_t bytes,
                      Traits traits) = 0;
    /// A CUDA thread loads the word that its next compare-and-swap, of which look() is told, will
    /// change: if it is in no array, there will be none.
    virtual void before_swap(const emulator::Worker& worker, const void* pc, std::uintptr_t address,
                             std::uint32_t bytes) = 0;
    /// A function of a CUDA thread returns.
    virtual void leave(const emulator::Worker& worker) = 0;
    /// A local array of a CUDA thread begins, between two red zones; the last one ends.
    virtual void begin_array(const emulator::Worker& worker, const LocalArray& array) = 0;
    virtual void end_array(const emulator::Worker& worker) = 0;
    virtual void fence(const emulator::Worker& worker, FenceScope scope) = 0;
    /// An index outside its array, before it is used. `array`: its type.
    virtual void index(const emulator::Worker& worker, emulator::Site site, const char* array,
                       std::int64_t value) = 0;
    /// The host's constructor stores the address of a table of virtual functions.
    virtual void host_makes_object(std::uintptr_t address) = 0;
    /// The host calls free() or `delete`: true if the memory is not the C library's, which is
    /// reported.
    virtual bool host_frees(const void* pc, std::uintptr_t address, const char* call) = 0;
    /// A call at `pc` reads a clock. `through_clock`: perhaps by clock().
    virtual void host_reads_clock(const void* pc, bool through_clock) = 0;

  protected:
    ~FaultHooks() = default;
};

/// Null: nothing is searched for faults now.
extern FaultHooks* fault_hooks;

}  // namespace lab
