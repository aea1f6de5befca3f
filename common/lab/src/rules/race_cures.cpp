#include "race_cures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "places.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"

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

// ---- Where a barrier is missing ----------------------------------------------------------------

namespace {

bool share_loop(const Place& one, const Place& other) {
    return one.file == other.file &&
           is_in_loop(one.file, std::min(one.line, other.line), std::max(one.line, other.line));
}

void put(Finding& finding, const std::string& file, int line, Spot spot) {
    finding.cure_place = {file, line};
    finding.spot = spot;
}

/// Before the end of the loop around both lines.
void put_in_loop(Finding& finding, const Place& one, const Place& other) {
    const auto [low, high] = std::minmax(one.line, other.line);
    const int end = end_of_loop(one.file, low, high);
    put(finding, one.file, end, end == high ? Spot::after : Spot::before);
}

/// Says where, and gives the place.
std::string missing_barrier(Finding& finding, const RacePair& pair) {
    const SiteId before_id = pair.before.site, after_id = pair.after.site;
    Place before = place_of(before_id), after = place_of(after_id);
    const Place call = call_of(after_id);
    const bool in_one_helper = call.is_known() && call_of(before_id).is_known() &&
                               before.file == after.file && before.function == after.function;
    if (in_one_helper && !share_loop(before, after) && share_loop(call, call)) {
        put(finding, call.file, call.line, Spot::after);
        return fmt::format(
            ": a barrier is missing after line {}, which calls\nthis in every round, or between "
            "what it reads and what it writes; or two\nthreads have the same items.",
            call.line);
    }
    if (!in_one_helper) before = kernel_place_of(before_id), after = kernel_place_of(after_id);
    const auto [low, high] = std::minmax(before.line, after.line);
    const emulator::Site last = pair.last_barrier;
    if (before.file == after.file && before.function == after.function && last.file != nullptr &&
        file_name(last.file) == file_name(after.file) && low <= last.line && last.line < high) {
        if (share_loop(before, after)) {
            put_in_loop(finding, before, after);
            return fmt::format(
                ": a barrier is missing between line {} and line {}\nof the loop's next round.",
                high, low);
        }
        if (call.is_known()) {
            put(finding, after.file, low, Spot::before);
            return fmt::format(
                ": a barrier is missing between line {} and line {}\nof the next call.", high, low);
        }
    }
    if (before.file != after.file) {
        put(finding, after.file, after.line, Spot::before);
        return fmt::format(": a barrier is missing\nbetween {} and {}.",
                           at_line(source_place(before)), at_line(source_place(after)));
    }
    const bool in_loop = before.function != after.function || share_loop(before, after);
    if (before.line < after.line || (before.line > after.line && !in_loop)) {
        put(finding, after.file, outermost_between(after.file, low, high), Spot::after);
        return fmt::format(": a barrier is missing between lines {} and {}.", low, high);
    }
    if (before.line > after.line) {
        put(finding, after.file, outermost_between(after.file, low, high), Spot::after);
        return fmt::format(
            ": a barrier is missing between lines {} and {}, or,\nin a loop, after line {}.",
            after.line, before.line, before.line);
    }
    put(finding, after.file, after.line, Spot::within);
    if (share_loop(before, after) && barrier_in_loop(after.file, after.line, after.line) == 0) {
        put_in_loop(finding, before, after);
        return ": a barrier is missing between what the line reads\nand what it writes, or between "
               "two rounds of its loop.";
    }
    return ": a barrier is missing between what the line reads\nand what it writes.";
}

/// The line that gives the buffer of a copy back before another line of the loop has read it; 0 if
/// the two are not a copy and a load of what it copies, or if nothing gives it back too early.
int early_release(const Place& one, const Place& other) {
    const auto [low, high] = std::minmax(one.line, other.line);
    const auto copies = [](const Place& place) {
        return source_line(place.file, place.line).find("memcpy_async") != std::string::npos;
    };
    if (!share_loop(one, other) || copies(one) == copies(other)) return 0;
    const int release = line_in_loop(one.file, low, high, {"consumer_release"});
    return release < (copies(one) ? other : one).line ? release : 0;
}

/// The array's name in "race within a block in k, on s[3]".
std::string array_of(const Finding& finding) {
    constexpr char kOn[] = ", on ";
    const std::size_t at = finding.title.rfind(kOn);
    if (at == std::string::npos) return {};
    const std::string item = finding.title.substr(at + sizeof kOn - 1);
    return item.substr(0, item.find('['));
}

/// Rounds in which each block changes what others read, as in a sort or an in-place stencil.
bool are_rounds(const RacePair& pair, int* barrier) {
    const Place here = kernel_place_of(pair.after.site), there = kernel_place_of(pair.before.site);
    if (!share_loop(here, there)) return false;
    for (const SiteId id : {pair.before.site, pair.after.site}) {
        const Place inner = place_of(id);
        if (is_operation(source_line(inner.file, inner.line))) return false;
    }
    const auto [low, high] = std::minmax(here.line, there.line);
    *barrier = barrier_in_loop(here.file, low, high);
    return *barrier != 0;
}

/// Whether both access the item while they hold a lock.
bool share_lock(const RacePair& pair) {
    const Place here = place_of(pair.after.site), there = place_of(pair.before.site);
    return here.file == there.file && lock_around(here.file, here.line).taken != 0 &&
           lock_around(there.file, there.line).taken != 0;
}

/// Both are in a loop that has barriers in some rounds only: the first of these; else 0.
int lacks_in_some_rounds(const RacePair& pair) {
    const Place here = kernel_place_of(pair.after.site), there = kernel_place_of(pair.before.site);
    if (!pair.same_block || !share_loop(here, there)) return 0;
    const auto [low, high] = std::minmax(here.line, there.line);
    return barrier_of_some_rounds(here.file, low, high);
}

/// Whether code inserted at the place would be in a branch of its function.
bool is_place_in_branch(const Finding& finding) {
    const SourcePlace& place = finding.cure_place;
    if (finding.spot == Spot::within) return is_in_branch(place.path, place.line);
    return is_branch_open_behind(place.path, place.line - (finding.spot == Spot::before ? 1 : 0));
}

/// The same, or whether the kernel's call that leads there is in a branch.
bool is_cure_in_branch(const Finding& finding, const RacePair& pair) {
    const Place call = call_of(pair.after.site);
    return (call.is_known() && is_in_branch(call.file, call.line)) || is_place_in_branch(finding);
}

}  // namespace

