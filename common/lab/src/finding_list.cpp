#include "finding_list.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "emulator/for_observers.hpp"
#include "places.hpp"
#include "source_calls.hpp"

namespace lab {
namespace {

/// Whether one of the two accesses of a race is in a condition, so that threads may disagree about
/// it.
bool decides_branch(const Finding& race) {
    return std::any_of(race.parties.begin(), race.parties.end(), [](const Party& each) {
        const std::string code = source_line(each.at.path, each.at.line);
        const std::size_t begin = code.find_first_not_of(' ');
        const auto begins = [&](const char* word) {
            return begin != std::string::npos && code.rfind(word, begin) == begin;
        };
        return each.what == "reads it" && (begins("if (") || begins("while (") || begins("for ("));
    });
}

/// A thread and its line.
using Doer = std::tuple<std::string, std::int64_t, int, std::string, int>;
Doer doer(const Finding& finding) {
    if (finding.parties.empty()) return {};
    const Party& mine = finding.parties.front();
    return {finding.kernel, mine.block, mine.thread, mine.at.path, mine.at.line};
}

/// What others may follow from.
struct Causes {
    std::set<std::string> diverging;    ///< kernels with a barrier that not all threads reach
    std::map<Doer, std::string> unset;  ///< that have read uninitialised memory, and what
};

/// Whether a line uses what was read, "reads tile[8],", only outside all brackets: not in an index.
bool is_only_value(const std::string& what, const SourcePlace& at) {
    const std::size_t open = what.find('[');
    if (open == std::string::npos) return false;
    const std::string name = name_before(what, open) + "[";
    const std::string code = source_line(at.path, at.line);
    int depth = 0;
    bool is_used = false;
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (code.compare(i, name.size(), name) == 0) {
            if (depth != 0) return false;
            is_used = true;
        }
        depth += code[i] == '[';
        depth -= code[i] == ']';
    }
    return is_used;
}

/// Whether a thread has read uninitialised memory in the line in which it is out of bounds: that
/// was perhaps its index.
bool is_by_unset_index(const Finding& finding, const Causes& causes) {
    if (finding.fault != Fault::out_of_bounds || finding.parties.empty()) return false;
    const auto found = causes.unset.find(doer(finding));
    return found != causes.unset.end() && !is_only_value(found->second, finding.parties.front().at);
}

/// Causes come before what follows from them: a race that decides who reaches a barrier, then a
/// barrier that not all threads reach, then races and accesses out of bounds, then reads
/// before any write, then leaks.
int rank_of_cause(const Finding& finding, const Causes& causes) {
    using emulator::Reason;
    const auto is = [&](Reason reason) { return finding.code == emulator::code(reason); };
    if (is_by_unset_index(finding, causes)) return 2;
    switch (finding.fault) {
        case Fault::backend:
            if (finding.is_note) return 4;
            return is(Reason::divergent_barrier) || is(Reason::divergent_grid_barrier) ||
                           is(Reason::incomplete_collective) || is(Reason::different_collectives)
                       ? 0
                       : 1;
        case Fault::uninitialised:
            return 2;
        case Fault::unused:
        case Fault::leak:
            return 3;
        case Fault::race:
            return finding.is_note                                                          ? 4
                   : causes.diverging.count(finding.kernel) != 0 && decides_branch(finding) ? -1
                                                                                            : 1;
        default:
            return finding.is_note ? 4 : 1;
    }
}

}  // namespace

FindingList::Key FindingList::key_of(Fault fault, SiteId id, SiteId other) {
    const auto [known, fresh] = keys_.try_emplace({fault, id, other});
    if (fresh) {
        Place here = place_of(id);
        Place there = other != kNoSite ? place_of(other) : Place{};
        if (other != kNoSite && std::tie(there.file, there.line) < std::tie(here.file, here.line)) {
            std::swap(here, there);
        }
        known->second = {fault, here.file, here.line, there.file, there.line};
    }
    return known->second;
}

FindingList::Key FindingList::key_of(Fault fault, const SourcePlace& place,
                                     const SourcePlace& other) {
    return {fault, place.path, place.line, other.path, other.line};
}

bool FindingList::is_known(const Key& key) {
    if (Finding* const found = find(key)) ++found->times;
    return known_.count(key) != 0;
}

Finding* FindingList::find(const Key& key) {
    const auto known = known_.find(key);
    return known != known_.end() && known->second < findings_.size() ? &findings_[known->second]
                                                                     : nullptr;
}

void put_places(Finding& made) {
    if (made.parties.empty()) return;
    made.file = file_name(made.parties.front().at.path);
    made.line = made.parties.front().at.line;
    if (made.parties.size() < 2) return;
    made.other_file = file_name(made.parties.back().at.path);
    made.other_line = made.parties.back().at.line;
}

const Finding* FindingList::add(const Key& key, Finding finding) {
    constexpr std::size_t kMax = 50;
    if (is_known(key) || findings_.size() >= kMax) return nullptr;
    if (finding.code.empty()) finding.code = code(finding.fault);
    put_places(finding);
    known_.emplace(key, findings_.size());
    findings_.push_back(std::move(finding));
    if (when_added) when_added(findings_.back());
    return &findings_.back();
}

void FindingList::drop(const Key& key) {
    if (Finding* const found = find(key)) found->times = 0;
}

void FindingList::make_notes(const std::function<bool(const Finding&)>& is_note) {
    for (Finding& each : findings_) {
        if (each.is_note || !is_note(each)) continue;
        each.is_note = true;
        each.title = "note: " + each.title;
    }
}

std::vector<Finding> FindingList::take() {
    known_.clear();
    std::vector<Finding> taken;
    taken.swap(findings_);
    taken.erase(std::remove_if(taken.begin(), taken.end(),
                               [](const Finding& each) { return each.times == 0; }),
                taken.end());
    Causes causes;
    for (const Finding& each : taken) {
        if (each.fault == Fault::uninitialised)
            causes.unset.emplace(doer(each), each.parties.front().what);
        if (each.code == emulator::code(emulator::Reason::divergent_barrier)) {
            causes.diverging.insert(each.kernel);
        }
    }
    for (Finding& each : taken) {
        if (!is_by_unset_index(each, causes)) continue;
        each.advice =
            "\nThe thread has read uninitialised memory in the same line (above), perhaps as the "
            "index: write that\nfirst.";
    }
    std::stable_sort(taken.begin(), taken.end(), [&](const Finding& one, const Finding& other) {
        return rank_of_cause(one, causes) < rank_of_cause(other, causes);
    });
    return taken;
}

}  // namespace lab
