#include "rules.hpp"

#include <cstring>

namespace lab {

void EscapedAddress::check_store(const Access& access) {
    // A 4-byte pointer, as in WebAssembly, cannot be told from an int.
    constexpr std::size_t kPointer = 8;
    if (sizeof(std::uintptr_t) != kPointer || access.bytes != kPointer) return;
    std::uintptr_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address), sizeof value);
    if (run_.block == nullptr) return;
    // The worker may have gone on to another thread since.
    const emulator::Fiber* const own = run_.current->fiber;
    if ((own != nullptr ? own : run_.worker->fiber)->holds(value)) {
        escaped_[access.address] = {run_.epoch(), run_.block->index, value, run_.number,
                                    run_.users_site(access.site)};
        return;
    }
    if (run_.block->arena == 0 || value - run_.block->arena >= kArenaBytes) return;
    if (access.address - run_.block->arena < kArenaBytes) return;  // it is in shared memory itself
    escaped_[access.address] = {run_.epoch(), run_.block->index, value, -1, access.site};
}

SiteId EscapedAddress::stored_at(std::uintptr_t address) const {
    std::size_t nearest = 65536;  // bytes of a local variable
    SiteId found = kNoSite;
    for (const auto& [place, each] : escaped_) {
        if (each.thread < 0 || address - each.value >= nearest) continue;
        nearest = address - each.value;
        found = each.site;
    }
    return found;
}

void EscapedAddress::check_load(const Access& access, HostPointer& host_pointer) {
    if (escaped_.empty()) return;
    const auto found = escaped_.find(access.address);
    if (found == escaped_.end()) return;
    std::uintptr_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address), sizeof value);
    const Escaped& by = found->second;
    const bool is_other_launch = by.epoch != run_.epoch();
    const bool is_own_block = !is_other_launch && by.block == run_.block->index;
    if (value != by.value || (is_own_block && (by.thread < 0 || by.thread == run_.number))) return;
    if (by.thread < 0) {
        report(access, by.block, is_other_launch);
    } else if (run_.worker->fiber->holds(value)) {
        // Here the thread has the other's stack. On any other one the use itself is reported.
        host_pointer.report_ended(access,
                                  fmt::format("{} of block {}{}", who(run_, by.thread), by.block,
                                              is_other_launch ? " of an earlier kernel" : ""));
    }
}

void EscapedAddress::report(const Access& access, std::uint64_t block, bool is_other_launch) {
    const FindingList::Key key = findings_.key_of(Fault::escaped, access.site);
    if (findings_.is_known(key)) return;
    Finding made = finding(run_, Fault::escaped, "escaped", "escaped shared memory",
                           party(run_, access, "loads a pointer"));
    made.parties.front().call = {};
    made.evidence = fmt::format(
        "It is the address of a shared variable of block {}{}. Shared memory is visible only to "
        "its own\nblock, and ends with it:",
        block, is_other_launch ? " of an earlier kernel" : "");
    made.advice = " pass the values through device memory.";
    findings_.add(key, std::move(made));
}

}  // namespace lab
