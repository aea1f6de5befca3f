#include "rules.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "source_calls.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

/// The size of the item that a kernel stored where a copy begins; 0: not known.
std::size_t stored_item(const Watched& memory, const void* from) {
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(from) - memory.begin;
    if (memory.cells == nullptr || offset >= memory.bytes) return 0;
    const SiteId writer = (*memory.cells)[offset / kWordBytes].write.site;
    return writer == kNoSite ? 0 : site(writer).bytes;
}

/// Whether a kernel has stored this many bytes where a copy begins, and no more.
bool is_stored_row(const Watched& memory, const void* from, std::size_t bytes) {
    const std::size_t begin = reinterpret_cast<std::uintptr_t>(from) - memory.begin;
    if (memory.cells == nullptr || begin + bytes >= memory.bytes || bytes < kWordBytes)
        return false;
    const SiteId writer = (*memory.cells)[begin / kWordBytes].write.site;
    return writer != kNoSite &&
           (*memory.cells)[(begin + bytes) / kWordBytes - 1].write.site == writer &&
           (*memory.cells)[(begin + bytes) / kWordBytes].written == 0;
}

/// The width of a copy of rows is a number of items; empty: it is not. So many items are a row of
/// the host's array, of the device's, or of what a kernel has stored.
std::string wrong_width(const emulator::Copy& copy, const Watched& source,
                        const std::vector<std::string>& given) {
    constexpr std::size_t kPitch = 1, kWidth = 4;
    const std::string file = copy.site.file;
    std::string width = given.size() > kWidth ? given[kWidth] : std::string();
    std::size_t item = 0;
    if (width.empty()) {
        // "p.extent = make_cudaExtent(w, h, d);" of cudaMemcpy3D
        std::string extent = definition(file, copy.site.line, "extent");
        if (extent.find('(') == std::string::npos)
            extent = definition(file, copy.site.line, extent);
        const std::size_t open = extent.find("make_cudaExtent(");
        const std::vector<std::string> sizes = open == std::string::npos
                                                   ? std::vector<std::string>{}
                                                   : split(extent, extent.find('(', open) + 1, ")");
        if (!sizes.empty()) width = sizes.front();
    } else {
        item = size_text(file, copy.site.line, given[kPitch], {}, 1, 1).bytes;
    }
    if (item == 0) item = stored_item(source, copy.from);
    const std::size_t row = copy.bytes * item;
    const bool is_row =
        copy.to_pitch == row || copy.from_pitch == row || is_stored_row(source, copy.from, row);
    if (item < 2 || !is_row || width.empty() ||
        !size_text(file, copy.site.line, width, {}, item, item).is_in_items) {
        return {};
    }
    return fmt::format(
        "the width is a number of items, not of bytes.\nIt copies from {}, and a row has {} items "
        "of {} bytes: give it {} * {}.",
        source.description, copy.bytes, item, copy.bytes, item);
}

}  // namespace

std::string CopySize::wrong_size(const emulator::Copy& copy, const Watched& source) {
    const std::vector<std::string> given =
        call_arguments(copy.site.file, copy.site.line, copy.call);
    if (copy.to_pitch != 0) return wrong_width(copy, source, given);
    const std::size_t item = stored_item(source, copy.from);
    const bool is_like_items = item > 1 && copy.bytes * item == source.bytes;
    if (copy.bytes != sizeof(void*) && !is_like_items) return {};
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
    // Each row of one copy comes here.
    if (copy.to_pitch != 0 ? !rows_.emplace(key, copy.bytes).second : findings_.is_known(key))
        return;
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
