// Why an index may be below 0, as far as source lines show it.
#pragma once

#include <cstdint>
#include <string>

namespace lab {

/// For the index of an access on this line, which had this value: why, and what to do; empty:
/// nothing tells.
std::string negative_index(const std::string& file, int line, std::int64_t value);

/// Which character "text[i] - 'a'" has been computed from, in a line whose index is this, and how
/// to test it; empty: it has not.
std::string index_of_character(const std::string& file, int line, std::int64_t value);

}  // namespace lab
