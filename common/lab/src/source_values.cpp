#include "source_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "lines.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

constexpr int kMaxLines = 400;  // of a function

/// The terms of a sum, each with its sign: "y * w", "+x", "-1".
std::vector<std::string> terms_of(const std::string& expression) {
    std::vector<std::string> made;
    std::string one;
    int open = 0;
    for (const char here : without_blanks(expression)) {
        open += here == '(' || here == '[';
        open -= here == ')' || here == ']';
        const bool is_sign = open == 0 && (here == '+' || here == '-') && !one.empty() &&
                             std::string("*/%+-").find(one.back()) == std::string::npos;
        if (is_sign) {
            made.push_back(one);
            one.clear();
        }
        if (!is_sign || here == '-') one += here;
    }
    if (!one.empty()) made.push_back(one);
    return made;
}

/// The place of the only `*` of a product that is in no brackets; npos: it is no such product.
std::size_t only_star(const std::string& term) {
    std::size_t found = std::string::npos;
    int open = 0;
    for (std::size_t at = 0; at < term.size(); ++at) {
        open += term[at] == '(' || term[at] == '[';
        open -= term[at] == ')' || term[at] == ']';
        if (open != 0 || std::string("*/%").find(term[at]) == std::string::npos) continue;
        if (term[at] != '*' || found != std::string::npos) return std::string::npos;
        found = at;
    }
    return found;
}

/// "(y + j)" as "y + j", and blanks around operators as usual.
std::string tidy(std::string text) {
    text = without_brackets(without_blanks(text));
    std::string made;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_operator =
            at != 0 && std::string("+-*/%").find(text[at]) != std::string::npos &&
            (is_word(text[at - 1]) || text[at - 1] == ')' || text[at - 1] == ']');
        if (is_operator && text.compare(at, 2, "->") != 0) {
            made.append(" ").append(1, text[at]).append(" ");
        } else {
            made += text[at];
        }
    }
    return made;
}

/// Where a word is declared or used in a line: at which place its text ends, and what is before it.
bool is_declared_before(const std::string& code, std::size_t at) {
    std::string before = trimmed(code.substr(0, at));
    if (before.empty()) return false;
    if (before.back() == ',') {
        // "float a[4], b[5];", "int x = 1, y = 2;": the type comes first, and no bracket is open.
        const bool is_open = std::count(before.begin(), before.end(), '(') !=
                             std::count(before.begin(), before.end(), ')');
        const std::size_t equals = before.find('=');
        return !is_open && names_in(before.substr(0, equals)).size() > 1 &&
               before.find(' ') < before.find_first_of(",[(");
    }
    if (!is_word(before.back()) && std::string("*&>").find(before.back()) == std::string::npos) {
        return false;
    }
    if (before.size() > 1 && before.compare(before.size() - 2, 2, "&&") == 0) return false;
    const std::vector<std::string> words = names_in(before);
    static const auto& others =
        *new const std::set<std::string>{"return", "else", "case", "delete", "throw"};
    if (words.empty() || others.count(words.back()) != 0) return false;
    // "a * b[i]" is a product: a type is alone, or follows other words.
    if (before.back() == '*' || before.back() == '&' || before.back() == '>') {
        const std::size_t begin = before.find_last_of(";{(,=+-/%[") + 1;
        // "atomicAdd(&b[i], 1)", "if (v > b[i])"
        if (before.back() == '>' && before.find('<') == std::string::npos) return false;
        return code.find('=') > at && before.find_first_of("=+/%[") == std::string::npos &&
               trimmed(before.substr(begin)).size() > 1;
    }
    return true;
}

}  // namespace

bool has_members(const std::string& code) {
    return code.find("].") != std::string::npos || code.find("->") != std::string::npos;
}

