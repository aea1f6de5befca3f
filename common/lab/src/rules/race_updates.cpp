#include "race_updates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_extremes.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

namespace {

/// That of the line itself, or of the kernel's line that leads there.
Lock lock_at(const Place& own, const Place& kernel) {
    const Lock lock = lock_around(own.file, own.line);
    return lock.taken != 0 ? lock : lock_around(kernel.file, kernel.line);
}

}  // namespace

bool share_lock(const Race& race) {
    return race.is_one_file && lock_at(race.here, race.kernel_here).taken != 0 &&
           lock_at(race.there, race.kernel_there).taken != 0;
}

Lock shared_lock(const Race& race) {
    if (!race.is_one_file) return {};
    Lock lock = lock_at(race.here, race.kernel_here);
    const Lock first = lock_at(race.there, race.kernel_there);
    if (first.taken != lock.taken) return {};
    lock.released = first.released;
    lock.release_operation = first.release_operation;
    return lock;
}

std::string tested_counter_advice(const TestedCounter& found, int test, int operation) {
    if (found.is_mark) {
        return fmt::format(
            "Line {} tests the item, and others may pass the same test before\nline {} changes it: "
            "each of them does line {} then. {}",
            test, operation, found.claimed,
            found.operation == "atomicExch"
                ? fmt::format("Let one operation do both, in place of\nlines {} and {}: "
                              "atomicCAS(its address, the value that is tested for, the new one), "
                              "and go on only\nif that returns the value that is tested for.",
                              test, operation)
                : fmt::format("Test what {}() returns, the old value,\nin place of what line {} "
                              "reads.",
                              found.operation, test));
    }
    const bool adds = found.operation == "atomicAdd" || found.operation == "atomicInc";
    if (!found.place.empty()) {
        const auto [first, last] = std::minmax_element(found.used.begin(), found.used.end());
        const bool is_used = adds && first != found.used.end();
        return fmt::format(
            "Line {} tests the counter, and others may {} it before\nline {} does: {} may be "
            "beyond "
            "the limit. Instead of the counter, test {}{}.",
            test, adds ? "add to" : "take from", operation, found.place, found.place,
            !is_used
                ? ""
                : fmt::format(";\nand use {} in line{} {}{}: the counter goes beyond its limit",
                              found.least, found.used.size() > 1 ? "s" : "", *first,
                              found.used.size() > 1 ? fmt::format(" to {}", *last) : ""));
    }
    return fmt::format(
        "Between the test in line {} and the {}() in line {}\nother threads may pass the same "
        "test, "
        "and then the value may go beyond the limit. Change it first, and test the\nold value that "
        "{}() returns: if that does not pass, change it back. Or use a loop of atomicCAS().",
        test, found.operation, operation, found.operation);
}

bool choose_tested_counter(Finding& finding, const Race& race) {
    if (!race.is_one_function || race.both_store() ||
        race.pair.before.is_atomic == race.pair.after.is_atomic)
        return false;
    const Place &test = race.loaded(), &taken = race.stored();
    const TestedCounter found = tested_counter(test.file, test.line, taken.line);
    if (found.operation.empty()) return false;
    advise(finding, taken, Spot::after, Cure::test_index,
           ". " + tested_counter_advice(found, test.line, taken.line));
    return true;
}

