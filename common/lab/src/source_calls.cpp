#include "source_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include "lines.hpp"
#include "source_blocks.hpp"
#include "source_structs.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

std::string definition(const std::string& file, int line, const std::string& name, int* where) {
    constexpr int kMaxLines = 200;
    for (int at = line; at > 0 && at > line - kMaxLines; --at) {
        const std::string code = code_line(file, at);
        for (const std::size_t found : words_at(code, name)) {
            std::size_t after = found + name.size();
            while (after < code.size() && code[after] == ' ') ++after;
            if (after + 1 >= code.size() || code[after] != '=' || code[after + 1] == '=') continue;
            if (where != nullptr) *where = at;
            return first_value(code.substr(after + 1));
        }
    }
    return {};
}

namespace {

/// Whether a number in it is this one, or a common factor for numbers of bytes.
bool has_number(const std::string& text, std::size_t item) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!std::isdigit(static_cast<unsigned char>(text[at])) ||
            (at > 0 && is_word(text[at - 1]))) {
            continue;
        }
        const unsigned long long number = std::strtoull(text.c_str() + at, nullptr, 0);
        if (number % item == 0 && number != 0) return true;
    }
    return text.find("<<") != std::string::npos;
}

bool names_bytes(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("byte") != std::string::npos || text.find("size") != std::string::npos ||
           text.find("pitch") != std::string::npos || text.find('(') != std::string::npos;
}

}  // namespace

std::string last_name(const std::string& expression) {
    std::size_t end = expression.size();
    while (end > 0 && !is_word(expression[end - 1])) --end;
    return name_before(expression, end);
}

std::vector<std::string> call_arguments(const std::string& file, int line,
                                        const std::string& call) {
    constexpr int kMaxLines = 8;  // of one statement
    // A call that spans several lines may be reported at any of them.
    for (int first = line; first > 0 && first > line - kMaxLines; --first) {
        const std::string text = code_lines(file, first, kMaxLines);
        const std::size_t own = code_line(file, first).size();
        if (call == "<<<" || call == ">>>") {
            const std::size_t at = text.find("<<<");
            if (at == std::string::npos || at >= own) continue;
            if (call == "<<<") return split(text, at + 3, ">>>");
            const std::size_t open = text.find('(', text.find(">>>", at));
            return split(text, open == std::string::npos ? text.size() : open + 1, ")");
        }
        const std::size_t at = find_word(text, call);
        if (at == std::string::npos || at >= own) continue;
        const std::size_t open = text.find('(', at);
        if (open == std::string::npos) return {};
        return split(text, open + 1, ")");
    }
    return {};
}

std::size_t after_bracket(const std::string& code, std::size_t open) {
    const char closing = code[open] == '(' ? ')' : ']';
    int depth = 0;
    std::size_t end = open;
    do {
        depth += code[end] == code[open];
        depth -= code[end] == closing;
        ++end;
    } while (end < code.size() && depth > 0);
    return end;
}

std::string without_brackets(std::string text) {
    while (text.size() > 1 && text.front() == '(' && text.back() == ')' &&
           after_bracket(text, 0) == text.size()) {
        text = text.substr(1, text.size() - 2);
    }
    return text;
}

std::string name_before(const std::string& code, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && is_word(code[begin - 1])) --begin;
    return code.substr(begin, end - begin);
}

