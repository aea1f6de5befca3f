#include "rules.hpp"

#include <iterator>

namespace lab {

void KernelHeap::given(std::uintptr_t at, std::size_t bytes) {
    given_.erase(given_.lower_bound(at), given_.lower_bound(at + bytes));
    given_[at] = bytes;
    freed_.erase(freed_.lower_bound(at), freed_.lower_bound(at + bytes));
}

void KernelHeap::freed(std::uintptr_t at, SiteId site) {
    const std::size_t bytes = bytes_at(at);
    given_.erase(at);
    if (run_.block == nullptr) return;
    freed_[at] = {bytes, run_.users_site(site),
                  fmt::format("{} of block {}", who(run_, run_.number), run_.block->index)};
}

/// For memory of malloc() and new: whether the access is inside an allocation of theirs.
void KernelHeap::check(const Access& access, const Watched& heap, OutOfBounds& bounds) {
    const auto after = given_.upper_bound(access.address);
    const bool has_any = after != given_.begin();
    const std::uintptr_t begin = has_any ? std::prev(after)->first : heap.begin;
    const std::size_t bytes = has_any ? std::prev(after)->second : 0;
    if (access.address + access.bytes <= begin + bytes) return;
    if (report_freed(access, heap)) return;
    bounds.report(access, {"malloc", "malloc",
                           fmt::format("the {} that malloc() or new returned in the kernel",
                                       bytes_text(bytes)),
                           access.address - begin, bytes});
}

/// Whether it was freed before. If nothing orders the two, they race, and the race is reported.
bool KernelHeap::report_freed(const Access& access, const Watched& heap) {
    const auto after = freed_.upper_bound(access.address);
    if (after == freed_.begin()) return false;
    const auto& [begin, freed] = *std::prev(after);
    if (access.address >= begin + freed.bytes) return false;
    const FindingList::Key key = findings_.key_of(Fault::host_pointer, access.site, freed.site);
    const Stamp& last = (*heap.cells)[(access.address - heap.begin) / kWordBytes].write;
    if (findings_.is_known(key) || (last.epoch == run_.epoch() && last.site == freed.site &&
                                    !run_.order.is_ordered(last, run_.block->clock, run_.number))) {
        return true;
    }
    Finding made =
        finding(run_, Fault::host_pointer, "freed_memory", "freed memory",
                party(run_, access,
                      fmt::format("{} the {} that malloc() or new returned in the kernel,",
                                  does(access.is_store), bytes_text(freed.bytes))));
    made.parties.push_back(party_at(source_place(place_of(freed.site)), freed.who, "has freed it"));
    made.advice = "\nFree memory after its last use.";
    findings_.add(key, std::move(made));
    return true;
}

}  // namespace lab
