// A report as text, for people or for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/lab.hpp"

namespace lab {

/// For people: each line of each kernel with what it costs, then the sums. `bytes_needed`: the
/// minimum that one run must move; 0: not known. `columns`: of a terminal that is too narrow for a
/// table, for which each row becomes a sentence; 0: as wide as necessary.
std::string explain_text(const Report& report, std::size_t bytes_needed, std::size_t columns = 0);

/// What the words and marks of explain_text() mean: a few lines to print once, below it.
std::string explain_legend(std::size_t columns = 0);

/// A stage of a chapter; chapter/explain_chapter.hpp describes the fields.
struct ExplainedStage {
    std::string stage, idea, check, message;
    std::size_t bytes_needed = 0;
    Report report;
};

/// All that one run of a chapter's program explains.
struct ExplainedRun {
    std::string chapter;
    std::size_t n = 0;
    std::string input;
    std::uint64_t seed = 0;
    std::string order, options;
    std::vector<ExplainedStage> stages;
};

/// The report on a user's own program, for other programs to read: a JSON object. `exact`: false if
/// requests and lanes after a branch may be slightly off.
std::string program_json(const Report& report, bool exact);

/// For other programs: one JSON object.
std::string explain_json(const ExplainedRun& run);

}  // namespace lab
