// Numbers as people read them, and small tables of them, in plain ASCII. Needs no {fmt}: for .cu
// files too.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutorial {

/// Four significant digits and us, ms or s: "0.512 us", "12.34 us", "1.234 ms", "65.70 ms".
std::string format_time(double seconds);

/// Four significant digits, never an exponent: "4652", "12.34", "0.0123".
std::string format_number(double value);

/// The same with k, M, G or T for powers of 1000: "15.75 M", "1.234 G".
std::string format_rate(double per_second);

/// Powers of 1024: "512 B", "12.3 KiB", "139.8 GiB".
std::string format_bytes(std::size_t bytes);

/// "1048576 (2^20)" for powers of two from 1024 up, otherwise just the number.
std::string format_size(std::size_t n);

/// The name that was probably meant by a misspelt word: the one reached by adding, removing or
/// changing the fewest letters, at most a third of the word's; empty if none is that close.
std::string most_like(const std::string& word, const std::vector<std::string>& names);

/// One line per row, two spaces between columns, each as wide as its widest cell: the first one
/// aligned to the left, the others to the right. Rows may have different lengths.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace tutorial
