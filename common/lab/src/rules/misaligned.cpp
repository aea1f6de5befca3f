#include "rules.hpp"

#include <algorithm>
#include <set>

#include "index_source.hpp"
#include "places.hpp"
#include "source_calls.hpp"
#include "source_structs.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

/// Whether an expression leads to an array in shared memory, perhaps by way of other pointers.
static bool is_of_shared(const Place& here, const std::string& expression, int depth = 3) {
    const std::vector<std::string> names = names_in(expression);
    return depth > 0 && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               const int declared = declared_array(here.file, here.line, name).line;
               const std::string code = code_line(here.file, declared);
               return find_word(code, "__shared__") != std::string::npos ||
                      is_of_shared(here, definition(here.file, here.line, name), depth - 1);
           });
}

/// The only array of the line that the access may be to, if its pointer is made from another one by
/// a conversion, "(double*)(keys + n)"; and what to do. Empty: there is no such array.
static std::string explain_offset(const Place& here, const Access& access, bool is_shared) {
    std::set<std::string> stored;
    for (const Assignment& each : assignments(here.file, here.line))
        stored.insert(each.target.substr(0, each.target.find('[')));
    std::string array, value;
    int made_in = 0;
    for (const IndexText& each : indexes_of(code_line(here.file, here.line))) {
        int line = here.line;
        const std::string text = definition(here.file, here.line, each.array, &line);
        if (is_of_shared(here, text.empty() ? each.array : text) != is_shared ||
            each.array == array || (access.is_store && stored.count(each.array) == 0)) {
            continue;
        }
        const std::string type = type_of(here.file, here.line, each.array).type;
        const std::size_t bytes = size_of_type(trimmed(type.substr(0, type.find('*'))));
        if (bytes != 0 && bytes != access.bytes) continue;
        if (!array.empty()) return {};
        array = each.array;
        const bool is_offset =
            text.find('+') != std::string::npos || text.find('&') != std::string::npos;
        const bool is_conversion =
            text.find("*)") != std::string::npos || text.find("_cast<") != std::string::npos;
        if (!is_offset || !is_conversion || line < function_around(here.file, here.line).line)
            continue;
        value = text;
        made_in = line;
    }
    if (made_in == 0) return {};
    return fmt::format("\n{} in line {} is {}.\n{} round that offset up to a multiple of {} bytes.",
                       array, made_in, value,
                       is_shared
                           ? "Put the array with the largest items first in the block's memory, or"
                           : "Use a smaller type, or",
                       access.alignment);
}

/// What a conversion to another type of pointer is given: "p + 6" of "(int*)(p + 6)"; empty: there
/// is none.
static std::string converted(const std::string& text) {
    const std::size_t cast = text.find("_cast<");
    const std::size_t star = cast == std::string::npos ? text.find("*)") : text.find("*>", cast);
    if (star == std::string::npos) return {};
    const std::size_t begin = text.find_first_not_of(' ', star + 2);
    if (begin == std::string::npos) return {};
    std::size_t end = begin;
    if (text[begin] != '(') {
        while (end < text.size() && (is_word(text[end]) || text[end] == '.' || text[end] == '&'))
            ++end;
        if (end < text.size() && text[end] == '[') end = after_bracket(text, end);
    } else {
        end = after_bracket(text, begin);
    }
    return without_brackets(text.substr(begin, end - begin));
}

