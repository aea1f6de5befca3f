// Signals that a kernel's mistakes raise become reports.
#pragma once

#include <csignal>
#include <cstdint>

#include "emulator/report.hpp"

namespace emulator {

class Worker;

/// What a signal that was raised in a CUDA thread means, in words.
/// `instruction`: that raised it, or was interrupted.
Report signal_report(Worker& worker, int number, std::uintptr_t address,
                     std::uintptr_t instruction);

/// The running kernel is about to use this address, near null: ends it where the processor would
/// not.
void meet_null(std::uintptr_t address);

/// While it lives, this thread handles signals on a stack of its own, since the fault may be that
/// the other one is used up.
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
