// Chooses the barrier that is missing, and its place.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "places.hpp"
#include "race_cures.hpp"
#include "race_updates.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"
#include "words.hpp"

namespace lab {

// ---- Which warps reach a line ------------------------------------------------------------------

void WarpPaths::pass(const void* pc, int warp) {
    int& known = warp_at_.try_emplace(pc, warp).first->second;
    if (known != warp) known = kSeveral;
    latest_[slot(pc)] = {pc, known};
}

void WarpPaths::clear() {
    warp_at_.clear();
    std::fill(latest_.begin(), latest_.end(), Known{});
}

bool WarpPaths::is_passed_by_one(SiteId before, SiteId after) const {
    const Place one = kernel_place_of(before), other = kernel_place_of(after);
    const auto [low, high] = std::minmax(one.line, other.line);
    bool is_known = false;
    for (const auto& [pc, warp] : warp_at_) {
        const Place at = user_place(reinterpret_cast<std::uintptr_t>(pc) - 1);
        const bool is_between = one.file == other.file
                                    ? at.file == one.file && low <= at.line && at.line <= high
                                    : (at.file == one.file && at.line == one.line) ||
                                          (at.file == other.file && at.line == other.line);
        if (is_between && warp == kSeveral) return false;
        is_known = is_known || is_between;
    }
    return is_known;
}

namespace {

/// "} while (changed);": what the condition reads is in the loop, and no line of the loop follows.
bool is_end_of_do(const std::string& file, int line) {
    return without_blanks(code_line(file, line)).rfind("}while(", 0) == 0;
}

std::string missing_between(int low, int high) {
    return fmt::format(": a barrier is missing between lines {} and {}.", low, high);
}

/// Says where, and gives the place.
std::string missing_barrier(Finding& finding, const Race& race) {
    const Place call = call_of(race.pair.after.site);
    const bool in_one_helper =
        call.is_known() && call_of(race.pair.before.site).is_known() && race.is_one_function;
    const Place& before = in_one_helper ? race.there : race.kernel_there;
    const Place& after = in_one_helper ? race.here : race.kernel_here;
    if (in_one_helper && !share_loop(before, after) && share_loop(call, call)) {
        put(finding, call, Spot::after);
        return fmt::format(
            ": a barrier is missing after line {}, which calls\nthis in every round, or between "
            "what it reads and what it writes; or two\nthreads have the same items.",
            call.line);
    }
    const auto [low, high] = std::minmax(before.line, after.line);
    const emulator::Site last = race.pair.last_barrier;
    if (before.file == after.file && before.function == after.function && last.file != nullptr &&
        file_name(last.file) == file_name(after.file) && low <= last.line && last.line < high) {
        if (share_loop(before, after)) {
            put_in_loop(finding, before, after);
            if (finding.cure_place.line == high && is_end_of_do(after.file, high)) {
                put(finding, after.file, low, Spot::before);
            }
            return fmt::format(
                ": a barrier is missing between line {} and line {}\nof the loop's next round{}.",
                high, low,
                finding.spot == Spot::before && finding.cure_place.line == low
                    ? fmt::format(", before line {}", low)
                    : "");
        }
        if (call.is_known()) {
            put(finding, after.file, low, Spot::before);
            return fmt::format(
                ": a barrier is missing between line {} and line {}\nof the next call.", high, low);
        }
    }
    if (before.file != after.file) {
        put(finding, after, Spot::before);
        return fmt::format(": a barrier is missing\nbetween {} and {}.",
                           at_line(source_place(before)), at_line(source_place(after)));
    }
    const bool in_loop = before.function != after.function || share_loop(before, after);
    if (before.line < after.line || (before.line > after.line && !in_loop)) {
        put(finding, after.file, outermost_between(after.file, low, high), Spot::after);
        return missing_between(low, high);
    }
    if (before.line > after.line) {
        put(finding, after.file, outermost_between(after.file, low, high), Spot::after);
        // A barrier of the loop beside these lines already divides its rounds.
        const int known = barrier_in_loop(after.file, low, high);
        if (known != 0 && (known < low || known > high)) return missing_between(low, high);
        return fmt::format(
            ": a barrier is missing between lines {} and {}, or,\nin a loop, after line {}.",
            after.line, before.line, before.line);
    }
    put(finding, after, Spot::within);
    if (share_loop(before, after) && barrier_in_loop(after.file, after.line, after.line) == 0) {
        put_in_loop(finding, before, after);
        return ": a barrier is missing between what the line reads\nand what it writes, or between "
               "two rounds of its loop.";
    }
    return ": a barrier is missing between what the line reads\nand what it writes.";
}

/// Whether the line uses the same items of the array in all rounds of the loop, as far as is known:
/// a row of each thread, for example.
bool has_same_items(const Place& place, const std::string& array, int loop) {
    bool is_same = false;
    for (const IndexText& each : indexes_of(source_line(place.file, place.line))) {
        if (each.array != array) continue;
        is_same = true;
        for (const std::string& name : names_in(each.index)) {
            int defined = 0;
            definition(place.file, place.line, name, &defined);
            const bool is_thread = name.size() == 1 || name.rfind("threadIdx", 0) == 0;
            if (defined >= loop || (defined == 0 && !is_thread)) return false;
        }
    }
    return is_same;
}

/// Whether code inserted at the place would be in a branch of its function.
bool is_place_in_branch(const Finding& finding) {
    const SourcePlace& place = finding.cure_place;
    if (finding.spot == Spot::within) return is_in_branch(place.path, place.line);
    return is_branch_open_behind(place.path, place.line - (finding.spot == Spot::before ? 1 : 0));
}

/// Whether all threads of a block find the same in the condition: it names what they share.
bool is_uniform(const std::string& file, int branch) {
    const std::string condition = lab::condition_of(source_line(file, branch));
    const std::vector<std::string> names = names_in(condition);
    if (condition.empty() || !function_around(file, branch).is_kernel) return false;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        int defined = 0;
        definition(file, branch, name, &defined);
        const int declared = type_of(file, branch, name).line;
        return name.find("thread") == std::string::npos &&
               (defined == 0 ||
                code_line(file, std::max(declared, 1)).find("__shared__") != std::string::npos);
    });
}

