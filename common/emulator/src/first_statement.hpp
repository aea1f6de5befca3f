// Calls a kernel as far as its first statement, which translate.py has put there, to learn which
// function it is.
#pragma once

#include "emulator/kernel.hpp"

namespace emulator {

/// What a kernel's first statement tells.
struct Identity {
    const void* kernel;  ///< its address
    const LaunchBound* bound;
};

/// False: the kernel has no such statement, and has run to its end.
bool run_to_first_statement(const KernelCall& call, Identity* identity);

}  // namespace emulator