// ---- What helps --------------------------------------------------------------------------------

bool RaceCures::add(const Key& key, const RacePair& pair) {
    const auto [at, fresh] = seen_.try_emplace(key);
    Seen& seen = at->second;
    const bool is_worse = !fresh && seen.pair.same_block && !pair.same_block;
    if (fresh || is_worse) seen.pair = pair;
    seen.both_write = seen.both_write || (pair.before.stores && pair.after.stores);
    seen.pair.before.is_update = seen.pair.before.is_update || pair.before.is_update;
    seen.pair.after.is_update = seen.pair.after.is_update || pair.after.is_update;
    if (pair.after.load != kNoSite) seen.pair.after.load = pair.after.load;
    seen.pair.atomic_bytes = std::max(seen.pair.atomic_bytes, pair.atomic_bytes);
    seen.across_warps = seen.across_warps || (pair.same_block && !pair.same_warp);
    if (pair.same_warp) {
        seen.warp = seen.within_warp && seen.warp != pair.warp ? WarpPaths::kSeveral : pair.warp;
        seen.within_warp = true;
    }
    return is_worse;
}

void RaceCures::load_then_atomic(SiteId load, bool is_compare_and_swap) {
    Load& known = loads_[load];
    known.only_compare_and_swap = known.only_compare_and_swap && is_compare_and_swap;
}

/// Whether threads of different warps lack the same barrier: it comes after the same line, or
/// before the same line.
bool RaceCures::is_lacked_across_warps(const RacePair& pair) const {
    const auto is_same = [](SiteId one, SiteId other) {
        const Place here = kernel_place_of(one), there = kernel_place_of(other);
        return here.file == there.file && here.line == there.line;
    };
    return std::any_of(seen_.begin(), seen_.end(), [&](const auto& each) {
        const Seen& other = each.second;
        return other.across_warps && (is_same(other.pair.before.site, pair.before.site) ||
                                      is_same(other.pair.after.site, pair.after.site));
    });
}