/// The innermost branch around the line that some threads of a block may not take; 0: none.
int uneven_branch(const std::string& file, int line) {
    for (int at = branch_around(file, line); at > 0; at = branch_around(file, at - 1)) {
        if (is_in_branch_of(file, at, line) && !is_uniform(file, at)) return at;
    }
    return 0;
}

/// The same for code inserted at the finding's place.
int uneven_branch(const Finding& finding) {
    const SourcePlace& place = finding.cure_place;
    if (finding.spot == Spot::within) return uneven_branch(place.path, place.line);
    if (!is_place_in_branch(finding)) return 0;
    return uneven_branch(place.path, place.line + (finding.spot == Spot::after ? 1 : 0));
}

/// What to do about a branch around the place; `barrier`: one of the block in the same loop.
std::string outside_branch(const Finding& finding, const Race& race, int barrier) {
    const int branch = uneven_branch(finding);
    const std::string& file = finding.cure_place.path;
    if (branch == 0 || (barrier != 0 && is_in_branch_of(file, branch, barrier))) return {};
    const bool is_split = race.kernel_here.file == race.kernel_there.file && !race.both_write &&
                          branch < race.kernel_low &&
                          is_in_branch_of(file, branch, race.kernel_high);
    const int stores = (race.pair.after.stores ? race.kernel_here : race.kernel_there).line;
    const char* const again = !is_split ? ""
                              : stores < race.kernel_high
                                  ? ", and read after it, in a second branch"
                                  : ", with what was read in a variable, and write after it, in "
                                    "a second branch";
    const bool is_certain =
        is_computed_from(file, branch, lab::condition_of(source_line(file, branch)), "threadIdx");
    return fmt::format("{} the branch of line {}{}\nend that before it{}",
                       is_certain ? ", outside" : ". If some do not take", branch,
                       is_certain ? ":" : ",", again);
}

/// Whether the place, or the kernel's call that leads there, is in such a branch.
bool is_cure_in_branch(const Finding& finding, const Race& race) {
    const Place call = call_of(race.pair.after.site);
    return (call.is_known() && uneven_branch(call.file, call.line) != 0) ||
           uneven_branch(finding) != 0;
}

/// Where the later of the two threads waits at a cuda::barrier before it goes on, if the other one
/// arrives there after its access: between a producer and a consumer there are two of them.
int wait_before(const Race& race) {
    const std::string& file = race.kernel_here.file;
    const int wait = call_above(file, race.kernel_here.line - 1, "arrive_and_wait");
    const int head = loop_around(file, race.kernel_here.line);
    if (wait < std::max(head, 1)) return 0;
    const std::vector<int> all = arrivals_at(file, wait);
    const int last = end_of_loop(file, race.kernel_there.line, race.kernel_there.line);
    const bool arrives = std::any_of(all.begin(), all.end(), [&](int line) {
        return line != wait && line > race.kernel_there.line && line <= last;
    });
    return arrives ? wait : 0;
}

