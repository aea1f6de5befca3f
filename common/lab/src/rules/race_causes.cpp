// Races that follow from others.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "index_source.hpp"
#include "places.hpp"
#include "race_cures.hpp"
#include "source_blocks.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"

namespace lab {

/// Text for lines that only part of a warp runs, because of a branch around them; else empty.
static std::string part_of_warp(const Place& place) {
    constexpr int kWarp = 32;
    const int first = std::max(1, function_around(place.file, place.line).line);
    for (int branch = branch_around(place.file, place.line); branch > first;
         branch = branch_around(place.file, branch - 1)) {
        const std::string condition = condition_of(source_line(place.file, branch));
        const std::size_t sign = condition.find('<');
        if (sign == std::string::npos) continue;
        const SourceValues values(place.file, branch,
                                  [](const std::string&) { return std::nullopt; });
        const std::string left = condition.substr(0, sign);
        const std::optional<std::int64_t> limit = values.of(condition.substr(sign + 1));
        if (!limit || *limit >= kWarp) continue;
        return fmt::format(
            "\nEither waits for all lanes, but the branch of line {} lets only some in ({}): "
            "let the whole warp run these lines\n"
            "({} < {}), each lane only as far as there are items for it to read.",
            branch, condition, left, kWarp);
    }
    return {};
}

/// If two threads read an item and write it back, no barrier between the two lines helps: the race
/// of the load and the store follows from that of the two stores.
void RaceCures::drop_loads_of_updates(FindingList& findings) {
    const auto lines = [](SiteId one, SiteId other) {
        const Place here = place_of(one), there = place_of(other);
        return std::make_tuple(here.file, std::min(here.line, there.line),
                               std::max(here.line, there.line));
    };
    std::set<std::tuple<std::string, int, int>> updates;
    for (const auto& [key, seen] : seen_) {
        const RacingAccess& after = seen.pair.after;
        if (seen.both_write && after.load != kNoSite && findings.find(key) != nullptr) {
            updates.insert(lines(after.load, after.site));
        }
    }
    for (auto at = seen_.begin(); at != seen_.end();) {
        const RacePair& pair = at->second.pair;
        const auto [file, low, high] = lines(pair.before.site, pair.after.site);
        const bool is_one_of_them =
            !at->second.both_write && low != high && updates.count({file, low, high}) != 0;
        if (is_one_of_them) findings.drop(at->first);
        at = is_one_of_them ? seen_.erase(at) : std::next(at);
    }
}

/// Loops that try to swap a value which they have read only once: when another thread has changed
/// it, they never end. Here each thread may have had the item to itself.
void RaceCures::add_stale_swaps(FindingList& findings) {
    for (auto& [id, claim] : claims_) {
        const Place at = place_of(id);
        const std::string expected =
            claim.by_several ? stale_expected(at.file, at.line) : std::string();
        if (expected.empty()) continue;
        Finding& made = claim.found;
        made.evidence = fmt::format(
            "{} is read once, before the loop: if another thread changes the item after that, it "
            "never matches\nagain, and the loop never ends",
            expected);
        made.advice = fmt::format(
            ". Renew it in each round: {} = the value that atomicCAS() has\nreturned.", expected);
        findings.add(FindingList::key_of(Fault::backend, source_place(at)), std::move(made));
    }
}

/// A plain load that waits for another block orders nothing, so that all that it is to order races
/// as well.
void RaceCures::explain_waits(FindingList& findings) {
    for (const auto& [key, seen] : seen_) {
        const Finding* const wait = findings.find(key);
        if (wait == nullptr || wait->cure != Cure::atomic_access || wait->parties.size() != 2) {
            continue;
        }
        const SourcePlace& loop = wait->cure_place;
        const SourcePlace& release = wait->parties[wait->parties[0].what == "reads it"].at;
        if (loop_around(loop.path, loop.line) != loop.line || release.path != loop.path) continue;
        for (const auto& [other_key, other] : seen_) {
            Finding* const follows = findings.find(other_key);
            if (follows == nullptr || follows == wait || follows->kernel != wait->kernel ||
                other.pair.same_block || other.pair.before.is_atomic ||
                other.pair.after.is_atomic || follows->parties.size() != 2) {
                continue;
            }
            const auto is_between = [&](const Party& each) {
                return each.at.path == loop.path && loop.line < each.at.line &&
                       each.at.line <= release.line;
            };
            if (!is_between(follows->parties[0]) || !is_between(follows->parties[1])) continue;
            put(*follows, loop.path, loop.line, Spot::after);
            follows->cure = Cure::fence;
            follows->advice = fmt::format(
                ". The wait in line {} is to order the two, but a plain load does not\n(see its "
                "own report): make that an atomic or volatile access, with a __threadfence() after "
                "the wait, and\none before line {}.",
                loop.line, release.line);
        }
    }
}

/// Several lines of one warp, each of which adds to an item what others have written: each of them
/// lacks barriers, so they are one fault.
void RaceCures::join_steps(FindingList& findings) {
    struct Steps {
        Key first;
        int low, high, pairs;
    };
    std::map<std::tuple<std::string, std::string, std::string>, Steps> all;
    const auto is_step = [](const Place& place) {
        return source_line(place.file, place.line).find("+=") != std::string::npos;
    };
    for (int round = 0; round < 2; ++round) {
        for (const auto& [key, seen] : seen_) {
            Finding* const each = findings.find(key);
            if (each == nullptr || each->times == 0 || each->cure != Cure::warp_barrier) continue;
            const Place here = place_of(seen.pair.after.site);
            const Place there = place_of(seen.pair.before.site);
            const bool is_one = here.file == there.file && here.function == there.function;
            if (!is_one || !is_step(here) || !is_step(there)) continue;
            const auto [low, high] = std::minmax(here.line, there.line);
            const auto [at, fresh] = all.try_emplace({each->kernel, here.function, array_of(*each)},
                                                     Steps{key, low, high, 0});
            Steps& steps = at->second;
            if (round == 0) {
                steps.low = std::min(steps.low, low);
                steps.high = std::max(steps.high, high);
                ++steps.pairs;
            } else if (steps.pairs > 1 && key != steps.first) {
                findings.drop(key);
            } else if (steps.pairs > 1) {
                const Place kernel = kernel_place_of(seen.pair.after.site);
                const std::string part = part_of_warp(kernel);
                each->advice = fmt::format(
                    ". Each of the lines {} to {} reads what other lanes of the warp\nwrite, and "
                    "lanes need not run in step, with volatile neither. Each line needs two "
                    "barriers: read into a\nvariable, call __syncwarp(), write, call __syncwarp(). "
                    "Or use __shfl_down_sync() for all of them.{}",
                    steps.low, steps.high, part);
            }
        }
    }
}

/// Threads with one number: what a kernel does to that array is wrong in any case.
void RaceCures::drop_after_thread_numbers(FindingList& findings) {
    std::set<std::pair<std::string, std::string>> known;  ///< kernel and array
    std::set<std::string> kept;
    const std::vector<Finding> all = findings.all();
    for (const Finding& each : all) {
        if (each.times == 0 || each.advice.find(kInBothThreads) == std::string::npos) continue;
        if (known.emplace(each.kernel, array_of(each)).second) kept.insert(each.advice);
    }
    if (known.empty()) return;
    findings.drop_if([&](const Finding& each) {
        const bool is_cause = each.advice.find(kInBothThreads) != std::string::npos;
        if (is_cause) {
            const bool is_kept = kept.count(each.advice) != 0;
            kept.erase(each.advice);
            return !is_kept;
        }
        return std::any_of(known.begin(), known.end(), [&](const auto& it) {
            if (each.kernel != it.first || each.parties.empty()) return false;
            return each.fault == Fault::race
                       ? array_of(each) == it.second
                       : each.fault == Fault::uninitialised &&
                             each.parties.front().what.find(it.second + "[") != std::string::npos;
        });
    });
}

/// If a line should write to a different array than the one that other blocks read, then two lines
/// that write an item follow from that.
void RaceCures::drop_stores_of_other_array(FindingList& findings) {
    std::set<std::tuple<std::string, std::string, int>> stores;  ///< by kernel, file and line
    for (const auto& [key, seen] : seen_) {
        const Finding* const each = findings.find(key);
        if (each == nullptr || each->cure != Cure::other_array || seen.both_write) continue;
        const Race race(seen);
        stores.emplace(each->kernel, race.stored().file, race.stored().line);
    }
    for (const auto& [key, seen] : seen_) {
        const Finding* const each = findings.find(key);
        if (each == nullptr || each->cure != Cure::own_items || !seen.both_write) continue;
        const Race race(seen);
        if (race.low == race.high || seen.pair.same_block) continue;
        const bool follows = stores.count({each->kernel, race.here.file, race.here.line}) != 0 ||
                             stores.count({each->kernel, race.there.file, race.there.line}) != 0;
        if (follows) findings.drop(key);
    }
}

/// If a barrier is missing at the end of each round of a loop, stores of two rounds to one item
/// follow from that.
void RaceCures::drop_stores_of_rounds(FindingList& findings) {
    const auto end_of = [](const RacePair& pair) {
        const Place here = place_of(pair.after.site), there = place_of(pair.before.site);
        return share_loop(here, there) ? end_of_loop(here.file, std::min(here.line, there.line),
                                                     std::max(here.line, there.line))
                                       : 0;
    };
    std::set<std::pair<std::string, int>> ends;  ///< of loops that lack a barrier there
    for (const auto& [key, seen] : seen_) {
        const Finding* const each = findings.find(key);
        const bool is_barrier = each != nullptr && (each->cure == Cure::block_barrier ||
                                                    each->cure == Cure::warp_barrier);
        if (is_barrier && !seen.both_write && each->cure_place.line == end_of(seen.pair)) {
            ends.emplace(each->kernel, each->cure_place.line);
        }
    }
    for (const auto& [key, seen] : seen_) {
        const Finding* const each = findings.find(key);
        if (each == nullptr || !seen.both_write || !seen.pair.same_block) continue;
        if (ends.count({each->kernel, end_of(seen.pair)}) != 0) findings.drop(key);
    }
}

}  // namespace lab