std::vector<IndexText> indexes_of(const std::string& code) {
    std::vector<IndexText> made;
    for (std::size_t open = code.find('['); open != std::string::npos;
         open = code.find('[', open + 1)) {
        const std::size_t end = after_bracket(code, open);
        if (end <= open + 2) continue;
        IndexText one{name_before(code, open), trimmed(code.substr(open + 1, end - open - 2))};
        if (one.array.empty() && open != 0 && code[open - 1] == ']') {
            int depth = 0;
            std::size_t at = open, position = 0;
            while (at > 0 && (depth != 0 || code[at - 1] == ']')) {
                --at;
                depth += code[at] == ']';
                depth -= code[at] == '[';
                position += depth == 0;
            }
            one = {name_before(code, at), one.index, position};
        }
        if (!one.array.empty()) made.push_back(std::move(one));
    }
    // "*(a + i)", "atomicAdd(a + i, 1)"
    for (std::size_t open = code.find('('); open != std::string::npos;
         open = code.find('(', open + 1)) {
        const bool is_load =
            open != 0 && code[open - 1] == '*' &&
            (open == 1 || trimmed(code.substr(0, open - 1)).find_last_of("=(,;+-") + 1 ==
                              trimmed(code.substr(0, open - 1)).size());
        if (!is_load && name_before(code, open).rfind("atomic", 0) != 0) continue;
        const std::vector<std::string> inside = split(code, open + 1, ")");
        const std::size_t plus = inside.empty() ? std::string::npos : inside[0].find('+');
        if (plus == std::string::npos) continue;
        const std::string array = trimmed(inside[0].substr(0, plus));
        if (names_in(array) == std::vector<std::string>{array})
            made.push_back({array, trimmed(inside[0].substr(plus + 1))});
    }
    return made;
}

FlatIndex flat_index(const std::string& index) {
    FlatIndex made;
    std::string column;
    const std::vector<std::string> terms = terms_of(index);
    const auto is_product = [](const std::string& term) {
        return only_star(term) != std::string::npos && term.front() != '-';
    };
    const bool has_several = std::count_if(terms.begin(), terms.end(), is_product) > 1;
    for (const std::string& term : terms) {
        // "blockIdx.x * kTile" beside another product: where the block's columns begin.
        const bool is_place = has_several && find_word(term, "blockIdx") == 0;
        if (!is_product(term) || is_place) {
            if (!column.empty() && term.front() != '-') column += "+";
            column += term;
            continue;
        }
        if (!made.row.empty()) return {};
        const std::size_t star = only_star(term);
        made.row = tidy(term.substr(0, star));
        made.width = tidy(term.substr(star + 1));
    }
    if (made.row.empty() || column.empty()) return {};
    made.column = tidy(column);
    return made;
}

IndexTerms index_terms(const std::string& index) {
    IndexTerms made;
    for (const std::string& term : terms_of(index)) {
        const std::size_t star = only_star(term);
        if (star != std::string::npos && term.front() != '-') {
            made.products.emplace_back(tidy(term.substr(0, star)), tidy(term.substr(star + 1)));
        } else if (term.find('*') == std::string::npos) {
            made.singles.push_back(tidy(term));
        }
    }
    return made;
}

FunctionText function_around(const std::string& file, int line) {
    for (int at = line; at > 0 && at > line - kMaxLines; --at) {
        const std::string code = code_line(file, at);
        const bool is_kernel = find_word(code, "__global__") != std::string::npos;
        const bool is_function = is_kernel || find_word(code, "__device__") != std::string::npos;
        if (!is_function) continue;
        constexpr int kMaxHead = 24;
        const std::string text = code_lines(file, at, kMaxHead);
        // "void __launch_bounds__(256) name(...)"
        const std::size_t begin = text.find(is_kernel ? "__global__" : "__device__");
        std::size_t open = text.find('(', begin);
        while (open != std::string::npos) {
            const std::string name = name_before(text, open);
            if (name != "__launch_bounds__" && name != "__attribute__") break;
            open = text.find('(', after_bracket(text, open));
        }
        const std::size_t ends = text.find_first_of(";{", begin);
        if (open == std::string::npos || open > ends) continue;                   // a variable
        const std::size_t after_name = text.find_last_not_of(' ', open - 1) + 1;  // "name ("
        return {at, is_kernel, split(text, open + 1, ")"), name_before(text, after_name)};
    }
    return {};
}