SizeText size_text(const std::string& file, int line, const std::string& expression,
                   const std::string& pointer, std::size_t item, std::size_t access) {
    SizeText made;
    made.text = expression;
    const bool is_name = std::all_of(expression.begin(), expression.end(), is_word) &&
                         !expression.empty() &&
                         !std::isdigit(static_cast<unsigned char>(expression.front()));
    if (is_name) {
        const std::string value = definition(file, line, expression);
        if (!value.empty()) made.text = value;
    }
    const std::string& text = made.text;
    const std::size_t at = find_word(text, "sizeof");
    if (at == std::string::npos) {
        const bool has_name = std::any_of(text.begin(), text.end(),
                                          [](unsigned char c) { return std::isalpha(c) != 0; });
        // A variable with the first name holds a number of items, unless the name says otherwise.
        made.is_in_items = (has_name || made.text != expression) && !has_number(text, item) &&
                           !has_number(text, access) && !names_bytes(text) && item > 1;
        if (made.text != expression && !has_name) {
            made.is_in_items = item > 1 && !names_bytes(expression);
        }
        return made;
    }
    std::size_t begin = at + 6;
    while (begin < text.size() && text[begin] == ' ') ++begin;
    std::string measured;
    std::size_t end = begin;
    if (begin < text.size() && text[begin] == '(') {
        end = after_bracket(text, begin);
        measured = text.substr(begin + 1, end - begin - 2);
    } else {
        while (end < text.size() && (is_word(text[end]) || text[end] == '*')) ++end;
        measured = text.substr(begin, end - begin);
    }
    made.measure = text.substr(at, end - at);
    measured = trimmed(measured);
    made.is_pointer =
        (!measured.empty() && measured.back() == '*') || (!pointer.empty() && measured == pointer);
    made.bytes = made.is_pointer ? sizeof(void*) : size_of_type(measured);
    return made;
}

bool leaves_out_end(const SizeText& size) {
    return size.text.find("strlen(") != std::string::npos &&
           without_blanks(size.text).find("+1") == std::string::npos;
}

bool is_pointer_variable(const std::string& file, int line, const std::string& name) {
    constexpr int kMaxLines = 200;
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_word)) return false;
    for (int at = line; at > 0 && at > line - kMaxLines; --at) {
        const std::string code = code_line(file, at);
        for (const std::size_t found : words_at(code, name)) {
            // "int* name", "int *name", "int* const name"; or "int name[2]".
            std::string before = trimmed(code.substr(0, found));
            const bool is_const = before.size() > 5 && before.rfind("const") == before.size() - 5;
            if (is_const) before = trimmed(before.substr(0, before.size() - 5));
            if (before.empty()) continue;
            const bool is_array = found + name.size() < code.size() &&
                                  code[found + name.size()] == '[' && is_word(before.back()) &&
                                  before != "return";
            if (is_array) return false;
            if (before.back() != '*') continue;
            before = trimmed(before.substr(0, before.size() - 1));
            if (!before.empty() && (is_word(before.back()) || before.back() == '>')) return true;
        }
    }
    return false;
}

std::vector<UnsetText> variables_without_value(const std::string& file, int line) {
    static const std::set<std::string> types = {
        "int",      "float",  "double",        "unsigned",     "long",        "short",
        "char",     "bool",   "size_t",        "int32_t",      "uint32_t",    "int64_t",
        "uint64_t", "T",      "std::uint32_t", "std::int32_t", "std::size_t", "std::uint64_t",
        "float2",   "float4", "int2",          "int4",         "double2",     "half"};
    std::vector<UnsetText> made;
    const int first = function_around(file, line).line;
    for (int at = first; first != 0 && at <= line; ++at) {
        const std::string code = code_line(file, at);
        // A struct in one line has its members before the function.
        const std::size_t head = at == first ? find_word(code, "__device__") : 0;
        for (std::size_t begin = head != std::string::npos ? head : 0; begin < code.size();) {
            const std::size_t end = std::min(code.find_first_of(";{}", begin), code.size());
            const std::string part = trimmed(code.substr(begin, end - begin));
            const bool is_whole = end < code.size() && code[end] == ';';
            begin = end + 1;
            const std::string type = part.substr(0, part.find(' '));
            if (!is_whole || types.count(type) == 0 || part.find('(') < part.find('=')) continue;
            for (const std::string& each : split(part + ";", type.size(), ";")) {
                const std::vector<std::string> names = names_in(each.substr(0, each.find('[')));
                if (names.empty() || each.find_first_of("=*&(") != std::string::npos) continue;
                made.push_back({names.back(), type, at});
            }
        }
    }
    // "x = a[i];" before any other use
    const auto is_set = [&](const UnsetText& each) {
        for (int at = each.line; at <= line; ++at) {
            std::string code = code_line(file, at);
            if (at == each.line) {
                const std::size_t end = code.find(';', find_word(code, each.name));
                code = end == std::string::npos ? std::string() : code.substr(end + 1);
            }
            const std::size_t found = find_word(code, each.name);
            if (found == std::string::npos) continue;
            std::string after = without_blanks(code.substr(found + each.name.size()));
            while (!after.empty() && after[0] == '[') after.erase(0, after_bracket(after, 0));
            const bool is_assigned = after.size() > 1 && after[0] == '=' && after[1] != '=' &&
                                     find_word(code, "if") > found &&
                                     branch_around(file, at) <= each.line;
            return is_assigned || (found != 0 && code[found - 1] == '&');
        }
        return false;
    };
    made.erase(std::remove_if(made.begin(), made.end(), is_set), made.end());
    return made;
}