bool choose_full_part(Finding& finding, const Race& race) {
    const Place& here = race.here;
    for (const IndexText& each : indexes_of(source_line(here.file, here.line))) {
        const std::string index = without_blanks(each.index);
        const std::size_t sum = index.find('+'), product = index.find('*');
        const auto counts = [&](const std::string& name) {
            if (name.empty()) return false;
            bool found = index.size() > 2 && index.compare(index.size() - 2, 2, "++") == 0;
            for (int line = here.line - 3; line <= here.line + 3 && !found; ++line) {
                const std::string code = without_blanks(code_line(here.file, line));
                found = code.find("for(") == std::string::npos &&
                        (code.find("++" + name) != std::string::npos ||
                         code.find(name + "++") != std::string::npos);
            }
            return found;
        };
        // "out[at++]" and "out[begin[t] + k]", where the thread's part begins at begin[t]
        const std::vector<IndexText> begins = indexes_of(index);
        const std::string place = begins.empty() ? index.substr(0, index.find("++")) : "";
        int defined = here.line;
        const std::string first =
            place.empty() ? index : definition(here.file, here.line, place, &defined);
        const std::vector<IndexText> parts = indexes_of(first);
        if (parts.size() == 1 &&
            is_computed_from(here.file, defined, parts[0].index, "threadIdx") &&
            counts(place.empty() ? last_name(index.substr(index.rfind('+') + 1)) : place)) {
            advise(
                finding, here, Spot::at, Cure::own_items,
                fmt::format(". A thread's part begins at {0}[{1}] (line {2}), and\nline {3} stores "
                            "more than was counted for it, into the part of another thread. Count "
                            "for {0}\nunder the same conditions as those around line {3}, and let "
                            "{0}[{1}] be the sum of the counts\nbefore {1}, without its own.",
                            parts[0].array, without_blanks(parts[0].index), defined, here.line));
            return true;
        }
        if (product == std::string::npos || sum == std::string::npos || product > sum) continue;
        // Each thread must have a part of its own.
        const std::string owner = index.substr(0, product);
        const std::string number_text = definition(here.file, here.line, owner);
        const std::string& number = number_text.empty() ? owner : number_text;
        if (number.find("threadIdx") == std::string::npos ||
            number.find_first_of("[%/") != std::string::npos) {
            continue;
        }
        const std::string part = index.substr(product + 1, sum - product - 1);
        const std::string name =
            last_name(index.substr(sum + 1, index.find('+', sum + 1) - sum - 1));
        if (!counts(name)) continue;
        // If the number is stored for others, it must not count what was left out.
        constexpr int kLines = 15;
        int kept = 0;
        for (int line = here.line + 1; line <= here.line + kLines && kept == 0; ++line) {
            if (code_line(here.file, line).find("__global__") != std::string::npos) break;
            for (const Assignment& set : assignments(here.file, line))
                if (set.value == name && set.target.find('[') != std::string::npos) kept = line;
        }
        advise(finding, here, Spot::at, Cure::test_index,
               fmt::format(
                   ". {} counts on beyond the {} items of a thread's part, into\nthat of the "
                   "next one: {}, or make the parts larger.",
                   name, part,
                   kept == 0 ? "test it before the store"
                             : fmt::format("store and count only while there is room ({} < {}), "
                                           "since line {}\nstores {}",
                                           name, part, kept, name)));
        return true;
    }
    return false;
}

/// "p" of "*p = x", not of "x * p".
static std::set<std::string> pointers_used(const std::string& code) {
    std::set<std::string> made;
    for (std::size_t at = code.find('*'); at != std::string::npos; at = code.find('*', at + 1)) {
        const std::string before = trimmed(code.substr(0, at));
        const bool is_factor =
            !before.empty() &&
            std::string(";{}(,=+-<>&|?:!").find(before.back()) == std::string::npos;
        std::size_t end = at + 1;
        while (end < code.size() && is_word(code[end])) ++end;
        if (!is_factor && end > at + 1) made.insert(code.substr(at + 1, end - at - 1));
    }
    return made;
}

/// What the kernel's line passes for a parameter of the function around the place; empty: nothing.
static std::string passed_for(const Place& place, const Place& kernel, const std::string& name) {
    const FunctionText function = function_around(place.file, place.line);
    if (function.is_kernel || place.file != kernel.file) return {};
    const std::vector<std::string> given = call_arguments(kernel.file, kernel.line, function.name);
    for (std::size_t i = 0; i < std::min(given.size(), function.parameters.size()); ++i) {
        if (last_name(function.parameters[i]) == name) return without_blanks(given[i]);
    }
    return {};
}

/// The definition of a pointer, and its line; of other expressions themselves.
static std::string pointer_value(const std::string& file, int* line, const std::string& name) {
    if (last_name(name) != name) return name;
    std::string made;
    for (bool is_item = true; is_item && *line > 0; --*line) {
        made = definition(file, *line, name, line);
        const std::vector<Assignment> all = assignments(file, *line);
        is_item = !made.empty() && std::any_of(all.begin(), all.end(), [&](const Assignment& each) {
            return each.target == "*" + name;
        });
        if (!is_item) break;
    }
    return made;
}