std::string FunctionText::parameter(int position) const {
    const std::size_t at = static_cast<std::size_t>(position) - 1;
    return at < parameters.size() ? parameters[at] : std::string();
}

DeclaredArray declared_array(const std::string& file, int line, const std::string& name) {
    for (int at = line; at > 0 && at > line - kMaxLines; --at) {
        const std::string code = code_line(file, at);
        for (const std::size_t found : words_at(code, name)) {
            std::size_t open = found + name.size();
            if (open >= code.size() || code[open] != '[' || !is_declared_before(code, found))
                continue;
            DeclaredArray made;
            made.line = at;
            while (open < code.size() && code[open] == '[') {
                const std::size_t end = after_bracket(code, open);
                made.extents.push_back(trimmed(code.substr(open + 1, end - open - 2)));
                open = end;
            }
            return made;
        }
    }
    return {};
}

std::string host_function_around(const std::string& file, int line) {
    constexpr int kMaxHost = 60, kMaxHead = 4;
    int open = 0;
    for (int at = line; at > 0 && at > line - kMaxHost; --at) {
        const std::string code = code_line(file, at);
        const auto braces = [&](char brace) {
            return static_cast<int>(std::count(code.begin(), code.end(), brace));
        };
        open += braces('{') - (at == line ? 0 : braces('}'));
        if (open <= 0) continue;
        open = 0;
        for (int head = at; head > at - kMaxHead && head > 0; --head) {
            const std::string text = code_line(file, head);
            const std::size_t bracket = text.find('(');
            // "for (int i = 0; …) {" has a blank there.
            const std::size_t end = text.find_last_not_of(' ', bracket - (bracket != 0));
            std::string name = bracket == std::string::npos || bracket == 0
                                   ? std::string()
                                   : name_before(text, end + 1);
            if (name.empty() && head != at) break;
            if (name.empty()) continue;
            static const auto& inner =
                *new const std::set<std::string>{"if", "for", "while", "switch", "catch"};
            if (text.find(" : ") < bracket) continue;  // a constructor's members
            if (trimmed(text).front() != ':' && inner.count(name) == 0) return name;
            if (inner.count(name) != 0) break;
        }
    }
    return {};
}

bool allocates_for_copy(const std::string& file, int line, const std::string& call) {
    constexpr int kMaxHost = 30;
    const std::vector<std::string> given = call_arguments(file, line, call);
    const std::string name = given.empty() ? std::string() : last_name(given.front());
    if (name.empty()) return false;
    for (int at = line; at < line + kMaxHost; ++at) {
        const std::string code = code_line(file, at);
        if (code.rfind('}', 0) == 0 && source_line(file, at).empty()) break;
        if (find_word(code, "return " + name) != std::string::npos) return false;
    }
    for (int at = line; at > 0 && at > line - kMaxHost; --at) {
        const std::string code = code_line(file, at);
        for (const std::size_t found : words_at(code, name)) {
            const std::string before = trimmed(code.substr(0, found));
            const std::size_t end = found + name.size();
            if (before.empty() || before.back() != '*' || end >= code.size()) continue;
            // "float* d = nullptr;" is the caller's own, "(float* d, int n)" a parameter.
            if (code[end] != ',' && code[end] != ')') return false;
            const std::string type = trimmed(before.substr(0, before.size() - 1));
            const bool is_open = std::count(before.begin(), before.end(), '(') >
                                 std::count(before.begin(), before.end(), ')');
            return is_open && !type.empty() && type.back() != '*';
        }
    }
    return false;
}

TypeText type_of(const std::string& file, int line, const std::string& name) {
    const int first = std::max(function_around(file, line).line, line - kMaxLines);
    for (int at = line; at >= std::max(first, 1); --at) {
        const std::string code = code_line(file, at);
        for (const std::size_t found : words_at(code, name)) {
            if (!is_declared_before(code, found)) continue;
            const std::string before = trimmed(code.substr(0, found));
            const std::size_t begin = before.find_last_of(";{(,") + 1;
            std::string type = trimmed(before.substr(begin));
            if (type.empty()) {  // "int a = 0, b = 1;"
                const std::size_t head = before.find_last_of(";{(") + 1;
                const std::string rest = trimmed(before.substr(head));
                type = rest.substr(0, rest.find(' '));
            }
            if (type.rfind("const ", 0) == 0) type = trimmed(type.substr(6));
            return {type, at};
        }
    }
    return {};
}