/// Atomic operations and plain accesses use the same word. False: what is missing is a barrier.
bool RaceCures::choose_atomic(Finding& finding, const Seen& seen) const {
    const RacePair& pair = seen.pair;
    if (pair.before.is_atomic == pair.after.is_atomic && pair.atomic_bytes == 0) return false;
    const RacingAccess& plain = pair.after.is_atomic ? pair.before : pair.after;
    const RacingAccess& other = pair.after.is_atomic ? pair.after : pair.before;
    const Place here = place_of(plain.site), there = place_of(other.site);
    const auto load = loads_.find(plain.site);
    const bool leads_to_atomic = !plain.stores && load != loads_.end();
    const bool is_later = here.file == there.file && here.line >= there.line;
    const bool is_first = is_first_value(source_line(here.file, here.line));
    if (plain.stores && site(plain.site).bytes < pair.atomic_bytes) {
        put(finding, here.file, here.line, Spot::at);
        finding.cure = Cure::atomic_access;
        finding.advice = fmt::format(
            ". Atomic operations change {} bytes here, and line {} stores {}\nof them, so either "
            "may be lost: ",
            pair.atomic_bytes, here.line, site(plain.site).bytes);
        if (is_first && !is_later) {
            finding.advice += fmt::format(
                "put a barrier after line {} if that is their first value.\nIf not, ", here.line);
        }
        finding.advice += fmt::format(
            "change all {} by atomic operations (a loop of\natomicCAS can change a part).",
            pair.atomic_bytes);
        return true;
    }
    if (plain.stores && !is_later) {
        // One thread sets the word first.
        if (pair.same_block) return false;
        finding.cure = Cure::host_sets;
        finding.advice =
            ". Blocks run in any order, and at the same time: set the\nword before the kernel "
            "(cudaMemset).";
        return true;
    }
    if (pair.same_block && !plain.stores && !leads_to_atomic) return false;
    put(finding, here.file, here.line, Spot::at);
    if (const Lock lock = lock_around(there.file, there.line + 1);
        plain.stores && lock.taken == there.line && lock.released == here.line) {
        finding.cure = Cure::atomic_access;
        finding.advice = fmt::format(
            ". Line {} takes the lock, and line {} releases it by a plain store,\nwhich orders "
            "nothing: release it by __threadfence(), and then atomicExch().",
            lock.taken, lock.released);
        return true;
    }
    finding.cure = plain.stores && plain.is_update ? Cure::atomic_update : Cure::atomic_access;
    // What others add up is read once: a wait is a loop.
    const bool is_total = !plain.stores && !leads_to_atomic && is_later &&
                          is_accumulated(source_line(there.file, there.line)) &&
                          !is_in_loop(here.file, here.line, here.line);
    finding.advice =
        is_total
            ? fmt::format(
                  ". Blocks run in any order, so others may still change the value\nthat line {} "
                  "reads. If it must be the final one, end the kernel between the two and read it "
                  "in the next,\nor in the last block to finish (an atomic counter tells); if "
                  "any will do, use an atomic (or volatile)\naccess in line {}. If the thread "
                  "wants its own number or place, use what the operation in line {}\nreturns.",
                  here.line, here.line, there.line)
            : fmt::format(
                  ". Others use this word with atomic operations: use an atomic\n{} to this word "
                  "in line {}{}.",
                  plain.stores ? "access (atomicExch, or the operation itself)"
                               : "(or volatile) access",
                  here.line,
                  plain.stores || leads_to_atomic
                      ? ""
                      : ", or end the kernel\nbetween the two if it must be the last value");
    if (leads_to_atomic && load->second.only_compare_and_swap) {
        finding.is_note = true;
        finding.title = "note: " + finding.title;
        finding.advice +=
            " The atomicCAS loop\nretries if the value was stale: the CUDA programming guide does "
            "the same.";
    }
    return true;
}

/// One thread has claimed an item by a compare-and-swap and stores its value then; another sees the
/// claim, and reads the value. Fences do not help: the claim comes before the value. False: it is
/// not that.
bool RaceCures::choose_claimed(Finding& finding, const RacePair& pair) const {
    if (pair.before.stores == pair.after.stores || claims_.empty()) return false;
    const bool is_read_last = !pair.after.stores;
    const Place store = place_of(is_read_last ? pair.before.site : pair.after.site);
    const Place load = place_of(is_read_last ? pair.after.site : pair.before.site);
    if (store.file != load.file || store.function != load.function ||
        is_operation(source_line(store.file, store.line)))
        return false;
    constexpr int kMaxLines = 6;
    const auto claim = std::find_if(claims_.begin(), claims_.end(), [&](const auto& each) {
        const Place at = place_of(each.first);
        return at.file == store.file && at.line <= store.line && store.line - at.line <= kMaxLines;
    });
    if (claim == claims_.end()) return false;
    const int line = place_of(claim->first).line;
    // What it protects lies before its release, and so does the load.
    if (is_swap_of_lock(store.file, line)) return false;
    put(finding, store.file, store.line, Spot::after);
    finding.cure = Cure::end_kernel;
    finding.advice = fmt::format(
        ". Line {} claims the place before line {} stores its value, so a thread that\n"
        "sees the claim may come before the value, and no fence changes that. End the kernel, and "
        "read in\nthe next one; or let a second word say that the value is there: "
        "__threadfence() and atomicExch() on it\nafter line {}, and before line {} a loop that "
        "waits for it by atomic loads, and a __threadfence().",
        line, store.line, store.line, load.line);
    return true;
}

/// The largest or smallest value of all threads, found by a test and a store. False: it is not
/// that.
bool RaceCures::choose_extreme(Finding& finding, const RacePair& pair) {
    const Place here = place_of(pair.after.site), there = place_of(pair.before.site);
    if (here.file != there.file || here.function != there.function) return false;
    const auto [low, high] = std::minmax(here.line, there.line);
    if (low == high && belongs_to_extreme(here.file, low)) return false;
    std::string operation = extreme_update(here.file, low, high);
    const int branch = branch_around(here.file, high);
    if (operation.empty() && branch != 0 && low == high) {
        operation = extreme_update(here.file, branch, high);
    }
    if (operation.empty()) return false;
    put(finding, here.file, here.line, Spot::at);
    finding.cure = Cure::atomic_update;
    finding.advice = fmt::format(
        ". Between the test and the store of one thread, another\nmay store: use {}(), or for "
        "types that it does not have a loop of atomicCAS().",
        operation);
    const int next = std::max(high, branch) + 1;
    if (!assignments(here.file, next).empty() && belongs_to_extreme(here.file, next)) {
        finding.advice += fmt::format(
            "\nLine {} stores what belongs to it: put both into one word of 64 bits, the value in "
            "its upper half.",
            next);
    }
    return true;
}

