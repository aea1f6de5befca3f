#include "rules.hpp"

namespace lab {

void OverlappingArrays::check(const Access& load, std::size_t offset) {
    const bool are_several = run_.block->block->dynamic_arrays.size() > 1;
    if (are_several && offset < run_.launched.dynamic_bytes) {
        check(load, (*run_.block->shared)[offset / kWordBytes]);
    }
}

/// Two extern __shared__ arrays begin at the same place: what was written under one name is read
/// under the other. The source lines tell the names.
void OverlappingArrays::check(const Access& access, const Cell& cell) {
    // Before the declaration the name means something else, such as a helper's argument.
    const auto is_named = [](const emulator::SharedRegion& each, const Place& place) {
        const std::string code = source_line(place.file, place.line);
        return code.find(std::string(each.name) + "[") != std::string::npos &&
               (place.line >= each.site.line || file_name(place.file) != file_name(each.site.file));
    };
    const auto array_of = [&](SiteId id) -> const emulator::SharedRegion* {
        const Place place = place_of(id);
        const emulator::SharedRegion* named = nullptr;
        for (const emulator::SharedRegion& each : run_.block->block->dynamic_arrays) {
            if (!is_named(each, place)) continue;
            if (named != nullptr) return nullptr;
            named = &each;
        }
        return named;
    };
    const emulator::SharedRegion* const read = array_of(access.site);
    const emulator::SharedRegion* written = nullptr;
    Stamp last;
    cell.each_use(false, [&](const Stamp& each, bool) {
        if (each.epoch != run_.block->serial || each.site == access.site) return;
        const emulator::SharedRegion* const its = array_of(each.site);
        if (its == nullptr || (read != nullptr && its->name == read->name)) return;
        written = its;
        last = each;
    });
    if (written == nullptr) return;
    const FindingList::Key key = findings_.key_of(Fault::overlap, access.site, last.site);
    if (findings_.is_known(key)) return;
    const emulator::SharedRegion* lost = read;
    if (read == nullptr && written != nullptr) {
        // A line with several names that reads this word twice reads it under two of them.
        const Place here = place_of(access.site);
        const unsigned thread = static_cast<unsigned>(run_.number);
        const auto is_other = [&](const Users& read) {
            const SiteId at = read.of(thread).site;
            return read.epoch == run_.block->serial && at != access.site && read.holds(thread) &&
                   place_of(at).line == here.line;
        };
        if (!cell.any_read(is_other)) return;
        for (const emulator::SharedRegion& each : run_.block->block->dynamic_arrays) {
            if (is_named(each, here) && each.name != written->name) lost = &each;
        }
    }
    if (lost == nullptr || lost->name == written->name) return;
    Finding made =
        finding(run_, Fault::overlap, "overlap", "overlapping arrays",
                party(run_, access,
                      fmt::format("{} {}", access.is_store ? "changes" : "reads", lost->name)));
    made.parties.push_back(
        party_at(source_place(place_of(last.site)),
                 fmt::format("{} of block {}", who(run_, last.thread), run_.block->index),
                 fmt::format("has written {} there", written->name)));
    made.evidence = "All extern __shared__ arrays begin at the same address.";
    const emulator::SharedRegion& second = run_.block->block->dynamic_arrays.back();
    const emulator::SharedRegion& first = run_.block->block->dynamic_arrays.front();
    cure(made, Cure::one_array, source_place(second.site),
         fmt::format(
             " Declare only one of them, and let {} be\na pointer to what follows the items of {}.",
             second.name, first.name));
    findings_.add(key, std::move(made));
}

}  // namespace lab