namespace {

/// Whether the statement that begins with `rest`, after a condition on line `first`, holds the
/// line: in its braces, or as the one statement that follows.
bool encloses(const std::string& file, int first, const std::string& rest, int line) {
    std::string text = rest;
    for (int at = first + 1; at < line; ++at) text += code_line(file, at) + "\n";
    int braces = 0, brackets = 0;
    bool has_brace = false;
    for (const char here : text) {
        brackets += here == '(';
        brackets -= here == ')';
        braces += here == '{';
        braces -= here == '}';
        has_brace = has_brace || here == '{';
        const bool ends = here == ';' && brackets == 0 && !has_brace;
        if (ends || (has_brace && braces == 0)) return false;
    }
    return true;
}

/// Whether the block in which a statement of line `first` stands is still open at the line.
bool is_still_open(const std::string& file, int first, int line) {
    int braces = 0;
    for (int at = first; at < line; ++at) {
        for (const char here : code_line(file, at)) {
            braces += here == '{';
            braces -= here == '}';
            if (braces < 0) return false;
        }
    }
    return true;
}

/// What is true if a comparison is not.
std::string opposite(const std::string& operation) {
    return operation == ">=" ? "<" : operation == ">" ? "<=" : operation == "<" ? ">=" : ">";
}

/// A comparison of `wanted` in one part of a condition; its operation is empty: there is none.
Guard comparison(std::string part, const std::string& wanted, bool leaves) {
    const std::size_t compared = part.find_first_of("<>");
    if (compared == std::string::npos || compared == 0) return {};
    const bool has_equal = compared + 1 < part.size() && part[compared + 1] == '=';
    std::string operation = part.substr(compared, has_equal ? 2 : 1);
    std::string left = part.substr(0, compared);
    const std::string right = part.substr(compared + operation.size());
    if (leaves) operation = opposite(operation);
    while (!left.empty() && left.front() == '(' &&
           std::count(left.begin(), left.end(), '(') > std::count(left.begin(), left.end(), ')')) {
        left.erase(0, 1);
    }
    if (left != wanted) return {};
    return {tidy(left), operation, tidy(right)};
}

/// The condition in a line (without blanks) that begins with this keyword, and what follows it.
struct Condition {
    std::string text, rest;
};
Condition condition_of(const std::string& code, const std::string& keyword) {
    const std::size_t at = code.find(keyword);
    if (at == std::string::npos) return {};
    if (keyword == "?") {
        // It begins after the assignment.
        std::size_t begin = 0;
        for (std::size_t each = code.find('='); each < at; each = code.find('=', each + 1)) {
            const bool is_assignment =
                each > 0 && std::string("<>=!").find(code[each - 1]) == std::string::npos &&
                code[each + 1] != '=';
            if (is_assignment) begin = each + 1;
        }
        return {code.substr(begin, at - begin), {}};
    }
    const std::size_t open = code.find('(', at), close = after_bracket(code, open);
    std::string text = code.substr(open + 1, close - open - 2);
    if (keyword == "for(") {
        const std::size_t semicolon = text.find(';');
        if (semicolon == std::string::npos) return {};
        text = text.substr(semicolon + 1);
        text = text.substr(0, text.find(';'));
    }
    return {text, code.substr(close)};
}

/// Whether the operation, "||", is in no brackets.
bool joins_with(const std::string& text, const char* operation) {
    int open = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        open += text[at] == '(';
        open -= text[at] == ')';
        if (open == 0 && text.compare(at, 2, operation) == 0) return true;
    }
    return false;
}

}  // namespace

std::string Guard::text() const {
    return leaves ? fmt::format("Leaving at {} {} {}", left, opposite(operation), right)
                  : fmt::format("{} {} {}", left, operation, right);
}