/// All threads that pass a test store to one place. False: they do not.
bool RaceCures::choose_one_result(Finding& finding, const Seen& seen) {
    const RacePair& pair = seen.pair;
    const Place here = place_of(pair.after.site), there = place_of(pair.before.site);
    if (here.file != there.file || here.line != there.line || !seen.both_write) return false;
    if (pair.before.is_update || pair.after.is_update) return false;
    const std::vector<Assignment> stores = assignments(here.file, here.line);
    if (stores.empty() || !is_one_place(stores.front().target)) return false;
    if (!is_in_branch(here.file, here.line)) return false;
    put(finding, here.file, here.line, Spot::at);
    finding.cure = Cure::own_items;
    if (belongs_to_extreme(here.file, here.line)) {
        finding.advice = fmt::format(
            ". Line {} stores what belongs to the largest or smallest\nvalue, and another thread "
            "may store its own in between. Put both into one word of 64 bits, the value\nin its "
            "upper half, and let one atomicMax() or atomicMin() store it; or take a lock around "
            "both.",
            here.line);
        return true;
    }
    const std::string& target = stores.front().target;
    finding.advice = fmt::format(
        ". Several threads pass the test in line {} and store\nto the same place; any of them may "
        "be the last. If the smallest or the largest value is wanted, use\natomicMin() or "
        "atomicMax() on {}, which begins with a value that loses; if any one is,\natomicCAS().",
        branch_around(here.file, here.line), target);
    return true;
}

/// One line loads an item, and another stores it, both in all threads. False: they do not.
bool RaceCures::choose_exchange(Finding& finding, const Seen& seen) {
    const RacingAccess& mine = seen.pair.after;
    if (!seen.both_write || mine.load == kNoSite) return false;
    const Place store = place_of(mine.site), load = place_of(mine.load);
    const Place there = place_of(seen.pair.before.site);
    if (store.file != load.file || store.line == load.line || store.line != there.line) {
        return false;
    }
    const std::string operation = exchange_of(store.file, load.line, store.line);
    if (operation.empty()) return false;
    put(finding, store.file, store.line, Spot::at);
    finding.cure = Cure::atomic_update;
    finding.advice = fmt::format(
        ". Between the load in line {} and the store in line {}\nanother thread may store. Let "
        "one operation do both: {}{}.",
        load.line, store.line, operation,
        site(mine.site).bytes == 8 && operation.find("Exch") != std::string::npos
            ? "\n(a pointer is converted to unsigned long long)"
            : "");
    return true;
}

/// A thread writes while it holds a lock, and another reads (or writes) without it. False: it is
/// not that.
bool RaceCures::choose_lock(Finding& finding, const RacePair& pair) {
    const Place one = place_of(pair.before.site), other = place_of(pair.after.site);
    if (one.file != other.file || one.function != other.function) return false;
    const Lock first = lock_around(one.file, one.line), second = lock_around(one.file, other.line);
    if ((first.taken != 0) == (second.taken != 0)) return false;
    const bool is_first = first.taken != 0;
    const Lock& lock = is_first ? first : second;
    const Place &inside = is_first ? one : other, &outside = is_first ? other : one;
    if (!(is_first ? pair.before : pair.after).stores) return false;
    const bool stores = (is_first ? pair.after : pair.before).stores;
    put(finding, outside.file, outside.line, Spot::at);
    finding.cure = Cure::own_items;
    finding.advice = fmt::format(
        ". Line {} writes it with the lock of line {}, and line {} {} it\nwithout that lock: {} it "
        "between lines {} and {}, where the thread holds the lock.",
        inside.line, lock.taken, outside.line, stores ? "writes" : "reads",
        stores ? "write" : "read", lock.taken, lock.released);
    return true;
}

/// A thread tests an item and then stores it, as to claim it; others do the same. False: it is not
/// that.
bool RaceCures::choose_test_and_set(Finding& finding, const RacePair& pair) {
    const Place here = place_of(pair.after.site), there = place_of(pair.before.site);
    if (here.file != there.file || here.function != there.function) return false;
    if (pair.before.is_atomic || pair.after.is_atomic) return false;
    const auto [low, high] = std::minmax(here.line, there.line);
    TestAndSet found = test_and_set(here.file, low, high);
    if (found.store == 0 && pair.before.stores != pair.after.stores) {
        const Place& store = pair.before.stores ? there : here;
        const Place& load = pair.before.stores ? here : there;
        found = tested_store(here.file, load.line, store.line);
    }
    if (found.store == 0) return false;
    put(finding, here.file, found.test, Spot::at);
    finding.cure = Cure::atomic_update;
    finding.advice = fmt::format(
        ". Between the test in line {} and the store in line {} another\nthread may pass the same "
        "test. Let one operation do both: {}.\nIt returns the old value: only the thread that gets "
        "the value it has tested for goes on{}.{}",
        found.test, found.store, found.operation,
        source_line(here.file, found.test).rfind("while", 0) == 0 ? ",\nthe others test again" : "",
        site(pair.after.site).bytes < 4 ? "\nThere are no such operations for single bytes: make "
                                          "it an array of int."
                                        : "");
    return true;
}