bool is_first_value(const std::string& code) {
    for (std::size_t at = code.find('='); at != std::string::npos; at = code.find('=', at + 1)) {
        const bool is_compared =
            (at + 1 < code.size() && code[at + 1] == '=') ||
            (at > 0 && std::string("=<>!+-*/|&^%").find(code[at - 1]) != std::string::npos);
        if (is_compared) continue;
        std::string value = trimmed(code.substr(at + 1, code.find(';', at) - at - 1));
        if (value.find('=') != std::string::npos) continue;
        if (!value.empty() && value.front() == '-') value.erase(0, 1);
        const bool is_number =
            !value.empty() && (std::isdigit(static_cast<unsigned char>(value.front())) != 0 ||
                               value.front() == '{' || value.front() == '.');
        // Names of extremes, true and false.
        const bool is_name = std::all_of(value.begin(), value.end(), [](char c) {
            return std::isupper(static_cast<unsigned char>(c)) || c == '_';
        });
        const bool is_plain = value.find('[') == std::string::npos;
        if ((is_number || is_name || value == "true" || value == "false") && is_plain) return true;
    }
    return false;
}

std::string coalesced_group(const std::string& file, int line) {
    for (int at = line; at > 0; --at) {
        const std::string code = code_line(file, at);
        if (code.find("__global__") != std::string::npos) return {};
        const std::size_t made = code.find("coalesced_threads()");
        const std::size_t equals = made == std::string::npos ? made : code.rfind('=', made);
        if (equals == std::string::npos) continue;
        return last_name(code.substr(0, equals));
    }
    return {};
}

bool is_operation(const std::string& code) {
    for (const char* each : {"+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--"}) {
        if (code.find(each) != std::string::npos) return true;
    }
    return false;
}

bool is_index_from(const std::string& file, int line, const std::string& function) {
    const std::string code = code_line(file, line);
    for (std::size_t at = code.find('['); at != std::string::npos; at = code.find('[', at + 1)) {
        const std::string index = code.substr(at + 1, code.find(']', at) - at - 1);
        for (const std::string& name : names_in(index)) {
            if (name.rfind(function, 0) == 0 ||
                definition(file, line, name).find(function) != std::string::npos) {
                return true;
            }
        }
    }
    return false;
}

std::vector<int> calls_of_function(const std::string& file, int line) {
    const FunctionText function = function_around(file, line);
    std::vector<int> made;
    if (function.line == 0 || function.is_kernel || function.name.empty()) return made;
    for (int at = 1; at <= line_count(file); ++at) {
        const std::string code = code_line(file, at);
        const std::size_t found = find_word(code, function.name);
        const std::size_t end = found == std::string::npos ? found : found + function.name.size();
        const bool is_call = end < code.size() && (code[end] == '(' || code[end] == '<');
        if (is_call && function_around(file, at).line != function.line) made.push_back(at);
    }
    return made;
}

namespace {

/// What the function of this name returns, if that is one expression.
std::string returned_by(const std::string& file, const std::string& name, int* where) {
    std::string made;
    for (int at = 1; at <= line_count(file); ++at) {
        const std::string code = trimmed(code_line(file, at));
        const std::size_t found = find_word(code, "return");
        if (found == std::string::npos || function_around(file, at).name != name) continue;
        if (!made.empty()) return {};
        made = trimmed(code.substr(found + 6, code.find(';') - found - 6));
        *where = at;
    }
    return made;
}

}  // namespace

