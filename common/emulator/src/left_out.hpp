// The barrier that a run is to do without, to see what it is for.
#pragma once

#include <string>

namespace emulator {

/// A line of a source; line 0: none.
struct LeftOut {
    std::string file;  ///< the end of its path
    int line = 0;
};

/// TUTORIAL_CPU_WITHOUT_BARRIER, read on first use; what is not FILE:LINE ends the program with
/// one line and exit code 2.
const LeftOut& left_out_barrier();

}  // namespace emulator
