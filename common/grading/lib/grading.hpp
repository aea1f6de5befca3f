// What graders of exercises are written with: one main() that says how a learner's code is checked.
//
//     void answers(grading::Answers& check) { … }      // right values; on the emulator: no
//     fault #if GRADING_HAS_LAB void counts(grading::Counts& check) { … }        // what the lab
//     counts, against bars #endif void times(grading::Times& check) { … }          // on a GPU:
//     time, against another kernel int main(int argc, char** argv) {
//         return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc,
//         argv);
//     }
//
// The tool runs each phase as a process of its own (--phase) and takes the verdict from a pipe; run
// by hand, the program prints it.
#pragma once

#include <cstddef>
#include <functional>

#include "answers.hpp"
#include "cases.hpp"
#include "counts.hpp"
#include "device_array.hpp"
#include "times.hpp"

#if !defined(GRADING_HAS_LAB)
#define GRADING_HAS_LAB 0
#endif

/// Registers a function that exists only where there is a lab.
#if GRADING_HAS_LAB
#define GRADING_COUNTS(function) counts(function)
#else
#define GRADING_COUNTS(function) without_counts()
#endif

namespace grading {

struct CommandLine;

/// The phases of one exercise's grading.
class Grader {
  public:
    Grader& answers(std::function<void(Answers&)> phase);
#if GRADING_HAS_LAB
    Grader& counts(std::function<void(Counts&)> phase);
#endif
    Grader& without_counts() { return *this; }
    Grader& times(std::function<void(Times&)> phase);

    /// Runs the phase that the command line names: --phase answers|counts|times, --order
    /// forward|reverse|shuffle (of threads, emulator), --max-n N (sizes() gives none above N),
    /// --seed N (other inputs than the usual ones), --learner FROM:TO (the learner's code is in the
    /// process at the other end of these pipes; else in this one).
    /// A phase that is not registered, or not possible in this build, passes; the verdict names
    /// those that are. Does not return after a verdict was given over the pipe; else 0: passed, 1:
    /// failed, 2: a wrong command line, 3: the learner's process has ended.
    int run(int argc, char** argv);

  private:
    int judge(const CommandLine& line);

    std::function<void(Answers&)> answers_;
#if GRADING_HAS_LAB
    std::function<void(Counts&)> counts_;
#else
    std::nullptr_t counts_ = nullptr;
#endif
    std::function<void(Times&)> times_;
};

}  // namespace grading
