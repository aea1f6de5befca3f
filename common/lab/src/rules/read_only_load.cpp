#include "places.hpp"
#include "rules.hpp"
#include "words.hpp"

namespace lab {

void ReadOnlyLoad::report(const Access& access, SiteId other) {
    const FindingList::Key key = findings_.key_of(Fault::read_only, access.site, other);
    if (findings_.is_known(key)) return;
    const SiteId load = access.is_store ? other : access.site;
    const SiteId store = access.is_store ? access.site : other;
    Party reader{"__ldg", "reads it"}, writer{"the same kernel", "writes it"};
    reader.at = source_place(place_of(load));
    writer.at = source_place(place_of(store));
    Finding made =
        finding(run_, Fault::read_only, "read_only", "read-only load", std::move(reader));
    made.title += ", on " + target(run_, access.address, access.bytes).item;
    made.parties.push_back(std::move(writer));
    put_places(made);
    made.evidence =
        "__ldg is for what no thread writes while the kernel runs: it may give an old value.";
    cure(made, Cure::plain_load, made.parties.front().at,
         " Load it without\n__ldg, or write to another array.");
    findings_.add(key, std::move(made));
}

}  // namespace lab