std::vector<Guard> guards_of(const std::string& file, int line, const std::string& expression) {
    std::vector<Guard> made;
    const std::string wanted = without_blanks(expression);
    const int first = function_around(file, line).line;
    if (wanted.empty() || first == 0) return made;
    for (int at = line; at >= first; --at) {
        const std::string code = without_blanks(code_line(file, at));
        for (const std::string keyword : {"if(", "for(", "while(", "?"}) {
            if (keyword == "?" && at != line) continue;
            const Condition condition = condition_of(code, keyword);
            if (condition.text.empty()) continue;
            // "if (i >= n) return;", perhaps in braces, or on the next line
            std::string then = condition.rest;
            if (then.empty() || then == "{") then += without_blanks(code_line(file, at + 1));
            if (!then.empty() && then.front() == '{') then.erase(0, 1);
            // "if (i < n) return a[i];" is the line that is limited.
            const char* const end = at == line ? ";" : "";
            const bool leaves =
                keyword == "if(" && (then.rfind(std::string("return") + end, 0) == 0 ||
                                     then.rfind(std::string("continue") + end, 0) == 0);
            if (at != line && !leaves && !encloses(file, at, condition.rest, line)) continue;
            // One of several tests is enough to come here, so none of them is a limit.
            if (joins_with(condition.text, leaves ? "&&" : "||")) continue;
            const bool is_loop = keyword == "for(" || keyword == "while(";
            std::size_t begin = 0;
            for (std::size_t i = 0; i <= condition.text.size(); ++i) {
                const bool ends = i == condition.text.size() ||
                                  condition.text.compare(i, 2, "&&") == 0 ||
                                  condition.text.compare(i, 2, "||") == 0;
                if (!ends) continue;
                Guard guard = comparison(condition.text.substr(begin, i - begin), wanted, leaves);
                guard.line = at;
                guard.is_loop = is_loop;
                guard.leaves = leaves;
                if (!guard.operation.empty()) made.push_back(std::move(guard));
                begin = i + 2;
            }
        }
    }
    return made;
}

std::vector<Guard> guards_of_indexes(const std::string& file, int line) {
    std::vector<Guard> made;
    std::set<std::string> seen;
    for (const IndexText& each : indexes_of(code_line(file, line))) {
        std::vector<std::string> names = names_in(each.index);
        names.push_back(each.index);  // "threadIdx.x"
        for (const std::string& name : names) {
            if (!seen.insert(name).second) continue;
            const std::vector<Guard> its = guards_of(file, line, name);
            made.insert(made.end(), its.begin(), its.end());
        }
    }
    return made;
}

/// The first line of the device function around a line that counts a variable down; 0: none does.
static int line_of_step_down(const std::string& file, int line, const std::string& name) {
    const int first = function_around(file, line).line;
    bool has_begun = false;
    int open = 0;
    for (int at = first; at > 0 && at < first + kMaxLines && (!has_begun || open > 0); ++at) {
        const std::string code = without_blanks(code_line(file, at));
        open += open_braces(code);
        has_begun = has_begun || open > 0;
        for (const std::size_t found : words_at(code, name)) {
            const std::string next = code.substr(found + name.size(), 2);
            const bool is_before = found > 1 && code.compare(found - 2, 2, "--") == 0;
            if (is_before || next == "--" || next == "-=") return at;
        }
    }
    return 0;
}

