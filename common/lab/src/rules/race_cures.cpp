#include "race_cures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "places.hpp"
#include "race_updates.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_locks.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

bool RaceCures::add(const Key& key, const RacePair& pair) {
    const auto [at, fresh] = seen_.try_emplace(key);
    SeenPairs& seen = at->second;
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

/// Whether what the line reads may end a loop: a wait.
static bool leaves_loop(const std::string& file, int line) {
    constexpr int kLines = 2;
    for (int at = line; at <= line + kLines; ++at) {
        const std::string code = code_line(file, at);
        if (find_word(code, "break") != std::string::npos) return true;
        if (at == line && find_word(code, "while") != std::string::npos) return true;
    }
    return false;
}

/// Atomic operations and plain accesses use the same word. False: what is missing is a barrier.
bool RaceCures::choose_atomic(Finding& finding, const Race& race) const {
    const RacePair& pair = race.pair;
    if (pair.before.is_atomic == pair.after.is_atomic && pair.atomic_bytes == 0) return false;
    const RacingAccess& plain = pair.after.is_atomic ? pair.before : pair.after;
    // Neither of the two is one: the next round of a loop goes on with what this one has added up.
    if (pair.before.is_atomic == pair.after.is_atomic && pair.same_block && !race.both_write &&
        share_loop(race.kernel_here, race.kernel_there) &&
        site(plain.site).bytes >= pair.atomic_bytes) {
        return false;
    }
    // Volatile data that an atomic operation announces lack a fence.
    if ((pair.after.is_atomic ? pair.after : pair.before).is_volatile &&
        (pair.lack == Lack::fence_before_release || pair.lack == Lack::both_fences)) {
        return false;
    }
    const Place& here = pair.after.is_atomic ? race.there : race.here;
    const Place& there = pair.after.is_atomic ? race.here : race.there;
    const auto load = loads_.find(plain.site);
    const bool leads_to_atomic = !plain.stores && load != loads_.end();
    // In a kernel's helper a line may come from any part of the file.
    const int call = (pair.after.is_atomic ? race.kernel_there : race.kernel_here).line -
                     (pair.after.is_atomic ? race.kernel_here : race.kernel_there).line;
    const bool is_later = race.is_one_file && (call != 0 ? call > 0 : here.line >= there.line);
    const bool is_first = is_first_value(source_line(here.file, here.line));
    if (plain.stores && site(plain.site).bytes < pair.atomic_bytes) {
        advise(finding, here, Spot::at, Cure::atomic_access,
               fmt::format(". Atomic operations change {} bytes here, and line {} stores {}\nof "
                           "them, so either may be lost: ",
                           pair.atomic_bytes, here.line, site(plain.site).bytes));
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
        const std::vector<Assignment> set = assignments(here.file, here.line);
        const bool is_zero =
            !set.empty() && set.front().value.find_first_not_of("0.fFuUlL") == std::string::npos;
        finding.advice =
            ". Blocks run in any order, and at the same time: " +
            (share_loop(here, there)
                 ? fmt::format("let each\nround be a launch of its own, and set the word before "
                               "it, no longer in line {}.",
                               here.line)
             : is_zero
                 ? fmt::format("set the\nword before the kernel (cudaMemset), and no longer in "
                               "line {}.",
                               here.line)
                 : fmt::format("store that\nvalue before the kernel, no longer in line {}: in a "
                               "kernel launched before it, or from the host\n(cudaMemcpy; "
                               "cudaMemset sets bytes, not items).",
                               here.line));
        return true;
    }
    if (pair.same_block && !plain.stores && !leads_to_atomic) return false;
    put(finding, here, Spot::at);
    if (race.is_one_line && !plain.stores &&
        exchanges_own_value(source_line(here.file, here.line))) {
        finding.cure = Cure::atomic_update;
        finding.advice = fmt::format(
            ". Line {} reads the word, computes, and stores what comes of\nit: what another thread "
            "has stored meanwhile is lost. Let one operation do all of that: atomicAdd(),\n"
            "atomicMax() or atomicMin(), or for types that they do not have a loop of atomicCAS().",
            here.line);
        return true;
    }
    if (const Lock lock = lock_around(there.file, there.line + 1);
        plain.stores && lock.taken == there.line && lock.released == here.line) {
        const int call = (pair.after.is_atomic ? race.kernel_here : race.kernel_there).line;
        bool is_fenced = false;
        for (const int line : {lock.taken, lock.taken + 1, call, call + 1}) {
            is_fenced =
                is_fenced || code_line(there.file, line).find("__threadfence") != std::string::npos;
        }
        finding.cure = Cure::atomic_access;
        finding.advice = fmt::format(
            ". Line {} takes the lock, and line {} releases it by a plain store,\nwhich orders "
            "nothing: release it by __threadfence(), and then atomicExch(){}.",
            lock.taken, lock.released,
            is_fenced ? ""
                      : fmt::format(". Put a __threadfence() after\nline {} as well, before what "
                                    "the lock protects is used",
                                    lock.taken));
        return true;
    }
    if (plain.stores && is_later && pair.same_block && !leaves_loop(there.file, there.line) &&
        !share_loop(race.kernel_here, race.kernel_there)) {
        return false;  // it is the next phase
    }
    finding.cure = plain.stores && plain.is_update ? Cure::atomic_update : Cure::atomic_access;
    // What others add up is read once, or set back once: a wait is a loop.
    const bool is_after_sum = is_later && is_accumulated(source_line(there.file, there.line)) &&
                              !share_loop(here, there) && !leaves_loop(here.file, here.line);
    if (is_after_sum && plain.stores && !pair.same_block && !plain.is_update) {
        finding.cure = Cure::host_sets;
        finding.advice = fmt::format(
            ". Blocks run in any order, so others may still do line {}\nafter line {}: store that "
            "value between two launches (from the host, or in a kernel of its own), or let\nthe "
            "last block to finish do it (an atomic counter tells).",
            there.line, here.line);
        return true;
    }
    const bool is_total = is_after_sum && !plain.stores && !leads_to_atomic;
    finding.advice =
        is_total
            ? fmt::format(
                  ". Blocks run in any order, so others may still change the value\nthat line {} "
                  "reads. If it must be the final one, end the kernel between the two and read it "
                  "in the next,\nor in the last block to finish (an atomic counter tells); if any "
                  "will do, use an atomic (or volatile)\naccess in line {}. If the thread wants "
                  "its own number or place, use what the operation in line {}\nreturns.",
                  here.line, here.line, there.line)
        : leads_to_atomic && !load->second.only_compare_and_swap && race.is_one_function &&
                here.line < there.line && condition_of(code_line(here.file, here.line)).empty()
            ? fmt::format(
                  ". Line {} reads the word before line {} changes it, and others\nmay change it "
                  "in "
                  "between: use what the operation in line {} returns, in place of what line {}\n"
                  "reads.",
                  here.line, there.line, there.line, here.line)
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
        const int loop = std::max(loop_around(there.file, there.line), 1);
        const std::string head = without_blanks(code_line(there.file, loop));
        const bool retries =
            loop_around(there.file, there.line) != 0 &&
            (find_word(head, "for") == std::string::npos || head.find(";;") != std::string::npos);
        finding.advice +=
            retries ? " The atomicCAS loop\nretries if the value was stale: the CUDA programming "
                      "guide does the same."
            : condition_of(code_line(here.file, here.line)).empty()
                ? " With a stale\nvalue atomicCAS() changes nothing, and returns what it has found."
                : fmt::format(
                      " Only\natomicCAS() changes the word: if its old and its new value "
                      "have the same result in line {}, no harm is done.",
                      here.line);
    }
    return true;
}

