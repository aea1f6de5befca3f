#include <algorithm>
#include <utility>

#include "lines.hpp"
#include "places.hpp"
#include "rules.hpp"
#include "source_updates.hpp"

#if __has_include(<execinfo.h>)
#include <dlfcn.h>
#include <execinfo.h>
#endif

namespace lab {
namespace {

/// The lines of the user's files that lead to a call of the clock, the innermost first; empty: the
/// user's code does not call it. `pc`: the caller; `through_clock`: that may be the emulator's
/// clock().
std::vector<Place> calls_of_clock([[maybe_unused]] const void* pc,
                                  [[maybe_unused]] bool through_clock) {
    std::vector<Place> made;
#if __has_include(<execinfo.h>)
    constexpr int kMaxCalls = 32;
    void* calls[kMaxCalls];
    const int count = backtrace(calls, kMaxCalls);
    int at = 0;
    while (at < count && calls[at] != pc) ++at;
    Dl_info mine, its;
    const bool is_known = at < count && dladdr(__builtin_return_address(0), &mine) != 0 &&
                          dladdr(calls[at], &its) != 0;
    // std::chrono is in a library of its own.
    if (is_known && its.dli_fbase != mine.dli_fbase) ++at;
    for (int first = at; at < count; ++at) {
        Place found = user_place(reinterpret_cast<std::uintptr_t>(calls[at]) - 1);
        if (!found.is_known() && at == first && !through_clock) break;
        if (found.is_known()) made.push_back(std::move(found));
    }
#endif
    return made;
}

}  // namespace

void HostClock::launched(std::uint32_t operation, const std::string& kernel, emulator::Site site) {
    if (readings_.empty()) return;
    launches_.push_back({operation, readings_.size(), kernel, site});
}

void HostClock::read(const void* pc, bool through_clock) {
    constexpr std::size_t kMost = 1000, kBack = 32;
    if (readings_.size() >= kMost) return;
    std::vector<Place> calls = calls_of_clock(pc, through_clock);
    if (calls.empty()) return;
    launches_.erase(std::remove_if(launches_.begin(), launches_.end(),
                                   [&](const Launched& each) {
                                       return run_.streams.is_before_host(each.operation);
                                   }),
                    launches_.end());
    for (std::size_t back = 1; back <= std::min(readings_.size(), kBack); ++back) {
        const std::size_t before = readings_.size() - back;
        for (const Place& first : readings_[before]) {
            for (const Place& second : calls) {
                if (first.file != second.file || first.function != second.function ||
                    !is_time_between(first.file, first.line, second.line)) {
                    continue;
                }
                const auto pending =
                    std::find_if(launches_.begin(), launches_.end(),
                                 [&](const Launched& each) { return each.readings > before; });
                const std::pair<std::string, int> begin{first.file, first.line};
                if (pending == launches_.end()) {
                    measured_.insert(begin);
                } else {
                    early_.push_back({begin, source_place(second), *pending});
                }
            }
        }
    }
    readings_.push_back(std::move(calls));
}

void HostClock::add_notes() {
    for (const Early& each : early_) {
        // The time of the launch itself may be wanted, if the whole one is read as well.
        if (measured_.count(each.begin) != 0) continue;
        const SourcePlace launch = source_place(each.launch.site);
        const FindingList::Key key = FindingList::key_of(Fault::unused, each.read, launch);
        if (findings_.is_known(key)) continue;
        Finding made;
        made.fault = Fault::unused;
        made.code = "early_clock";
        made.is_note = true;
        made.kernel = each.launch.kernel;
        made.title = "note: a time is read while kernel " + each.launch.kernel + " may still run";
        made.parties = {party_at(each.read, "the host", "reads it"),
                        party_at(launch, "the kernel", "is launched")};
        made.evidence = "A launch returns at once, so this is not the time of the kernel:";
        cure(made, Cure::synchronise, launch,
             fmt::format(" call\ncudaDeviceSynchronize() before line {}.", each.read.line),
             Spot::after);
        findings_.add(key, std::move(made));
    }
    early_.clear();
}

}  // namespace lab