/// "reads the allocation" of "reads item 3 of the allocation".
std::string without_item(std::string text) {
    const std::size_t at = text.find("item "), of = text.find(" of ", at);
    if (of != std::string::npos) text.erase(at, of + 4 - at);
    return text;
}

/// Items that were read too early because of the race are not said to be uninitialised as well.
bool drop_early_reads(FindingList& findings, const Finding& finding, const Race& race) {
    const bool is_atomic = race.pair.after.is_atomic;  // reads what it changes
    if (race.both_store() && is_atomic == race.pair.before.is_atomic) return false;
    const Place& reads = !race.both_store() ? race.loaded() : is_atomic ? race.here : race.there;
    const FindingList::Key key = FindingList::key_of(Fault::uninitialised, source_place(reads));
    const Finding* const read = findings.find(key);
    if (read == nullptr || read->times == 0 || read->times > finding.times ||
        read->kernel != finding.kernel || read->parties.size() != 1 ||
        read->evidence != kNothingWritten ||
        without_item(read->parties.front().what)
                .rfind("reads " + without_item(array_of(finding)), 0) != 0) {
        return false;
    }
    findings.drop(key);
    return true;
}

/// Whether a round of the loop loads from both halves of the array, by the text of their indexes
/// or of what their names stand for.
bool loads_both_halves(const Race& race, const std::string& array) {
    const std::string& file = race.kernel_here.file;
    const int begin = line_in_loop(file, race.kernel_low, race.kernel_high, {""});
    const int end = end_of_loop(file, race.kernel_low, race.kernel_high);
    std::set<std::string> halves;
    for (int line = std::max(begin, 1); line <= end; ++line) {
        const std::string code = code_line(file, line);
        std::map<std::string, int> uses;
        for (const IndexText& each : indexes_of(code)) {
            const bool is_named = each.array == array;
            // Of tile[half][i] the first index says which; of a pointer its value.
            if (is_named ? each.position != 1 : each.position != 0) continue;
            if (++uses[each.array] <= stores_in(code, each.array)) continue;
            for (const IndexText& first : indexes_of(code)) {
                if (is_named && first.array == array && first.position == 0)
                    halves.insert(array + "[" + without_blanks(first.index) + "]");
            }
            const std::string value =
                is_named ? "" : without_blanks(definition(file, line, each.array));
            if (value.rfind(array + "[", 0) == 0) halves.insert(value);
        }
    }
    return halves.size() > 1;
}

/// Two names of one array: both are declared with the same value.
bool choose_one_array(Finding& finding, const Race& race) {
    if (!race.is_one_function) return false;
    const auto value_in = [&](int line) {
        const std::string code = trimmed(code_line(race.here.file, line));
        const std::size_t begin = code.find('=');
        return begin == std::string::npos ? std::string() : code.substr(begin);
    };
    for (const IndexText& one : indexes_of(source_line(race.here.file, race.here.line))) {
        for (const IndexText& other : indexes_of(source_line(race.there.file, race.there.line))) {
            int here = 0, there = 0;
            definition(race.here.file, race.here.line, one.array, &here);
            definition(race.there.file, race.there.line, other.array, &there);
            if (here == there || here == 0 || there == 0) continue;
            const std::string value = value_in(here);
            if (value.empty() || value != value_in(there)) continue;
            advise(finding, {race.here.file, std::max(here, there), {}}, Spot::at, Cure::one_array,
                   fmt::format(". {} and {} are the same array: lines {} and {} declare\nboth with "
                               "the same value.{} Give each its own.",
                               one.array, other.array, here, there,
                               value.find('(') == std::string::npos
                                   ? ""
                                   : " A __shared__ array of a function is one, "
                                     "however often it is called."));
            return true;
        }
    }
    return false;
}

}  // namespace