std::string computation(const std::string& file, int line, const std::string& expression,
                        int* where) {
    constexpr int kSteps = 4;
    std::string made = without_brackets(trimmed(expression));
    *where = line;
    for (int step = 0; step < kSteps && !made.empty(); ++step) {
        const std::string name = made.substr(0, made.find_first_of("(<"));
        if (!std::all_of(name.begin(), name.end(), is_word)) break;
        const FunctionText function = function_around(file, *where);
        int at = 0;
        std::string next;
        if (name != made) {
            if (made.back() == ')') next = returned_by(file, name, &at);
        } else if (next = definition(file, *where, name, &at); at < function.line) {
            next.clear();
            const std::vector<int> calls = calls_of_function(file, *where);
            for (std::size_t i = 0; i < function.parameters.size() && calls.size() == 1; ++i) {
                if (last_name(function.parameters[i]) != name) continue;
                const std::vector<std::string> given =
                    call_arguments(file, calls.front(), function.name);
                at = calls.front();
                if (i < given.size()) next = given[i];
            }
        }
        if (next.empty()) break;
        made = without_brackets(trimmed(next));
        *where = at;
    }
    return made;
}

bool is_computed_from(const std::string& file, int line, const std::string& expression,
                      const std::string& variable, int depth) {
    if (find_word(expression, variable) != std::string::npos) return true;
    if (depth == 0) return false;
    const std::vector<std::string> names = names_in(expression);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return is_computed_from(file, line, definition(file, line, name), variable, depth - 1);
    });
}

bool is_index_computed_from(const std::string& file, int line, const std::string& array,
                            const std::string& variable) {
    const std::string code = code_line(file, line);
    const bool is_named = !array.empty() && find_word(code, array) != std::string::npos;
    bool is_of_array = false;
    for (std::size_t at = code.find('['); at != std::string::npos; at = code.find('[', at + 1)) {
        // The second index of tile[y][x] belongs to it as well.
        if (code[at - (at != 0)] != ']') is_of_array = !is_named || name_before(code, at) == array;
        const std::string index = code.substr(at + 1, after_bracket(code, at) - at - 2);
        if (is_of_array && is_computed_from(file, line, index, variable)) return true;
    }
    return false;
}

namespace {

/// The text in the brackets of what is stored in a line: "x" of "out[x] = in[x];".
std::vector<std::string> stored_indexes(const std::string& code) {
    std::vector<std::string> made;
    for (std::size_t open = code.find('['); open != std::string::npos;
         open = code.find('[', open + 1)) {
        const std::size_t end = after_bracket(code, open);
        std::size_t after = end;
        while (after < code.size() && (is_word(code[after]) || code[after] == '.')) ++after;
        while (after < code.size() && code[after] == ' ') ++after;
        if (after < code.size() && std::string("+-*/|&^%").find(code[after]) != std::string::npos) {
            ++after;
        }
        const bool is_stored =
            after + 1 < code.size() && code[after] == '=' && code[after + 1] != '=';
        if (is_stored) made.push_back(code.substr(open + 1, end - open - 2));
    }
    return made;
}

bool is_clamp(const std::string& value) {
    const std::vector<std::string> names = names_in(value);
    return value.find('?') != std::string::npos ||
           std::any_of(names.begin(), names.end(), [](const std::string& name) {
               return name == "min" || name == "max" || name.find("clamp") != std::string::npos ||
                      name.find("Clamp") != std::string::npos;
           });
}

/// Whether an operation maps several numbers to one.
bool is_many_to_one(const std::string& value) {
    return value.find_first_of("/%&") != std::string::npos || value.find(">>") != std::string::npos;
}

}  // namespace