SteppedIndex stepped_index(const std::string& file, int line, const std::string& index,
                           std::int64_t items) {
    const std::vector<std::string> names = names_in(index);
    const int head = loop_around(file, line);
    if (names.size() != 1 || head == 0) return {};
    const std::string& name = names.front();
    const std::size_t length = name.size();
    int grows = 0, shrinks = 0;
    bool is_tested = false, is_shift = false;
    for (int at = head; at <= end_of_loop(file, head, line); ++at) {
        const std::string code = without_blanks(code_line(file, at));
        const std::size_t moved = code.find("[" + name + "]=");
        is_shift = is_shift || code.find("[" + name + "-1]", moved) != std::string::npos;
        for (const std::size_t found : words_at(code, name)) {
            const std::string rest = code.substr(found + length, code.find(';', found) - found);
            const std::string before = "  " + code.substr(0, found), next = rest.substr(0, 2);
            const bool is_assigned = rest.rfind("=" + name, 0) == 0;
            const std::string step = is_assigned ? rest.substr(length + 1, 1) : next;
            const bool is_set = next.size() == 2 && next[0] == '=' && next[1] != '=';
            const bool is_wrapped = rest.find_first_of("%&?") != std::string::npos;
            if (at != head && ((is_set && !is_assigned) || is_wrapped)) return {};
            const std::string left = before.substr(before.size() - 2);
            const bool is_equality = next == "==" || next == "!=";
            is_tested = is_tested || next[0] == '<' || (is_equality && rest[2] != '0') ||
                        left.back() == '<' || (left.back() == '>' && left[0] != '-') ||
                        (left.back() == '=' && std::string("<>=!").find(left[0]) < 4);
            if (step == "++" || left == "++" || step == "+=" || step == "+") grows = at;
            if (step == "--" || left == "--" || step == "-=" || step == "-") shrinks = at;
        }
    }
    if (shrinks != 0 && grows == 0 && index == name) {
        const std::string first = definition(file, head, name);
        std::string why = fmt::format(
            "The loop in line {} begins with {} = {} and goes down,\nbut the last item is {}", head,
            name, first, items - 1);
        if (is_shift) {
            why += fmt::format(
                ". When the array is full, that one must fall out: begin with the\nsmaller of {} "
                "and {}, and insert nothing that comes after the last item.",
                first, items - 1);
        } else {
            why += fmt::format(": begin with that{}.",
                               first == last_name(first) ? fmt::format(" ({} - 1)", first) : "");
        }
        return {why, head};
    }
    if (grows == 0 || is_tested) return {};
    // Pushed here, and popped there or in a loop around this one.
    if (const int popped = shrinks != 0 ? shrinks : line_of_step_down(file, line, name);
        popped != 0) {
        if (std::abs(grows - line) > 1) return {};
        return {fmt::format("{} grows in line {} and goes down in line {}: a stack,\nwhich must "
                            "hold more than {} items at once. Make the array larger, with room for "
                            "the most that may wait; a\ntest here would leave some out.",
                            name, grows, popped, items),
                grows};
    }
    return {
        fmt::format("{} grows in line {}, and no test in the loop keeps it below {}: add one; or, "
                    "if it is to begin\nagain at 0, as in a hash table, write {} = ({} + 1) % {}.",
                    name, grows, items, name, name, items),
        grows};
}

/// Whether an expression is computed from a floating-point number that is loaded, or random: any
/// value of its range, also the last.
static bool is_from_loaded_float(const std::string& file, int line, const std::string& expression,
                                 int depth = 3) {
    // A condition only chooses.
    const std::string text = expression.substr(expression.find('?') + 1);
    if (text.find("curand_uniform") != std::string::npos) return true;
    const bool is_converted =
        text.find("int)") != std::string::npos || text.find("int>(") != std::string::npos ||
        text.find("floor") != std::string::npos || text.find("__float2int") != std::string::npos;
    if (is_converted && text.find("].") != std::string::npos) return true;
    for (const std::string& name : names_in(text)) {
        const std::size_t end = find_word(text, name) + name.size();
        const bool is_loaded = end < text.size() && text[end] == '[';
        const std::string type = is_loaded ? type_of(file, line, name).type : std::string();
        if (type.find("float") != std::string::npos || type.find("double") != std::string::npos)
            return true;
        if (is_loaded || depth == 0) continue;
        int at = line;
        const std::string value = definition(file, line, name, &at);
        if (at >= function_around(file, line).line && !value.empty() &&
            is_from_loaded_float(file, at, value, depth - 1)) {
            return true;
        }
    }
    return false;
}

