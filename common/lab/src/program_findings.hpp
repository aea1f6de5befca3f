// What a program that is watched for faults prints at its end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/lab.hpp"

namespace lab {

/// All that was found. `has_ended`: the program reached its own end, so it has written its output
/// and, unless a call has failed, freed its memory.
std::vector<Finding> program_findings(bool has_ended, std::string* notice);

/// For people. `until`: what ended the program, as " until the program was ended by abort()", or
/// empty; `columns`: of a narrow terminal, or 0.
std::string findings_text(const std::vector<Finding>& all, const std::string& notice,
                          const std::string& until, std::size_t columns);

}  // namespace lab