SharedIndex shared_index(const std::string& file, int line) {
    constexpr int kMaxLines = 100;
    const std::vector<std::string> indexes = stored_indexes(code_line(file, line));
    for (const std::string& index : indexes) {
        if (is_clamp(index)) return {{}, index, line, true};
    }
    SharedIndex other;
    for (const std::string& index : indexes) {
        if (is_many_to_one(index)) other = {{}, index, line, false};
        for (const std::string& name : names_in(index)) {
            for (int at = line; at > 0 && at > line - kMaxLines; --at) {
                const std::string code = code_line(file, at);
                if (code.find("__global__") != std::string::npos && at != line) break;
                const std::size_t found = find_word(code, name);
                const std::size_t equals =
                    found == std::string::npos ? found : code.find('=', found + name.size());
                const bool is_set = equals != std::string::npos && equals + 1 < code.size() &&
                                    code[equals + 1] != '=' &&
                                    code.find_first_not_of(' ', found + name.size()) == equals;
                if (!is_set) {
                    // "if (i >= w) i = w - 1;"
                    const std::size_t test = find_word(code, "if");
                    const std::size_t close = code.rfind(')');
                    const std::size_t set =
                        close == std::string::npos ? close : find_word(code, name, close);
                    if (test < found && found < close && set != std::string::npos &&
                        code.find_first_of("<>") < close) {
                        const std::size_t gets = code.find_first_not_of(' ', set + name.size());
                        if (gets != std::string::npos && code[gets] == '=' &&
                            code[gets + 1] != '=') {
                            return {name, trimmed(code), at, true};
                        }
                    }
                    continue;
                }
                const std::string value = first_value(code.substr(equals + 1));
                // A declaration of several variables ends at the comma.
                if (is_clamp(value)) return {name, value, at, true};
                if (is_many_to_one(value) && other.text.empty()) other = {name, value, at, false};
            }
        }
    }
    return other;
}

namespace {

/// The names in the condition of a loop on this line that does nothing else, except to pause.
std::vector<std::string> polled_names(const std::string& file, int line) {
    const std::string code = code_line(file, line);
    const std::size_t loop = find_word(code, "while");
    const std::size_t open = loop == std::string::npos ? loop : code.find('(', loop);
    if (open == std::string::npos || code.find('}') < loop) return {};  // the end of a do
    const std::size_t end = after_bracket(code, open);
    const std::string rest = without_blanks(code.substr(end));
    const bool is_all = rest[0] == ';' || rest.find("{}") == 0 || rest.find("__nanosleep(") < 2 ||
                        (rest == "{" && trimmed(code_line(file, line + 1))[0] == '}');
    return is_all ? names_in(code.substr(open, end - open)) : std::vector<std::string>{};
}

/// Those of a file that are declared volatile.
const std::set<std::string>& polled_in(const std::string& file) {
    static auto* const known = new std::map<std::string, std::set<std::string>>;
    const auto [at, fresh] = known->try_emplace(file);
    if (!fresh) return at->second;
    std::set<std::string> polled, declared;
    for (int line = 1; line <= line_count(file); ++line) {
        const std::string code = code_line(file, line);
        for (const std::string& name : polled_names(file, line)) polled.insert(name);
        if (find_word(code, "volatile") == std::string::npos) continue;
        for (const std::string& name : names_in(code)) declared.insert(name);
    }
    std::set_intersection(polled.begin(), polled.end(), declared.begin(), declared.end(),
                          std::inserter(at->second, at->second.end()));
    return at->second;
}

}  // namespace

bool is_wait(const std::string& file, int line) { return !polled_names(file, line).empty(); }

bool names_polled(const std::string& file, int line) {
    const std::set<std::string>& polled = polled_in(file);
    const std::vector<std::string> names = names_in(code_line(file, line));
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return polled.count(name) != 0; });
}

/// The volatile variables of a file, and which of them no condition depends on.
struct Volatiles {
    std::set<std::string> declared, all, data;  ///< all: also the members of structures
};

/// The code with "member__flag[i]" for "state[i].flag": of a volatile structure some members are
/// flags, and others data.
static std::string with_members(std::string code, const std::set<std::string>& names) {
    for (const std::string& name : names) {
        for (std::size_t at = find_word(code, name); at != std::string::npos;
             at = find_word(code, name, at + 1)) {
            const std::size_t end = at + name.size();
            const std::size_t index = code[end] == '[' ? after_bracket(code, end) : end;
            const std::size_t dot = index == std::string::npos          ? 0
                                    : code[index] == '.'                ? 1
                                    : code.compare(index, 2, "->") == 0 ? 2
                                                                        : 0;
            if (dot == 0) continue;
            std::size_t member = index + dot;
            while (member < code.size() && is_word(code[member])) ++member;
            code = code.substr(0, at) + "member__" +
                   code.substr(index + dot, member - index - dot) + code.substr(end, index - end) +
                   code.substr(member);
        }
    }
    return code;
}

