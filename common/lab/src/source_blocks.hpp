// The loops and branches of a source file, as far as braces and keywords show them.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace lab {

/// The first line of the innermost loop around two lines that contains one of these words; 0 if
/// none does.
int line_in_loop(const std::string& file, int low, int high,
                 std::initializer_list<const char*> words);

/// The same for a barrier of a block.
int barrier_in_loop(const std::string& file, int low, int high);

/// The line between these that arrives at a cuda::barrier, if none of them waits for its phase to
/// end; else 0.
int lone_arrive(const std::string& file, int low, int high);

/// The first barrier of that loop, if all of its barriers are in branches of the loop, so that
/// rounds may end without one; else 0.
int barrier_of_some_rounds(const std::string& file, int low, int high);

/// Whether one loop encloses both lines.
bool is_in_loop(const std::string& file, int low, int high);

/// The last line of the innermost such loop; 0: there is none.
int end_of_loop(const std::string& file, int low, int high);

/// Whether a branch (if, else) encloses the line, or is on it.
bool is_in_branch(const std::string& file, int line);

/// The first line of the innermost branch around the line, or on it; 0: there is none.
int branch_around(const std::string& file, int line);

/// Whether the branch that begins on the first line encloses the second.
bool is_in_branch_of(const std::string& file, int branch, int line);

/// The same as branch_around() for a call in it: not a branch whose own condition makes the call.
int branch_around_call(const std::string& file, int line, const std::string& call);

/// Whether the condition of a branch on the line makes the call after && or ||: not every thread
/// that evaluates it does.
bool is_behind_and(const std::string& file, int line, const std::string& call);

/// Whether the innermost branch around the line is in a loop that also encloses the branch's
/// beginning and the other line, as "for (…) if (…) { line; other; }".
bool is_branch_in_loop(const std::string& file, int low, int high);

/// The first line of the innermost loop around the line; 0: there is none.
int loop_around(const std::string& file, int line);

/// Those of all loops around the line, the innermost first.
std::vector<int> loops_around(const std::string& file, int line);

/// The last line before this one, in its function, at which a thread leaves the function, or a loop
/// around the line: return, break, continue; 0: there is none.
int exit_before(const std::string& file, int line);

/// The first line of the outermost loop or branch around the line that has no braces, and begins
/// after the line `above`; 0: there is none.
int bare_around(const std::string& file, int line, int above);

/// Whether a branch is open after the line: a statement put there is in it.
bool is_branch_open_behind(const std::string& file, int line);

/// The line, from `low` to before `high`, after which the fewest loops and branches are open.
int outermost_between(const std::string& file, int low, int high);

/// The text in brackets in the line, with the array's name: "x[i - 1]". Only the first whose index
/// subtracts something; empty if there is none.
std::string subtracting_index(const std::string& code);

}  // namespace lab
