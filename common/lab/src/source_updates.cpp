#include "source_updates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lines.hpp"
#include "source_blocks.hpp"
#include "source_locks.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

constexpr int kFunctionLines = 60;  ///< a function is searched this far

/// The line without the conditions and keywords before its statements.
std::string statements(std::string code) {
    for (bool again = true; again;) {
        again = false;
        code = trimmed(code);
        while (!code.empty() && (code.front() == '{' || code.front() == '}')) {
            code = trimmed(code.substr(1));
        }
        for (const char* const word : {"if", "while", "else"}) {
            const std::string key = word;
            if (find_word(code, key) != 0) continue;
            const std::size_t open = code.find_first_not_of(' ', key.size());
            const bool has_condition = open != std::string::npos && code[open] == '(';
            code = code.substr(has_condition ? after_bracket(code, open) : key.size());
            again = true;
        }
    }
    return code;
}

/// The parts of a condition between && and ||.
std::vector<std::string> parts_of(const std::string& condition) {
    std::vector<std::string> made;
    for (std::size_t at = 0, next = 0; at <= condition.size(); at = next + 2) {
        next = std::min(condition.find("&&", at), condition.find("||", at));
        made.push_back(condition.substr(at, next == std::string::npos ? next : next - at));
        if (next == std::string::npos) break;
    }
    return made;
}

/// Whether the expression has been read from memory, or is computed from what has.
bool is_read(const std::string& file, int line, const std::string& expression, int depth) {
    if (expression.find('[') != std::string::npos || expression.find("->") != std::string::npos) {
        return true;
    }
    if (depth == 0) return false;
    for (const std::string& name : names_in(expression)) {
        for (int at = line; at > 0 && at > line - kFunctionLines; --at) {
            for (const Assignment& each : assignments(file, at)) {
                if (each.target != name || each.value == expression) continue;
                if (is_read(file, at, each.value, depth - 1)) return true;
            }
            if (code_line(file, at).find("__global__") != std::string::npos) break;
        }
    }
    return false;
}

/// The value that a part of a condition compares the item with by this operator; "0" for `!item`.
std::string compared_with(const std::string& part, const std::string& item, const char* sign) {
    const bool is_equal = sign[0] == '=';
    if (is_equal && part == "!" + item) return "0";
    if (!is_equal && part == item) return "0";
    if (part.rfind(item + sign, 0) == 0) return part.substr(item.size() + 2);
    const std::size_t at = part.find(sign);
    return at != std::string::npos && part.substr(at + 2) == item ? part.substr(0, at) : "";
}

/// Whether the part lets a single thread pass: "t == 0".
bool is_one_thread(const std::string& file, int line, const std::string& part) {
    const std::size_t at = part.find("==");
    if (at == std::string::npos) return false;
    const std::string left = part.substr(0, at);
    return left.find("threadIdx") != std::string::npos ||
           definition(file, line, left).find("threadIdx") != std::string::npos;
}

std::string swapped(const std::string& item, const std::string& expected,
                    const std::string& value) {
    return fmt::format("atomicCAS({}, {}, {})", address_of(item), expected, value);
}

std::string negated(const std::string& value) {
    const bool is_word_only = std::all_of(value.begin(), value.end(), is_word);
    return is_word_only ? "-" + value : "-(" + value + ")";
}

}  // namespace

std::string address_of(const std::string& item) {
    return item.front() == '*' ? item.substr(1) : "&" + item;
}

std::string condition_of(const std::string& code, bool* is_loop) {
    for (const char* const word : {"if", "while"}) {
        const std::size_t at = find_word(code, word);
        const std::size_t open = at == std::string::npos ? at : code.find('(', at);
        if (open == std::string::npos) continue;
        if (is_loop != nullptr) *is_loop = std::string(word) == "while";
        return without_blanks(code.substr(open + 1, after_bracket(code, open) - open - 2));
    }
    return {};
}

std::string ItemUpdate::name() const {
    const std::vector<std::string> names = names_in(target);
    return names.empty() ? std::string() : names.front();
}

/// Of one statement.
static ItemUpdate update_in(const std::string& code) {
    ItemUpdate made;
    std::string value, function = "Add";
    std::size_t sign = code.find('=');
    if (code.size() > 2 && (code.find("++") != std::string::npos || code.find("--") == 0 ||
                            code.rfind("--") == code.size() - 2)) {
        const std::size_t at = std::min(code.find("++"), code.find("--"));
        if (sign != std::string::npos || (at != 0 && at + 2 != code.size())) return {};
        made.target = without_brackets(at == 0 ? code.substr(2) : code.substr(0, at));
        value = code[at] == '+' ? "1" : "-1";
    } else if (sign != std::string::npos && sign != 0 && sign + 1 < code.size()) {
        const char before = code[sign - 1];
        if (std::string("+-|&^").find(before) != std::string::npos) {
            made.target = code.substr(0, sign - 1);
            value = code.substr(sign + 1);
        } else {  // "x = x + v"
            made.target = code.substr(0, sign);
            const std::size_t rest = sign + 1 + made.target.size();
            if (code.compare(sign + 1, made.target.size(), made.target) != 0 ||
                rest + 1 >= code.size() || (code[rest] != '+' && code[rest] != '-')) {
                return {};
            }
            value = code.substr(rest + 1);
            if (code[rest] == '-') value = negated(value);
        }
        if (before == '-') value = negated(value);
        if (before == '|') function = "Or";
        if (before == '&') function = "And";
        if (before == '^') function = "Xor";
    }
    const std::string name = made.name();
    const std::size_t open = made.target.find('[');
    const bool is_item = made.target == name || made.target == "*" + name ||
                         (open != std::string::npos && made.target.back() == ']') ||
                         made.target.find_first_of(".>") != std::string::npos;
    if (name.empty() || !is_item || find_word(value, name) != std::string::npos) return {};
    made.operation = fmt::format("atomic{}({}, {})", function, address_of(made.target), value);
    return made;
}

