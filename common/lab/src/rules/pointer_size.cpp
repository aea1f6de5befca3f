#include "rules.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "source_calls.hpp"

namespace lab {

void PointerSize::copied(const emulator::Copy& copy, const Watched* source, const Watched* target) {
    // If a copy to the device is too short, the kernel's load says so.
    if (copy.bytes != sizeof(void*) || target != nullptr || source == nullptr ||
        source->bytes <= copy.bytes || copy.site.file == nullptr) {
        return;
    }
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(copy.site), source_place(copy.site));
    if (findings_.is_known(key)) return;
    const std::vector<std::string> given =
        call_arguments(copy.site.file, copy.site.line, copy.call);
    if (given.size() < 3) return;
    for (const std::string& pointer : {given[0], given[1]}) {
        const SizeText size =
            size_text(copy.site.file, copy.site.line, given[2], pointer, copy.bytes, copy.bytes);
        if (!size.is_pointer || !is_pointer_variable(copy.site.file, copy.site.line, pointer)) {
            continue;
        }
        Finding made;
        made.fault = Fault::backend;
        made.code = emulator::code(emulator::Reason::copy);
        made.file = file_name(copy.site.file);
        made.line = copy.site.line;
        made.title = fmt::format(
            "{} of {} bytes at {}: {} is the size of a pointer, not of what it points to.\nIt "
            "copies from {}: give it the number of items times the size of one.",
            copy.call, copy.bytes, at_line(source_place(copy.site)), size.measure,
            source->description);
        findings_.add(key, std::move(made));
        return;
    }
}

}  // namespace lab