/// Both lines add to an item of one array, without another item of it. False: they do not.
bool RaceCures::choose_updates(Finding& finding, const Seen& seen) {
    const Place here = place_of(seen.pair.after.site), there = place_of(seen.pair.before.site);
    const bool is_one_line = here.line == there.line;
    if (here.file != there.file || (is_one_line && seen.both_write)) return false;
    const std::string array = updated_array(source_line(here.file, here.line));
    if (array.empty() || array != updated_array(source_line(there.file, there.line))) return false;
    put(finding, here.file, here.line, Spot::at);
    finding.cure = Cure::atomic_update;
    const auto [low, high] = std::minmax(here.line, there.line);
    finding.advice = fmt::format(
        ". {} the item, and between the load and\nthe store of one thread another may store: use "
        "atomicAdd(){}.",
        is_one_line ? fmt::format("Line {} changes", low)
                    : fmt::format("Lines {} and {} both change", low, high),
        is_one_line ? "" : " in both lines");
    return true;
}

/// Whether both have an index from an atomic operation, which has given them the same one.
bool RaceCures::is_same_ticket(const Seen& seen) {
    const RacePair& pair = seen.pair;
    const Place here = place_of(pair.after.site), there = place_of(pair.before.site);
    return seen.both_write && here.file == there.file && here.line == there.line &&
           !pair.before.is_update && !pair.after.is_update &&
           is_index_from(here.file, here.line, "atomic");
}

/// Several threads store an item because their indexes become the same one. False: nothing tells.
bool RaceCures::choose_shared_index(Finding& finding, const RacePair& pair) const {
    const Place here = place_of(pair.after.site);
    if (const auto wrong = index_faults_.find(pair.after.site);
        wrong != index_faults_.end() && !wrong->second.empty()) {
        put(finding, here.file, here.line, Spot::at);
        finding.cure = Cure::own_items;
        finding.advice = ". " + wrong->second;
        return true;
    }
    const SharedIndex index = shared_index(here.file, here.line);
    const bool is_update = pair.before.is_update || pair.after.is_update;
    if (index.text.empty() || (is_update && !index.is_clamped)) return false;
    put(finding, here.file, here.line, Spot::at);
    finding.cure = Cure::own_items;
    const std::string name = index.name.empty() ? "The index" : index.name;
    if (index.is_clamped) {
        finding.advice = fmt::format(
            ". {} is clamped in line {}, so all threads beyond the\nlimit store the same item. Let "
            "only those store whose index was in range before that: put an if around\nline {}.",
            name, index.line, here.line);
    } else {
        finding.advice = fmt::format(
            ". Line {} gives several threads the same index: {}.\nGive each thread items of its "
            "own, or let only one of them store.",
            index.line, index.name.empty() ? index.text : index.name + " = " + index.text);
    }
    return true;
}

/// Two lines store through two pointers into one shared array, which are to be two arrays. False:
/// they do not.
bool RaceCures::choose_overlap(Finding& finding, const RacePair& pair) {
    if (finding.title.find('[') == std::string::npos) return false;  // not shared memory
    const Place here = place_of(pair.after.site), there = place_of(pair.before.site);
    const auto stored = [](const Place& place) {
        const std::string code = source_line(place.file, place.line);
        const std::size_t bracket = code.find('[');
        return bracket != std::string::npos ? name_before(code, bracket) : std::string{};
    };
    const std::string one = stored(there), other = stored(here), whole = array_of(finding);
    const auto is_part = [&](const Place& place, const std::string& name) {
        return name != whole && is_pointer_variable(place.file, place.line, name);
    };
    if (one.empty() || other.empty() || one == other) return false;
    const bool is_part_one = is_part(there, one), is_part_other = is_part(here, other);
    if (!(is_part_one || one == whole) || !(is_part_other || other == whole)) return false;
    const Place& late = is_part_other ? here : there;
    put(finding, late.file, late.line, Spot::at);
    finding.cure = Cure::own_items;
    finding.advice = fmt::format(
        ". Both are in {}: do {} and {} overlap? Let each begin\nafter the last item of the one "
        "before it: an offset added to a char* counts bytes, and one added to a\nfloat* counts "
        "floats. Only if they are to share their memory, put a __syncthreads() between the two "
        "uses.",
        whole, one, other);
    return true;
}

/// Several threads draw random numbers from one state. False: they do not.
bool RaceCures::choose_random_state(Finding& finding, const RacePair& pair) {
    const Place here = place_of(pair.after.site);
    if (source_line(here.file, here.line).find("curand") == std::string::npos) return false;
    put(finding, here.file, here.line, Spot::at);
    finding.cure = Cure::own_items;
    finding.advice =
        ". A generator's state is for one thread, and each number\nchanges it: give each thread of "
        "the grid a state of its own.";
    return true;
}

