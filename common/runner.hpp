// The order of work of one run: check, time, check again, report, row by row.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "chapter.hpp"
#include "report.hpp"

namespace tutorial {

/// Runs the selected rows (indices into experiment.rows()) of a prepared experiment. Prints each
/// row as it is known; one line on `err` for each that fails. Returns the results in table order.
/// Throws CudaError where an error has left the device unusable; its text names the stage.
std::vector<RowResult> run_rows(Experiment& experiment, const std::vector<std::size_t>& selected,
                                const RunInfo& run, Report& report, StatusLine& status,
                                std::FILE* err);

/// Why this row cannot run at this n, or an empty string.
std::string reason_to_skip(const RowInfo& row, std::size_t n, const std::string& item);

}  // namespace tutorial
