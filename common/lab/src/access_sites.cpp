#include "access_sites.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "emulator/for_observers.hpp"
#include "lines.hpp"

namespace lab {
namespace {

constexpr unsigned kMaxAccessSites = 65535;  // one number is taken by kReturn
constexpr unsigned kMaxWithCalls = 40000;    // numbers for calls must leave room for places

struct Known {
    std::mutex mutex;
    unsigned count = kExitSite + 1;
    std::map<std::pair<SiteId, std::uintptr_t>, SiteId> by_caller, by_kernel_call;
};

// Never destroyed: workers outlive static objects.
Known& known() {
    static Known* const made = new Known;
    return *made;
}

/// Needs the lock.
SiteId add(const AccessSite& made) {
    if (known().count == kMaxAccessSites) {
        std::fprintf(stderr, "lab: one program has more than %u access sites\n", kMaxAccessSites);
        std::abort();
    }
    access_sites[known().count] = made;
    return static_cast<SiteId>(known().count++);
}

/// Not a lambda: the compiler would evaluate it itself, element by element, which takes seconds.
AccessSite* new_access_sites() {
    AccessSite* const all = new AccessSite[kMaxAccessSites];
    all[kExitSite].kind = Kind::exit;
    return all;
}

}  // namespace

SiteId* const site_by_offset = new SiteId[code_end() - code_begin()]();
AccessSite* const access_sites = new_access_sites();

SiteId new_site_id(std::uintptr_t pc, Kind kind, std::uint32_t bytes, Traits traits) {
    const emulator::ToolIsBusy busy;
    const std::lock_guard<std::mutex> lock(known().mutex);
    SiteId& id = site_by_offset[pc - code_begin()];
    if (id != kNoSite) return id;
    AccessSite made;
    made.pc = pc;
    made.bytes = bytes;
    made.kind = kind;
    made.traits = traits;
    if (is_access(kind)) {
        made.in_header = !user_place(pc - 1).is_known();
        const std::vector<Place> places = places_of(pc - 1);
        made.is_read_only_load = !places.empty() && places.front().function.rfind("__ldg", 0) == 0;
    }
    made.is_plain = (kind == Kind::read || kind == Kind::write) && !made.in_header &&
                    !made.is_read_only_load && !traits.is_volatile && !traits.is_atomic;
    const SiteId fresh = add(made);
    __atomic_store_n(&id, fresh, __ATOMIC_RELEASE);
    return fresh;
}

SiteId site_id_from(SiteId site, std::uintptr_t caller) {
    const std::lock_guard<std::mutex> lock(known().mutex);
    const auto [at, fresh] = known().by_caller.try_emplace({site, caller}, kNoSite);
    if (fresh) {
        AccessSite made = access_sites[site];
        made.caller = caller;
        made.in_header = !user_place(caller - 1).is_known();
        at->second = add(made);
    }
    return at->second;
}

SiteId site_id_called(SiteId site, std::uintptr_t kernel_call) {
    const std::lock_guard<std::mutex> lock(known().mutex);
    const auto [at, fresh] = known().by_kernel_call.try_emplace({site, kernel_call}, site);
    if (fresh && known().count < kMaxWithCalls) {
        AccessSite made = access_sites[site];
        made.kernel_call = kernel_call;
        at->second = add(made);
    }
    return at->second;
}

unsigned site_count() {
    const std::lock_guard<std::mutex> lock(known().mutex);
    return known().count;
}

}  // namespace lab
