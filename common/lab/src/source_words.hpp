// Words, brackets and lists in a line of source text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lab {

/// Whether it may be part of a name or a number.
bool is_word(char c);

std::string trimmed(const std::string& text);
std::string without_blanks(std::string text);

/// The line without what follows "//".
std::string code_line(const std::string& file, int line);

/// So many lines from this one on, each with a blank after it.
std::string code_lines(const std::string& file, int first, int count);

/// Splits at the commas outside brackets, up to the bracket that closes the one open at `begin`, or
/// `end`.
std::vector<std::string> split(const std::string& text, std::size_t begin, const char* end);

/// Where the word begins, from `from` on; npos: nowhere.
std::size_t find_word(const std::string& text, const std::string& word, std::size_t from = 0);

/// All places where it begins.
std::vector<std::size_t> words_at(const std::string& text, const std::string& word);

/// How many more braces the text opens than it closes.
int open_braces(const std::string& text);

std::vector<std::string> names_in(const std::string& text);

/// The first of the values that end at a comma or a semicolon: "n + 1" of "n + 1, b = 2;".
std::string first_value(const std::string& text);

}  // namespace lab
