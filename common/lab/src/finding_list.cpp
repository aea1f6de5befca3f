#include "finding_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "emulator/for_observers.hpp"
#include "places.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"

namespace lab {
namespace {

/// The variable that a finding is about, "s" in "race within a block in k, on s[3]"; empty: it has
/// no name.
std::string variable_of(const Finding& finding) {
    std::string text = finding.title;
    std::size_t at = finding.fault == Fault::race ? text.rfind(", on ") : std::string::npos;
    if (at != std::string::npos) {
        text = text.substr(at + 5);
    } else if (finding.fault == Fault::uninitialised && !finding.parties.empty()) {
        text = finding.parties.front().what;
        at = text.find("reads ");
        if (at != 0) return {};
        text = text.substr(6);
    } else {
        return {};
    }
    const std::string name = text.substr(0, text.find_first_of("[,"));
    return name.find(' ') == std::string::npos ? name : std::string();
}

/// Whether a read of a race decides a branch, so that threads may disagree about it.
bool is_deciding(const Finding& race) {
    const std::string variable = variable_of(race);
    return std::any_of(race.parties.begin(), race.parties.end(), [&](const Party& each) {
        return each.what == "reads it" && decides_branch(each.at.path, each.at.line, variable);
    });
}

/// A thread.
using Doer = std::tuple<std::string, std::int64_t, std::int64_t>;
Doer doer(const Finding& finding) {
    if (finding.parties.empty()) return {};
    const Party& mine = finding.parties.front();
    return {finding.kernel, mine.block, mine.thread};
}

/// What others may follow from.
struct Causes {
    std::set<std::string> diverging;  ///< kernels with a barrier that not all threads reach
    std::set<std::string> deciding;   ///< those with a race that decides who reaches it
    /// What gave a thread an arbitrary value: uninitialised memory, a shuffle, an access out of
    /// bounds.
    std::vector<const Finding*> unset;
    std::set<std::pair<std::string, int>> missing;  ///< files and lines that miss their array
    std::set<std::string> few;                      ///< kernels whose blocks have too few threads
    std::vector<const Finding*> values;  ///< races and uninitialised reads of variables with names
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

/// Whether an index in a finding's line (or, for a wild pointer, the pointer) is computed from what
/// the same thread got in an earlier line, or from a function that got it.
bool is_computed_from_line(const Finding& finding, const SourcePlace& from) {
    const SourcePlace& at = finding.parties.front().at;
    const FunctionText function = function_around(from.path, from.line);
    std::set<std::string> names;
    if (from.line < at.line) {
        for (const Assignment& each : assignments(from.path, from.line))
            names.insert(each.target.substr(0, each.target.find_first_of("[.")));
    }
    if (!function.is_kernel && function.line != function_around(at.path, at.line).line)
        names.insert(function.name);
    names.erase("");
    for (const IndexText& each : indexes_of(source_line(at.path, at.line))) {
        for (const std::string& name : names) {
            if (is_computed_from(at.path, at.line, each.index, name) ||
                (finding.code == "wild_pointer" &&
                 is_computed_from(at.path, at.line, each.array, name)))
                return true;
        }
    }
    return false;
}

/// What gave a thread the value with which it is out of bounds; null: nothing is known.
const Finding* unset_index(const Finding& finding, const Causes& causes) {
    const bool is_wild = finding.code == "wild_pointer";
    const bool is_index = finding.fault == Fault::out_of_bounds || is_wild;
    if (!is_index || finding.parties.empty()) return nullptr;
    const SourcePlace& at = finding.parties.front().at;
    const Finding* found = nullptr;
    for (const Finding* const each : causes.unset) {
        const Party& reader = each->parties.front();
        const bool is_own = doer(*each) == doer(finding);
        if (each == &finding || each->kernel != finding.kernel || reader.at.path != at.path)
            continue;
        // The same access only misses by more.
        if (each->fault == Fault::out_of_bounds && (!is_wild || !is_own)) continue;
        const bool is_cause = reader.at.line == at.line ? is_own && !is_only_value(reader.what, at)
                                                        : is_computed_from_line(finding, reader.at);
        if (is_cause && is_own) return each;
        if (is_cause && found == nullptr) found = each;
    }
    return found;
}

/// The same in words; empty: nothing is known.
std::string unset_index_text(const Finding& finding, const Causes& causes) {
    const Finding* const cause = unset_index(finding, causes);
    if (cause == nullptr) return {};
    const Party& reader = cause->parties.front();
    const bool is_same_line = reader.at.line == finding.parties.front().at.line;
    if (is_same_line && cause->fault == Fault::uninitialised) {
        return "\nThe thread has read uninitialised memory in the same line (above), perhaps as the"
               " index: write that\nfirst.";
    }
    // Another thread is perhaps the first that was seen to read it.
    const bool is_own = doer(*cause) == doer(finding);
    const char* const what = cause->fault == Fault::out_of_bounds ? "the read out of bounds"
                             : cause->fault == Fault::backend
                                 ? "the undefined value of the shuffle"
                                 : "the uninitialised memory that is read";
    return fmt::format("\nIt {} {} in {} (above): fix that first.",
                       is_own ? "follows from" : "may follow from", what,
                       is_same_line ? "the same line" : fmt::format("line {}", reader.at.line));
}

/// Whether it is about items that the kernel has not written.
bool is_missed_by(const Finding& finding, const std::string& kernel) {
    const std::string who = "kernel " + kernel.substr(0, kernel.find('<'));
    return finding.fault == Fault::uninitialised &&
           std::any_of(finding.parties.begin(), finding.parties.end(), [&](const Party& each) {
               return each.who == who && each.what.rfind("wrote ", 0) == 0;
           });
}

/// The race, or the uninitialised read, of a variable from which the finding's index is computed;
/// null: none is known.
const Finding* cause_of_index(const Finding& finding, const Causes& causes) {
    if (finding.fault != Fault::race && finding.fault != Fault::out_of_bounds &&
        finding.fault != Fault::uninitialised) {
        return nullptr;
    }
    const std::string own = variable_of(finding);
    for (const Finding* const cause : causes.values) {
        const std::string variable = variable_of(*cause);
        const bool is_of_kernel =
            cause->kernel == finding.kernel || is_missed_by(finding, cause->kernel);
        if (cause == &finding || !is_of_kernel || variable == own) continue;
        for (const Party& reader : cause->parties) {
            if (reader.what.rfind("reads ", 0) != 0) continue;
            for (const Party& each : finding.parties) {
                const bool is_same = each.at.path == reader.at.path &&
                                     each.at.line >= reader.at.line && !each.is_call;
                if (is_same && is_index_computed_from(each.at.path, each.at.line, own, variable)) {
                    return cause;
                }
            }
        }
    }
    return nullptr;
}

/// Whether a kernel that has not written an item has written another one twice.
bool is_missed_by_others(const Finding& finding, const std::vector<Finding>& all) {
    const auto is_written = [](const Party& each) { return each.what == "writes it"; };
    return std::any_of(all.begin(), all.end(), [&](const Finding& each) {
        return each.fault == Fault::race && !each.is_note && each.cure == Cure::own_items &&
               is_missed_by(finding, each.kernel) &&
               std::all_of(each.parties.begin(), each.parties.end(), is_written);
    });
}

bool is_divergence(const Finding& finding) {
    using emulator::Reason;
    const auto is = [&](Reason reason) { return finding.code == emulator::code(reason); };
    return finding.fault == Fault::backend &&
           (is(Reason::divergent_barrier) || is(Reason::divergent_grid_barrier) ||
            is(Reason::incomplete_collective) || is(Reason::different_collectives));
}

/// The line of a barrier in a loop that some threads leave before others: then the rounds of its
/// lines overlap, and those after it as well. 0: the race has no such cause.
int uneven_barrier(const Finding& race, const std::vector<Finding>& all) {
    if (race.fault != Fault::race || race.is_note || race.parties.size() != 2) return 0;
    for (const Finding& each : all) {
        if (each.code != emulator::code(emulator::Reason::divergent_barrier) ||
            each.kernel != race.kernel) {
            continue;
        }
        for (const Party& mine : race.parties) {
            if (file_name(mine.at.path) != each.file || mine.block != race.parties[0].block) break;
            const int loop = loop_around(mine.at.path, each.line);
            if (loop == 0) break;
            if (mine.at.line >= loop && mine.at.line <= end_of_loop(mine.at.path, loop, each.line))
                return each.line;
        }
    }
    return 0;
}

/// Causes come before what follows from them: a race that decides who reaches a barrier, then a
/// barrier that not all threads reach, then races and accesses out of bounds, then reads
/// before any write, then what has an index from those, then leaks.
int rank_of_cause(const Finding& finding, const Causes& causes) {
    if (finding.is_note) return 5;
    if (const Finding* const cause = unset_index(finding, causes); cause != nullptr)
        return std::max(2, rank_of_cause(*cause, causes));
    if (cause_of_index(finding, causes) != nullptr) return 3;
    // An index that leaves its row meets another thread's, and in the last row leaves the array.
    const auto misses = [&](const Party& each) {
        return causes.missing.count({each.at.path, each.at.line}) != 0;
    };
    if (finding.fault == Fault::race && finding.cure == Cure::own_items &&
        std::all_of(finding.parties.begin(), finding.parties.end(), misses)) {
        return 3;
    }
    switch (finding.fault) {
        case Fault::backend:
            return is_divergence(finding) ? 0 : 1;
        case Fault::out_of_bounds:
            return causes.few.count(finding.kernel) != 0 ? 3 : 1;
        case Fault::uninitialised:
            return 2;
        case Fault::unused:
        case Fault::leak:
            return 4;
        case Fault::race:
            return causes.diverging.count(finding.kernel) != 0 && is_deciding(finding) ? -1 : 1;
        default:
            return 1;
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

void FindingList::drop_if(const std::function<bool(const Finding&)>& is_dropped) {
    for (Finding& each : findings_) {
        if (is_dropped(each)) each.times = 0;
    }
}

void FindingList::make_notes(const std::function<bool(const Finding&)>& is_note) {
    for (Finding& each : findings_) {
        if (each.is_note || !is_note(each)) continue;
        each.is_note = true;
        each.title = "note: " + each.title;
    }
}

/// Two names of one array: what else they do only follows from that.
static void drop_of_one_array(std::vector<Finding>& found) {
    std::set<std::pair<std::string, std::string>> names;
    for (const Finding& each : found) {
        if (each.fault != Fault::overlap) continue;
        for (const Party& party : each.parties) {
            std::string what = party.what;  // "reads one", "has written other there"
            if (const std::size_t at = what.rfind(" there"); at != std::string::npos)
                what.resize(at);
            names.emplace(each.kernel, what.substr(what.rfind(' ') + 1));
        }
    }
    const auto follows = [&](const Finding& each) {
        return (each.fault == Fault::race || each.fault == Fault::uninitialised) &&
               names.count({each.kernel, variable_of(each)}) != 0;
    };
    found.erase(std::remove_if(found.begin(), found.end(), follows), found.end());
}

/// Several lines that read the same memory too early, for the same reason: the first is enough.
static void drop_of_one_reason(std::vector<Finding>& found) {
    std::set<std::tuple<std::string, std::string, std::string, std::string>> known;
    const auto is_again = [&](const Finding& each) {
        if (each.fault != Fault::uninitialised || each.is_note || each.parties.empty())
            return false;
        // "reads item 3 of the allocation of 64 bytes ...," or "reads tile[3],"
        const std::string& what = each.parties.front().what;
        const std::size_t item = what.find(" of ");
        const std::string memory =
            item != std::string::npos ? what.substr(item) : what.substr(0, what.find('['));
        return !known.emplace(each.kernel, memory, each.evidence, each.advice).second;
    };
    found.erase(std::remove_if(found.begin(), found.end(), is_again), found.end());
}

/// Memory that a refused call should have given values: " at a.cu:3", where it is allocated. Empty:
/// the finding is not about that.
static std::string unset_memory(const Finding& finding) {
    constexpr char kTable[] = "the pointer that it is to set is in device memory,";
    if (finding.fault != Fault::backend || finding.is_note) return {};
    if (finding.code == emulator::code(emulator::Reason::copy) && finding.cure_place.is_known())
        return " at " + at_line(finding.cure_place);
    const std::size_t at = finding.title.find(" at ", finding.title.find(kTable));
    return at == std::string::npos || finding.title.find(kTable) == std::string::npos
               ? std::string()
               : finding.title.substr(at, finding.title.find(". ", at) - at);
}

/// Which findings only follow from a call that was refused: reads of what it should have set, and
/// what is computed from those.
static std::vector<bool> follow_from_refused(const std::vector<Finding>& found,
                                             const Causes& causes) {
    std::vector<bool> made(found.size());
    const std::string copy = emulator::code(emulator::Reason::copy);
    const std::string address = emulator::code(emulator::Reason::illegal_address);
    std::set<std::pair<std::string, int>> read_by_host, read;
    for (const Finding& refused : found) {
        const std::string memory = unset_memory(refused);
        for (std::size_t i = 0; i < found.size() && !memory.empty(); ++i) {
            const Finding& each = found[i];
            const bool is_of_host = each.fault == Fault::device_pointer && refused.code != copy;
            if (each.parties.empty() || (each.fault != Fault::uninitialised && !is_of_host) ||
                each.parties.front().what.find(memory + ",") == std::string::npos)
                continue;
            made[i] = true;
            (is_of_host ? read_by_host : read).emplace(each.file, each.line);
        }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Finding* const cause = unset_index(found[i], causes);
        if (cause != nullptr && made[static_cast<std::size_t>(cause - found.data())])
            made[i] = true;
        const std::pair<std::string, int> at{found[i].file, found[i].line};
        if ((found[i].code == copy && read_by_host.count(at) != 0) ||
            (found[i].code == address && read.count(at) != 0))
            made[i] = true;
    }
    return made;
}

std::vector<Finding> FindingList::take() {
    known_.clear();
    std::vector<Finding> taken;
    taken.swap(findings_);
    taken.erase(std::remove_if(taken.begin(), taken.end(),
                               [](const Finding& each) { return each.times == 0; }),
                taken.end());
    drop_of_one_array(taken);
    drop_of_one_reason(taken);
    Causes causes;
    for (const Finding& each : taken) {
        const bool is_read = each.fault == Fault::uninitialised ||
                             (each.fault == Fault::out_of_bounds && !each.parties.empty() &&
                              each.parties.front().what.rfind("reads ", 0) == 0);
        const bool is_value = is_read || each.code == "shuffle_from_outside";
        if (is_value && !each.is_note && !each.parties.empty() &&
            each.parties.front().thread >= 0) {
            causes.unset.push_back(&each);
        }
        if (each.fault == Fault::out_of_bounds) {
            causes.missing.emplace(each.parties.front().at.path, each.parties.front().at.line);
        }
        if (each.cure == Cure::launch_shape) causes.few.insert(each.kernel);
        if (is_divergence(each)) causes.diverging.insert(each.kernel);
        if (!each.is_note && !variable_of(each).empty()) causes.values.push_back(&each);
    }
    // A race is why something was read too early.
    std::stable_partition(causes.values.begin(), causes.values.end(),
                          [](const Finding* each) { return each->fault == Fault::race; });
    std::vector<std::string> causes_in_words(taken.size());
    for (std::size_t at = 0; at < taken.size(); ++at) {
        const Finding& each = taken[at];
        if (each.fault == Fault::race && rank_of_cause(each, causes) == -1) {
            causes.deciding.insert(each.kernel);
        }
        if (causes_in_words[at] = unset_index_text(each, causes); !causes_in_words[at].empty()) {
            continue;
        }
        const int barrier =
            causes.deciding.count(each.kernel) == 0 ? uneven_barrier(each, taken) : 0;
        if (barrier != 0) {
            causes_in_words[at] = fmt::format(
                ". It may follow from the barrier in line {},\nwhich threads reach in different "
                "rounds (above): fix that first.",
                barrier);
        } else if (is_missed_by_others(each, taken)) {
            causes_in_words[at] =
                "\nThreads of that kernel have written the same item twice (above): fix that "
                "first.";
        } else if (const Finding* const cause = cause_of_index(each, causes); cause != nullptr) {
            causes_in_words[at] =
                fmt::format("{}\nThe index is computed from {}, {} (above): fix that first.",
                            each.fault == Fault::race ? "." : "", variable_of(*cause),
                            cause->fault == Fault::race ? "which races"
                                                        : "which was read before it was written");
        }
    }
    for (std::size_t at = 0; at < taken.size(); ++at) {
        Finding& each = taken[at];
        if (!causes_in_words[at].empty()) {
            each.advice = causes_in_words[at];
            // "An index that has overflowed": it has not.
            if (each.cure == Cure::wide_index) each.evidence.clear();
        }
        if (is_divergence(each) && causes.deciding.count(each.kernel) != 0) {
            each.advice = "\nThe race above decides which threads come here: fix that first.";
        }
    }
    // Before any finding moves: the causes point to them.
    std::multimap<int, std::size_t> by_rank;
    const std::vector<bool> follows = follow_from_refused(taken, causes);
    for (std::size_t at = 0; at < taken.size(); ++at) {
        if (!follows[at]) by_rank.emplace(rank_of_cause(taken[at], causes), at);
    }
    std::vector<Finding> sorted;
    sorted.reserve(taken.size());
    for (const auto& [rank, at] : by_rank) sorted.push_back(std::move(taken[at]));
    return sorted;
}

}  // namespace lab
