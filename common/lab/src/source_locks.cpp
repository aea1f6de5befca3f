#include "source_locks.hpp"

#include <cctype>
#include <map>
#include <vector>

#include "lines.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

/// What an atomic operation on this line does to a lock: the lock, if it is taken (or released).
std::string locked_word(const std::string& file, int line, bool is_release) {
    for (const char* const call : {"atomicCAS", "atomicExch"}) {
        std::vector<std::string> given = call_arguments(file, line, call);
        if (code_line(file, line).find(call) == std::string::npos || given.size() < 2) continue;
        std::string& last = given.back();
        while (last.size() > 1 && std::isalpha(static_cast<unsigned char>(last.back())) != 0) {
            last.pop_back();
        }
        if (last == (is_release ? "0" : "1")) return without_blanks(given.front());
    }
    return {};
}

/// The functions for kernels that take or release a lock, and the lines of their operations.
struct LockCalls {
    std::map<std::string, int> takes, releases;
};
const LockCalls& lock_calls(const std::string& file) {
    static auto* const known = new std::map<std::string, LockCalls>;
    const auto [at, fresh] = known->try_emplace(file);
    if (!fresh) return at->second;
    std::map<std::string, int> changes;
    LockCalls& made = at->second;
    for (int line = 1; line <= line_count(file); ++line) {
        const std::string code = code_line(file, line);
        if (code.find("atomic") == std::string::npos) continue;
        FunctionText function = function_around(file, line);
        if (code.rfind("#define ", 0) == 0) {
            function = {line, false, {}, name_before(code, code.find('('))};
        }
        if (function.line == 0 || function.is_kernel) continue;
        // A ticket lock waits until its number comes, and leaving counts on.
        const bool is_wait = find_word(code, "while") != std::string::npos;
        if (is_wait || !locked_word(file, line, false).empty()) {
            made.takes.try_emplace(function.name, line);
        } else if (!locked_word(file, line, true).empty()) {
            // A function that does both gives the lock back before it returns.
            const bool is_destructor =
                code_line(file, function.line).find('~') != std::string::npos;
            if (is_destructor || made.takes.count(function.name) == 0) {
                made.releases.try_emplace(function.name, line);
            }
        } else {
            changes.try_emplace(function.name, line);
        }
    }
    for (const auto& each : made.takes) changes.erase(each.first);
    if (made.releases.empty() && !made.takes.empty()) made.releases = changes;
    return made;
}

/// The line of the operation in the function that the line calls; 0: it calls none of them.
int called_operation(const std::string& code, const std::map<std::string, int>& functions) {
    for (const auto& [name, operation] : functions) {
        for (std::size_t open : words_at(code, name)) {  // "lock.lock()"
            open += name.size();
            // "Guard g(lock);" calls a constructor.
            while (open < code.size() && (code[open] == ' ' || is_word(code[open]))) ++open;
            if (code.compare(open, 1, "(") == 0) return operation;
        }
    }
    return 0;
}

/// The line on which the block around a line ends.
int end_of_block(const std::string& file, int line) {
    constexpr int kMaxLines = 200;
    int open = 0, at = line + 1;
    for (; at < line + kMaxLines && open >= 0; ++at) {
        open += open_braces(code_line(file, at));
    }
    return at - 1;
}

}  // namespace

bool waits_for_lock(const std::string& file, int line) {
    bool is_loop = false;
    return !condition_of(code_line(file, line), &is_loop).empty() && is_loop &&
           !locked_word(file, line, false).empty();
}

Lock lock_around(const std::string& file, int line) {
    constexpr int kMaxLines = 30;
    const LockCalls& calls = lock_calls(file);
    for (int taken = line - 1; taken > 0 && taken > line - kMaxLines; --taken) {
        const std::string code = without_blanks(code_line(file, taken));
        if (code.find("__global__") != std::string::npos) return {};
        const bool has_condition = !condition_of(code_line(file, taken)).empty();
        const std::string lock = has_condition ? locked_word(file, taken, false) : "";
        const std::string text = code_line(file, taken);
        const int take = !lock.empty() ? taken : called_operation(text, calls.takes);
        if (lock.empty() && code.find("__device__") != std::string::npos) return {};
        if (take == 0) continue;
        // A guard's destructor releases it.
        if (const int release = lock.empty() ? called_operation(text, calls.releases) : 0;
            release != 0 && release != take) {
            const int end = end_of_block(file, taken);
            if (end >= line) return {taken, end, take, release};
            continue;
        }
        const std::string word = lock.empty()          ? ""
                                 : lock.front() == '&' ? lock.substr(1)
                                                       : "*" + lock;
        for (int end = taken + 1; end < taken + kMaxLines; ++end) {
            const std::string said = without_blanks(code_line(file, end));
            if (said.find("__global__") != std::string::npos) break;
            const std::string freed = locked_word(file, end, true);
            const bool is_release =
                lock.empty() ? !freed.empty()
                             : freed == lock || said.find(word + "=0;") != std::string::npos;
            const int release =
                is_release ? end : called_operation(code_line(file, end), calls.releases);
            if (release != 0 && end >= line) return {taken, end, take, release};
        }
    }
    return {};
}

}  // namespace lab
