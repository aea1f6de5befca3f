#include "rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "places.hpp"

namespace lab {
namespace {

bool is_fill(const std::string& call) { return call.find("Memset2D") != std::string::npos; }

std::string arguments_of(const std::string& call) {
    if (is_fill(call)) {
        return "Its arguments are the pointer, its pitch, the value, width, height; pitch and "
               "width are in bytes.\nGive it the pitch that cudaMallocPitch has set.";
    }
    return call.find("3D") == std::string::npos
               ? "Its arguments are to, its pitch, from, its pitch, width, height; pitches and "
                 "width "
                 "are in bytes."
               : "Give it the cudaPitchedPtr that cudaMalloc3D has set; for an array of the host,\n"
                 "make_cudaPitchedPtr(array, bytes of a row, items of a row, rows of a slice).";
}

}  // namespace

void CopyPitch::copied(const emulator::Copy& copy, const Watched* source, const Watched* target) {
    const auto look = [&](const Watched* memory, std::size_t pitch, std::size_t other,
                          bool is_target) {
        // Every second row, and the like, may be intended.
        if (memory == nullptr || memory->pitch == 0 || pitch % memory->pitch == 0) return;
        found_.try_emplace(FindingList::key_of(Fault::uninitialised, source_place(copy.site)),
                           Mismatch{copy.call, copy.site, is_target, pitch, other, memory->pitch,
                                    memory->begin, memory->description});
    };
    if (copy.to_pitch != 0) look(target, copy.to_pitch, copy.from_pitch, true);
    if (copy.from_pitch != 0 && copy.from != nullptr) {
        look(source, copy.from_pitch, copy.to_pitch, false);
    }
}

std::string CopyPitch::words(const Mismatch& each) const {
    const std::string rows =
        is_fill(each.call)
            ? "rows"
            : fmt::format("the rows of its {}", each.is_target ? "destination" : "source");
    return fmt::format(
        "{} assumes {} to be {} bytes apart, but in that memory\nthey are {} bytes apart{}",
        each.call, rows, each.given, each.right,
        each.other == each.right ? ": the two pitches are swapped." : ".");
}

bool CopyPitch::explain(const Watched* memory, Finding& made) {
    for (auto& [key, each] : found_) {
        const SourcePlace place = source_place(each.site);
        const bool is_party =
            std::any_of(made.parties.begin(), made.parties.end(), [&](const Party& party) {
                return party.at.path == place.path && party.at.line == place.line;
            });
        if (!is_party && (memory == nullptr || memory->begin != each.memory)) continue;
        if (!is_party) {
            made.parties.push_back(
                call(each.call, is_fill(each.call) ? "sets rows" : "copies rows", each.site));
            put_places(made);
        }
        each.is_told = true;
        made.evidence = words(each);
        cure(made, is_fill(each.call) ? Cure::none : Cure::copy_pitch, place,
             "\n" + arguments_of(each.call));
        made.item = static_cast<std::int64_t>(each.given);
        made.items = static_cast<std::int64_t>(each.right);
        return true;
    }
    return false;
}

bool CopyPitch::is_told_of(const std::string& title) const {
    return std::any_of(found_.begin(), found_.end(), [&](const auto& each) {
        return each.second.is_told && title.find(each.second.description) != std::string::npos;
    });
}

void CopyPitch::add_notes() {
    for (const auto& [key, each] : found_) {
        if (each.is_told) continue;
        Finding note;
        note.fault = Fault::uninitialised;
        note.code = "copy_pitch";
        note.is_note = true;
        note.title = "note: a pitch that does not match the memory";
        note.parties = {
            call(each.call, is_fill(each.call) ? "sets rows" : "copies rows", each.site)};
        put_places(note);
        note.evidence = words(each);
        cure(note, is_fill(each.call) ? Cure::none : Cure::copy_pitch, source_place(each.site),
             "\n" + arguments_of(each.call));
        note.item = static_cast<std::int64_t>(each.given);
        note.items = static_cast<std::int64_t>(each.right);
        findings_.add(key, std::move(note));
    }
    found_.clear();
}

}  // namespace lab
