// Memory that a destructor has freed while it was still used.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "host_objects.hpp"
#include "index_source.hpp"
#include "lines.hpp"
#include "source_calls.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

/// The class whose destructor frees memory in this line; of a deleter, std::unique_ptr.
std::string owner_of(const std::string& file, int line) {
    constexpr int kMaxLines = 12;
    for (int each = line; each > 0 && each > line - kMaxLines; --each) {
        const std::string code = code_line(file, each);
        const std::size_t tilde = code.find('~');
        if (tilde != std::string::npos) return name_before(code, code.find('(', tilde));
        if (code.find("operator()(") != std::string::npos) return "unique_ptr";
        if (each != line && !code.empty() && code.front() == '}') break;
    }
    return {};
}

/// What the file does with objects of a class. Lines; 0: none does it.
struct Uses {
    bool is_copyable = true;
    int temporary = 0;  ///< makes one only to call a member of it
    int by_value = 0;   ///< a function with a parameter of it
    int moved = 0;      ///< a move constructor that leaves the pointer in the old object
};

/// Whether the function that begins on this line takes the pointer away from what it moves.
bool empties_old(const std::string& file, int line) {
    constexpr int kMaxLines = 5;
    for (int at = line; at < line + kMaxLines; ++at) {
        const std::string text = without_blanks(code_line(file, at));
        for (const char* const word : {"nullptr", "NULL", "exchange", "swap", "=0;", "=delete"}) {
            if (text.find(word) != std::string::npos) return true;
        }
        if (text.find('}') != std::string::npos || text.find("=default") != std::string::npos)
            break;
    }
    return false;
}

Uses uses_of(const std::string& file, const std::string& type) {
    Uses made;
    made.is_copyable = type != "unique_ptr";
    std::vector<std::string> makers{type};
    for (int line = 1; line <= line_count(file); ++line) {
        const std::string code = code_line(file, line), text = without_blanks(code);
        const auto says = [&](const std::string& words) {
            return text.find(words) != std::string::npos;
        };
        const bool is_moved = says(fmt::format("{0}({0}&&", type));
        const bool is_copied =
            says(fmt::format("{0}(const{0}&", type)) || says(fmt::format("{0}({0}const&", type));
        if (is_moved || (is_copied && text.find("=delete") != std::string::npos)) {
            made.is_copyable = false;
        }
        if (is_moved && !empties_old(file, line)) made.moved = line;
        for (std::size_t i = 0; i < makers.size(); ++i) {
            for (const std::size_t at : words_at(code, makers[i])) {
                std::size_t end = at + makers[i].size();
                if (end < code.size() && code[end] == '<') end = code.find('>', end) + 1;
                if (end == 0 || end >= code.size()) continue;
                if (code[end] == '(' || code[end] == '{') {
                    const std::size_t close =
                        code[end] == '(' ? after_bracket(code, end) : code.find('}', end) + 1;
                    const bool is_member = close != 0 && (code.compare(close, 1, ".") == 0 ||
                                                          code.compare(close, 2, "->") == 0);
                    if (is_member) made.temporary = line;
                }
                if (i != 0 || code[end] != ' ') continue;
                // "Buffer make(int n)", "(Buffer b, int n)"
                std::size_t name = end + 1;
                while (name < code.size() && is_word(code[name])) ++name;
                const std::string before = trimmed(code.substr(0, at));
                const bool is_first = before.empty() || before.back() == ':';
                if (is_first && name < code.size() && code[name] == '(') {
                    makers.push_back(code.substr(end + 1, name - end - 1));
                }
                const bool is_parameter =
                    !before.empty() && (before.back() == '(' || before.back() == ',') &&
                    name < code.size() && (code[name] == ',' || code[name] == ')');
                if (is_parameter) made.by_value = line;
            }
        }
    }
    return made;
}

}  // namespace

std::string explain_owner(const std::string& said, const std::string& file, emulator::Site launch) {
    constexpr char kFreed[] = "was freed at ";
    const std::size_t at = said.find(kFreed);
    const std::size_t colon = said.find(':', at);
    if (at == std::string::npos || colon == std::string::npos) return {};
    const std::size_t begin = at + sizeof kFreed - 1;
    if (file_name(file) != said.substr(begin, colon - begin)) return {};
    const int line = std::atoi(said.c_str() + colon + 1);
    const std::string type = owner_of(file, line);
    if (type.empty()) return {};
    const Uses uses = uses_of(file, type);
    const std::string destructor = fmt::format("\nThe destructor in line {} frees it", line);
    if (uses.moved != 0) {
        return fmt::format(
            "{}, and so does that of the object from which line {}\nhas moved it: set the old "
            "object's pointer to nullptr there.",
            destructor, uses.moved);
    }
    if (said.find("freed twice") != std::string::npos) return {};  // the report says what follows
    if (uses.temporary != 0) {
        return fmt::format(
            "{}: the object of line {} is a temporary, which ends\nwith that statement. Give it a "
            "name, so that it lives as long as its memory is used.",
            destructor, uses.temporary);
    }
    if (!uses.is_copyable) {
        return destructor +
               ", at the end of the object's scope: keep the object until\nthe last use of its "
               "memory has ended.";
    }
    std::string copied =
        uses.by_value == 0 ? "" : fmt::format("\nLine {} takes it by value.", uses.by_value);
    for (int position = 1; uses.by_value == 0; ++position) {
        const std::string given = launch_argument(launch, position);
        if (given.empty()) break;
        if (find_word(type_of(file, launch.line, given).type, type) == 0) {
            copied = fmt::format("\nThe launch in line {} copies {}.", launch.line, given);
            break;
        }
    }
    if (copied.empty()) {
        return destructor +
               ". If the object was copied, each copy frees it: pass it by\nreference. If not, its "
               "scope has ended: keep it until the last use of its memory has ended.";
    }
    return fmt::format(
        "{}, and each copy of the object has one.{} Pass objects by reference to\n"
        "functions, and to a kernel, whose arguments are copies, only the pointer.",
        destructor, copied);
}

}  // namespace lab