bool choose_block_part(Finding& finding, const Race& race) {
    if (!race.is_one_function || finding.parties.size() != 2 ||
        finding.parties[0].thread != finding.parties[1].thread) {
        return false;
    }
    const auto parts_in = [](const Place& place, const Place& kernel) {
        std::set<std::string> made;
        const std::string code = source_line(place.file, place.line);
        for (const IndexText& each : indexes_of(code)) {
            const std::string begin = definition(place.file, place.line, each.array);
            const auto has = [&](const char* number) {
                return begin.find(number) != std::string::npos ||
                       is_index_computed_from(place.file, place.line, each.array, number);
            };
            if (has("threadIdx") && !has("blockIdx")) made.insert(each.array);
        }
        for (const std::string& each : pointers_used(code)) {
            std::string name = passed_for(place, kernel, each);
            const Place& at = name.empty() ? place : kernel;
            if (name.empty()) name = each;
            int line = at.line;
            const std::string begin = pointer_value(at.file, &line, name);
            const auto has = [&](const char* number) {
                return is_computed_from(at.file, line, begin, number);
            };
            if (!has("threadIdx") || has("blockIdx")) continue;
            made.insert(name.erase(0, name.front() == '&'));
        }
        return made;
    };
    const std::set<std::string> here = parts_in(race.here, race.kernel_here);
    const std::set<std::string> there = parts_in(race.there, race.kernel_there);
    const auto array = std::find_if(
        here.begin(), here.end(), [&](const std::string& each) { return there.count(each) != 0; });
    if (array == here.end()) return false;
    const std::string sum = race.both_write && race.is_one_line
                                ? update_of(race.here.file, race.here.line).operation
                                : "";
    advise(finding, race.here, Spot::at, sum.empty() ? Cure::own_items : Cure::atomic_update,
           fmt::format("{} {} has threadIdx in it and no\nblockIdx, so all blocks use the same "
                       "items. {}The number of a thread in the grid is\nblockIdx.x * blockDim.x + "
                       "threadIdx.x; there must be items for all of them.",
                       kBlockPart, *array,
                       sum.empty() ? ""
                                   : fmt::format("If each is to be the sum of all blocks, use\n{}. "
                                                 "If not, give each block its own.\n",
                                                 sum)));
    return true;
}

bool choose_extreme(Finding& finding, const Race& race) {
    const Place& here = race.here;
    const int low = race.low, high = race.high;
    if (!race.is_one_function) return false;
    if (low == high && belongs_to_extreme(here.file, low)) return false;
    const Extreme found = extreme_update(here.file, low, high);
    if (found.operation.empty()) return false;
    // An item that each thread chooses for itself needs a barrier instead.
    if (!race.both_write && !is_shared_place(here.file, high, found.target)) return false;
    // The value that is chosen may be a thread's own, from items that another line stores.
    const std::vector<Assignment> stores = assignments(here.file, race.stored().line);
    const auto first_name = [](const std::string& item) {
        const std::vector<std::string> names = names_in(item);
        return names.empty() ? std::string() : names.front();
    };
    if (!race.both_write && !stores.empty() &&
        std::none_of(stores.begin(), stores.end(), [&](const Assignment& each) {
            return first_name(each.target) == first_name(found.target);
        })) {
        return false;
    }
    const int next = std::max(high, branch_around(here.file, high)) + 1;
    const bool has_more =
        !assignments(here.file, next).empty() && belongs_to_extreme(here.file, next);
    advise(finding, here, Spot::at, Cure::atomic_update,
           fmt::format(". Between the test and the store of one thread, another\nmay store: use "
                       "{}({}, {}) in place of both, or for types that it does not\nhave a loop of "
                       "atomicCAS().",
                       found.operation, address_of(found.target),
                       found.value.empty() ? "its value" : found.value));
    if (has_more) {
        finding.advice = fmt::format(
            ". Between the test and the store of one thread, another\nmay store, and line {} "
            "stores what belongs to it: put both into one word of 64 bits, the value in its\n"
            "upper half, and use one {}() of that; or take a lock around both.",
            next, found.operation);
    }
    return true;
}