void RaceCures::choose_barrier(Finding& finding, const Seen& seen, const WarpPaths& paths) const {
    const RacePair& pair = seen.pair;
    const Place here = place_of(pair.after.site), there = place_of(pair.before.site);
    const bool is_one_line = here.file == there.file && here.line == there.line;
    const Place kernel_here = kernel_place_of(pair.after.site);
    const Place kernel_there = kernel_place_of(pair.before.site);
    const auto [low, high] = std::minmax(kernel_here.line, kernel_there.line);
    const bool is_one_file = kernel_here.file == kernel_there.file;
    if (const int some = lacks_in_some_rounds(pair); some != 0) {
        put_in_loop(finding, kernel_here, kernel_there);
        finding.cure = Cure::block_barrier;
        finding.advice = fmt::format(
            ". The barrier in line {} is in a branch, so some rounds of\nthe loop end without one. "
            "End each round with a barrier that all threads reach: __syncthreads();{}",
            some,
            seen.across_warps ? " the\nthreads here are of different warps."
                              : "\nin rounds in which only lanes of one warp exchange values, "
                                "__syncwarp() is enough.");
        return;
    }
    const int phase = is_one_file ? phase_between(kernel_here.file, low, high) : 0;
    if (const int made = phase != 0 ? call_above(kernel_here.file, phase, "init") : 0; made != 0) {
        put(finding, kernel_here.file, made, Spot::at);
        finding.advice = fmt::format(
            ", though the barrier in line {} is between: its phase\nends when as many threads have "
            "arrived as init() in line {} says. Give that the number of all threads\nthat arrive.",
            phase, made);
        return;
    }
    if (seen.both_write && is_one_line && choose_shared_index(finding, pair)) return;
    if (choose_one_result(finding, seen)) return;
    if (seen.both_write && is_one_line && !share_loop(here, there)) {
        put(finding, here.file, here.line, Spot::at);
        const bool is_update = pair.after.is_update || pair.before.is_update;
        finding.cure = is_update ? Cure::atomic_update : Cure::own_items;
        finding.advice = is_update ? ". If both are meant to change it, use an atomic operation.\n"
                                     "If not, give each thread items of its own."
                                   : ". Two threads have chosen the same place: give each thread\n"
                                     "items of its own.";
        return;
    }
    if (seen.both_write && is_one_line) {
        put(finding, here.file, here.line, Spot::at);
        finding.cure = Cure::atomic_update;
        finding.advice =
            ". If both are meant to change it, use an atomic operation,\nor put a barrier between "
            "two rounds of the loop. If not, give each thread\nitems of its own.";
        return;
    }
    const int barrier = is_one_file ? barrier_in_loop(kernel_here.file, low, high) : 0;
    const std::string array = array_of(finding);
    if (const int release = early_release(kernel_here, kernel_there); release != 0) {
        const int load =
            std::max(release, pair.after.stores ? kernel_there.line : kernel_here.line);
        put(finding, kernel_here.file, load, Spot::after);
        finding.advice = fmt::format(
            ". Line {} releases the buffer before line {} has read it, and the next\ncopy fills "
            "it: call consumer_release() after the last load.",
            release, load);
        return;
    }
    if (barrier != 0 && has_two_halves(kernel_here.file, kernel_here.line, array) &&
        may_be_one_half(source_line(kernel_here.file, kernel_here.line),
                        source_line(kernel_there.file, kernel_there.line), array)) {
        const Place& writes = pair.after.stores ? kernel_here : kernel_there;
        put(finding, writes.file, writes.line, Spot::at);
        finding.cure = Cure::other_half;
        finding.advice = fmt::format(
            ". {} has two halves, and both use the same one between\ntwo barriers (line {}): read "
            "one half, write the other, and swap them after the barrier.",
            array, barrier);
        return;
    }
    if (seen.both_write && choose_overlap(finding, pair)) return;
    const bool are_plain = !pair.before.is_atomic && !pair.after.is_atomic &&
                           !pair.before.is_update && !pair.after.is_update;
    if (seen.both_write && are_plain && !is_first_value(source_line(here.file, here.line)) &&
        !is_first_value(source_line(there.file, there.line))) {
        put(finding, here.file, here.line, Spot::at);
        finding.cure = Cure::own_items;
        finding.advice = fmt::format(
            ". Lines {} and {} write the same item, and one of the two\nvalues is lost: is one of "
            "the two indexes wrong? Give each its own item. Only if the second value is\nmeant to "
            "replace the first, put a __syncthreads() between the two.",
            std::min(here.line, there.line), std::max(here.line, there.line));
        return;
    }
    finding.advice = missing_barrier(finding, pair);
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
    const bool in_branch = is_cure_in_branch(finding, pair);
    finding.cure = Cure::block_barrier;
    if (seen.across_warps && finding.spot == Spot::within) {
        finding.advice +=
            " Read into a variable, call __syncthreads(),\n"
            "where all threads of the block reach it, and then write.";
        if (stores_in(source_line(here.file, here.line), array) > 1) {
            finding.advice +=
                "\nIf two threads exchange the same two items, let only one of the two do it.";
        }
        return;
    }
    if (seen.across_warps && pair.same_warp) {
        finding.advice += fmt::format(
            "\nThe threads are lanes of one warp, which need not run in step. Others race here\n"
            "between warps: put a __syncthreads() there, which fixes both{}.",
            is_place_in_branch(finding) ? ", outside the branch: end that before it" : "");
        return;
    }
    if (seen.across_warps) {
        finding.advice += fmt::format(
            "\nThe threads are of different warps: put a __syncthreads() there, where all\nthreads "
            "of the block reach it{}.",
            is_place_in_branch(finding) ? ", outside the branch: end that before it" : "");
        return;
    }
    if (!pair.is_block_one_warp && !in_branch && is_lacked_across_warps(pair)) {
        finding.advice +=
            "\nThe threads are lanes of one warp, which need not run in step. Others race here\n"
            "between warps: put a __syncthreads() there, which fixes both.";
        return;
    }
    const bool others_come = !pair.is_block_one_warp && seen.warp != WarpPaths::kSeveral &&
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

void RaceCures::choose(Finding& finding, const Seen& seen, const WarpPaths& paths) const {
    const RacePair& pair = seen.pair;
    const Traits &before = site(pair.before.site).traits, &after = site(pair.after.site).traits;
    const Place first = place_of(pair.before.site), second = place_of(pair.after.site);
    if (before.is_thread_scope || after.is_thread_scope) {
        const Place& narrow = after.is_thread_scope ? second : first;
        put(finding, narrow.file, narrow.line, Spot::at);
        finding.cure = Cure::device_scope;
        finding.advice =
            ". An operation of thread_scope_thread is atomic for its own thread alone,\nand orders "
            "nothing for others: use thread_scope_device, or thread_scope_block if all\nthe "
            "threads are in one block.";
    } else if (pair.before.is_atomic && pair.after.is_atomic &&
               (before.is_block_scope || after.is_block_scope)) {
        const Place& narrow = after.is_block_scope ? second : first;
        put(finding, narrow.file, narrow.line, Spot::at);
        finding.cure = Cure::device_scope;
        finding.advice =
            ". An operation of block scope (..._block, thread_scope_block) is\natomic among the "
            "threads of one block only: use the one for the whole device.";
    } else if (pair.after.is_volatile && pair.before.is_atomic && before.is_volatile) {
        put(finding, second.file, second.line, Spot::at);
        finding.cure = Cure::atomic_update;
        finding.advice =
            ". volatile keeps a value out of registers; it orders\nnothing and makes nothing "
            "atomic: use an atomic operation.";
    } else if (choose_random_state(finding, pair) || choose_atomic(finding, seen) ||
               choose_claimed(finding, pair) || choose_lock(finding, pair) ||
               (!share_lock(pair) &&
                (choose_extreme(finding, pair) || choose_test_and_set(finding, pair) ||
                 choose_updates(finding, seen) || choose_exchange(finding, seen)))) {
    } else if (is_same_ticket(seen)) {
        put(finding, second.file, second.line, Spot::at);
        finding.cure = Cure::own_items;
        finding.advice =
            ". Two threads have chosen the same place, and the atomic\noperation between them has "
            "given both the same one: is its return value used as the index,\nand does it change "
            "its counter? Give each thread items of its own.";
    } else if (pair.lack == Lack::wider_fence) {
        finding.cure = Cure::device_fence;
        finding.advice =
            ". __threadfence_block() is for the threads of one block:\nuse __threadfence().";
    } else if (pair.lack == Lack::fence_before_release) {
        put(finding, first.file, first.line, Spot::after);
        finding.cure = Cure::fence;
        finding.advice =
            ". There is an atomic operation between them, but it orders only itself:\nput a "
            "__threadfence() before it, so that a thread that sees the atomic sees what was "
            "written before.";
    } else if (pair.lack == Lack::both_fences) {
        put(finding, first.file, first.line, Spot::after);
        finding.cure = Cure::fence;
        finding.advice = fmt::format(
            ". There is an atomic operation between them, but it orders only itself:\nput a "
            "__threadfence() before it, and one before the {} in line {}, after the operation that "
            "sees it.\nWith cuda::atomic, memory_order_release in the one and "
            "memory_order_acquire in the other do the same.",
            pair.after.stores ? "store" : "load", second.line);
    } else if (pair.lack == Lack::fence_after_acquire) {
        put(finding, second.file, second.line, Spot::before);
        finding.cure = Cure::fence;
        finding.advice = fmt::format(
            ". After the first access come a __threadfence() and an atomic operation,\nand an "
            "atomic operation before the second access sees that one: put a __threadfence() after "
            "it as well,\nso that nothing is {} too early.",
            pair.after.stores ? "written" : "read");
    } else if (pair.same_block) {
        choose_barrier(finding, seen, paths);
    } else {
        put(finding, second.file, second.line, Spot::at);
        const std::string apart = ". Blocks run in any order, and at the same time:\n";
        int barrier = 0;
        if (are_rounds(pair, &barrier)) {
            const Place& place = kernel_place_of(pair.after.site);
            const Place& other = kernel_place_of(pair.before.site);
            put_in_loop(finding, place, other);
            finding.cure = Cure::end_kernel;
            finding.advice =
                apart + fmt::format(
                            "the barrier in line {} waits for the threads of one block only. "
                            "End the kernel between\ntwo rounds of the loop, one launch for "
                            "each, or call grid.sync() in a cooperative launch.",
                            barrier);
        } else if ((seen.both_write && first.file == second.file && first.line == second.line &&
                    choose_shared_index(finding, pair)) ||
                   choose_one_result(finding, seen)) {
        } else if ((seen.both_write || first.line == second.line) &&
                   (pair.before.is_update || pair.after.is_update)) {
            finding.cure = Cure::atomic_update;
            finding.advice = apart +
                             "if both are meant to change it, use an atomic operation; if "
                             "not, give each\nblock items of its own.";
        } else if (pair.lack == Lack::operation_after && pair.before.stores && !pair.after.stores) {
            put(finding, first.file, first.line, Spot::after);
            finding.cure = Cure::end_kernel;
            finding.advice = fmt::format(
                ". The atomic operation of the thread that writes comes before line {},\nand does "
                "not cover it: set a flag after it and wait for that flag before the load, with "
                "a\n__threadfence() before setting it and one after the wait; or end the kernel "
                "between the two.",
                first.line);
        } else if (pair.before.stores && pair.after.stores) {
            finding.cure = Cure::own_items;
            finding.advice =
                apart + "both have chosen the same place. Give each block items of its own.";
        } else if (const Place& written = pair.before.stores ? first : second,
                   &read = pair.before.stores ? second : first;
                   written.file == read.file && written.line < read.line) {
            put(finding, written.file, written.line, Spot::after);
            finding.cure = Cure::end_kernel;
            finding.advice = apart +
                             "end the kernel between the two, or call grid.sync() in a\n"
                             "cooperative launch.";
        } else {
            finding.cure = Cure::other_array;
            finding.advice = apart +
                             "if the old value is to be read, write to a different array; if the "
                             "new one, end the\nkernel between the two.";
            // "a[i] = a[j];"
            const Place& stored = pair.after.stores ? second : first;
            const std::string code = source_line(stored.file, stored.line);
            const std::size_t bracket = code.find('[');
            const std::string array =
                bracket != std::string::npos ? name_before(code, bracket) : std::string{};
            const std::size_t from = code.find("= " + array + "[");
            if (!array.empty() && from != std::string::npos && !is_operation(code)) {
                finding.advice +=
                    " If two threads exchange the same two items, let only one of them do it.";
            }
        }
    }
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
                each->advice = fmt::format(
                    ". Each of the lines {} to {} reads what other lanes of the warp\nwrite, and "
                    "lanes need not run in step, with volatile neither. Each line needs two "
                    "barriers: read into a\nvariable, call __syncwarp(), write, call "
                    "__syncwarp(). Or use __shfl_down_sync() for all of them.",
                    steps.low, steps.high);
            }
        }
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

