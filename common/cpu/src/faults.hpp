// Signals that a kernel's mistakes raise become reports.
#pragma once

#include <csignal>
#include <cstddef>

namespace cpu {

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

}  // namespace cpu
