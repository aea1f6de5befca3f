#include "source_extremes.hpp"

#include <algorithm>

#include "source_blocks.hpp"
#include "source_updates.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

constexpr int kLines = 4;  ///< from the test to the store

/// The condition of the branch that begins on this line, which may go on in the next ones.
std::string whole_condition(const std::string& file, int line) {
    return condition_of(code_lines(file, line, kLines));
}

/// The item that a variable was loaded from; else the expression itself.
std::string origin_of(const std::string& file, int line, const std::string& expression) {
    if (names_in(expression) != std::vector<std::string>{expression}) return expression;
    const std::string value = without_blanks(definition(file, line, expression));
    return value.empty() ? expression : value;
}

class Update {
  public:
    Update(const std::string& file, int line, const Assignment& store)
        : file_(file), line_(line), target_(store.target), value_(without_brackets(store.value)) {}

    Extreme of_call() const {
        const std::size_t open = value_.find('(');
        if (open == std::string::npos || after_bracket(value_, open) != value_.size()) return {};
        std::string name = value_.substr(0, open);
        name.erase(0, name.rfind(':') + 1);
        const bool is_max = name == "max" || name == "umax" || name == "fmax" || name == "fmaxf";
        const bool is_min = name == "min" || name == "umin" || name == "fmin" || name == "fminf";
        const std::vector<std::string> given = split(value_, open + 1, ")");
        if (is_max == is_min || given.size() != 2) return {};
        return made(is_max, without_blanks(given[0]), without_blanks(given[1]));
    }
    Extreme of_choice() const {
        const std::size_t asks = value_.find('?'), colon = value_.find(':', asks);
        if (colon == std::string::npos) return {};
        const std::string yes = value_.substr(asks + 1, colon - asks - 1);
        return of_test(without_brackets(value_.substr(0, asks)), yes, value_.substr(colon + 1));
    }
    /// The store comes after a test.
    Extreme of_branch() const {
        const int branch = branch_around(file_, line_);
        if (branch == 0 || line_ - branch >= kLines) return {};
        const std::string condition = whole_condition(file_, branch) + "&&";
        for (std::size_t at = 0, next = 0; at < condition.size(); at = next + 2) {
            next = condition.find("&&", at);
            const std::string test = without_brackets(condition.substr(at, next - at));
            Extreme found = of_test(test, value_, target_);
            if (!found.operation.empty()) return exchanges(branch, test) ? Extreme{} : found;
        }
        return {};
    }

  private:
    /// Whether the branch also sets the other item of the test.
    bool exchanges(int branch, const std::string& test) const {
        for (int line = branch + 1; line <= line_ + 2; ++line) {
            for (const Assignment& each : assignments(file_, line)) {
                if (line != line_ && each.target != target_ &&
                    find_word(test, each.target) != std::string::npos) {
                    return true;
                }
            }
        }
        return false;
    }
    bool is_target(const std::string& expression) const {
        return expression == target_ || origin_of(file_, line_, expression) == target_;
    }
    Extreme made(bool is_max, const std::string& one, const std::string& other) const {
        if (is_target(one) == is_target(other)) return {};
        return {is_max ? "atomicMax" : "atomicMin", target_, is_target(one) ? other : one};
    }
    /// `yes` is what is kept if the test is true.
    Extreme of_test(const std::string& test, const std::string& yes, const std::string& no) const {
        std::size_t sign = test.find_first_of("<>");
        while (sign != std::string::npos && sign != 0 && test[sign - 1] == '-') {
            sign = test.find_first_of("<>", sign + 1);  // of "a->b"
        }
        if (sign == std::string::npos) return {};
        const std::string left = test.substr(0, sign);
        const std::string right = test.substr(sign + 1 + (test.compare(sign + 1, 1, "=") == 0));
        const bool keeps_target = is_target(yes) && !is_target(no);
        // The new value wins if it is on the larger side.
        const bool is_max = (test[sign] == '>') == (is_target(right) != keeps_target);
        Extreme found = made(is_max, left, right);
        const std::string& stored = keeps_target ? no : yes;
        const bool is_same = found.value == stored ||
                             origin_of(file_, line_, found.value) == stored ||
                             origin_of(file_, line_, stored) == found.value;
        found.value = is_same ? stored : "";
        return found;
    }

    const std::string& file_;
    int line_;
    std::string target_, value_;
};

}  // namespace

Extreme extreme_update(const std::string& file, int first, int last) {
    if (last - first >= kLines) return {};
    for (int line = first; line <= last; ++line) {
        for (const Assignment& store : assignments(file, line)) {
            if (!store.declared.empty()) continue;
            const Update update(file, line, store);
            Extreme found = update.of_call();
            if (found.operation.empty()) found = update.of_choice();
            if (found.operation.empty()) found = update.of_branch();
            if (found.operation.empty()) continue;
            // Of two items of one array: threads that exchange or join them need a barrier.
            const std::size_t open = store.target.find('[');
            const std::string value = origin_of(file, line, found.value);
            const bool is_joined =
                value.empty() ||
                find_word(value, store.target.substr(0, open)) != std::string::npos;
            if (!is_one_place(store.target) && is_joined) continue;
            return found;
        }
    }
    return {};
}

bool belongs_to_extreme(const std::string& file, int line) {
    const std::vector<Assignment> stores = assignments(file, line);
    const int branch = branch_around(file, line);
    if (stores.empty() || branch == 0 || line - branch > kLines) return false;
    if (!extreme_update(file, line, line).operation.empty()) return false;
    const std::string condition = whole_condition(file, branch);
    // "if (atomicMax(best, v) < v)", or what it has returned, or the word itself
    const auto names_place = [&](const std::string& code) {
        const std::size_t at = std::min(code.find("atomicMax("), code.find("atomicMin("));
        if (at == std::string::npos) return false;
        const std::string place = split(code, at + 10, ")").front();
        return find_word(condition, last_name(place)) != std::string::npos;
    };
    if (condition.find("atomicM") != std::string::npos) return true;
    for (int at = branch - 1; at > branch - kLines; --at) {
        if (names_place(without_blanks(code_line(file, at)))) return true;
    }
    if (condition.find_first_of("<>") == std::string::npos) return false;
    for (const std::string& name : names_in(condition)) {
        if (definition(file, branch, name).rfind("atomicM", 0) == 0) return true;
    }
    if (extreme_update(file, branch, branch + kLines - 1).operation.empty()) return false;
    return condition.find(stores.front().target) == std::string::npos;
}

}  // namespace lab