bool choose_one_result(Finding& finding, const Race& race) {
    const Place& here = race.here;
    if (!race.is_one_line || !race.both_write || race.is_update()) return false;
    const std::vector<Assignment> stores = assignments(here.file, here.line);
    if (stores.empty() || !is_in_branch(here.file, here.line)) return false;
    const std::string& target = stores.front().target;
    const bool belongs = belongs_to_extreme(here.file, here.line);
    if (!belongs && !is_one_place(target)) return false;
    put(finding, here, Spot::at);
    finding.cure = Cure::own_items;
    if (belongs) {
        finding.advice = fmt::format(
            ". Line {} stores what belongs to the largest or smallest\nvalue, and another thread "
            "may store its own in between. Put both into one word of 64 bits, the value\nin its "
            "upper half, and let one atomicMax() or atomicMin() store it; or take a lock around "
            "both.",
            here.line);
        return true;
    }
    const int branch = branch_around(here.file, here.line);
    const std::string condition = condition_of(source_line(here.file, branch));
    if (!race.pair.same_block && condition.find("==") != std::string::npos &&
        is_computed_from(here.file, branch, condition, "threadIdx") &&
        !is_computed_from(here.file, branch, condition, "blockIdx")) {
        const std::string& value = stores.front().value;
        finding.cure = Cure::atomic_update;
        finding.advice = fmt::format(
            ". One thread of each block stores its result there, and\nonly that of the last block "
            "remains. For the sum of all blocks use atomicAdd({}, {}), for the\nlargest or "
            "smallest "
            "atomicMax() or atomicMin(), on a first value that is stored before the launch. "
            "If\neach "
            "block is to keep its own, store it to {}[blockIdx.x], with an item for each.",
            address_of(target), value,
            names_in(target).empty() ? target : names_in(target).front());
        return true;
    }
    finding.advice = fmt::format(
        ". Several threads pass the test in line {} and store\nto the same place; any of them may "
        "be the last. If the smallest or the largest value is wanted, use\natomicMin() or "
        "atomicMax() on {}, which begins with a value that loses; if any one is,\natomicCAS().",
        branch, target);
    return true;
}

bool choose_counter(Finding& finding, const Race& race) {
    const Place& here = race.here;
    if (!race.is_one_line || !race.is_update()) return false;
    const std::string operation = counter_of(here.file, here.line);
    const std::string item =
        operation.substr(0, operation.find(',')).substr(operation.find('(') + 1);
    const bool is_name = item == "&" + last_name(item);
    if (operation.empty() || (is_name && last_name(item) != array_of(finding))) return false;
    advise(finding, here, Spot::at, Cure::atomic_update,
           fmt::format(". Each thread is to get a number of its own, but between the\nload and the "
                       "store of one thread another may load. Let one operation do both: {}.\nIt "
                       "returns the old value.",
                       operation));
    return true;
}

namespace {

Exchanged exchanged_in(const Race& race) {
    const Place &here = race.kernel_here, &there = race.kernel_there;
    if (here.file != there.file || here.function != there.function) return {};
    return exchanged_items(here.file, race.kernel_low, race.kernel_high);
}

}  // namespace

int line_of_exchange(const Race& race) { return exchanged_in(race).line; }

bool choose_partner(Finding& finding, const Race& race) {
    const Place& here = race.kernel_here;
    const int low = race.kernel_low, high = race.kernel_high;
    const Exchanged items = exchanged_in(race);
    const int loop = loop_around(here.file, low);
    if (items.one.empty() || lacks_in_some_rounds(race) != 0 ||
        (!race.pair.same_block && barrier_of_rounds(race) != 0)) {
        return false;
    }
    // Rounds of a loop race with each other, unless a barrier is between them.
    if (loop != 0 && barrier_in_loop(here.file, low, high) == 0) {
        if (!race.pair.same_block) return false;
        put_in_loop(finding, here, race.kernel_there);
        finding.cure = Cure::block_barrier;
        finding.advice = fmt::format(
            ". Each round of the loop in line {} exchanges what others\nhave exchanged in the one "
            "before it: end each round with __syncthreads(), which all threads reach.",
            loop);
        return true;
    }
    const auto index = [](const std::string& item) {
        const std::string text = item.substr(item.find('[') + 1, item.size() - item.find('[') - 2);
        return text.find_first_of("&|^?") != std::string::npos ? "(" + text + ")" : text;
    };
    const std::string one = index(items.one), other = index(items.other);
    const int branch = branch_around(here.file, low);
    const std::string condition = condition_of(source_line(here.file, std::max(branch, 1)));
    for (const char order : {'<', '>'}) {
        if (condition.find(fmt::format("{}{}{}", one, order, other)) != std::string::npos ||
            condition.find(fmt::format("{}{}{}", other, order, one)) != std::string::npos) {
            return false;  // only one of them does it
        }
    }
    const bool is_not_equal = condition.find("!=") != std::string::npos;
    put(finding, here.file, items.line, Spot::at);
    finding.cure = Cure::own_items;
    finding.advice = fmt::format(
        ". {} and {} are exchanged, and the thread of the\nother item may exchange "
        "the same two: let only one of the two do it, the thread\nwith {} < "
        "{}{}.",
        items.one, items.other, one, other,
        is_not_equal ? fmt::format(" (in place of != in line {})", branch) : "");
    return true;
}

