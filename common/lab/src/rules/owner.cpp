// Memory that a destructor has freed while it was still used.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "host_objects.hpp"
#include "index_source.hpp"
#include "lines.hpp"
#include "rules.hpp"
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

/// How a lambda of a launch copies an object of this class: "\nThe lambda in line 9 copies it,
/// *this."; empty: none does.
std::string copy_in_lambda(emulator::Site launch, const std::string& type) {
    constexpr int kMaxLines = 20, kOfLaunch = 4;
    if (launch.file == nullptr) return {};
    for (int line = launch.line + kOfLaunch; line > 0 && line > launch.line - kMaxLines; --line) {
        const std::string code = code_line(launch.file, line), text = without_blanks(code);
        std::string copied;
        if (text.find(",*this]") != std::string::npos || text.find("[*this") != std::string::npos) {
            copied = "*this";
        } else if (text.find("[=") != std::string::npos) {
            for (const std::string& name : names_in(code_lines(launch.file, line, kMaxLines / 2))) {
                // Above the lambda, which has a function of its own.
                if (find_word(type_of(launch.file, line - 1, name).type, type) == 0) {
                    copied = name;
                }
            }
        }
        if (!copied.empty()) {
            return fmt::format(
                "\nThe lambda in line {} captures {} by value, a copy: before the launch copy the "
                "pointer into a local variable,\nand let the lambda use only that.",
                line, copied);
        }
        if (line < launch.line && code == "}") break;
    }
    return {};
}

/// The class whose copy constructor a line is in: "Matrix(const Matrix& other)"; empty: it is in
/// none. `head`: the constructor's line.
std::string copied_by(const std::string& file, int line, int* head) {
    constexpr int kMaxLines = 8;
    for (int each = line; each > 0 && each > line - kMaxLines; --each) {
        const std::string text = without_blanks(code_line(file, each));
        for (const char* const parameter : {"(const", "("}) {
            const std::size_t open = text.find(parameter);
            const std::string type = open == std::string::npos ? "" : name_before(text, open);
            if (type.empty()) continue;
            const std::string given = text.substr(open + std::strlen(parameter));
            if (given.rfind(type + "&", 0) == 0 || given.rfind(type + "const&", 0) == 0) {
                *head = each;
                return given[type.size()] == '&' && given[type.size() + 1] == '&' ? "" : type;
            }
        }
        if (each != line && text.find('}') != std::string::npos) break;
    }
    return {};
}

}  // namespace

bool has_freeing_destructor(const std::string& file) {
    constexpr int kMaxLines = 6;
    for (int line = 1; line <= line_count(file); ++line) {
        const std::size_t tilde = code_line(file, line).find('~');
        if (tilde == std::string::npos) continue;
        const std::string body =
            code_line(file, line).substr(tilde) + '\n' + code_lines(file, line + 1, kMaxLines);
        if (body.substr(0, body.find('}')).find("Free") != std::string::npos) return true;
    }
    return false;
}

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
    if (const std::string lambda = copy_in_lambda(launch, type); !lambda.empty()) {
        return destructor + ", and each copy of the object has one." + lambda;
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

void LostCopy::launch_ends() {
    for (const emulator::LaunchArgument& each : run_.arguments) {
        if (each.kind != emulator::LaunchArgument::Kind::object) continue;
        for (std::size_t at = 0; at + sizeof(void*) <= each.bytes; at += sizeof(void*)) {
            std::uintptr_t begin = 0;
            std::memcpy(&begin, static_cast<const char*>(each.pointer) + at, sizeof begin);
            const Watched* const memory = run_.device.find(begin, 0);
            if (memory == nullptr || memory->begin != begin || memory->cells == nullptr) continue;
            int head = 0;
            const std::string type = memory->site.file != nullptr
                                         ? copied_by(memory->site.file, memory->site.line, &head)
                                         : "";
            if (type.empty() || !has_freeing_destructor(memory->site.file)) continue;
            SiteId store = kNoSite;
            for (std::size_t word = 0; word < memory->bytes / kWordBytes && store == kNoSite;
                 ++word) {
                (*memory->cells)[word].each_write([&](const Stamp& stamp) {
                    if (stamp.epoch == run_.epoch()) store = stamp.site;
                });
            }
            if (store == kNoSite || !place_of(store).is_known()) continue;
            const FindingList::Key key = FindingList::key_of(
                Fault::unused, source_place(place_of(store)), source_place(run_.launched.site));
            if (findings_.is_known(key)) continue;
            Finding made;
            made.fault = Fault::unused;
            made.code = "lost_copy";
            made.kernel = run_.launched.name;
            made.title = "what kernel " + run_.launched.name + " writes is lost";
            made.parties = {party_at(source_place(place_of(store)), "the kernel", "writes it"),
                            call("the launch", "copies the object", run_.launched.site)};
            made.evidence = fmt::format(
                "A kernel gets a copy of each argument. The copy constructor of {} (line {}) gives "
                "this one\nmemory of its own, which ends with the copy.",
                type, head);
            made.advice =
                " Give the kernel the pointer and the sizes,\nor a struct of them without copy "
                "constructor and destructor.";
            findings_.add(key, std::move(made));
        }
    }
}

}  // namespace lab
