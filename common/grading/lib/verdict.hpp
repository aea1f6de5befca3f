// What a grader's program tells the tool that started it, over a pipe that only it can use.
#pragma once

#include <string>
#include <vector>

namespace grading::detail {

/// Ends a phase. No std::exception, so that nobody catches it by chance.
struct Failure {
    std::string reason;      ///< a reason code; empty: passed
    std::string text;        ///< the first line says what is wrong, the others where and why
    std::string brief = {};  ///< one line for a list of several; empty: the text's first line
    std::string code = {};   ///< what exactly was found, where that is known: lab::Finding::code
};

/// The grader itself is wrong, not the learner: the reason is `grader`.
struct GraderError {
    std::string text;
};

/// Says what is tried from here on, in case the program is ended before its verdict. Nothing where
/// no tool listens.
void tell_where(const std::string& at);

/// The same, among what the program prints: the tool shows what was printed from there on. Nothing
/// where no tool listens.
void mark_output(const std::string& at);

/// Gives the verdict. Where a tool listens the program ends here, with 0 or 1; else it is printed.
/// `phases`: those that this program has.
/// `digest`: of what the phase has tried and found; `counted`: what it counted, see
/// Counts::counted.
void tell_verdict(const Failure& verdict, const std::vector<std::string>& phases,
                  const std::string& digest, const std::string& counted = {});

/// One line of JSON in ASCII: an object of texts. Bytes that are no UTF-8 become U+FFFD.
std::string json_line(const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace grading::detail
