#include "rules.hpp"

namespace lab {

void ReadOnlyLoad::check(const Access& access, const Cell& cell, const Stamp& now) {
    if (access.is_store || !site(access.site).is_read_only_load) return;
    has_seen_any = true;
    if (cell.write.epoch == now.epoch && (cell.write.bytes & now.bytes) != 0) {
        report(access, cell.write.site);
    }
}

void ReadOnlyLoad::check_store(const Access& access, const Cell& cell, const Stamp& now) {
    if (!has_seen_any) return;
    cell.each_read([&](const Users& read) {
        if (read.epoch != now.epoch || (read.bytes & now.bytes) == 0) return;
        for (const SiteId at : {read.site, read.earlier_site}) {
            if (site(at).is_read_only_load) report(access, at);
        }
    });
}

void ReadOnlyLoad::report(const Access& access, SiteId other) {
    const FindingList::Key key = findings_.key_of(Fault::read_only, access.site, other);
    if (findings_.is_known(key)) return;
    const SiteId load = access.is_store ? other : access.site;
    const SiteId store = access.is_store ? access.site : other;
    Finding made = finding(run_, Fault::read_only, "read_only", "read-only load",
                           party_at(source_place(place_of(load)), "__ldg", "reads it"));
    made.title += ", on " + target(run_, access.address, access.bytes).item;
    made.parties.push_back(party_at(source_place(place_of(store)), "the same kernel", "writes it"));
    made.evidence =
        "__ldg is for what no thread writes while the kernel runs: it may return an old value.";
    cure(made, Cure::plain_load, made.parties.front().at,
         " Load it without\n__ldg, or write to another array.");
    findings_.add(key, std::move(made));
}

}  // namespace lab
