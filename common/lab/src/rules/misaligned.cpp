#include "rules.hpp"

#include <algorithm>
#include <set>

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
        const std::string why =
            explain_offset(place_of(access.site), access, run_.is_shared(access.address));
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
