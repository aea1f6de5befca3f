// Text for terminals that are narrower than the lab's tables.
#pragma once

#include <cstddef>
#include <string>

namespace lab {

/// Below this many columns a table would be broken in the middle of its rows.
constexpr std::size_t kLeastColumns = 72;

/// The width of the terminal on standard output, or COLUMNS if that is set. 0: there is none, or it
/// is wide enough for everything.
std::size_t narrow_columns();

/// Breaks lines between words, so that none is longer, except a single word. Continuation lines are
/// indented by two more columns. 0 columns: the text as it is.
std::string wrapped(const std::string& text, std::size_t columns);

/// Joins lines that begin with ten spaces or more to the line before, so that wrapped() can break
/// them again.
std::string unfolded(const std::string& text);

}  // namespace lab
