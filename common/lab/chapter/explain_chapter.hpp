// What chapters show with the lab: --explain runs each stage once, checks it and shows it line by
// line; --faults and --trace look for faults in it.
//
// With --json the output is one JSON object:
//   schema     "tutorial-explain-1"
//   chapter, n, input, seed, order, options    as in the table's head
//   stages     an array, in the order of the table; each has
//     stage, idea     the row's
//     check           "ok", "wrong" or "skipped"
//     message         what was wrong, or why it was skipped; else ""
//     bytes_needed    bytes that one run must move at least; 0: the chapter has no such number
//     kernels         an array, see common/lab/README.md
#pragma once

#include <cstddef>
#include <cstdio>
#include <vector>

#include "common/harness/interface.hpp"
#include "common/harness/report.hpp"

namespace lab {

/// --explain: explains the selected stages of a prepared experiment; host and library rows run no
/// kernels of the chapter and are left out. True: all results were right.
bool explain_rows(tutorial::Experiment& experiment, const std::vector<std::size_t>& selected,
                  const tutorial::RunInfo& run, std::FILE* out, tutorial::StatusLine& status);

/// --faults and --trace, after start_fault_detection(): runs and checks the selected stages, and
/// shows their faults. True: there are none, and all results were right.
bool find_faults(tutorial::Experiment& experiment, const std::vector<std::size_t>& selected,
                 const tutorial::RunInfo& run, std::FILE* out, tutorial::StatusLine& status);

}  // namespace lab