ItemUpdate update_of(const std::string& file, int line) {
    std::string code = code_line(file, line);
    const std::size_t loop = find_word(code, "for");
    if (loop != std::string::npos) code = code.substr(after_bracket(code, code.find('(', loop)));
    code = without_blanks(statements(code)) + ';';
    ItemUpdate made;
    for (std::size_t begin = 0, end = 0; made.operation.empty() && end < code.size();
         begin = ++end) {
        end = code.find(';', begin);
        made = update_in(code.substr(begin, end - begin));
    }
    return made;
}

std::string counter_of(const std::string& file, int line) {
    const std::string code = without_blanks(code_line(file, line));
    for (std::size_t at = code.find_first_of("+-"); at != std::string::npos;
         at = code.find_first_of("+-", at + 1)) {
        if (at == 0 || at + 2 >= code.size() || code[at + 1] != code[at]) continue;
        if (is_word(code[at + 2])) continue;
        std::size_t begin = at;
        for (int open = 0; begin > 0; --begin) {
            const char here = code[begin - 1];
            open += here == ')' || here == ']';
            open -= here == '(' || here == '[';
            const bool is_part = is_word(here) || here == '.' || here == ')' || here == ']' ||
                                 (here == '>' && begin > 1 && code[begin - 2] == '-') ||
                                 (here == '-' && code[begin] == '>');
            if (open < 0 || (open == 0 && !is_part && here != '(' && here != '[')) break;
        }
        const bool is_used =
            begin > 0 && std::string("=([,").find(code[begin - 1]) != std::string::npos;
        std::string item = code.substr(begin, at - begin);
        if (!is_used || item.empty()) continue;
        if (item.front() == '(' && item.back() == ')') item = item.substr(1, item.size() - 2);
        if (item.front() == '*') {
            item.erase(0, 1);
        } else {
            item.insert(0, 1, '&');
        }
        return fmt::format("{}({}, 1)", code[at] == '+' ? "atomicAdd" : "atomicSub", item);
    }
    return {};
}

std::string state_of(const std::string& file, int line) {
    std::vector<Assignment> all = assignments(file, line);
    const std::string code = without_blanks(statements(code_line(file, line)));
    if (const std::size_t at = code.find("^="); at != std::string::npos)
        all.push_back({code.substr(0, at), code.substr(at + 2), ""});
    for (const Assignment& each : all) {
        for (std::size_t at = each.value.find(each.target);
             at != std::string::npos && each.declared.empty();
             at = each.value.find(each.target, at + 1)) {
            const std::size_t end = at + each.target.size();
            const char before = at == 0 ? '(' : each.value[at - 1];
            const char after = end >= each.value.size() ? ')' : each.value[end];
            if (is_word(before) || is_word(after)) continue;
            if (before == '*' || std::string("*/<>").find(after) < 4) return each.target;
        }
    }
    return {};
}

std::string operation_for(const std::string& file, int line) {
    constexpr std::pair<const char*, const char*> kAll[] = {
        {"|=", "Or"},  {"&=", "And"}, {"^=", "Xor"}, {"+=", "Add"},
        {"-=", "Add"}, {"++", "Add"}, {"--", "Sub"}};
    const std::string code = code_line(file, line);
    for (const auto& [sign, name] : kAll) {
        const std::size_t at = code.find(sign);
        if (at == std::string::npos) continue;
        // "void add(int i) { words[i] |= 1; }", "if (a) ++n[b];"
        const std::string before = trimmed(code.substr(0, at)), after = code.substr(at + 2);
        const bool is_step = sign[0] == sign[1];
        const bool is_prefix =
            is_step && (before.empty() || std::string(";{)").find(before.back()) < 3);
        std::string item = is_prefix ? after.substr(0, after.find_first_of(";,")) : before;
        if (!is_prefix) {
            const std::size_t begin = item.find_last_of(";{");
            if (begin != std::string::npos) item.erase(0, begin + 1);
            item = statements(item);
        }
        item = trimmed(item);
        const std::size_t end = after.find(';');
        std::string value =
            is_step || end == std::string::npos ? "1" : trimmed(after.substr(0, end));
        if (sign[0] == '-' && !is_step)
            value = is_word(value[0]) && names_in(value).size() < 2 ? value.insert(0, 1, '-')
                                                                    : fmt::format("-({})", value);
        const bool is_item = !item.empty() && (is_word(item[0]) || item[0] == '*') &&
                             item.find_first_of("=?") == std::string::npos;
        if (!is_item || (!is_step && end == std::string::npos)) return {};
        return fmt::format("atomic{}({}, {})", name, address_of(item), value);
    }
    return {};
}

