// Copies and fills that do not fit, or that get a pointer of the wrong side: what to change.
#pragma once

#include <string>

#include "emulator/for_observers.hpp"
#include "lab/lab.hpp"
#include "order/execution.hpp"

namespace lab {

/// Adds that to the finding, and as its cure's place where memory is allocated that should have got
/// values by the call. `path`: of the source file.
void explain_refused_copy(const Execution& run, const emulator::Report& said,
                          const std::string& path, Finding& made);

}  // namespace lab
