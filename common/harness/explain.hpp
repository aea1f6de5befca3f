// --explain: each stage is run once under the lab, checked, and shown line by line.
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

#include "chapter.hpp"
#include "report.hpp"

namespace tutorial {

/// Explains the selected stages of a prepared experiment; host and library rows have no kernels to
/// look at and are left out. True: all results were right.
bool explain_rows(Experiment& experiment, const std::vector<std::size_t>& selected,
                  const RunInfo& run, std::FILE* out, StatusLine& status);

/// --faults: runs and checks the selected stages, and shows what the lab finds wrong with them.
/// True: nothing, and all results were right.
bool find_faults(Experiment& experiment, const std::vector<std::size_t>& selected,
                 const RunInfo& run, std::FILE* out, StatusLine& status);

}  // namespace tutorial