/// One thread has claimed an item by a compare-and-swap and stores its value then; another sees the
/// claim, and reads the value. Fences do not help: the claim comes before the value. False: it is
/// not that.
bool RaceCures::choose_claimed(Finding& finding, const Race& race) const {
    if (!race.is_one_function || race.both_store() || claims_.empty()) return false;
    const Place &store = race.stored(), &load = race.loaded();
    if (is_operation(source_line(store.file, store.line))) return false;
    constexpr int kMaxLines = 6;
    const auto claim = std::find_if(claims_.begin(), claims_.end(), [&](const auto& each) {
        const Place at = place_of(each.first);
        return at.file == store.file && at.line <= store.line && store.line - at.line <= kMaxLines;
    });
    if (claim == claims_.end()) return false;
    const int line = place_of(claim->first).line;
    // What it protects lies before its release, and so does the load.
    if (is_swap_of_lock(store.file, line)) return false;
    advise(finding, store, Spot::after, Cure::end_kernel,
           fmt::format(
               ". Line {} claims the place before line {} stores its value, so a thread that\nsees "
               "the claim may come before the value, and no fence changes that. End the kernel, "
               "and read in\nthe next one; or let a second word say that the value is there: "
               "__threadfence() and atomicExch() on it\nafter line {}, and before line {} a loop "
               "that waits for it by atomic loads, and a __threadfence().",
               line, store.line, store.line, load.line));
    return true;
}