Exchanged exchanged_items(const std::string& file, int first, int last) {
    constexpr int kLines = 3;
    const auto array_of = [](const std::string& item) {
        const std::size_t open = item.find('[');
        return open != std::string::npos && item.back() == ']' ? item.substr(0, open)
                                                               : std::string();
    };
    for (int line = first; line <= last; ++line) {
        const std::string code = without_blanks(code_line(file, line));
        const std::size_t call = std::min(code.find("swap"), code.find("Swap"));
        const std::size_t open = call == std::string::npos ? call : code.find('(', call);
        if (open == std::string::npos) continue;
        std::vector<std::string> given = split(code, open + 1, ")");
        if (given.size() != 2) continue;
        for (std::string& each : given) each.erase(0, !each.empty() && each.front() == '&');
        if (given[0].empty() || given[1].empty() || array_of(given[0]).empty()) continue;
        if (array_of(given[0]) == array_of(given[1])) {
            return {given[0], given[1], line};
        }
    }
    std::vector<Assignment> loads, stores;  // to variables; to items
    int stored = 0;
    for (int line = first - kLines; line <= last + kLines; ++line) {
        for (Assignment& each : assignments(file, line)) {
            const bool is_item = !array_of(each.target).empty();
            if (is_item && stored == 0) stored = line;
            (is_item ? stores : loads).push_back(std::move(each));
        }
    }
    const auto from = [&](const std::string& value) {
        for (const Assignment& each : loads) {
            if (each.target == value) return each.value;
        }
        return value;
    };
    for (const Assignment& one : stores) {
        for (const Assignment& other : stores) {
            if (one.target.size() <= other.target.size() && one.target != other.target &&
                from(one.value) == other.target && from(other.value) == one.target &&
                array_of(one.target) == array_of(other.target)) {
                return {one.target, other.target, stored};
            }
        }
    }
    return {};
}

TestedCounter tested_counter(const std::string& file, int test, int operation) {
    constexpr int kMaxLines = 10;
    if (test > operation || operation - test > kMaxLines) return {};
    const std::string code = without_blanks(code_line(file, operation));
    TestedCounter made;
    std::size_t call = std::string::npos;
    // Not atomicOr(): each thread may have bits of its own in the word.
    bool is_mark = false;
    for (const char* const each : {"atomicAdd", "atomicSub", "atomicInc", "atomicDec", "atomicExch",
                                   "atomicMin", "atomicMax"}) {
        const std::size_t at = code.find(std::string(each) + "(", test == operation ? 3 : 0);
        is_mark = is_mark || std::string(each) == "atomicExch";
        if (at >= call) continue;
        call = at;
        made.operation = each;
        made.is_mark = is_mark;
    }
    if (call == std::string::npos || lock_around(file, operation).taken != 0) return {};
    // An earlier line that takes a number itself, as this one does, tests nothing.
    const std::string tested = without_blanks(code_line(file, test));
    if (test != operation && tested.find(made.operation + "(") != std::string::npos &&
        tested.find(",0)") == std::string::npos) {
        return {};
    }
    const std::vector<std::string> names = names_in(code.substr(call + made.operation.size()));
    // The test may be of a variable that the line has read.
    std::string read;
    for (const Assignment& each : assignments(file, test)) read = each.target;
    int branch = test;
    bool is_loop = false;
    std::string compared;
    const auto is_tested = [&] {
        std::string condition = condition_of(code_line(file, branch), &is_loop);
        for (std::size_t at = 0; (at = condition.find("->")) != std::string::npos;) {
            condition.replace(at, 2, ".");
        }
        const std::vector<std::string> parts = parts_of(condition);
        return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
            const auto says = [&](const std::string& name) {
                return !name.empty() && find_word(part, name) != std::string::npos;
            };
            const std::size_t sign = part.find_first_of("<>");
            if (made.is_mark) return says(read) || (!names.empty() && says(names.front()));
            if (sign == std::string::npos) return false;
            compared =
                part.find('(') < part.size() || branch != test
                    ? "no more than the limit"
                    : fmt::format(
                          "min({}, {})", part.substr(0, sign),
                          part.substr(std::min(part.find_first_not_of("<>=", sign), part.size())));
            if (branch != test) return says(read);
            return (!names.empty() && says(names.front())) || part.front() == '*' ||
                   part.find("<*") != std::string::npos || part.find(">*") != std::string::npos ||
                   part.find("=*") != std::string::npos || part.find("atomic") < part.size() ||
                   part.find(".load(") != std::string::npos;
        });
    };
    while (branch < operation && condition_of(code_line(file, branch)).empty()) ++branch;
    if (!is_tested()) return {};
    // Later lines that take the counter for a number of items.
    int open = 0;
    for (int at = std::max(1, function_around(file, operation).line);
         at < operation + kFunctionLines && !names.empty(); ++at) {
        const std::string later = code_line(file, at);
        open += open_braces(later);
        if (at <= operation) continue;
        if (open <= 0) break;
        const bool is_change = later.find("atomic") != std::string::npos;
        if (!is_change && find_word(later, names.front()) < later.size()) made.used.push_back(at);
    }
    made.least = compared;
    // What it returns is an index, and the next line that names it does not test it.
    if (!made.is_mark && call != 0 && code[call - 1] == '[') {
        made.place = fmt::format("what {}() returns", made.operation);
        return made;
    }
    for (const Assignment& each : assignments(file, operation)) {
        if (made.is_mark || each.value.rfind(made.operation, 0) != 0) continue;
        made.place = each.target;
        for (int at = operation + 1; at < operation + kMaxLines; ++at) {
            const std::string text = without_blanks(code_line(file, at));
            const std::size_t used = find_word(text, made.place);
            if (used == std::string::npos) continue;
            const char next = (text + ";")[used + made.place.size()];
            const bool is_index = used != 0 && text[used - 1] == '[' && next != '%' && next != '&';
            return is_index ? made : TestedCounter();
        }
        return {};
    }
    // It is not used: the branch of the test, or what comes after one that leaves, relies on it.
    const std::size_t end = after_bracket(code, call + made.operation.size());
    const bool is_statement = (call == 0 || std::string(";{})").find(code[call - 1]) < 4) &&
                              code.compare(end, 1, ";") == 0;
    const int leaves = exit_before(file, operation);
    bool is_in = leaves == branch || leaves == branch + 1;
    for (int at = branch_around(file, operation); at != 0 && !is_in;
         at = at > 1 ? branch_around(file, at - 1) : 0) {
        is_in = at == branch;
    }
    // The same value twice does no harm, but what goes with it does: a place in a list.
    for (int at = branch; made.is_mark && made.claimed == 0 && at < operation + kMaxLines; ++at) {
        const std::string text = code_line(file, at);
        const bool is_one = at > test && text.find("atomicAdd") != std::string::npos;
        const bool is_with = leaves == branch || leaves == branch + 1
                                 ? at > operation
                                 : is_in_branch_of(file, branch, at);
        if (is_one && is_with && at != operation) made.claimed = at;
    }
    const bool is_harm = !made.is_mark || made.claimed != 0;
    return is_statement && is_in && !is_loop && is_harm ? made : TestedCounter();
}

