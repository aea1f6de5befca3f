// A report as text.
#pragma once

#include <cstddef>
#include <string>

#include "lab/lab.hpp"

namespace lab {

/// For people: each line of each kernel with what it costs, then the sums. `bytes_needed`: what one
/// run must move at least; 0: not known.
std::string explain_text(const Report& report, std::size_t bytes_needed);

/// What the words and marks of explain_text() mean: a few lines to stand below it, once.
std::string explain_legend();

}  // namespace lab