bool choose_exchange(Finding& finding, const Race& race) {
    const RacingAccess& mine = race.pair.after;
    if (!race.both_write || mine.load == kNoSite) return false;
    const Place& store = race.here;
    Place load = place_of(mine.load);
    if (store.file != load.file || store.line != race.there.line) return false;
    std::string operation = exchange_of(store.file, load.line, store.line);
    // "old = *p;" above "*p += v;", which loads it once more.
    if (operation.empty() && load.line == store.line)
        operation = exchange_of(store.file, --load.line, store.line);
    if (operation.empty()) return false;
    if (!race.pair.same_block && choose_block_part(finding, race)) return true;
    advise(finding, store, Spot::at, Cure::atomic_update,
           fmt::format("{}another thread may store. Let one operation do both{}:\n{}{}.",
                       load.line == store.line
                           ? ". Between the load and the store\n"
                           : fmt::format(". Between the load in line {} and the store in line {}\n",
                                         load.line, store.line),
                       load.line == store.line ? "" : ", in place of the two lines", operation,
                       site(mine.site).bytes == 8 && operation.find("Exch") != std::string::npos
                           ? "\n(a pointer is converted to unsigned long long)"
                           : ""));
    // Both are the same thread of their blocks: perhaps no item was meant to be shared.
    if (!race.pair.same_block && operation == "a loop of atomicCAS()" &&
        finding.parties.size() == 2 && finding.parties[0].thread == finding.parties[1].thread) {
        finding.advice +=
            "\nIf each thread is to have an item of its own, there must be one for each thread "
            "of the grid, with the\nindex blockIdx.x * blockDim.x + threadIdx.x.";
    }
    return true;
}

bool choose_lock(Finding& finding, const Race& race) {
    const Place &one = race.there, &other = race.here;
    if (!race.is_one_function) return false;
    const Lock first = lock_around(one.file, one.line), second = lock_around(one.file, other.line);
    if ((first.taken != 0) == (second.taken != 0)) return false;
    const bool is_first = first.taken != 0;
    const Lock& lock = is_first ? first : second;
    const Place &inside = is_first ? one : other, &outside = is_first ? other : one;
    if (!(is_first ? race.pair.before : race.pair.after).stores) return false;
    const bool stores = (is_first ? race.pair.after : race.pair.before).stores;
    advise(finding, outside, Spot::at, Cure::own_items,
           fmt::format(". Line {} writes it with the lock of line {}, and line {} {} it\nwithout "
                       "that lock: {} it between lines {} and {}, where the thread holds the lock.",
                       inside.line, lock.taken, outside.line, stores ? "writes" : "reads",
                       stores ? "write" : "read", lock.taken, lock.released));
    return true;
}

bool choose_early_release(Finding& finding, const Race& race) {
    const Place &one = race.kernel_there, &other = race.kernel_here;
    const auto copies = [](const Place& place) {
        return source_line(place.file, place.line).find("memcpy_async") != std::string::npos;
    };
    const bool is_first = copies(race.there);
    if (!share_loop(one, other) || is_first == copies(race.here)) return false;
    const int load = (is_first ? other : one).line;
    const int release =
        line_in_loop(one.file, race.kernel_low, race.kernel_high, {"consumer_release"});
    if (release == 0 || release >= load) return false;
    advise(finding, {one.file, load, {}}, Spot::after, Cure::block_barrier,
           fmt::format(". Line {} releases the buffer before line {} has read it, and the next\n"
                       "copy fills it: call consumer_release() after the last load.",
                       release, load));
    return true;
}

bool choose_plain_wait(Finding& finding, const Race& race) {
    const Place &store = race.stored(), &load = race.loaded();
    if (race.both_store() || !is_wait(load.file, load.line)) return false;
    advise(finding, load, Spot::at, Cure::atomic_access,
           fmt::format(". Line {} waits for this word, but a plain load may be made only once, "
                       "before the\nloop: declare the word volatile, or use cuda::atomic_ref in "
                       "lines {} and {}.",
                       load.line, load.line, store.line));
    return true;
}