bool is_used_in_branches(const std::string& file, int line, const std::string& call) {
    constexpr int kMaxLines = 10;
    std::string name;
    for (const Assignment& each : assignments(file, line)) {
        if (each.value.find(call) == std::string::npos) continue;
        name = each.target;
        // The next round of the loop passes it on.
        if (find_word(each.value, name) != std::string::npos && loop_around(file, line) != 0) {
            return false;
        }
    }
    if (name.empty() || names_in(name) != std::vector<std::string>{name}) return false;
    bool is_used = false;
    for (int at = line, open = 0; at < line + kMaxLines && open >= 0; ++at) {
        std::string code = code_line(file, at);
        if (at == line) code = code.substr(code.find(';', code.find(call)) + 1);
        const std::size_t use = find_word(code, name);
        open += open_braces(code);
        if (use == std::string::npos) continue;
        // "lane >= d ? sum + other : sum"
        const std::size_t asked = std::min(code.find('?'), code.find("&&"));
        const int branch = branch_around(file, at);
        // "int other = __shfl_down_sync(...); if (lane + d < n) sum += other;"
        const bool is_behind_if = at == line && find_word(code, "if") < use;
        const std::string condition = condition_of(is_behind_if ? code : code_line(file, branch));
        const bool is_in_branch = (is_behind_if || branch > line) && !condition.empty() &&
                                  find_word(condition, name) == std::string::npos;
        if (use < asked && !is_in_branch) return false;
        is_used = true;
    }
    return is_used;
}

bool decides_branch(const std::string& file, int line, const std::string& variable) {
    const auto names = [&](const std::string& text, const std::string& name) {
        if (!name.empty()) return find_word(text, name) != std::string::npos;
        return text.find_first_of("[*") != std::string::npos ||
               text.find("->") != std::string::npos;
    };
    const std::string code = code_line(file, line);
    std::string condition = condition_of(code);
    const std::size_t loop = find_word(code, "for");
    if (loop != std::string::npos) {
        condition += code.substr(loop, after_bracket(code, code.find('(', loop)) - loop);
    }
    if (names(condition, variable)) return true;
    for (const Assignment& each : assignments(file, line)) {
        if (!names(each.value, variable)) continue;
        for (int at = line + 1; at < line + kFunctionLines; ++at) {
            const std::string later = code_line(file, at);
            if (later.find("__global__") != std::string::npos) break;
            if (find_word(condition_of(later), each.target) != std::string::npos) return true;
        }
    }
    return false;
}