static const Volatiles& volatiles_in(const std::string& file) {
    static auto* const known = new std::map<std::string, Volatiles>;
    const auto [at, fresh] = known->try_emplace(file);
    if (!fresh) return at->second;
    std::vector<std::string> lines;
    for (int line = 1; line <= line_count(file); ++line) lines.push_back(code_line(file, line));
    std::set<std::string> names;
    for (const std::string& code : lines) {
        for (const std::size_t found : words_at(code, "volatile")) {
            const std::string declared =
                code.substr(found, code.find_first_of(",);=[", found) - found);
            // "(volatile int*)" of a conversion declares none.
            if (declared.empty() || !is_word(declared.back())) return at->second;
            names.insert(last_name(declared));
        }
    }
    const std::set<std::string> declared = names;
    for (std::string& code : lines) {
        code = with_members(std::move(code), declared);
        for (const std::string& name : names_in(code)) {
            if (name.rfind("member__", 0) == 0) names.insert(name);
        }
    }
    at->second.declared = declared;
    std::string tested, changed;
    std::map<std::string, std::string> results;           // of functions, which may be tested
    std::map<std::string, std::set<std::string>> copies;  // "best" of "best = *shared_best;"
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string& code = lines[i];
        // "cudaMalloc(&sums, bytes)" of the host tests nothing, even if a kernel's argument has
        // that name.
        for (std::size_t at = code.find('&'); at != std::string::npos; at = code.find('&', at)) {
            const std::size_t before = at == 0 ? at : code.find_last_not_of(' ', at - 1);
            std::size_t end = at + 1;
            while (end < code.size() && is_word(code[end])) ++end;
            const bool is_address = before != std::string::npos && before != at &&
                                    (code[before] == '(' || code[before] == ',') && end != at + 1;
            if (is_address) code.erase(at, end - at);
            if (!is_address) ++at;
        }
        for (const char* const word : {"if", "while", "for"}) {
            const std::size_t open = code.find('(', find_word(code, word));
            if (open == std::string::npos) continue;
            const std::size_t end = after_bracket(code, open);
            tested += code.substr(open, end - open);
            code.erase(open, end - open);
        }
        const std::size_t equals = code.find('=');
        const bool is_tested = code.find_first_of("&|!") != std::string::npos;
        const std::size_t choice = code.find('?');
        if (is_tested || choice != std::string::npos) {
            const bool is_value = !is_tested && equals < choice && code[equals + 1] != '=';
            const std::size_t begin = is_value ? equals : 0;
            tested += code.substr(begin, is_tested ? std::string::npos : choice - begin) + ";";
        }
        if (const std::size_t result = find_word(code, "return"); result != std::string::npos) {
            results[host_function_around(file, static_cast<int>(i) + 1)] +=
                code.substr(result) + ";";
        }
        if (is_operation(code)) changed += code.substr(0, equals) + ";";
        for (const std::string& name : names) {
            if (equals == std::string::npos || find_word(code, name, equals) == std::string::npos) {
                continue;
            }
            copies[name].insert(last_name(code.substr(0, equals)));
            if (find_word(code, name) < equals) changed += name + ";";  // "*count = *count + 1"
        }
    }
    const auto is_tested = [&](const std::string& name) {
        return find_word(tested, name) != std::string::npos;
    };
    for (const auto& [function, result] : results) {
        if (!function.empty() && is_tested(function)) tested += result;
    }
    for (const std::string& name : names) {
        const std::set<std::string>& read = copies[name];
        if (!is_tested(name) && std::none_of(read.begin(), read.end(), is_tested) &&
            find_word(changed, name) == std::string::npos) {
            at->second.data.insert(name);
        }
    }
    at->second.all = std::move(names);
    return at->second;
}