/// Several threads store an item because their indexes become the same one. False: nothing tells.
bool RaceCures::choose_shared_index(Finding& finding, const Race& race) const {
    const Place& here = race.here;
    if (const auto wrong = index_faults_.find(race.pair.after.site);
        wrong != index_faults_.end() && !wrong->second.empty()) {
        const bool is_operation = wrong->second.find(": use atomic") != std::string::npos;
        advise(finding, here, Spot::at, is_operation ? Cure::atomic_update : Cure::own_items,
               ". " + wrong->second);
        return true;
    }
    const SharedIndex index = shared_index(here.file, here.line);
    if (index.text.empty() || (race.is_update() && !index.is_clamped)) return false;
    put(finding, here, Spot::at);
    finding.cure = Cure::own_items;
    const std::string name = index.name.empty() ? "The index" : index.name;
    if (index.is_clamped) {
        finding.advice = fmt::format(
            ". {} is clamped in line {}, so all threads beyond the\nlimit store the same item. Let "
            "only those store whose index was in range before that: put an if around\nline {}.",
            name, index.line, here.line);
    } else {
        const std::string text = without_blanks(index.text);
        const std::size_t rest = text.find(")%");
        const bool is_signed = rest != std::string::npos &&
                               text.rfind('(', rest) != std::string::npos &&
                               text.substr(0, rest).find_first_of("+-") != std::string::npos;
        finding.advice = fmt::format(
            ". Line {} gives several threads the same index: {}.\n{}Give each thread{}items of its "
            "own, or let only one of them store.",
            index.line, index.name.empty() ? index.text : index.name + " = " + index.text,
            is_signed ? fmt::format("The remainder of a negative number is negative: if it may be "
                                    "one, add {} first. ",
                                    text.substr(rest + 2))
                      : "",
            is_signed ? "\n" : " ");
    }
    return true;
}

/// Whether a line not far away says it.
static bool is_said_near(const Place& place, const char* word) {
    constexpr int kLines = 40;
    for (int line = std::max(1, place.line - kLines); line < place.line + kLines; ++line) {
        if (code_line(place.file, line).find(word) != std::string::npos) return true;
    }
    return false;
}

/// The statement with the atomic operation that is to release what this line stores; 0: not known.
static int release_after(const Place& store) {
    constexpr int kMaxLines = 20;
    for (int at = store.line + 1; at < store.line + kMaxLines; ++at) {
        const std::string code = trimmed(code_line(store.file, at));
        if (code.find("__global__") != std::string::npos || code == "}") return 0;
        if (code.rfind("while", 0) == 0) return 0;  // it waits
        std::size_t name = code.find("atomic");
        while (name != std::string::npos && std::isupper(code[name + 6]) == 0) {
            name = code.find("atomic", name + 1);
        }
        const bool is_atomic = name != std::string::npos ||
                               code.find(".store(") != std::string::npos ||
                               code.find(".fetch_") != std::string::npos;
        const std::string before = trimmed(code_line(store.file, at - 1));
        if (is_atomic) {
            return !before.empty() && std::string(";{}").find(before.back()) < 3 ? at : 0;
        }
    }
    return 0;
}

/// Whether "atomicXor(&r, …)" is for a variable of the thread's own, which the line changes as
/// well.
static bool is_of_local(const Finding& finding, const Place& place, const std::string& operation) {
    const std::string item =
        operation.substr(0, operation.find(',')).substr(operation.find('(') + 1);
    const std::string name = last_name(item);
    const std::string type = type_of(place.file, place.line, name).type;
    return item == "&" + name && name != array_of(finding) && !type.empty() &&
           type.find('&') == std::string::npos;
}