/// Whether one of these lines says the name and one of the two words.
static bool says(const std::string& file, int first, int last, const std::string& name,
                 const char* one, const char* other) {
    for (int line = std::max(1, first); line <= last; ++line) {
        const std::string code = code_line(file, line);
        if (find_word(code, name) != std::string::npos &&
            (code.find(one) != std::string::npos || code.find(other) != std::string::npos)) {
            return true;
        }
    }
    return false;
}

/// A lane counts in a branch, and a shuffle below takes the number from another lane; empty: not
/// known.
static std::string other_lane(const std::string& file, int line, int last, const std::string& name,
                              int branch) {
    const std::string condition = condition_of(code_line(file, branch));
    const std::size_t sign = condition.find("==");
    std::string sides[] = {condition.substr(0, sign), condition.substr(sign + 2)};
    int where = 0;
    const auto is_lane = [&](const std::string& text) {
        const std::string value = without_blanks(computation(file, branch, text, &where));
        const bool has_lanes = value.find("&31") < value.size() ||
                               value.find("%32") < value.size() ||
                               value.find("%warpSize") < value.size();
        return value.find("threadIdx.x") <= 1 && has_lanes;
    };
    if (is_lane(sides[1])) std::swap(sides[0], sides[1]);
    if (!is_lane(sides[0])) return {};
    for (int at = line; at <= last; ++at) {
        const std::vector<std::string> given = call_arguments(file, at, "__shfl_sync");
        if (given.size() < 3 || without_blanks(given[1]) != name) continue;
        const std::string lane = without_blanks(given[2]);
        const std::string value = without_blanks(computation(file, at, lane, &where));
        const std::string mine = without_blanks(computation(file, branch, sides[1], &where));
        if (lane == sides[1] || value == mine || mine.find("__popc") < mine.size()) return {};
        return fmt::format(
            ". Line {} lets only lane {} count, and line {} takes {} from\nlane {}{}, where it "
            "keeps "
            "its first value: take it from the lane of line {}.",
            branch, sides[1], at, name, lane, lane == value ? "" : " = " + value, branch);
    }
    return {};
}

bool choose_lone_value(Finding& finding, const Race& race) {
    constexpr int kAbove = 60, kBelow = 15;
    const Place& store = race.here;
    if (!race.both_write || !race.is_one_line || race.is_update()) return false;
    const int kernel = function_around(store.file, store.line).line;
    for (int line = std::max(1, store.line - kAbove); line < store.line; ++line) {
        const int branch = branch_around(store.file, line);
        const std::string condition = condition_of(source_line(store.file, branch));
        if (branch == 0 || condition.find("==") == std::string::npos) continue;
        // A store in that branch is made by the thread that has got the number.
        if (is_in_branch_of(store.file, branch, store.line)) continue;
        const FunctionText function = function_around(store.file, line);
        if (function.line != kernel &&
            !says(store.file, kernel, store.line, function.name, "(", "<")) {
            continue;
        }
        int last = line;  // of the function
        while (last < line + kBelow &&
               code_line(store.file, last + 1).find("__global__") == std::string::npos &&
               code_line(store.file, last + 1).find("__device__") == std::string::npos) {
            ++last;
        }
        for (const Assignment& each : assignments(store.file, line)) {
            const bool is_counted = each.value.rfind("atomicAdd(", 0) == 0 ||
                                    each.value.find(".fetch_add(") != std::string::npos;
            const std::string& name = each.target;
            if (!is_counted || name_before(name, name.size()) != name) continue;
            if (says(store.file, function.line, line, name, "__shared__", "shfl")) continue;
            if (const std::string from = other_lane(store.file, line, last, name, branch);
                !from.empty()) {
                advise(finding, {store.file, line, {}}, Spot::after, Cure::own_items, from);
                return true;
            }
            if (says(store.file, line, last, name, "shfl", "broadcast")) continue;
            advise(finding, {store.file, line, {}}, Spot::after, Cure::own_items,
                   fmt::format(". Only the thread for which {} (line {})\nhas got {} in line {}; "
                               "in the others it keeps its first value. Hand it to all of them:\n"
                               "{} = __shfl_sync(mask, {}, lane of that thread).",
                               condition, branch, name, line, name, name));
            return true;
        }
    }
    return false;
}

