// What is printed when a program ends, however it ends.
#pragma once

#include <atomic>

namespace lab {

/// `how`: empty if main() returned or the program called exit(); otherwise words for what ended it,
/// such as "abort()".
using AtEnd = void (*)(const char* how);

/// Calls `print` once: at exit(), quick_exit() or _exit(), or when a signal ends the program; the
/// signal then ends it. To be called once, before main().
void at_program_end(AtEnd print);

/// To be called at the end of `print`: exits with 3, after one line of text, if the output to
/// stdout could not be written, as on a full disk.
void end_if_lost();

/// What ends the program; null unless it was asked to end, as by Ctrl-C.
inline std::atomic<void (*)()> end_when_asked{nullptr};

/// To be called where nothing is being changed that `print` reads: at the start of a launch.
inline void end_if_asked() {
    if (void (*const end)() = end_when_asked.load(std::memory_order_relaxed)) end();
}

/// Ends the program with its report, and these words for what has ended it; null: it has none.
inline std::atomic<void (*)(const char* how)> end_now{nullptr};

/// Within `print`: whether the program ends by a signal, not by one of these calls.
bool is_ended_by_signal();

}  // namespace lab
