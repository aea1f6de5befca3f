#include "places.hpp"
#include "rules.hpp"
#include "source_calls.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

/// The array of the line whose pointer is made from another one by a conversion, "(double*)(keys +
/// n)", and what to do; empty: there is none, or there are several.
static std::string explain_offset(const Place& here, bool is_shared, std::uint32_t alignment) {
    std::string array, value;
    int made_in = 0;
    for (const IndexText& each : indexes_of(code_line(here.file, here.line))) {
        int line = here.line;
        const std::string text = definition(here.file, here.line, each.array, &line);
        const bool is_offset =
            text.find('+') != std::string::npos || text.find('&') != std::string::npos;
        const bool is_conversion =
            text.find("*)") != std::string::npos || text.find("_cast<") != std::string::npos;
        if (!is_offset || !is_conversion || each.array == array) continue;
        if (line < function_around(here.file, here.line).line) continue;
        if (made_in != 0) return {};
        array = each.array;
        value = text;
        made_in = line;
    }
    if (made_in == 0) return {};
    return fmt::format("\n{} in line {} is {}.\n{} round that offset up to a multiple of {} bytes.",
                       array, made_in, value,
                       is_shared
                           ? "Put the array with the largest items first in the block's memory, or"
                           : "Use a smaller type, or",
                       alignment);
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
            explain_offset(place_of(access.site), run_.is_shared(access.address), alignment);
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
