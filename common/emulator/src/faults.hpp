// Turns signals raised by a kernel's mistakes into reports.
#pragma once

#include <csignal>
#include <cstdint>

#include "emulator/report.hpp"
#if defined(__wasm__)
#include "worker.hpp"
#endif

namespace emulator {

class Worker;

/// What a signal that was raised in a CUDA thread means, in words.
/// `instruction`: the one that raised it, or was interrupted.
Report signal_report(Worker& worker, int number, std::uintptr_t address,
                     std::uintptr_t instruction);

/// Before an access to this address: ends the kernel, or the host's code, if the address is near
/// null or past a block's shared memory, and no processor signal does so.
#if defined(__wasm__)
[[noreturn]] void meet_illegal(std::uintptr_t address);
inline void check_address(std::uintptr_t address) {
    constexpr std::uintptr_t kNull = 65536;     // a null pointer with an index
    constexpr std::uintptr_t kHostNull = 1024;  // the host's stack begins there
    if (this_worker != nullptr && this_worker->thread != nullptr) {
        if (address < kNull || this_worker->block->guards(address)) meet_illegal(address);
    } else if (address < kHostNull) {
        meet_illegal(address);
    }
}
#else
inline void check_address(std::uintptr_t) {}
#endif

/// While it lives, this thread handles signals on a stack of its own, since the fault may be that
/// the other stack is used up.
class AlternateStack {
  public:
    AlternateStack();
    ~AlternateStack();

  private:
    stack_t before_;
};

/// While it lives, signals are handled here; those that do not come from a kernel are passed on.
class SignalHandlers {
  public:
    SignalHandlers();
    ~SignalHandlers();
};

}  // namespace emulator