std::vector<Assignment> assignments(const std::string& file, int line) {
    std::vector<Assignment> made;
    std::string code = code_line(file, line);
    // The first value of a loop's variable is one as well.
    const std::size_t loop = find_word(code, "for");
    const std::size_t open = loop == std::string::npos ? loop : code.find('(', loop);
    if (open != std::string::npos) {
        const std::size_t end = after_bracket(code, open);
        code = code.substr(open + 1, end - open - 2) + ";" + code.substr(end);
    }
    code = statements(code) + ";";
    for (std::size_t begin = 0, end = 0; (end = code.find(';', begin)) != std::string::npos;
         begin = end + 1) {
        std::string one = statements(code.substr(begin, end - begin));
        // "void f(int& best, int v) { if (v > best) { best = v"; an initialiser's brace stays.
        std::size_t brace = one.rfind('{');
        const std::size_t before =
            brace == std::string::npos ? brace : one.find_last_not_of(' ', brace - 1);
        if (before != std::string::npos && one[before] == ')') one = statements(one.substr(brace));
        for (const std::string& part : split(one + ";", 0, ";")) {
            std::size_t equals = part.find('=');
            if (equals == std::string::npos || equals == 0 || equals + 1 >= part.size()) continue;
            if (part[equals + 1] == '=' ||
                std::string("=<>!+-*/|&^%").find(part[equals - 1]) != std::string::npos) {
                continue;
            }
            Assignment each;
            const std::string left = trimmed(part.substr(0, equals));
            // "int old": a type, then a name.
            std::size_t name = left.size();
            while (name > 0 && is_word(left[name - 1])) --name;
            const bool is_declared = name > 0 && name < left.size() &&
                                     (left[name - 1] == ' ' || left[name - 1] == '*') &&
                                     (std::isalpha(static_cast<unsigned char>(left[0])) != 0);
            each.declared = is_declared ? left : "";
            each.target = without_blanks(is_declared ? left.substr(name) : left);
            each.value = without_blanks(part.substr(equals + 1));
            made.push_back(each);
        }
    }
    return made;
}

bool is_one_place(const std::string& target) {
    const std::size_t open = target.find('[');
    return open == std::string::npos || target.compare(open, std::string::npos, "[0]") == 0;
}

bool is_shared_place(const std::string& file, int line, const std::string& target) {
    if (is_one_place(target)) return true;
    constexpr int kDepth = 3;
    const std::size_t open = target.find('[');
    const std::size_t end = after_bracket(target, open);
    return is_read(file, line, target.substr(open + 1, end - open - 2), kDepth);
}

std::string exchange_of(const std::string& file, int load, int store) {
    for (const Assignment& set : assignments(file, store)) {
        for (const Assignment& got : assignments(file, load)) {
            if (got.value != set.target || !is_shared_place(file, store, set.target)) continue;
            const std::string left = got.declared.empty() ? got.target : got.declared;
            const std::string place = address_of(set.target);
            // The store depends on what was loaded.
            const int branch = branch_around(file, store);
            if (branch > load &&
                find_word(code_line(file, branch), got.target) != std::string::npos)
                return "a loop of atomicCAS()";
            const std::size_t used = find_word(set.value, got.target);
            if (used == std::string::npos) {
                return fmt::format("{} = atomicExch({}, {})", left, place, set.value);
            }
            const std::string rest = set.value.substr(used + got.target.size());
            if (used == 0 && rest.size() > 1 && (rest[0] == '+' || rest[0] == '-')) {
                return fmt::format("{} = atomic{}({}, {})", left, rest[0] == '+' ? "Add" : "Sub",
                                   place, rest.substr(1));
            }
            return "a loop of atomicCAS()";
        }
    }
    const ItemUpdate update = update_of(file, store);
    for (const Assignment& got : assignments(file, load)) {  // "old = *p; *p += v;"
        if (update.operation.empty() || got.value != update.target) continue;
        return fmt::format("{} = {}", got.declared.empty() ? got.target : got.declared,
                           update.operation);
    }
    return {};
}

SplitUpdate split_update_at(const std::string& file, int line) {
    for (const int load : {line, line - 1}) {
        const std::string operation = exchange_of(file, load, load + 1);
        if (!operation.empty()) return {operation, load, load + 1};
    }
    return {};
}

TestAndSet tested_store(const std::string& file, int load, int store) {
    constexpr int kMaxLines = 12;
    if (load > store || store - load > kMaxLines) return {};
    for (const Assignment& set : assignments(file, store)) {
        const std::string& item = set.target;
        if (!is_shared_place(file, store, item)) continue;
        bool is_loop = false;
        const std::string condition = condition_of(code_line(file, load), &is_loop);
        for (const std::string& part : parts_of(condition)) {
            if (is_one_thread(file, load, part)) return {};
        }
        const std::size_t open = item.find('[');
        if (is_loop && open == std::string::npos) continue;
        // The loop goes on while it is not the value, the branch is entered if it is.
        const char* const sign = is_loop ? "!=" : "==";
        const std::string array = item.substr(0, open);
        for (const std::string& part : parts_of(condition)) {
            const std::string value = compared_with(part, item, sign);
            if (!value.empty() && value.find(item) == std::string::npos) {
                return {load, store, swapped(item, value, set.value)};
            }
            // The same test of another item, as of a root: "while (parent[a] != a) a = parent[a];"
            const std::size_t begin = part.find(array + "[");
            if (!is_loop || begin != 0) continue;
            const std::string tested = part.substr(0, after_bracket(part, array.size()));
            const std::string index =
                tested.substr(array.size() + 1, tested.size() - array.size() - 2);
            const bool is_itself = compared_with(part, tested, sign) == index;
            const std::string own = item.substr(open + 1, item.size() - open - 2);
            return {load, store, swapped(item, is_itself ? own : "old", set.value)};
        }
        // The value may be tested later: "int v = level[i]; if (v == -1) level[i] = depth;"
        for (const Assignment& got : assignments(file, load)) {
            if (got.value != item || got.target == item) continue;
            for (int line = load + 1; line <= store; ++line) {
                for (const std::string& part : parts_of(condition_of(code_line(file, line)))) {
                    const std::string value = compared_with(part, got.target, "==");
                    if (!value.empty()) return {load, store, swapped(item, value, set.value)};
                }
            }
        }
    }
    return {};
}

