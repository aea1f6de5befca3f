// From an instruction to the source line that a reader would point at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lab {

struct Place {
    std::string file;      ///< full path, or empty
    int line = 0;          ///< from 1; 0: not known
    std::string function;  ///< without parameters, or empty
    bool is_known() const { return line > 0; }
};

/// The instruction's place and, if it was inlined, the places of the calls, innermost first.
std::vector<Place> places_of(std::uintptr_t pc);

/// The innermost of these places that is in the user's files, not in a header of the emulator or of
/// the system. Not known if there is none.
Place user_place(std::uintptr_t pc);

/// Calls `visit` with each of the program's variables: its symbol, address and bytes.
void each_variable(
    const std::function<void(const std::string&, std::uintptr_t, std::size_t)>& visit);

/// The ranges of the program's __constant__ variables: first and past-the-end addresses.
std::vector<std::pair<std::uintptr_t, std::uintptr_t>> constant_ranges();

/// A line of a source file, trimmed; empty if it cannot be read.
std::string source_line(const std::string& file, int line);

/// How many lines the file has.
int line_count(const std::string& file);

/// The path without its folder.
std::string file_name(const std::string& path);

}  // namespace lab
