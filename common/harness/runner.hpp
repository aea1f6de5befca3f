// The order of work of one run: check, time, check again, report, row by row.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "interface.hpp"
#include "report.hpp"

namespace tutorial {

struct RunOutcome {
    std::vector<RowResult> results;  ///< in table order
    std::string lost_after;          ///< the stage that left the device unusable, or empty
    std::size_t not_run = 0;         ///< selected rows that could not run any more for that reason
};

/// Runs the selected rows (indices into experiment.rows(), ascending) of a prepared experiment.
/// Prints each row as it is known, and a line on `err` for each that fails. A row that fails does
/// not end the run, unless it leaves the device unusable.
RunOutcome run_rows(Experiment& experiment, const std::vector<std::size_t>& selected,
                    const RunInfo& run, Report& report, StatusLine& status, std::FILE* err);

/// Why this row cannot run at this n, or an empty string.
std::string reason_to_skip(const RowInfo& row, std::size_t n, const std::string& item);

/// The rows that "x first" and "x library" compare with: the first of their kind that has a time;
/// nullptr if none has.
const RowResult* first_stage(const std::vector<RowResult>& results);
const RowResult* first_library(const std::vector<RowResult>& results);

}  // namespace tutorial