bool exchanges_own_value(const std::string& code) {
    const std::string text = without_blanks(code);
    const std::size_t call = text.find("atomicExch"), open = text.find('(', call);
    if (call == std::string::npos || open == std::string::npos) return false;
    const std::vector<std::string> given = split(text, open + 1, ")");
    if (given.size() < 2 || given[0].empty()) return false;
    const std::string place = given[0][0] == '&' ? given[0].substr(1) : given[0];
    const std::size_t at = find_word(given[1], place);
    if (given[0][0] == '&') return at != std::string::npos;
    const bool is_loaded = at != std::string::npos && at != 0 && given[1][at - 1] == '*' &&
                           (at == 1 || (!is_word(given[1][at - 2]) && given[1][at - 2] != ')'));
    return is_loaded || given[1].find(place + "[0]") != std::string::npos;
}

bool is_accumulated(const std::string& code) {
    for (const char* const each : {"atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicOr",
                                   "atomicAnd", "atomicXor", "fetch_"}) {
        if (code.find(each) != std::string::npos) return true;
    }
    return false;
}

std::string endless_condition(const std::string& file, int line) {
    const char* const question = "Does the loop change what its condition tests?";
    const std::string code = code_line(file, loop_around(file, line));
    const std::size_t loop = find_word(code, "for");
    const std::size_t open = loop == std::string::npos ? loop : code.find('(', loop);
    if (open == std::string::npos) return question;
    const std::string header = code.substr(open + 1, after_bracket(code, open) - open - 2);
    const std::size_t first = header.find(';'), second = header.find(';', first + 1);
    if (first == std::string::npos || second == std::string::npos) return question;
    const std::string begin = header.substr(0, first);
    const std::string test = without_blanks(header.substr(first + 1, second - first - 1));
    const std::string step = without_blanks(header.substr(second + 1));
    const std::size_t sign = test.find_first_of("<>");
    if (sign == std::string::npos) return question;
    const std::string name = test.substr(0, sign);
    const bool may_equal = test.compare(sign + 1, 1, "=") == 0;
    const std::string limit = test.substr(sign + 1 + may_equal);
    if (names_in(name) != std::vector<std::string>{name}) return question;
    // The type stands before the name, here or in a declaration above.
    std::string type = begin.substr(0, std::min(find_word(begin, name), begin.size()));
    for (int at = line - 1; trimmed(type).empty() && at > line - kFunctionLines && at > 0; --at) {
        const std::string above = code_line(file, at);
        const std::size_t found = find_word(above, name);
        if (found != std::string::npos) type = above.substr(0, found);
    }
    const auto says = [&](const char* word) { return find_word(type, word) != std::string::npos; };
    const bool is_unsigned = says("unsigned") || says("size_t") || says("uint8_t") ||
                             says("uint16_t") || says("uint32_t") || says("uint64_t");
    const bool is_byte = says("char") || says("uint8_t") || says("int8_t");
    const bool is_short = says("short") || says("uint16_t") || says("int16_t");
    if (test[sign] == '>' && may_equal && limit == "0" && is_unsigned) {
        return fmt::format(
            "{} is unsigned, so {} >= 0 is always true: below 0 it begins again at its largest "
            "value. Make it an int.",
            name, name);
    }
    const bool is_divided =
        step.find("/=") != std::string::npos || step.find(">>=") != std::string::npos;
    if (test[sign] == '>' && may_equal && limit == "0" && is_divided) {
        return fmt::format(
            "{} stays 0 when it has become 0, and {} >= 0 is true then: test {} > 0.", name, name,
            name);
    }
    const bool is_multiplied =
        step.find("*=") != std::string::npos || step.find("<<=") != std::string::npos;
    const std::string value = trimmed(begin.substr(begin.find('=') + 1));
    if (test[sign] == '<' && is_multiplied &&
        (value == "0" || value.find("threadIdx") != std::string::npos ||
         definition(file, line, value).find("threadIdx") != std::string::npos)) {
        return fmt::format(
            "{} begins with 0, for a thread at least, and 0 stays 0 when it is "
            "multiplied.",
            name);
    }
    if (test[sign] == '<' && (is_byte || is_short)) {
        const int most = is_byte ? (is_unsigned ? 255 : 127) : (is_unsigned ? 65535 : 32767);
        return fmt::format(
            "{} holds at most {}: if that is below {}, it is always true that {}. "
            "Make it an int.",
            name, most, limit, trimmed(header.substr(first + 1, second - first - 1)));
    }
    return question;
}