bool choose_test_and_set(Finding& finding, const Race& race) {
    const Place& here = race.here;
    if (!race.is_one_function) return false;
    if (race.pair.before.is_atomic || race.pair.after.is_atomic) return false;
    TestAndSet found = test_and_set(here.file, race.low, race.high);
    if (found.store == 0 && !race.both_store()) {
        found = tested_store(here.file, race.loaded().line, race.stored().line);
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
        site(race.pair.after.site).bytes < 4
            ? "\nThere are no such operations for single bytes: make it an array of int."
            : "");
    return true;
}

/// With the conversion that an integer of 8 bytes takes.
static std::string converted(std::string operation, const Place& place, const std::string& name,
                             std::uint32_t bytes) {
    const std::string type = type_of(place.file, place.line, name).type;
    const bool is_integer = type.find("long") != std::string::npos ||
                            type.find("int64") != std::string::npos ||
                            type.find("size_t") != std::string::npos;
    if (bytes == 8 && is_integer && type.find("unsigned") == std::string::npos)
        operation.insert(operation.find('(') + 1, "(unsigned long long*)");
    return operation;
}

/// Two lines load an item and store it, and so do the two lines of the other thread.
static bool choose_split_updates(Finding& finding, const Race& race) {
    const SplitUpdate first = split_update_at(race.here.file, race.low),
                      second = split_update_at(race.here.file, race.high);
    for (const SplitUpdate& each : {first, second}) {  // a swap's lines are of two items
        if (each.operation.find("= atomicAdd(") == std::string::npos &&
            each.operation.find("= atomicSub(") == std::string::npos) {
            return false;
        }
    }
    put(finding, race.here.file, first.load, Spot::at);
    finding.cure = Cure::atomic_update;
    finding.advice =
        fmt::format("{} {} and {} another thread may\nstore. Let one operation do both: {}",
                    kSplitUpdate, first.load, first.store, first.operation);
    if (second.load != first.load) {
        finding.advice += fmt::format(",\nand so in lines {} and {}: {}", second.load, second.store,
                                      second.operation);
    }
    finding.advice += '.';
    return true;
}

bool choose_updates(Finding& finding, const Race& race) {
    const Place &here = race.here, &there = race.there;
    if (!race.is_one_file) return false;
    if (choose_split_updates(finding, race)) return true;
    ItemUpdate mine = update_of(here.file, here.line), other = update_of(there.file, there.line);
    if (mine.operation.empty() || other.operation.empty()) return false;
    const bool is_array = mine.target.back() == ']' && mine.name() == other.name();
    // Whether all threads that are here mean that place, or one that depends on what they have
    // read; `is_uniform`: of an array, without a thread's number in the index.
    bool is_uniform = false;
    const auto is_shared = [&](const Place& place, ItemUpdate& update) {
        const std::string name = update.name();
        const std::string condition =
            condition_of(source_line(place.file, branch_around(place.file, place.line)));
        const AccessSite& access = site(race.pair.after.site);
        if (!function_around(place.file, place.line).is_kernel || access.bytes < 4 ||
            find_word(condition, name) != std::string::npos ||
            is_computed_from(place.file, place.line, name, "threadIdx")) {
            return false;
        }
        update.operation = converted(update.operation, place, name, access.bytes);
        if (is_shared_place(place.file, place.line, update.target)) return true;
        is_uniform = true;
        const std::size_t open = update.target.find('[');
        const std::string index = update.target.substr(std::min(open, update.target.size()));
        return open != std::string::npos &&
               !is_computed_from(place.file, place.line, index, "threadIdx") &&
               !is_computed_from(place.file, place.line, index, "thread_rank");
    };
    const bool are_shared = is_shared(here, mine) && is_shared(there, other);
    if (!are_shared && (!is_array || (race.is_one_line && race.both_write))) return false;
    put(finding, here, Spot::at);
    finding.cure = Cure::atomic_update;
    const ItemUpdate& first = here.line < there.line ? mine : other;
    const ItemUpdate& second = here.line < there.line ? other : mine;
    finding.advice = fmt::format(
        ". {} the item, and between the load and\nthe store of one thread another may store: use "
        "{}{}.",
        race.is_one_line ? fmt::format("Line {} changes", race.low)
                         : fmt::format("Lines {} and {} both change", race.low, race.high),
        first.operation,
        race.is_one_line ? ""
                         : fmt::format(" in line {},\nand {} in line {}", race.low,
                                       second.operation, race.high));
    if (are_shared && is_uniform) {
        finding.advice.insert(finding.advice.size() - 1,
                              ",\nif the sum of these threads is meant; if not, give each an item "
                              "of its own");
    }
    return true;
}