/// Whether threads of different warps lack the same barrier: it comes after the same line, or
/// before the same line.
bool RaceCures::is_lacked_across_warps(const RacePair& pair) const {
    const auto is_same = [](SiteId one, SiteId other) {
        const Place here = kernel_place_of(one), there = kernel_place_of(other);
        return here.file == there.file && here.line == there.line;
    };
    return std::any_of(seen_.begin(), seen_.end(), [&](const auto& each) {
        const SeenPairs& other = each.second;
        return other.across_warps && (is_same(other.pair.before.site, pair.before.site) ||
                                      is_same(other.pair.after.site, pair.after.site));
    });
}

/// The line of a cuda::barrier that should order the two, but expects too few threads; 0: there is
/// none.
int RaceCures::short_phase(const Race& race) const {
    const std::string& file = race.kernel_here.file;
    const int between = phase_between(file, race.kernel_low, race.kernel_high);
    if (between == 0 || overfull_.empty()) return 0;
    const int other = wait_before(race);
    const auto is_short = [&](int line) {
        return overfull_.count(barrier_on(code_line(file, line))) != 0;
    };
    return other != 0 && is_short(other) ? other : between;
}

/// A barrier between two lines that some threads may not reach, or that is to be in a loop without
/// braces, or before a branch without them.
static void note_place(Finding& finding, const std::string& file, int low, int high) {
    const bool is_barrier = finding.cure == Cure::block_barrier ||
                            finding.cure == Cure::warp_barrier ||
                            finding.cure == Cure::group_barrier;
    const int place = finding.cure_place.line;
    if (!is_barrier || finding.cure_place.path != file) return;
    const int left = finding.cure == Cure::block_barrier ? exit_before(file, place) : 0;
    if (left != 0 && !is_in_loop(file, left, left) &&
        is_computed_from(file, left, condition_of(source_line(file, branch_around(file, left))),
                         "threadIdx")) {
        finding.advice += fmt::format(
            "\nThreads may leave in line {}: let them skip the work there, but not the barrier.",
            left);
    }
    if (finding.spot == Spot::before) return;
    if (const int end = end_of_loop(file, low, high);
        end != 0 && (finding.spot == Spot::within || place == end)) {
        const int loop = line_in_loop(file, low, high, {""});
        if (bare_around(file, place, loop - 1) != loop) return;
        finding.advice += fmt::format(
            "\nThe loop in line {} has no braces: give it some, so that the barrier is in it.",
            loop);
    } else if (finding.spot == Spot::after && place < high) {
        const int bare = bare_around(file, high, place);
        if (bare == 0 || bare == high) return;
        finding.advice +=
            fmt::format("\nLine {} has no braces around line {}: put the barrier before line {}.",
                        bare, high, bare);
    }
}

