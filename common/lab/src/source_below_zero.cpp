#include "source_below_zero.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "source_calls.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

constexpr int kAbove = 200;

/// Types that hold -128 to 127, with those that the file names itself.
const std::set<std::string>& char_types(const std::string& file) {
    static auto* const known = new std::map<std::string, std::set<std::string>>;
    const auto [at, fresh] = known->try_emplace(file, std::set<std::string>{"char", "int8_t"});
    std::set<std::string>& types = at->second;
    for (int line = 1; fresh && line < kAbove; ++line) {
        const std::string code = code_line(file, line);
        const bool is_using = find_word(code, "using") != std::string::npos;
        if (!is_using && find_word(code, "typedef") == std::string::npos) continue;
        const std::vector<std::string> names = names_in(code);
        const bool is_char = std::any_of(names.begin(), names.end(), [&](const std::string& each) {
            return types.count(each) != 0;
        });
        const bool is_unsigned = find_word(code, "unsigned") != std::string::npos;
        if (is_char && !is_unsigned && names.size() > 2)
            types.insert(names[is_using ? 1 : names.size() - 1]);
    }
    return types;
}

/// Whether the nearest declaration of the name above has such a type.
bool is_char(const std::string& file, int line, const std::string& name) {
    for (int at = line; at > 0 && at > line - kAbove; --at) {
        const std::string code = code_line(file, at);
        const std::size_t found = find_word(code, name);
        if (found == std::string::npos) continue;
        for (const std::string& each : char_types(file)) {
            const std::size_t type = find_word(code, each);
            if (type == std::string::npos || type > found || each == name) continue;
            const std::size_t begin = type + each.size();
            const std::string between = code.substr(begin, found - begin);
            // A parameter's type ends at the comma, a member's does not.
            const char* const others = code.find('(') < found ? ",;()=[" : ";()=[";
            if (between.find_first_of(others) != std::string::npos) continue;
            return find_word(code.substr(0, type), "unsigned") == std::string::npos;
        }
    }
    return false;
}

/// The line of a function or a macro of the file that takes a remainder; 0: it does not.
int line_of_remainder(const std::string& file, int line, const std::string& function) {
    constexpr int kBody = 8;
    for (int at = line; at > 0 && at > line - kAbove; --at) {
        const std::string code = code_line(file, at);
        const std::size_t found = find_word(code, function);
        if (found == std::string::npos) continue;
        const bool is_macro = code.rfind("#define", 0) == 0;
        const bool is_function = function_around(file, at).name == function;
        for (int each = at; (is_macro || is_function) && each < at + kBody; ++each) {
            const std::string body = code_line(file, each);
            if (body.find('%', each == at ? found : 0) != std::string::npos) return each;
            if (is_macro || body.find('}') != std::string::npos) break;
        }
    }
    return 0;
}

constexpr const char* kRemainder = "The remainder of a number below 0 is below 0";

/// The same for the functions that the text calls, in words; empty: none does.
std::string remainder_of_call(const std::string& file, int line, const std::string& text) {
    for (const std::string& name : names_in(text)) {
        if (text.find(name + "(") == std::string::npos) continue;
        const int taken = line_of_remainder(file, line, name);
        if (taken == 0) continue;
        return fmt::format(
            "{}, and {}() takes one in line {}:\nuse (x % n + n) % n there, which never is.",
            kRemainder, name, taken);
    }
    return {};
}

/// What the index is computed from: itself, or the value of the variable that it names.
std::string text_of(const std::string& file, int line, const std::string& index) {
    if (names_in(index) != std::vector<std::string>{index}) return index;
    for (int at = line; at > 0 && at > line - kAbove; --at) {
        const std::string code = without_blanks(code_line(file, at));
        if (code.find(index + "%=") != std::string::npos) return index + " % n";
        if (code.find("__global__") != std::string::npos) break;
    }
    const std::string defined = definition(file, line, index);
    return defined.empty() ? index : defined;
}

}  // namespace

std::string index_of_character(const std::string& file, int line, std::int64_t value) {
    for (const IndexText& each : indexes_of(code_line(file, line))) {
        // "text[i] - 'a'"
        const std::string index = without_brackets(trimmed(text_of(file, line, each.index)));
        const std::size_t size = index.size(), minus = index.rfind('-');
        if (size < 5 || minus == std::string::npos || index.back() != '\'' ||
            trimmed(index.substr(minus + 1)).size() != 3 || index[size - 3] != '\'') {
            continue;
        }
        const std::string read = without_brackets(trimmed(index.substr(0, minus)));
        int depth = 0;
        const bool is_sum = std::any_of(read.begin(), read.end(), [&](char c) {
            depth += (c == '(' || c == '[') - (c == ')' || c == ']');
            return depth == 0 && std::string("+-*/%?").find(c) != std::string::npos;
        });
        const char first = index[size - 2];
        const std::int64_t character = value + first;
        if (is_sum || character < -128 || character > 255) continue;
        const auto is_letter = [](std::int64_t c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        };
        const char last = first == 'a' ? 'z' : first == 'A' ? 'Z' : first == '0' ? '9' : '\0';
        const std::string name = character == ' ' ? std::string("a blank")
                                 : character > ' ' && character < 127
                                     ? fmt::format("'{}'", static_cast<char>(character))
                                     : std::string();
        std::string made = fmt::format(
            "{} is {} there. Use it only if {} >= '{}'", read,
            name.empty() ? std::to_string(character) : fmt::format("{} ({})", name, character),
            read, first);
        if (last != '\0') made += fmt::format(" && {} <= '{}'", read, last);
        if (is_letter(first) && is_letter(character)) {
            made +=
                fmt::format("; or make the {} letters {} first", first == 'a' ? "capital" : "small",
                            first == 'a' ? "small" : "capital");
        }
        return made + ".";
    }
    return {};
}

std::string negative_index(const std::string& file, int line, std::int64_t value) {
    if (std::string why = index_of_character(file, line, value); !why.empty()) return why;
    std::string loaded;
    for (const IndexText& each : indexes_of(code_line(file, line))) {
        const std::string index = trimmed(text_of(file, line, each.index));
        const std::size_t remainder = index.find('%');
        if (remainder != std::string::npos && index.find('-') < remainder) {
            return fmt::format(
                "{}: add the divisor before the division, (i - 1 + n) % n\nfor (i - 1) % n.",
                kRemainder);
        }
        if (remainder != std::string::npos) {
            return fmt::format(
                "{}, and {} is. If it has overflowed,\ncompute it as an unsigned number; if it may "
                "be below 0, (x % n + n) % n never is.",
                kRemainder, trimmed(index.substr(0, remainder)));
        }
        if (std::string why = remainder_of_call(file, line, index); !why.empty()) return why;
        if (value < -128) continue;
        for (const std::string& name : names_in(index)) {
            if (!is_char(file, line, name)) continue;
            return "A char holds -128 to 127: read it as unsigned char, or convert it to that "
                   "first.";
        }
        if (index.find('[') != std::string::npos && index.find('-') == std::string::npos)
            loaded = index;
    }
    // The function may have made the index: "r.at(t - 1)".
    if (loaded.empty()) return remainder_of_call(file, line, code_line(file, line));
    return fmt::format(
        "The index is read from memory, {}, which holds {}. If that stands for none, test it "
        "before "
        "it\nis used. If it is a char, which holds -128 to 127, convert it to unsigned char first. "
        "If it is neither,\nfind out what has stored it.",
        loaded, value);
}

}  // namespace lab