std::string why_one_past(const std::string& file, int line, const std::string& index,
                         std::int64_t items, const SourceValues& values) {
    for (const Guard& guard : guards_of(file, line, index)) {
        const std::optional<std::int64_t> right = values.of(guard.right);
        const auto is_from = [&](const char* own) {
            return is_computed_from(file, guard.line, guard.right, own);
        };
        const bool is_own = !right && (is_from("threadIdx") || is_from("blockIdx"));
        if (guard.operation != "<=" || right.value_or(items) != items || is_own) continue;
        return fmt::format(
            "{} in line {} lets {} through: write {};\nor, if that item is meant, give the array "
            "{} "
            "items.",
            guard.text(), guard.line, items, guard.below(guard.right), items + 1);
    }
    if (!is_from_loaded_float(file, line, index)) return {};
    constexpr std::size_t kShort = 30;
    return fmt::format(
        "The index is computed from a floating-point number:\na value at the upper end of its "
        "range gives {}. Limit it to the last item, min({}, {}).",
        items, index.size() < kShort ? index : "index", items - 1);
}

bool changes_in_loop(const std::string& file, int head, int last, const std::string& name) {
    for (int line = head; line <= last; ++line) {
        const std::string code = trimmed(code_line(file, line));
        if (line != head && code.rfind("for", 0) == 0) continue;
        for (const std::size_t at : words_at(code, name)) {
            const std::string next = without_blanks(code.substr(at + name.size())).substr(0, 2);
            const std::string before = "  " + without_blanks(code.substr(0, at));
            const std::string left = before.substr(before.size() - 2);
            const bool is_set = !next.empty() && next[0] == '=' && next != "==";
            const bool is_step = next.size() == 2 && next[1] == '=' &&
                                 std::string("+-*/%&|^").find(next[0]) != std::string::npos;
            const bool is_swapped = code.find("swap(") < at;
            if (is_set || is_step || is_swapped || next == "++" || next == "--" || left == "++" ||
                left == "--")
                return true;
        }
    }
    return false;
}

/// Reads an expression from left to right.
class SourceValues::Reader {
  public:
    Reader(std::string text, std::function<std::optional<std::int64_t>(const std::string&)> of_name)
        : text_(without_blanks(std::move(text))), of_name_(std::move(of_name)) {}
    std::optional<std::int64_t> all() {
        const std::optional<std::int64_t> made = sum();
        return at_ == text_.size() ? made : std::nullopt;
    }

  private:
    using Value = std::optional<std::int64_t>;
    bool take(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    Value sum() {
        Value made = product();
        while (made && at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
            const bool is_minus = text_[at_++] == '-';
            const Value next = product();
            if (!next) return next;
            *made += is_minus ? -*next : *next;
        }
        return made;
    }
    Value product() {
        Value made = one();
        while (made && at_ < text_.size() &&
               std::string("*/%").find(text_[at_]) != std::string::npos) {
            const char operation = text_[at_++];
            const Value next = one();
            if (!next || (operation != '*' && *next == 0)) return std::nullopt;
            *made = operation == '*'   ? *made * *next
                    : operation == '/' ? *made / *next
                                       : *made % *next;
        }
        return made;
    }
    Value one() {
        if (take('-')) {
            const Value made = one();
            return made ? Value(-*made) : made;
        }
        if (text_.compare(at_, 12, "static_cast<") == 0) {
            at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
            return one();
        }
        if (take('(')) {
            const std::size_t close = text_.find(')', at_);
            const std::string inside =
                close == std::string::npos ? "" : text_.substr(at_, close - at_);
            if (is_type(inside)) {
                at_ = close + 1;
                return one();
            }
            const Value made = sum();
            return take(')') ? made : std::nullopt;
        }
        if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
            char* end = nullptr;
            const std::int64_t number = std::strtoll(text_.c_str() + at_, &end, 0);
            at_ = static_cast<std::size_t>(end - text_.c_str());
            while (at_ < text_.size() &&
                   std::string("uUlLzZ").find(text_[at_]) != std::string::npos)
                ++at_;
            return at_ < text_.size() && (text_[at_] == '.' || is_word(text_[at_])) ? Value()
                                                                                    : number;
        }
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (is_word(text_[at_]) || text_[at_] == '.' || text_[at_] == ':'))
            ++at_;
        const std::string name = text_.substr(begin, at_ - begin);
        if (name.empty()) return std::nullopt;
        if (at_ >= text_.size() || text_[at_] != '(') return of_name_(name);
        if (is_type(name)) return one();
        const bool is_min = name == "min" || name == "std::min",
                   is_max = name == "max" || name == "std::max";
        if (!is_min && !is_max) return std::nullopt;
        ++at_;
        const Value first = sum();
        const bool has_second = take(',');
        const Value second = has_second ? sum() : Value();
        if (!first || !second || !take(')')) return std::nullopt;
        return is_min ? std::min(*first, *second) : std::max(*first, *second);
    }
    static bool is_type(const std::string& text) {
        static const auto& known =
            *new const std::set<std::string>{"int",      "unsigned", "unsignedint", "long",
                                             "longlong", "size_t",   "std::size_t", "int64_t"};
        return known.count(text) != 0;
    }

    std::string text_;
    std::function<std::optional<std::int64_t>(const std::string&)> of_name_;
    std::size_t at_ = 0;
};