void RaceCures::choose(FindingList& findings, const WarpPaths& paths) {
    drop_loads_of_updates(findings);
    std::set<std::pair<std::string, int>> released;  ///< by a plain store: the places
    std::set<std::string> kernels;
    std::map<std::pair<std::string, int>, Key> rounds;
    for (const auto& [key, seen] : seen_) {
        Finding* const finding = findings.find(key);
        if (finding == nullptr) continue;
        choose(*finding, seen, paths);
        // For the rounds of one loop, the first pair of lines is enough.
        const SourcePlace& end = finding->cure_place;
        int barrier = 0;
        if (lacks_in_some_rounds(seen.pair) != 0 ||
            (finding->cure == Cure::end_kernel && !seen.pair.same_block &&
             are_rounds(seen.pair, &barrier))) {
            const auto known = rounds.try_emplace({finding->kernel, end.line}, key);
            if (!known.second) findings.drop(key);
            continue;
        }
        if (finding->cure != Cure::atomic_access || finding->is_note) continue;
        const SourcePlace& place = finding->cure_place;
        if (!released.emplace(place.path, place.line).second) findings.drop(key);
        const RacingAccess& plain = seen.pair.after.is_atomic ? seen.pair.before : seen.pair.after;
        if (plain.stores) kernels.insert(finding->kernel);
    }
    add_stale_swaps(findings);
    explain_waits(findings);
    join_steps(findings);
    drop_stores_of_rounds(findings);
    // If a plain store releases a lock, nothing that it protects is ordered.
    for (const auto& [key, seen] : seen_) {
        Finding* const finding = findings.find(key);
        if (finding != nullptr && kernels.count(finding->kernel) != 0 &&
            (finding->cure == Cure::fence || finding->cure == Cure::atomic_update) &&
            seen.pair.lack != Lack::no_fence) {
            findings.drop(key);
        }
    }
    seen_.clear();
    loads_.clear();
    claims_.clear();
}

}  // namespace lab