void RaceCures::choose(Finding& finding, const Race& race, const WarpPaths& paths) const {
    const RacePair& pair = race.pair;
    const Traits &before = site(pair.before.site).traits, &after = site(pair.after.site).traits;
    const Place &first = race.there, &second = race.here;
    if (choose_tested_counter(finding, race)) return;
    if (before.is_thread_scope || after.is_thread_scope) {
        const Place& narrow = after.is_thread_scope ? second : first;
        advise(finding, narrow, Spot::at, Cure::device_scope,
               ". An operation of thread_scope_thread is atomic for its own thread alone,\nand "
               "orders nothing for others: use thread_scope_device, or thread_scope_block if "
               "all\nthe threads are in one block.");
    } else if (pair.before.is_atomic && pair.after.is_atomic &&
               (before.is_block_scope || after.is_block_scope)) {
        const Place& narrow = after.is_block_scope ? second : first;
        advise(finding, narrow, Spot::at, Cure::device_scope,
               ". An operation of block scope (..._block, thread_scope_block) is\natomic among the "
               "threads of one block only: use the one for the whole device.");
    } else if (const Lock lock = shared_lock(race);
               lock.taken != 0 &&
               (pair.lack == Lack::both_fences || pair.lack == Lack::fence_before_release ||
                pair.lack == Lack::fence_after_acquire)) {
        const bool lacks_first = pair.lack != Lack::fence_after_acquire;
        const bool lacks_second = pair.lack != Lack::fence_before_release;
        put(finding, second.file, lacks_first ? lock.release_operation : lock.take_operation,
            lacks_first ? Spot::before : Spot::after);
        finding.cure = Cure::fence;
        finding.advice = fmt::format(
            ". Both hold the lock of lines {} to {}, but its atomic\noperations order only "
            "themselves: put a __threadfence() {}{}{}.",
            lock.taken, lock.released,
            lacks_first ? fmt::format("before line {} releases it", lock.release_operation) : "",
            lacks_first && lacks_second ? ", and one " : "",
            lacks_second ? fmt::format("after line {}\nhas taken it", lock.take_operation) : "");
    } else if (pair.after.is_volatile && pair.before.is_atomic && before.is_volatile) {
        advise(finding, second, Spot::at, Cure::atomic_update,
               ". volatile keeps a value out of registers; it orders\nnothing and makes nothing "
               "atomic: use an atomic operation.");
    } else if (choose_random_state(finding, race) || choose_atomic(finding, race) ||
               choose_claimed(finding, race) || choose_plain_wait(finding, race) ||
               choose_lock(finding, race) || choose_early_release(finding, race) ||
               choose_lone_value(finding, race) ||
               (!share_lock(race) &&
                (choose_counter(finding, race) || choose_partner(finding, race) ||
                 choose_extreme(finding, race) || choose_test_and_set(finding, race) ||
                 choose_exchange(finding, race) || choose_updates(finding, race)))) {
    } else if (const std::string counter = is_same_ticket(race) ? counter_of_block(race) : "";
               !counter.empty()) {
        advise(
            finding, second, Spot::at, Cure::own_items,
            fmt::format(". {0} is in shared memory, so each block counts for itself,\nand all "
                        "blocks store to the same places. Take the places from a counter in "
                        "global memory; or let one thread of\nthe block add the block's count to "
                        "such a counter, and all of its threads add what that returns to their "
                        "own\nplace.",
                        counter));
    } else if (is_same_ticket(race)) {
        advise(finding, second, Spot::at, Cure::own_items,
               ". Two threads have chosen the same place, and the atomic\noperation between them "
               "has given both the same one: is its return value used as the index,\nand does it "
               "change its counter? Give each thread items of its own.");
    } else if (pair.lack == Lack::wider_fence) {
        finding.cure = Cure::device_fence;
        finding.advice =
            is_said_near(first, "__threadfence_block")
                ? ". __threadfence_block() is for the threads of one block:\nuse __threadfence()."
                : ". What orders them is for the threads of one block\n(thread_scope_block): use "
                  "thread_scope_device.";
    } else if (pair.lack == Lack::fence_before_release) {
        advise(finding, first, Spot::after, Cure::fence,
               ". The atomic operation (or volatile flag) between them orders only itself:\nput a "
               "__threadfence() before it, so that a thread that sees the atomic sees what was "
               "written before.");
        if (const int release = release_after(first); release != 0) {
            put(finding, first.file, release, Spot::before);
            const bool is_relaxed =
                source_line(first.file, release).find("relaxed") != std::string::npos;
            finding.advice = fmt::format(
                ". The atomic operation in line {} orders only itself{} __threadfence() before "
                "it, so that a thread that sees {} sees what was written before.",
                release,
                is_relaxed ? ", being relaxed:\nuse memory_order_release there, or put a"
                           : ":\nput a",
                is_relaxed ? "the\natomic" : "the atomic");
        }
    } else if (pair.lack == Lack::both_fences) {
        advise(
            finding, first, Spot::after, Cure::fence,
            fmt::format(
                ". The atomic operation (or volatile flag) between them orders only itself:\nput a "
                "__threadfence() before it, and one before the {} in line {}, after the "
                "operation that sees it.\nWith cuda::atomic, memory_order_release in the one "
                "and memory_order_acquire in the other do the same.",
                pair.after.stores ? "store" : "load", second.line));
    } else if (pair.lack == Lack::fence_after_acquire) {
        advise(finding, second, Spot::before, Cure::fence,
               fmt::format(
                   ". After the first access come a __threadfence() and an atomic operation,\nand "
                   "an atomic operation before the second access sees that one: put a "
                   "__threadfence() after it as well,\nbefore line {}, so that nothing is {} too "
                   "early.",
                   second.line, pair.after.stores ? "written" : "read"));
    } else if (pair.same_block) {
        choose_barrier(finding, race, paths);
    } else {
        put(finding, second, Spot::at);
        const std::string apart = ". Blocks run in any order, and at the same time:\n";
        if (const int barrier = barrier_of_rounds(race); barrier != 0) {
            put_in_loop(finding, race.kernel_here, race.kernel_there);
            finding.cure = Cure::end_kernel;
            // A round that reads what others store in the same one needs two arrays as well.
            const std::vector<Assignment> set = assignments(second.file, second.line);
            const std::vector<std::string> names =
                set.empty() ? std::vector<std::string>() : names_in(set.front().target);
            const bool is_in_place =
                !race.both_write && line_of_exchange(race) == 0 &&
                (first.line == second.line
                     ? !names.empty() &&
                           find_word(set.front().value, names.front()) != std::string::npos
                     : race.loaded().line < race.stored().line);
            finding.advice =
                apart + fmt::format(
                            "the barrier in line {} waits for the threads of one block only. End "
                            "the kernel between\ntwo rounds of the loop, one launch for each{}, or "
                            "call grid.sync() in {}a cooperative launch.",
                            barrier, is_in_place ? " that reads one array and writes\nanother" : "",
                            is_in_place ? "place of each barrier of the loop, in\n" : "");
        } else if (choose_block_part(finding, race) || choose_one_result(finding, race) ||
                   (race.both_write && race.is_one_line &&
                    (choose_full_part(finding, race) || choose_shared_index(finding, race)))) {
        } else if ((race.both_write || first.line == second.line) && race.is_update()) {
            const std::vector<Assignment> set = assignments(second.file, second.line);
            const std::string value = set.empty() ? std::string() : set.front().value;
            const std::size_t call = value.find('(');
            const bool is_sum = call == std::string::npos || name_before(value, call).empty() ||
                                value.find("min") != std::string::npos ||
                                value.find("max") != std::string::npos;
            finding.cure = is_sum ? Cure::atomic_update : Cure::own_items;
            // Bits of one word belong to several items.
            if (const std::string operation = operation_for(second.file, second.line);
                site(pair.after.site).bytes >= 4 && !is_of_local(finding, second, operation) &&
                (operation.find("atomicOr(") == 0 || operation.find("atomicAnd(") == 0 ||
                 operation.find("atomicXor(") == 0)) {
                finding.advice = fmt::format(
                    ". Line {} reads the word and stores it again, and what other\nthreads have "
                    "changed in between is lost: use {}.",
                    second.line, operation);
                return;
            }
            finding.advice =
                apart + (is_sum
                             ? fmt::format("if both are meant to change it, use {}; if not, give "
                                           "each\nblock items of its own.",
                                           atomic_for(race))
                             : "if each is to change what the other has made of it, "
                               "let one thread do both, in a loop, or\nlaunch the "
                               "kernel once for each. If not, give each block items "
                               "of its own.");
        } else if (pair.lack == Lack::operation_after && pair.before.stores && !pair.after.stores) {
            advise(finding, first, Spot::after, Cure::end_kernel,
                   fmt::format(". The atomic operation of the thread that writes comes before line "
                               "{},\nand does not cover it: set a flag after it and wait for that "
                               "flag before the load, with a\n__threadfence() before setting it "
                               "and one after the wait; or end the kernel between the two.",
                               first.line));
        } else if (race.both_store()) {
            finding.cure = Cure::own_items;
            finding.advice =
                apart + "both have chosen the same place. Give each block items of its own.";
        } else if (const Place& written = race.stored(), &read = race.loaded();
                   written.file == read.file && written.line < read.line) {
            advise(finding, written, Spot::after, Cure::end_kernel,
                   apart +
                       "end the kernel between the two, or call grid.sync() in a\ncooperative "
                       "launch.");
        } else {
            finding.cure = Cure::other_array;
            finding.advice = apart +
                             "if the old value is to be read, write to a different array; if the "
                             "new one, end the\nkernel between the two.";
        }
    }
}

