// The library for graders of exercises: one main() that says how a learner's code is checked.
//
//     void answers(grading::Answers& check) { ... }  // right values; on the emulator: no fault
//     #if GRADING_HAS_LAB
//     void counts(grading::Counts& check) { ... }    // what the lab counts, against bars
//     #endif
//     void times(grading::Times& check) { ... }      // on a GPU: time, against another kernel
//     int main(int argc, char** argv) {
//         return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc,
//                                                                                           argv);
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "answers.hpp"
#include "cases.hpp"
#include "counts.hpp"
#include "device_array.hpp"
#include "times.hpp"
#include "verdict.hpp"

#if !defined(GRADING_HAS_LAB)
#define GRADING_HAS_LAB 0
#endif

/// Registers a function that exists only if there is a lab.
#if GRADING_HAS_LAB
#define GRADING_COUNTS(function) counts(function)
#else
#define GRADING_COUNTS(function) without_counts()
#endif

namespace grading {

/// What judge() tries.
struct Options {
    std::string phase;       ///< only this one: answers, reverse, shuffle, counts or times
    std::size_t max_n = 0;   ///< sizes() gives none above it; 0: no limit
    std::uint64_t seed = 0;  ///< inputs, and some of the sizes, of this seed; 0: the usual ones
};

/// The phases of one exercise's grading.
class Grader {
  public:
    Grader& answers(std::function<void(Answers&)> phase);
#if GRADING_HAS_LAB
    Grader& counts(std::function<void(Counts&)> phase);
#endif
    Grader& without_counts() { return *this; }
    Grader& times(std::function<void(Times&)> phase);

    /// The whole program: judges what the command line asks for (--phase, --max-n and --seed, as in
    /// Options; --learner FROM:TO if the learner's code is in the process at the other end of these
    /// two pipes, else it is in this one), and gives the verdict to the tool that started it, or
    /// prints it as JSON. Ends the program with 0 or 1 after a verdict; returns 2 for a wrong
    /// command line, 3 if the learner's process has ended.
    int run(int argc, char** argv) const;

  private:
    friend Verdict judge(const Grader& grader, const Options& options);

    std::function<void(Answers&)> answers_;
#if GRADING_HAS_LAB
    std::function<void(Counts&)> counts_;
#else
    std::nullptr_t counts_ = nullptr;
#endif
    std::function<void(Times&)> times_;
};

/// Decides whether the exercise is solved. Only this function does: ./tutorial check, ./tutorial
/// grade and the browser lab show what it returns. Runs the learner's functions in this process (no
/// other process, thread or signal is needed), or in the one that use_remote_machine() names; if
/// that process is ended (a crash, an endless loop), its caller must report it.
///
/// In turn, up to the first that fails: `answers` with threads in forward, reversed and shuffled
/// order (on a GPU once), `counts` if there is a lab, `times` on a GPU.
Verdict judge(const Grader& grader, const Options& options = {});

}  // namespace grading
