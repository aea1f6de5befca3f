// What a grader's program tells the tool that started it, over a pipe that only the tool knows.
#pragma once

#include <string>

#include "verdict.hpp"

namespace grading::detail {

/// Says what is tried from here on, in case the program is ended before its verdict. Nothing if
/// no tool listens.
void tell_where(const std::string& at);

/// The same, in the program's own output: the tool shows what was printed from there on. Nothing
/// if no tool listens.
void mark_output(const std::string& at);

/// Ends the program with its verdict, which goes to the tool; without one it is printed. The exit
/// code is 1 for Status::not_solved, else 0.
[[noreturn]] void give(const Verdict& verdict);

}  // namespace grading::detail