void RaceCures::choose_barrier(Finding& finding, const Race& race, const WarpPaths& paths) const {
    const RacePair& pair = race.pair;
    const Place &here = race.here, &there = race.there;
    const Place &kernel_here = race.kernel_here, &kernel_there = race.kernel_there;
    const int low = race.kernel_low, high = race.kernel_high;
    const bool is_one_line = race.is_one_line, is_one_file = kernel_here.file == kernel_there.file;
    if (const int some = lacks_in_some_rounds(race); some != 0) {
        put_in_loop(finding, kernel_here, kernel_there);
        finding.cure = Cure::block_barrier;
        finding.advice = fmt::format(
            ". The barrier in line {} is in a branch, so some rounds of\nthe loop end without one. "
            "End each round with a barrier that all threads reach: __syncthreads();{}",
            some,
            race.across_warps ? " the\nthreads here are of different warps."
                              : "\nin rounds in which only lanes of one warp exchange values, "
                                "__syncwarp() is enough.");
        return;
    }
    if (choose_one_array(finding, race)) return;
    const int phase = is_one_file ? short_phase(race) : 0;
    if (const int made = phase != 0 ? init_of(kernel_here.file, phase) : 0; made != 0) {
        put(finding, kernel_here.file, made, Spot::at);
        finding.advice = fmt::format(
            ", though the barrier in line {} is between: its phase\nends when as many threads have "
            "arrived as init() in line {} says. Give that the number of all threads\nthat arrive.",
            phase, made);
        const std::string name = barrier_on(code_line(kernel_here.file, phase));
        for (const std::string& each : overfull_) {
            if (overfull_.count(name) != 0 && each != name)
                finding.advice += fmt::format("\nToo few are expected at {} as well.", each);
        }
        return;
    }
    const int arrives = is_one_file ? lone_arrive(kernel_here.file, low, high) : 0;
    if (arrives != 0) {
        advise(finding, {kernel_here.file, arrives, {}}, Spot::after, Cure::none,
               fmt::format(". Line {} arrives at the barrier, but nothing waits until the\nothers "
                           "have arrived: wait with what arrive() returns, "
                           "barrier.wait(std::move(token)), before line {}.",
                           arrives, high));
        return;
    }
    const int barrier = is_one_file ? barrier_in_loop(kernel_here.file, low, high) : 0;
    const Place& stores = pair.after.stores ? kernel_here : kernel_there;
    const Place& loads = pair.after.stores ? kernel_there : kernel_here;
    if (is_one_file && pair.same_block && !race.both_write && stores.line < loads.line &&
        source_line(stores.file, stores.line).find("memcpy_async") != std::string::npos &&
        (barrier < stores.line || barrier >= loads.line)) {
        advise(finding, loads, Spot::before, Cure::block_barrier,
               fmt::format(". Line {} copies asynchronously, and a thread's wait is for\nits own "
                           "copies only: put a __syncthreads() between the wait and line {}.",
                           stores.line, loads.line));
        return;
    }
    if (race.both_write && is_one_line && choose_full_part(finding, race)) return;
    int loop = loop_of_rounds(race);
    if (race.both_write && has_same_items(kernel_here, array_of(finding), loop)) loop = 0;
    if (loop != 0 && (race.both_write || kernel_here.line == kernel_there.line)) {
        put_in_loop(finding, kernel_here, kernel_there);
        finding.cure = Cure::block_barrier;
        finding.advice = fmt::format(
            ". Each round of the loop in line {} uses what other threads\nhave stored in the one "
            "before it: end each round with __syncthreads(), which all threads reach. {}",
            loop,
            race.both_write
                ? "Only if two\nthreads change one item in the same round, that takes an atomic "
                  "operation."
                : "If the\nline also reads items that others write in the same round: read into a "
                  "variable, call __syncthreads(),\nwhere all threads reach it, and then write.");
        return;
    }
    if (choose_one_result(finding, race)) return;
    if (race.both_write && is_one_line && choose_shared_index(finding, race)) return;
    if (race.both_write && is_one_line && !share_loop(here, there)) {
        put(finding, here, Spot::at);
        finding.cure = race.is_update() ? Cure::atomic_update : Cure::own_items;
        finding.advice =
            race.is_update()
                ? fmt::format(
                      ". If both are meant to change it, use {}.\nIf not, give each "
                      "thread items of its own.",
                      atomic_for(race))
                : ". Two threads have chosen the same place: give each thread\nitems of its own.";
        return;
    }
    if (race.both_write && is_one_line) {
        advise(finding, here, Spot::at, Cure::atomic_update,
               fmt::format(". If both are meant to change it, use {},\nor put a barrier "
                           "between two rounds of the loop. If not, give each thread\nitems of its "
                           "own.",
                           atomic_for(race)));
        return;
    }
    const std::string array = array_of(finding);
    if (barrier != 0 && has_two_halves(kernel_here.file, kernel_here.line, array) &&
        may_be_one_half(source_line(kernel_here.file, kernel_here.line),
                        source_line(kernel_there.file, kernel_there.line), array)) {
        if (stores.line < barrier && barrier < loads.line && !race.both_write) {
            advise(finding, loads, Spot::after, Cure::block_barrier,
                   fmt::format(
                       ". {} has two halves, but line {} writes the half\nthat other threads still "
                       "read in line {} of the round before: put a second __syncthreads() after\n"
                       "line {}, or move line {} behind the barrier of line {}.",
                       array, stores.line, loads.line, loads.line, stores.line, barrier));
            return;
        }
        if (!race.both_write && loads_both_halves(race, array)) {
            advise(finding, stores, Spot::at, Cure::none,
                   fmt::format(
                       ". {} has two halves, and both lines use the same one between\ntwo barriers "
                       "(line {}); the round reads the other half as well. If it needs both, let "
                       "it write\nto a third part of {}, or read into a variable, call "
                       "__syncthreads(), where all threads of the\nblock reach it, and then write. "
                       "If not, read one half, write the other, and swap them after the\nbarrier.",
                       array, barrier, array));
            return;
        }
        advise(finding, stores, Spot::at, Cure::other_half,
               fmt::format(
                   ". {} has two halves, and both use the same one between\ntwo barriers (line "
                   "{}): read one half, write the other, and swap them after the barrier.",
                   array, barrier));
        return;
    }
    if (race.both_write && choose_overlap(finding, race)) return;
    const bool are_plain = !pair.before.is_atomic && !pair.after.is_atomic && !race.is_update();
    if (race.both_write && are_plain && !is_first_value(source_line(here.file, here.line)) &&
        !is_first_value(source_line(there.file, there.line))) {
        advise(finding, here, Spot::at, Cure::own_items,
               fmt::format(
                   ". Lines {} and {} write the same item, and one of the two\nvalues is lost: is "
                   "one of the two indexes wrong? Give each its own item. Only if the second value "
                   "is\nmeant to replace the first, put a __syncthreads() between the two.",
                   race.low, race.high));
        return;
    }
    if (!race.both_write && is_one_file && loads.line == low && low < high &&
        exit_before(kernel_here.file, low + 1) == low && !share_loop(here, there)) {
        advise(
            finding, loads, Spot::within, Cure::block_barrier,
            fmt::format(". Line {} reads it and may leave the kernel, so no barrier\ncan follow: "
                        "read into a variable, call __syncthreads(), where all threads of the "
                        "block reach it, and then\ntest that. Or write to a different array.",
                        low));
        return;
    }
    finding.advice = missing_barrier(finding, race);
    if (barrier == 0 && is_one_file && finding.spot != Spot::within &&
        is_place_in_branch(finding) && share_loop(kernel_here, kernel_there) &&
        is_branch_in_loop(kernel_here.file, low, high)) {
        // No barrier can be put into it; the next round follows it.
        put_in_loop(finding, kernel_here, kernel_there);
        finding.advice = fmt::format(
            ": a barrier is missing at the end of each round of the loop,\nafter the branch of "
            "line {}.",
            branch_around(kernel_here.file, low));
    }
    const bool in_branch = is_cure_in_branch(finding, race);
    finding.cure = Cure::block_barrier;
    // Of a statement over several lines another pair may be of different warps.
    const bool is_over_lines =
        kernel_place_of(pair.before.site).line != kernel_place_of(pair.after.site).line;
    const bool is_lacked = race.across_warps || (is_over_lines && !pair.is_block_one_warp &&
                                                 is_lacked_across_warps(pair));
    if (is_lacked && finding.spot == Spot::within) {
        finding.advice +=
            " Read into a variable, call __syncthreads(),\nwhere all threads of the block reach "
            "it, and then write.";
        if (stores_in(source_line(here.file, here.line), array) > 1) {
            finding.advice +=
                "\nIf two threads exchange the same two items, let only one of the two do it.";
        }
        return;
    }
    if (race.across_warps && pair.same_warp) {
        finding.advice += fmt::format(
            "\nThe threads are lanes of one warp, which need not run in step. Others race "
            "here\nbetween warps: put a __syncthreads() there, which fixes both{}.",
            outside_branch(finding, race, barrier));
        return;
    }
    if (race.across_warps) {
        finding.advice += fmt::format(
            "\nThe threads are of different warps: put a __syncthreads() there, where all\nthreads "
            "of the block reach it{}.",
            outside_branch(finding, race, barrier));
        return;
    }
    if (!pair.is_block_one_warp && !in_branch && is_lacked_across_warps(pair)) {
        finding.advice +=
            "\nThe threads are lanes of one warp, which need not run in step. Others race "
            "here\nbetween warps: put a __syncthreads() there, which fixes both.";
        return;
    }
    const bool others_come = !pair.is_block_one_warp && race.warp != WarpPaths::kSeveral &&
                             !in_branch &&
                             !paths.is_passed_by_one(pair.before.site, pair.after.site);
    if (others_come) {
        finding.advice +=
            "\nPut a __syncthreads() there, where all threads of the block reach it. These\ntwo "
            "are lanes of one warp, and not even those need run in step.";
        return;
    }
    if (const std::string group = coalesced_group(kernel_here.file, low); !group.empty()) {
        finding.cure = Cure::group_barrier;
        finding.advice += fmt::format(
            "\nThe threads are lanes of one warp, which need not run in step: call {}.sync() "
            "there, which\nwaits for the lanes of that group; __syncwarp() would wait for all 32.",
            group);
        return;
    }
    finding.cure = Cure::warp_barrier;
    if (finding.spot == Spot::within) {
        finding.advice =
            ": a barrier is missing between what the line reads\nand what it writes. The threads "
            "are lanes of one warp, which need not run in\nstep: read into a variable, call "
            "__syncwarp(), and then write; or pass the\nvalues by a shuffle.";
        return;
    }
    finding.advice +=
        "\nThe threads are lanes of one warp, which need not run in step: put a\n__syncwarp() "
        "there, where all its lanes reach it; or pass the values by a shuffle.";
    if (pair.is_block_one_warp && !in_branch) {
        finding.advice += "\nIn a block of several warps it must be a __syncthreads().";
    }
}

