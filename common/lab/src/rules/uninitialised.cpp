#include "rules.hpp"

#include <algorithm>

namespace lab {

namespace {

/// Whether memory still holds what it was filled with when it was allocated.
bool is_poison(std::uintptr_t address, std::uint32_t bytes) {
    const unsigned char* const at = reinterpret_cast<const unsigned char*>(address);
    return std::all_of(at, at + bytes,
                       [](unsigned char byte) { return byte == emulator::kPoison; });
}

}  // namespace

void Uninitialised::check(const Access& access, Cells& cells, std::size_t offset,
                          std::uint32_t serial) {
    if (serial == kHoldsValues) return;
    const bool has_poison = serial == kHoldsPoison;
    if (has_poison) serial = 0;
    const std::size_t in_word = offset % kWordBytes;
    if (in_word + access.bytes <= kWordBytes) {  // nearly all
        const Cell& cell = cells[offset / kWordBytes];
        const unsigned mask = ((1u << access.bytes) - 1u) << in_word;
        if ((serial == 0 || cell.serial == serial) && (cell.written & mask) == mask) return;
    }
    std::size_t missing = 0;
    for (std::size_t i = 0; i < access.bytes; ++i) {
        const Cell& cell = cells[(offset + i) / kWordBytes];
        const bool is_known = serial == 0 || cell.serial == serial;
        missing += !is_known || (cell.written >> (offset + i) % kWordBytes & 1u) == 0;
    }
    // A struct may hold bytes that no member uses.
    const Kind kind = site(access.site).kind;
    const bool may_have_padding = kind == Kind::read_some || access.bytes > 8;
    if (missing == 0 || (may_have_padding && missing < access.bytes)) return;
    if (has_poison && !is_poison(access.address, access.bytes)) return;
    report(access);
}

void Uninitialised::report(const Access& access) {
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (findings_.is_known(key)) return;
    const Target what = target(run_, access.address, access.bytes);
    Finding made = finding(run_, Fault::uninitialised, "uninitialised", "uninitialised memory",
                           party(run_, access, fmt::format("reads {},", what.item)));
    const bool is_shared = run_.is_shared(access.address);
    made.evidence = "Nothing has been written there yet: is it the item you meant?";
    const Watched* const memory = is_shared ? nullptr : run_.device.find(access.address, 0);
    cure(made, Cure::initialise, memory != nullptr ? source_place(memory->site) : SourcePlace{},
         is_shared ? "\nShared memory holds arbitrary values when a block begins: write it first."
                   : "\nIt holds whatever was there before: write it first, in a kernel, or "
                     "with\ncudaMemset or cudaMemcpy.",
         Spot::after);
    if (memory != nullptr) explain_short_copy(access, made);
    findings_.add(key, std::move(made));
}

void Uninitialised::note_copy(const emulator::Copy& copy, const Watched& memory) {
    const std::size_t begin = reinterpret_cast<std::uintptr_t>(copy.to) - memory.begin;
    const auto known = short_copies_.find(memory.begin);
    if (known != short_copies_.end() && known->second.site.line == copy.site.line &&
        known->second.bytes == copy.bytes && begin > known->second.begin) {
        ShortCopy& last = known->second;
        if (last.rows == 1) last.pitch = begin - last.begin;
        ++last.rows;
        return;
    }
    if (begin == 0 && copy.bytes >= memory.bytes) {
        short_copies_.erase(memory.begin);
    } else {
        short_copies_[memory.begin] = {copy.call, copy.site, begin,          copy.bytes,
                                       0,         1,         copy.from_pitch};
    }
}

/// If a copy has written less of the array than this, it is named as the cause.
void Uninitialised::explain_short_copy(const Access& access, Finding& made) {
    const Watched* const memory = run_.device.find(access.address, 0);
    if (pitches.explain(memory, made)) return;
    const auto found = short_copies_.find(memory->begin);
    if (found == short_copies_.end()) return;
    const ShortCopy& copy = found->second;
    const std::size_t at = access.address - memory->begin;
    if (at < copy.begin + copy.bytes) return;
    const bool has_rows = copy.rows > 1;
    const std::size_t needed = has_rows ? copy.pitch : memory->bytes;
    // Wider rows would be read from past those of the source.
    const bool is_whole = copy.bytes == needed || (has_rows && needed > copy.from_pitch);
    made.parties.push_back(
        call(copy.call,
             has_rows ? fmt::format("writes {} of {} bytes of each row", copy.bytes, copy.pitch)
                      : fmt::format("writes {} of its {} bytes", copy.bytes, memory->bytes),
             copy.site));
    const bool counts_items = copy.bytes * access.bytes == needed;
    made.evidence =
        counts_items ? fmt::format("{} is the number of items: the {} is in bytes.", copy.bytes,
                                   has_rows ? "width" : "size")
        : copy.bytes == sizeof(void*)
            ? fmt::format("{} bytes are the size of a pointer.", copy.bytes)
            : std::string("Nothing has been written past that: is it the item you meant?");
    if (!has_rows && memory->pitch != 0) {
        made.evidence = fmt::format("The rows of that memory are {} bytes apart:", memory->pitch);
        made.advice = " copy them with cudaMemcpy2D, which takes\nthe pitch of both sides.";
        return;
    }
    if (is_whole) return;
    made.item = static_cast<std::int64_t>(copy.bytes);
    made.items = static_cast<std::int64_t>(needed);
    cure(made, Cure::copy_bytes, source_place(copy.site),
         fmt::format(" Give it the number of items times\nthe size of one, {} * {}.",
                     needed / access.bytes, access.bytes));
}

}  // namespace lab