std::string atomic_for(const Race& race) {
    const Place& update = race.here;
    const std::uint32_t bytes = site(race.pair.after.site).bytes;
    const std::string code = code_line(update.file, update.line);
    if (bytes < 4)
        return "an array of int and an atomic operation (there is none for less than 4 bytes)";
    for (const char* const sign : {"*=", "/=", "%=", "<<=", ">>="}) {
        if (code.find(sign) != std::string::npos)
            return fmt::format("a loop of atomicCAS() (no atomic operation does {})", sign);
    }
    const ItemUpdate made = update_of(update.file, update.line);
    return made.operation.empty() || !race.is_one_line
               ? "an atomic operation"
               : converted(made.operation, update, made.name(), bytes);
}

bool is_same_ticket(const Race& race) {
    return race.both_write && race.is_one_line && !race.is_update() &&
           is_index_from(race.here.file, race.here.line, "atomic");
}

std::string counter_of_block(const Race& race) {
    const Place& here = race.here;
    if (race.pair.same_block) return {};
    const int kernel = function_around(here.file, here.line).line;
    std::string counter;
    for (int line = here.line; kernel != 0 && line >= kernel; --line) {
        const std::vector<std::string> given = call_arguments(here.file, line, "atomicAdd");
        if (counter.empty() && !given.empty()) counter = last_name(given.front());
        const std::string code = code_line(here.file, line);
        if (!counter.empty() && code.find("__shared__") != std::string::npos &&
            find_word(code, counter) != std::string::npos) {
            return counter;
        }
    }
    return {};
}

bool choose_overlap(Finding& finding, const Race& race) {
    if (finding.title.find('[') == std::string::npos) return false;  // not shared memory
    const Place &here = race.here, &there = race.there;
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
    advise(finding, late, Spot::at, Cure::own_items,
           fmt::format(". Both are in {}: do {} and {} overlap? Let each begin\nafter the last "
                       "item of the one before it: an offset added to a char* counts bytes, and "
                       "one added to a\nfloat* counts floats. Only if they are to share their "
                       "memory, put a __syncthreads() between the two uses.",
                       whole, one, other));
    return true;
}

bool choose_random_state(Finding& finding, const Race& race) {
    const Place& here = race.here;
    const std::string first = state_of(here.file, race.low);
    const std::string state = first.empty() ? state_of(here.file, race.high) : first;
    const std::string name = last_name(state);
    if (!state.empty() && race.is_one_function && !share_lock(race) &&
        find_word(code_line(here.file, race.low), name) != std::string::npos &&
        find_word(code_line(here.file, race.high), name) != std::string::npos) {
        std::vector<std::string> from{state};
        const FunctionText function = function_around(here.file, here.line);
        for (int line = std::max(function.line, 1); line < here.line; ++line) {
            const std::string code = without_blanks(code_line(here.file, line));
            const std::size_t at = code.find("&" + state + "=");  // a reference
            if (at != std::string::npos) from.push_back(code.substr(at + state.size() + 2));
        }
        bool has_own = std::any_of(from.begin(), from.end(), [&](const std::string& each) {
            return is_computed_from(here.file, here.line, each, "threadIdx");
        });
        const Place& kernel = race.kernel_here;
        if (!function.is_kernel) {
            for (const std::string& each : call_arguments(kernel.file, kernel.line, function.name))
                has_own = has_own || is_computed_from(kernel.file, kernel.line, each, "threadIdx");
        }
        if (!has_own) {
            advise(finding, here, Spot::at, Cure::own_items,
                   fmt::format("{} {} is made from the last one (line {}),\nand no atomic "
                               "operation does that: give each thread of the grid one of its own, "
                               "which begins with a\ndifferent value in each; or, if there is to "
                               "be one sequence, let one thread do all of it.",
                               kNextState, state, first.empty() ? race.high : race.low));
            return true;
        }
    }
    if (source_line(here.file, here.line).find("curand") == std::string::npos) return false;
    advise(finding, here, Spot::at, Cure::own_items,
           ". A generator's state is for one thread, and each number\nchanges it: give each thread "
           "of the grid a state of its own.");
    return true;
}

}  // namespace lab
