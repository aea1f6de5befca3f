// The barrier that a run leaves out, to show what it is for.
#pragma once

#include <atomic>
#include <string>

namespace emulator {

/// A line of a source; line 0: none.
struct LeftOut {
    std::string file;  ///< the end of its path
    int line = 0;
    mutable std::atomic<bool> is_reached{false};  ///< by a thread
};

/// TUTORIAL_CPU_WITHOUT_BARRIER, read on first use; a value other than FILE:LINE ends the program
/// with one line and exit code 2. At its end the program says so if no thread has reached a barrier
/// there.
const LeftOut& left_out_barrier();

}  // namespace emulator