/// Which line makes a pointer to larger items of one into an array of smaller ones, and what to do;
/// empty: none is known to.
static std::string explain_conversion(const Execution& run, const Access& access,
                                      const Watched& memory) {
    const Place here = place_of(access.site);
    const IndexSource index(run, access);
    const std::string code = code_line(here.file, here.line);
    std::string pointer = converted(code);
    int line = here.line;
    const int head = function_around(here.file, here.line).line;
    for (const std::string& name : pointer.empty() ? names_in(code) : std::vector<std::string>{}) {
        int where = 0;
        const std::string given = converted(definition(here.file, here.line, name, &where));
        if (given.empty() || where < head || given == pointer) continue;
        if (!pointer.empty()) return {};
        pointer = given;
        line = where;
    }
    Place from = here;
    from.line = line;
    if (pointer.empty() && run.launched.site.file != nullptr) {
        pointer = converted(index.passed(memory).text);
        from.file = run.launched.site.file;
        from.line = run.launched.site.line;
    }
    if (pointer.empty()) return {};
    // "char* p = record + 6;"
    int made = 0;
    std::string offset = pointer, how;
    if (names_in(pointer) == std::vector<std::string>{pointer}) {
        offset = definition(from.file, from.line, pointer, &made);
        if (offset.find_first_of("+&") == std::string::npos) return {};
        how = fmt::format(", which is {} (line {}),", offset, made);
    }
    std::string type;
    bool is_one = true;  // for all threads
    for (const std::string& name : names_in(offset)) {
        const std::string own = type_of(from.file, from.line, name).type;
        if (type.empty() && own.find('*') != std::string::npos) {
            type = trimmed(own.substr(0, own.find('*')));
            if (type.rfind("const ", 0) == 0) type.erase(0, 6);
            continue;
        }
        is_one = is_one && (index.is_uniform(name) || index.value(name).has_value()) &&
                 !is_computed_from(from.file, from.line, name, "threadIdx") &&
                 !is_computed_from(from.file, from.line, name, "blockIdx");
    }
    const std::size_t item = size_of_type(type), apart = access.alignment;
    const std::size_t first = apart - access.address % apart;
    if (item == 0 || item >= apart) return {};
    std::string text = fmt::format("\nLine {} converts {}{} to a pointer to items of {}.\n",
                                   from.line, pointer, how, bytes_text(access.bytes));
    // A number in a record of bytes is one, also if it begins at an odd place.
    text += item == 1
                ? fmt::format("Read and write single bytes there, as memcpy(&x, place, {}) does",
                              access.bytes)
                : fmt::format("Use a pointer to {} there", type);
    if (!is_one || first % item != 0)
        return text +
               fmt::format(",\nor let each such place begin at a multiple of {} bytes.", apart);
    text += fmt::format(
        ". Or{}do the {} before the next multiple of {} one by one, as {}, and begin after {}.",
        item == 1 ? ", if each byte has a meaning of its own,\n" : " ",
        first == item ? "item" : fmt::format("{} items", first / item), apart, type,
        first == item ? "it" : "them");
    return text;
}

void Misaligned::check(const Access& access, EmulatorReports& reports) {
    const bool is_aligned = access.alignment <= 1 || access.address % access.alignment == 0;
    if (!is_aligned && access.address >= kNull) report(access, reports);
}

void Misaligned::report(const Access& access, EmulatorReports& reports) {
    const std::uint32_t alignment = access.alignment;
    Finding made = finding(
        run_, Fault::misaligned, "misaligned", "misaligned access",
        party(run_, access, fmt::format("{} {}", does(access.is_store), bytes_text(access.bytes))));
    made.evidence = fmt::format(
        "The address is not a multiple of {}: it is {} + {}. A device accesses {} at once only at "
        "multiples of {}.",
        alignment,
        access.address / alignment * alignment == 0 ? std::string("0")
                                                    : fmt::format("a multiple of {}", alignment),
        access.address % alignment, bytes_text(alignment), alignment);
    made.advice =
        access.is_atomic
            ? "\nAn atomic operation changes all of these bytes: let the array hold items of that "
              "size, such as unsigned\nfor unsigned char."
            : "\nUse a smaller type, or make the offset in bytes a multiple of the access's size.";
    if (!access.is_atomic) {
        const bool is_shared = run_.is_shared(access.address);
        const Watched* const memory = is_shared ? nullptr : run_.device.find(access.address, 0);
        // What the host has copied there is where it is.
        const bool is_given =
            memory != nullptr &&
            std::any_of(run_.fills.begin(), run_.fills.end(), [&](const Filled& each) {
                return each.is_copy && each.begin - memory->begin < memory->bytes;
            });
        std::string why = is_given ? explain_conversion(run_, access, *memory) : "";
        if (why.empty()) why = explain_offset(place_of(access.site), access, is_shared);
        if (!why.empty()) made.advice = why;
    }
    // The device ends the kernel here; so would some CPU instructions, with another message.
    emulator::Report end{cudaErrorMisalignedAddress,
                         emulator::Reason::misaligned,
                         text(made),
                         made.kernel,
                         made.file,
                         made.line};
    findings_.add(findings_.key_of(Fault::misaligned, access.site), std::move(made));
    reports.said(end.text);
    emulator::ToolIsBusy::is_busy = false;
    const_cast<emulator::Worker*>(run_.worker)->fail(std::move(end));
}

}  // namespace lab