std::optional<std::int64_t> SourceValues::of(const std::string& expression, int line,
                                             int depth) const {
    constexpr int kDepth = 8;
    if (depth > kDepth) return std::nullopt;
    return Reader(expression, [&](const std::string& name) { return of_name(name, line, depth); })
        .all();
}

/// A variable's last value above the line; a number that the file defines; a parameter.
std::optional<std::int64_t> SourceValues::of_name(const std::string& name, int line,
                                                  int depth) const {
    const FunctionText function = function_around(file_, line);
    for (int at = line; at >= std::max(function.line, 1) && function.line != 0; --at) {
        const std::string code = code_line(file_, at);
        for (const std::size_t found : words_at(code, name)) {
            if (found != 0 && (code[found - 1] == '.' || code[found - 1] == '>')) continue;
            const std::size_t next = code.find_first_not_of(' ', found + name.size());
            if (next == std::string::npos || next + 1 >= code.size()) continue;
            const bool is_changed =
                code.compare(next, 2, "++") == 0 || code.compare(next, 2, "--") == 0 ||
                (found > 1 && (code.compare(found - 2, 2, "++") == 0 ||
                               code.compare(found - 2, 2, "--") == 0)) ||
                (std::string("+-*/%&|^").find(code[next]) != std::string::npos &&
                 code[next + 1] == '=');
            if (is_changed) return std::nullopt;
            if (code[next] != '=' || code[next + 1] == '=') continue;
            const std::string before = code.substr(0, found);
            for (const char* const word : {"for", "if", "else", "while"}) {
                if (find_word(before, word) != std::string::npos) return std::nullopt;
            }
            if (!is_still_open(file_, at, line)) return std::nullopt;
            // An earlier round of a loop may have changed it, below the line.
            for (const int head : loops_around(file_, line)) {
                const int last = end_of_loop(file_, head, line);
                if (head > at && changes_in_loop(file_, head, last, name)) return std::nullopt;
            }
            return of(first_value(code.substr(next + 1)), at, depth + 1);
        }
    }
    if (const std::optional<std::int64_t> known = known_(name)) return known;
    for (int at = 1; at <= line_count(file_); ++at) {
        const std::string code = code_line(file_, at);
        const std::size_t found = find_word(code, name);
        if (found == std::string::npos) continue;
        if (code.rfind("#define ", 0) == 0 && trimmed(code.substr(8, found - 8)).empty()) {
            return of(code.substr(found + name.size()), at, depth + 1);
        }
        const std::size_t next = code.find_first_not_of(' ', found + name.size());
        const bool is_constant = find_word(code.substr(0, found), "const") != std::string::npos ||
                                 find_word(code.substr(0, found), "constexpr") != std::string::npos;
        if (!is_constant || next == std::string::npos || code[next] != '=') continue;
        const std::string value = first_value(code.substr(next + 1));
        if (!value.empty()) return of(value, at, depth + 1);
    }
    return std::nullopt;
}

}  // namespace lab