namespace {

/// The variable that gets what a clock says in this line.
std::string clock_variable(const std::string& file, int line) {
    for (const Assignment& each : assignments(file, line)) return each.target;
    const std::string above = trimmed(code_line(file, line - 1));
    if (!above.empty() && above.back() == '=') {
        return last_name(above.substr(0, above.size() - 1));
    }
    const std::string code = code_line(file, line);
    for (const char* const call : {"gettimeofday", "clock_gettime"}) {
        if (code.find(call) == std::string::npos) continue;
        const std::vector<std::string> arguments = call_arguments(file, line, call);
        if (!arguments.empty()) {
            return last_name(call[0] == 'g' ? arguments.front() : arguments.back());
        }
    }
    return {};
}

/// "timer" of "timer.start();".
std::string object_of(const std::string& file, int line) {
    std::string code = statements(code_line(file, line));
    const std::vector<Assignment> set = assignments(file, line);
    if (!set.empty()) code = set.front().value;
    const std::size_t dot = code.find('.');
    const std::string name = code.substr(0, dot);
    const bool is_call = dot != std::string::npos && code.find("();") != std::string::npos;
    return is_call && std::all_of(name.begin(), name.end(), is_word) ? name : std::string();
}

}  // namespace

bool is_time_between(const std::string& file, int first, int second) {
    constexpr int kMaxLines = 40;
    if (first == second) return false;
    const std::string object = object_of(file, first);
    if (!object.empty() && object == object_of(file, second)) return true;
    const std::string begin = clock_variable(file, first);
    if (begin.empty()) return false;
    const auto ends_with_begin = [&](const std::string& code, std::size_t minus) {
        return find_word(code, begin, minus) == minus + 1;
    };
    const std::string read = without_blanks(code_line(file, second));
    for (std::size_t at = read.find('-'); at != std::string::npos; at = read.find('-', at + 1)) {
        if (ends_with_begin(read, at)) return true;
    }
    const std::string end = clock_variable(file, second);
    if (end.empty()) return false;
    for (int line = second; line < second + kMaxLines; ++line) {
        const std::string code = without_blanks(code_line(file, line));
        for (const std::size_t at : words_at(code, end)) {
            std::size_t minus = at + end.size();
            while (minus < code.size() && (is_word(code[minus]) || code[minus] == '.' ||
                                           code[minus] == '(' || code[minus] == ')')) {
                ++minus;
            }
            if (minus < code.size() && code[minus] == '-' && ends_with_begin(code, minus)) {
                return true;
            }
        }
    }
    return false;
}

std::string stale_expected(const std::string& file, int line) {
    const int begin = loop_around(file, line), end = end_of_loop(file, line, line);
    const std::vector<std::string> arguments = call_arguments(file, line, "atomicCAS");
    if (begin == 0 || arguments.size() != 3) return {};
    const std::string& expected = arguments[1];
    if (names_in(expected) != std::vector<std::string>{expected}) return {};
    // Only what was read from the item itself: a lock or a turn has a value that is waited for.
    const std::string value = definition(file, begin, expected);
    const std::vector<std::string> names = names_in(arguments[0]);
    const bool is_read =
        value.find_first_of("*[") != std::string::npos || value.find("atomic") != std::string::npos;
    const bool is_of_item = std::any_of(names.begin(), names.end(), [&](const std::string& each) {
        return find_word(value, each) != std::string::npos;
    });
    if (!is_read || !is_of_item) return {};
    for (int at = begin; at <= end; ++at) {
        const std::string code = without_blanks(code_line(file, at));
        for (const std::size_t found : words_at(code, expected)) {
            const std::size_t after = found + expected.size();
            const bool is_set = code[after] == '=' && code[after + 1] != '=';
            const bool is_given_by_address = found > 0 && code[found - 1] == '&';
            if (is_set || is_given_by_address) return {};
        }
    }
    return expected;
}

int phase_between(const std::string& file, int low, int high) {
    int between = 0;
    for (int line = low + 1; line < high && between == 0; ++line) {
        if (code_line(file, line).find("arrive_and_wait(") != std::string::npos) between = line;
    }
    const int begin = loop_around(file, low), end = end_of_loop(file, low, high);
    if (between == 0 || end == 0) return between;
    for (int line = begin; line <= end; ++line) {
        const bool is_outside = line < low || line > high;
        if (is_outside && code_line(file, line).find("arrive_and_wait(") != std::string::npos) {
            return between;
        }
    }
    return 0;
}