bool are_volatiles_data(const std::string& file, int line) {
    const Volatiles& volatiles = volatiles_in(file);
    if (volatiles.data.size() == volatiles.all.size()) return !volatiles.all.empty();
    bool is_any = false;
    for (const std::string& name :
         names_in(with_members(code_line(file, line), volatiles.declared))) {
        if (volatiles.data.count(name) != 0) {
            is_any = true;
        } else if (volatiles.all.count(name) != 0) {
            return false;
        }
    }
    return is_any;
}

TestAndSet test_and_set(const std::string& file, int first, int last) {
    constexpr int kMaxLines = 4;
    for (int test = last; test > last - kMaxLines && test > 0; --test) {
        std::string code;
        for (int line = test; line < test + kMaxLines; ++line) {
            code += without_blanks(code_line(file, line)) + '\n';
        }
        const std::size_t begin = code.find("if(");
        if (begin == std::string::npos || begin > code.find('\n')) continue;
        const std::size_t end = after_bracket(code, begin + 2);
        const std::string condition = code.substr(begin + 3, end - begin - 4);
        const std::size_t open = condition.find('[');
        const std::size_t close = open == std::string::npos ? open : after_bracket(condition, open);
        if (close == std::string::npos) continue;
        const std::string array = name_before(condition, open);
        if (array.empty() || find_word(condition, array, close) != std::string::npos) continue;
        const std::string item = array + condition.substr(open, close - open);
        // Only a test for one value: for the largest or smallest one there are other operations.
        const std::size_t at = condition.find(item);
        const bool is_not = at != 0 && condition[at - 1] == '!';
        if (at != 0 && std::string("<>=").find(condition[at - 1]) != std::string::npos) continue;
        const bool is_equal = condition.compare(close, 2, "==") == 0;
        const std::size_t part = condition.find("&&", close);
        if (!is_not && !is_equal && condition.compare(close, 2, "!=") != 0 &&
            close != std::min(part, condition.size())) {
            continue;
        }
        const std::size_t stored = code.find(item + "=", end);
        const std::size_t semicolon = code.find(';', stored);
        if (stored == std::string::npos || semicolon == std::string::npos) continue;
        const std::size_t value = stored + item.size() + 1;
        if (code[value] == '=' || code.find('}', end) < stored) continue;
        const int store =
            test + static_cast<int>(std::count(
                       code.begin(), code.begin() + static_cast<std::ptrdiff_t>(stored), '\n'));
        if (test > first || last > store || (first != test && first != store)) continue;
        const std::string set = code.substr(value, semicolon - value);
        const std::string expected =
            is_equal
                ? condition.substr(close + 2, part == std::string::npos ? part : part - close - 2)
                : "0";
        return {test, store,
                is_equal || is_not ? fmt::format("atomicCAS(&{}, {}, {})", item, expected, set)
                                   : fmt::format("atomicExch(&{}, {})", item, set)};
    }
    return {};
}

bool is_swap_of_lock(const std::string& file, int line) {
    constexpr int kMaxLines = 40;
    const std::vector<std::string> arguments = call_arguments(file, line, "atomicCAS");
    if (arguments.empty()) return true;  // of a cuda::atomic, or in another function
    const std::vector<std::string> names = names_in(arguments.front());
    if (names.empty()) return true;
    for (int at = line + 1; at < line + kMaxLines; ++at) {
        const std::string code = code_line(file, at);
        if (code.find("__global__") != std::string::npos) return false;
        const std::size_t name = find_word(code, names.front());
        if (name == std::string::npos) continue;
        const std::size_t equals = code.find('=', name);
        const bool is_stored = equals != std::string::npos && equals + 1 < code.size() &&
                               code[equals + 1] != '=' &&
                               std::string("=!<>").find(code[equals - 1]) == std::string::npos;
        if (is_stored || code.find("atomicExch") < name) return true;
    }
    return false;
}

int line_of_swap(const std::string& file, int line) {
    constexpr int kMaxLines = 10;
    for (int at = line; at > 0 && at > line - kMaxLines; --at) {
        const std::string code = code_line(file, at);
        if (find_word(code, "swap") != std::string::npos) return at;
        if (code.find("__global__") != std::string::npos) return 0;
    }
    return 0;
}

