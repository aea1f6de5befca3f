#include "rules.hpp"

namespace lab {

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