/// Whether a place is counted by __popc(votes & mask) with a mask that has the bit of the thread
/// itself as well.
static bool counts_own_lane(const std::string& file, int line, std::string place) {
    for (const std::string& name : names_in(place)) place += definition(file, line, name);
    const std::size_t call = place.find("__popc(");
    if (call == std::string::npos) return false;
    const std::string counted = place.substr(call);
    std::vector<std::string> masks{counted.substr(counted.find('&') + 1)};
    for (const std::string& name : names_in(counted)) masks.push_back(definition(file, line, name));
    for (const std::string& each : masks) {
        const std::string mask = without_blanks(each);
        for (const char* const own : {"(2u<<", "(2U<<", "(2<<", ">>(31-", ">>(31u-"}) {
            if (mask.find(own) != std::string::npos) return true;
        }
    }
    return false;
}

std::string inclusive_place(const std::string& file, int line, const std::string& index,
                            const std::string& host_file, int launch) {
    const std::string defined = definition(file, line, index);
    const std::string place = without_blanks(defined.empty() ? index : defined);
    if (counts_own_lane(file, line, place)) {
        return "The mask under __popc() has the bit of the thread itself as well, so the first "
               "place "
               "is 1, not 0: count the\nlanes before it only, with the mask (1u << lane) - 1.";
    }
    const std::vector<IndexText> all = indexes_of(place);
    if (all.size() != 1 || place.find('[') != all[0].array.size() || place.back() != ']') return {};
    // The names that the array has on the host: what is passed, and what is copied there.
    const FunctionText kernel = function_around(file, line);
    const std::vector<std::string> given = call_arguments(host_file, launch, ">>>");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(given.size(), kernel.parameters.size()); ++i)
        if (last_name(kernel.parameters[i]) == all[0].array) names.push_back(last_name(given[i]));
    for (int at = 1; at < launch && !names.empty(); ++at) {
        const std::vector<std::string> copied = call_arguments(host_file, at, "cudaMemcpy");
        if (copied.size() < 2 || last_name(copied[0]) != names[0]) continue;
        for (const std::string& name : names_in(copied[1])) names.push_back(name);
    }
    std::string made;
    for (int at = 1; at < launch; ++at) {
        const std::string code = without_blanks(code_line(host_file, at));
        for (const std::string& name : names) {
            const std::size_t set = find_word(code, name);
            if (set == std::string::npos) continue;
            // It has an additional item, and the first is 0.
            if (code.find(name + "[0]=0") < code.size() || code.find("+1)", set) < code.size())
                return {};
            const std::size_t begin = set + name.size(), equals = code.find('=', begin);
            const std::vector<IndexText> target = indexes_of(code.substr(set));
            const bool adds =
                !target.empty() && equals != std::string::npos &&
                code.find(fmt::format("{}[{}-1]", name, target[0].index), equals) < code.size() &&
                (code[equals - 1] == '+' || code.find('+', equals) < code.size());
            const bool is_call = code.find("inclusive_scan(") < set ||
                                 code.find("InclusiveSum(") < set ||
                                 code.find("partial_sum(") < set;
            if (!made.empty() || (!adds && !is_call)) continue;
            made = fmt::format(
                "Line {} adds up each item with all before it and itself, so the first place is "
                "1,\n"
                "not 0: use {} - 1.",
                at, place);
        }
    }
    return made;
}

int call_above(const std::string& file, int line, const std::string& function) {
    for (int at = line; at > 0 && at > line - kFunctionLines; --at) {
        const std::string code = code_line(file, at);
        if (find_word(code, function) != std::string::npos) return at;
        if (code.find("__global__") != std::string::npos) break;
    }
    return 0;
}

std::string barrier_on(const std::string& code) {
    std::size_t end = std::min(code.find(".arrive"), code.find("->arrive"));
    if (end == std::string::npos) return {};
    if (end > 0 && code[end - 1] == ']') end = code.rfind('[', end);
    return name_before(code, end);
}

std::vector<int> arrivals_at(const std::string& file, int line) {
    std::vector<int> made;
    const std::string name = barrier_on(code_line(file, line));
    const int first = function_around(file, line).line;
    for (int at = first; !name.empty() && at != 0 && at < first + 2 * kFunctionLines; ++at) {
        if (barrier_on(code_line(file, at)) == name && function_around(file, at).line == first)
            made.push_back(at);
    }
    return made;
}

int unreleased_wait(const std::string& file, int line, std::string* pipeline) {
    const int first = function_around(file, line).line;
    int wait = 0;
    for (int at = 1; first != 0 && at <= line_count(file); ++at) {
        const std::string code = code_line(file, at);
        if (code.find("consumer_release") != std::string::npos) return 0;
        const std::size_t call = code.find("consumer_wait");
        if (call == std::string::npos || function_around(file, at).line != first) continue;
        wait = at;
        *pipeline = name_before(code, code.find_last_of(".>", call));
        if (pipeline->empty()) *pipeline = "pipeline";
    }
    return wait;
}

int init_of(const std::string& file, int line) {
    const std::string name = barrier_on(code_line(file, line));
    const int last = call_above(file, line, "init");
    for (int at = last; at != 0 && !name.empty(); at = call_above(file, at - 1, "init")) {
        const std::vector<std::string> given = call_arguments(file, at, "init");
        if (!given.empty() && find_word(given.front(), name) != std::string::npos) return at;
    }
    return last;
}

}  // namespace lab