void RaceCures::choose(FindingList& findings, const WarpPaths& paths) {
    drop_loads_of_updates(findings);
    std::set<std::pair<std::string, int>> released;  ///< by a plain store: the places
    std::set<std::string> kernels;
    std::set<std::pair<std::string, std::string>> overlaps;  ///< by the kernel, with the text
    for (const Finding& each : findings.all()) {
        if (each.fault == Fault::out_of_bounds && each.advice.size() > 1)
            overlaps.emplace(each.kernel, ". " + each.advice.substr(1));
    }
    std::map<std::pair<std::string, int>, Key> rounds;
    for (const auto& [key, seen] : seen_) {
        Finding* const finding = findings.find(key);
        if (finding == nullptr) continue;
        const Race race(seen);
        if (const std::string& overlap = overlaps_[key]; !overlap.empty()) {
            if (!overlaps.emplace(finding->kernel, overlap).second) findings.drop(key);
            const bool is_of_host = overlap.find("before each launch") != std::string::npos;
            advise(*finding, race.here, Spot::at, is_of_host ? Cure::none : Cure::own_items,
                   overlap);
            continue;
        }
        choose(*finding, race, paths);
        // An index beyond its row leads to an item of another thread's.
        const std::vector<Finding>& all = findings.all();
        const auto is_index = [&](const Finding& each) {
            return each.fault == Fault::out_of_bounds && !each.parties.empty() &&
                   each.parties.front().at.path == race.here.file &&
                   each.parties.front().at.line == race.here.line;
        };
        // Also one that reads or changes it.
        const auto is_row = [&](const Finding& each) {
            return is_index(each) &&
                   each.advice.find("leads into the next row") != std::string::npos;
        };
        if (race.is_one_line &&
            (std::any_of(all.begin(), all.end(), is_row) ||
             ((finding->cure == Cure::own_items || !race.is_update()) && race.both_write &&
              std::any_of(all.begin(), all.end(), is_index)))) {
            findings.drop(key);
            continue;
        }
        // For the rounds of one loop, one lock, one exchange or one release, the first pair of
        // lines is enough.
        const SourcePlace& end = finding->cure_place;
        if (lacks_in_some_rounds(race) != 0 ||
            (finding->cure == Cure::block_barrier && loop_of_rounds(race) != 0) ||
            (finding->cure == Cure::fence &&
             (shared_lock(race).taken != 0 ||
              (finding->spot == Spot::before && seen.pair.lack == Lack::fence_before_release))) ||
            finding->advice.rfind(kSplitUpdate, 0) == 0 ||
            (finding->cure == Cure::own_items &&
             (end.line == line_of_exchange(race) || finding->advice.rfind(kBlockPart, 0) == 0 ||
              finding->advice.rfind(kNextState, 0) == 0)) ||
            (finding->cure == Cure::end_kernel && !seen.pair.same_block &&
             barrier_of_rounds(race) != 0)) {
            const bool is_part = finding->advice.rfind(kBlockPart, 0) == 0;
            const bool is_state = finding->advice.rfind(kNextState, 0) == 0;
            const auto known = rounds.try_emplace({finding->kernel, is_part    ? 0
                                                                    : is_state ? -1
                                                                               : end.line},
                                                  key);
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
    drop_stores_of_other_array(findings);
    // If a plain store releases a lock, nothing that it protects is ordered.
    for (const auto& [key, seen] : seen_) {
        Finding* const finding = findings.find(key);
        if (finding != nullptr && kernels.count(finding->kernel) != 0 &&
            (finding->cure == Cure::fence || finding->cure == Cure::atomic_update) &&
            seen.pair.lack != Lack::no_fence) {
            findings.drop(key);
        }
    }
    join_barriers(findings);
    drop_after_thread_numbers(findings);
    seen_.clear();
    overlaps_.clear();
    loads_.clear();
    claims_.clear();
}

}  // namespace lab