constexpr const char* kReadEarly =
    "\nIn this run some items were read before anything was written there.";

/// What lacks the same barrier is one fault: what was read before it was written, and other pairs
/// of lines that a barrier between these two also orders.
void RaceCures::join_barriers(FindingList& findings) const {
    struct Missing {
        Finding* first;
        std::string file;
        int low, high;
        std::string others;
        bool is_read_early;
    };
    std::vector<Missing> all;
    for (const auto& [key, seen] : seen_) {
        Finding* const finding = findings.find(key);
        if (finding == nullptr || finding->times == 0 || finding->is_note) continue;
        const Race race(seen);
        if (finding->advice.find("a barrier is missing") == std::string::npos) {
            if (drop_early_reads(findings, *finding, race)) finding->advice += kReadEarly;
            if (race.kernel_here.file == race.kernel_there.file)
                note_place(*finding, race.kernel_here.file, race.kernel_low, race.kernel_high);
            continue;
        }
        const bool is_early = drop_early_reads(findings, *finding, race);
        const int low = race.kernel_low, high = race.kernel_high;
        const bool is_between = finding->cure == Cure::block_barrier &&
                                finding->spot == Spot::after &&
                                finding->advice.rfind(missing_between(low, high), 0) == 0;
        const std::string also = fmt::format("{} and {} ({})", low, high, array_of(*finding));
        const auto add_other = [&, &key = key](Missing& first) {
            first.others += first.others.empty() ? "\nThat barrier also orders lines " : ", ";
            first.others += also;
            findings.drop(key);
        };
        // Two of the lines of one statement; or lines that lack the barrier at a round's end.
        const auto ends_round = [](const Finding& each) {
            return each.cure == Cure::block_barrier &&
                   each.advice.find("of the loop's next round") != std::string::npos;
        };
        const auto twin = std::find_if(all.begin(), all.end(), [&](const Missing& each) {
            const Finding& first = *each.first;
            if (first.kernel != finding->kernel || first.spot != finding->spot ||
                first.cure_place.path != finding->cure_place.path ||
                first.cure_place.line != finding->cure_place.line) {
                return false;
            }
            return (ends_round(first) && ends_round(*finding)) ||
                   (first.spot == Spot::within && array_of(first) == array_of(*finding) &&
                    first.advice.rfind(finding->advice, 0) == 0);
        });
        if (twin != all.end()) {
            if (ends_round(*finding))
                add_other(*twin);
            else
                findings.drop(key);
            continue;
        }
        const auto same = std::find_if(all.begin(), all.end(), [&](const Missing& each) {
            const int first = std::max(low, each.low), last = std::min(high, each.high);
            if (!is_between || each.first->kernel != finding->kernel ||
                each.file != race.kernel_here.file || first >= last) {
                return false;
            }
            Finding placed = *each.first;
            put(placed, each.file, outermost_between(each.file, first, last), Spot::after);
            return is_place_in_branch(placed) == is_place_in_branch(*each.first);
        });
        if (same == all.end()) {
            // Of the others, only the reads are joined.
            all.push_back(
                {finding, is_between ? race.kernel_here.file : "", low, high, {}, is_early});
            if (!is_between && race.kernel_here.file == race.kernel_there.file)
                note_place(*finding, race.kernel_here.file, low, high);
            continue;
        }
        const std::string old = missing_between(same->low, same->high);
        same->low = std::max(low, same->low);
        same->high = std::min(high, same->high);
        same->is_read_early = same->is_read_early || is_early;
        same->first->advice.replace(0, old.size(), missing_between(same->low, same->high));
        put(*same->first, same->file, outermost_between(same->file, same->low, same->high),
            Spot::after);
        add_other(*same);
    }
    for (const Missing& each : all) {
        note_place(*each.first, each.file, each.low, each.high);
        if (!each.others.empty()) each.first->advice += each.others + ".";
        if (each.is_read_early) each.first->advice += kReadEarly;
    }
}

}  // namespace lab