UnlaunchedKernel unlaunched_kernel(const std::string& file) {
    UnlaunchedKernel found;
    const std::string all = code_lines(file, 1, line_count(file));
    for (int line = 1; line <= line_count(file); ++line) {
        if (find_word(code_line(file, line), "__global__") == std::string::npos) continue;
        const FunctionText kernel = function_around(file, line);
        if (kernel.line != line || kernel.name.empty()) continue;
        const std::vector<std::size_t> named = words_at(all, kernel.name);
        const bool is_declared_only = std::all_of(named.begin(), named.end(), [&](std::size_t at) {
            const std::size_t head = all.rfind("__global__", at);
            return head != std::string::npos &&
                   all.substr(head, at - head).find_first_of(";{") == std::string::npos;
        });
        if (!is_declared_only) continue;
        if (!found.name.empty() && found.name != kernel.name) return {};  // which of them?
        found = {kernel.name, line};
    }
    return found;
}

bool is_only_stored(const std::string& file, int line, const std::string& name) {
    int depth = 0;
    std::size_t uses = 0, stores = 0;
    for (bool is_begun = false; line <= line_count(file) && !(is_begun && depth <= 0); ++line) {
        const std::string code = code_line(file, line);
        if (is_begun) uses += words_at(code, name).size();
        for (const Assignment& each : assignments(file, line)) {
            stores += each.target.rfind(name + "[", 0) == 0;
        }
        depth += open_braces(code);
        is_begun = is_begun || code.find('{') != std::string::npos;
    }
    return stores != 0 && stores == uses;
}

int stores_in(const std::string& code, const std::string& array) {
    int stores = 0;
    for (const std::string& index : stored_indexes(code)) {
        std::string use = array;
        use.append("[").append(index).append("]");
        stores += code.find(use) != std::string::npos;
    }
    return stores;
}

namespace {

/// The text in the first brackets of all uses of an array of two extents: "now" of tile[now][i].
std::set<std::string> first_indexes(const std::string& line, const std::string& name) {
    const std::string code = without_blanks(line);
    std::set<std::string> made;
    for (std::size_t at = code.find(name + "["); at != std::string::npos;
         at = code.find(name + "[", at + 1)) {
        if (at > 0 && is_word(code[at - 1])) continue;
        const std::size_t begin = at + name.size() + 1;
        const std::size_t end = after_bracket(code, begin - 1);
        if (end < code.size() && code[end] == '[') made.insert(code.substr(begin, end - begin - 1));
    }
    return made;
}

}  // namespace

bool may_be_one_half(const std::string& line, const std::string& other, const std::string& name) {
    const std::set<std::string> mine = first_indexes(line, name), its = first_indexes(other, name);
    return mine.empty() || its.empty() ||
           std::any_of(mine.begin(), mine.end(),
                       [&](const std::string& each) { return its.count(each) != 0; });
}

bool has_two_halves(const std::string& file, int line, const std::string& name) {
    constexpr int kMaxLines = 200;
    for (int at = line; at > 0 && at > line - kMaxLines; --at) {
        const std::string code = code_line(file, at);
        if (code.find("__shared__") == std::string::npos) continue;
        const std::size_t found = find_word(code, name);
        if (found == std::string::npos) continue;
        const std::string extent = without_blanks(code.substr(found + name.size()));
        if (extent.rfind("[2][", 0) == 0) return true;
        const std::size_t end = extent.find(']');
        const bool is_double =
            extent.rfind("[2*", 0) == 0 ||
            (end != std::string::npos && end > 2 && extent.compare(end - 2, 2, "*2") == 0);
        // The third number of a launch says how many; a half is chosen by a value that alternates.
        if (!is_double && extent.rfind("[]", 0) != 0) return false;
        for (int each = at; each < at + kMaxLines; ++each) {
            const std::string said = without_blanks(code_line(file, each));
            const auto is_said = [&](std::initializer_list<const char*> signs) {
                return std::any_of(signs.begin(), signs.end(), [&](const char* sign) {
                    return said.find(sign) != std::string::npos;
                });
            };
            if (is_said({"=1-", "^=1;"})) return true;
            if (is_double && is_said({"&1;", "%2;", "&1)*", "%2)*"})) return true;
        }
        return false;
    }
    return false;
}

}  // namespace lab
