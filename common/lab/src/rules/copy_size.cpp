#include "rules.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "source_calls.hpp"

namespace lab {
namespace {

/// The size of the item that a kernel stored at the begin of this memory; 0: not known.
std::size_t stored_item(const Watched& memory) {
    if (memory.cells == nullptr) return 0;
    const SiteId writer = (*memory.cells)[0].write.site;
    return writer == kNoSite ? 0 : site(writer).bytes;
}

}  // namespace

std::string CopySize::wrong_size(const emulator::Copy& copy, const Watched& source) {
    const std::size_t item = stored_item(source);
    const bool is_like_items = item > 1 && copy.bytes * item == source.bytes;
    if (copy.bytes != sizeof(void*) && !is_like_items) return {};
    const std::vector<std::string> given =
        call_arguments(copy.site.file, copy.site.line, copy.call);
    if (given.size() < 3) return {};
    for (const std::string& pointer : {given[0], given[1]}) {
        const SizeText size =
            size_text(copy.site.file, copy.site.line, given[2], pointer, copy.bytes, copy.bytes);
        if (size.is_pointer && is_pointer_variable(copy.site.file, copy.site.line, pointer)) {
            return fmt::format(
                "{} is the size of a pointer, not of what it points to.\n"
                "It copies from {}: give it the number of items times the size of one.",
                size.measure, source.description);
        }
    }
    const bool is_in_items =
        is_like_items &&
        size_text(copy.site.file, copy.site.line, given[2], {}, item, item).is_in_items;
    if (!is_in_items) return {};
    return fmt::format(
        "that is a number of items, not of bytes.\nIt copies from {}, and a kernel stores items of "
        "{} bytes there: give it {} * {}.",
        source.description, item, copy.bytes, item);
}

void CopySize::copied(const emulator::Copy& copy, const Watched* source, const Watched* target) {
    // If a copy to the device is too short, the kernel's load says so.
    if (target != nullptr || source == nullptr || source->bytes <= copy.bytes ||
        copy.site.file == nullptr) {
        return;
    }
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(copy.site), source_place(copy.site));
    if (findings_.is_known(key)) return;
    const std::string wrong = wrong_size(copy, *source);
    if (wrong.empty()) return;
    Finding made;
    made.fault = Fault::backend;
    made.code = emulator::code(emulator::Reason::copy);
    made.file = file_name(copy.site.file);
    made.line = copy.site.line;
    made.title = fmt::format("{} of {} bytes at {}: {}", copy.call, copy.bytes,
                             at_line(source_place(copy.site)), wrong);
    findings_.add(key, std::move(made));
}

}  // namespace lab
