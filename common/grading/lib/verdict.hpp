// What judge() decides about one attempt, as data and as JSON.
#pragma once

#include <string>
#include <vector>

namespace grading {

/// A number that was compared with a bar.
struct Bar {
    std::string what;
    double measured = 0.0;
    std::string relation;  ///< "at most", "at least" or "exactly"
    double allowed = 0.0;
    bool is_met = false;
};

enum class Status {
    solved,
    not_solved,
    not_graded,  ///< this build cannot judge this exercise: it has no lab
};

struct Verdict {
    Status status = Status::not_graded;
    std::string reason;  ///< why it is not solved, one of those in README.md; empty: it is solved
    std::string code;    ///< what exactly was found, if known: lab::Finding::code
    std::string text;    ///< for the learner: the first line says what is wrong, the others more
    std::string file;    ///< the line that is to blame, if known
    int line = 0;
    std::vector<Bar> bars;  ///< up to the first that was missed; the last of repeated ones
    std::string digest;     ///< of everything tried and returned: equal for all right answers
};

/// One line: the members above by their names. What is no UTF-8 stays: its reader replaces it.
/// Without a library, whose headers take two seconds of the first check.
std::string json(const Verdict& verdict);

/// {"at": what is tried}.
std::string json_of_place(const std::string& at);

namespace detail {

/// Ends a phase. Not a std::exception, so that no handler catches it by chance.
struct Failure {
    std::string reason;
    std::string text;
    std::string brief = {};  ///< one line for a list of several; empty: the text's first line
    std::string code = {};
    std::string file = {};
    int line = 0;
};

/// The grader itself is wrong, not the learner: the reason is `grader`.
struct GraderError {
    std::string text;
};

}  // namespace detail
}  // namespace grading
