#include <algorithm>
#include <array>
#include <cstring>

#include "index_source.hpp"
#include "race_updates.hpp"
#include "rules.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_words.hpp"

namespace lab {

namespace {

std::array<unsigned char, kWordBytes> shared_bytes(std::uintptr_t word, unsigned shared) {
    std::array<unsigned char, kWordBytes> made{};
    for (std::size_t i = 0; i < kWordBytes; ++i) {
        if ((shared >> i & 1u) != 0) made[i] = reinterpret_cast<const unsigned char*>(word)[i];
    }
    return made;
}

}  // namespace

/// Two lines use two of the kernel's arguments, and these are parts of one array that overlap; else
/// empty.
std::string DataRace::overlapping_arguments(const Access& access, const Stamp& other) {
    const Place here = place_of(access.site), there = place_of(other.site);
    const Watched* const memory = run_.is_shared(access.address) || here.line == there.line
                                      ? nullptr
                                      : run_.watched_at(access.address);
    const FunctionText kernel = function_around(here.file, here.line);
    if (memory == nullptr || !kernel.is_kernel || here.file != there.file ||
        kernel.line != function_around(there.file, there.line).line) {
        return {};
    }
    const emulator::LaunchArgument* used[2] = {};
    std::string names[2];
    for (const int at : {0, 1}) {
        const int line = at == 0 ? here.line : there.line;
        for (const emulator::LaunchArgument& each : run_.arguments) {
            const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(each.pointer);
            if (each.kind != emulator::LaunchArgument::Kind::data ||
                begin - memory->begin >= memory->bytes) {
                continue;
            }
            const std::string name = last_name(kernel.parameter(each.position));
            const std::vector<IndexText> all = indexes_of(source_line(here.file, line));
            if (std::none_of(all.begin(), all.end(),
                             [&](const IndexText& index) { return index.array == name; })) {
                continue;
            }
            if (used[at] != nullptr) return {};
            used[at] = &each;
            names[at] = name;
        }
    }
    if (used[0] == nullptr || used[1] == nullptr || used[0]->pointer == used[1]->pointer) return {};
    const int first = used[0]->pointer < used[1]->pointer ? 0 : 1;
    const std::ptrdiff_t apart = static_cast<const char*>(used[1 - first]->pointer) -
                                 static_cast<const char*>(used[first]->pointer);
    const std::string parts =
        fmt::format(". {} and {} are parts of one array: {} begins\n{} bytes after {}",
                    names[first], names[1 - first], names[1 - first], apart, names[first]);
    // Of as many items as an argument says, none shorter than an access: then an index is wrong.
    constexpr std::ptrdiff_t kMaxItemBytes = 64;
    const auto is_size = [&](const emulator::LaunchArgument& each) {
        return each.kind == emulator::LaunchArgument::Kind::number && each.number > 1 &&
               apart % each.number == 0 && apart / each.number <= kMaxItemBytes &&
               apart / each.number >= static_cast<std::ptrdiff_t>(access.bytes);
    };
    const auto size = std::find_if(run_.arguments.begin(), run_.arguments.end(), is_size);
    if (size == run_.arguments.end()) {
        return fmt::format(
            "{}, which goes on beyond that. Is its offset in bytes, and large enough?", parts,
            names[first]);
    }
    // What belongs to the second part was used as an item of the first, or the other way round.
    const bool is_beyond =
        access.address >= reinterpret_cast<std::uintptr_t>(used[1 - first]->pointer);
    const int wrong = is_beyond ? first : 1 - first;
    const int line = wrong == 0 ? here.line : there.line;
    const std::string count = last_name(kernel.parameter(size->position));
    for (const IndexText& each : indexes_of(source_line(here.file, line))) {
        if (each.array != names[wrong]) continue;
        return fmt::format(
            "{}: {} has {} items, {}.\nLine {} uses one {}: use {}[{}] there only if {} {} {}.",
            parts, names[first], size->number, count, line,
            is_beyond ? "after the last of them" : "before the first of its own", names[wrong],
            each.index, each.index, is_beyond ? "<" : ">=", is_beyond ? count : "0");
    }
    return {};
}

/// A launch passes one array for two arguments, of which blocks read one and store to the other;
/// else empty.
std::string DataRace::one_array_for_two(const Access& access, const Stamp& other) {
    const bool is_load = !access.is_store;
    const Place loads = place_of(is_load ? access.site : other.site),
                stores = place_of(is_load ? other.site : access.site);
    const FunctionText kernel = function_around(loads.file, loads.line);
    const std::vector<Assignment> set = assignments(stores.file, stores.line);
    const Watched* const memory = run_.watched_at(access.address);
    if (memory == nullptr || set.empty() || run_.is_shared(access.address) || !kernel.is_kernel ||
        loads.file != stores.file ||
        kernel.line != function_around(stores.file, stores.line).line) {
        return {};
    }
    const std::string to = last_name(set.front().target.substr(0, set.front().target.find('[')));
    std::string from;
    const void *stored = nullptr, *loaded = nullptr;
    for (const emulator::LaunchArgument& each : run_.arguments) {
        if (each.kind != emulator::LaunchArgument::Kind::data) continue;
        const std::string name = last_name(kernel.parameter(each.position));
        if (name == to) stored = each.pointer;
        const std::vector<IndexText> all = indexes_of(source_line(loads.file, loads.line));
        if (name != to && std::any_of(all.begin(), all.end(), [&](const IndexText& index) {
                return index.array == name;
            })) {
            from = name;
            loaded = each.pointer;
        }
    }
    if (stored == nullptr || stored != loaded) return {};
    return fmt::format(
        ". The launch in line {} passes one array as {} and as {},\nso a block reads what others "
        "have stored already: pass another array as {}. After a launch that is\nrepeated, exchange "
        "the two pointers. (If one block is to do all of it, launch only one.)",
        run_.launched.site.line, from, to, to);
}

void DataRace::report(const Access& access, std::uintptr_t word, unsigned shared, const Cell& cell,
                      const Stamp& other, bool other_stores, const AwaitedCopy& awaited) {
    // Some copies have landed and others have not: the wait is too late.
    if (run_.has_async_copies) {
        const FindingList::Key use =
            AwaitedCopy::key(access.site, source_place(place_of(other.site)));
        if (findings_.is_known(use) || awaited.is_known(use)) return;
        if (awaited.is_late(source_place(place_of(access.site))) ||
            awaited.is_late(source_place(place_of(other.site)))) {
            return;
        }
    }
    const FindingList::Key key = findings_.key_of(Fault::race, access.site, other.site);
    const bool is_shared = run_.is_shared(access.address);
    const std::uint32_t now = is_shared ? run_.block->serial : run_.epoch();
    const bool both_store = access.is_store && other_stores;
    const bool is_one_line = place_of(access.site).line == place_of(other.site).line;
    const bool is_one_store = both_store && is_one_line;
    // The thread has read the word, as in `x += 1`. A read by another line matters only if both
    // threads store the word on one line.
    SiteId load = kNoSite;
    const auto is_own = [&](const Users& read) {
        const unsigned thread = static_cast<unsigned>(run_.number);
        if (read.epoch != now || read.block != run_.block->clock.block || !read.holds(thread) ||
            read.is_atomic != 0) {
            return false;
        }
        load = read.of(thread).site;
        return is_one_store || place_of(load).line == place_of(access.site).line;
    };
    const bool is_update = access.is_store && cell.any_read(is_own);
    const Traits& other_traits = site(other.site).traits;
    RacePair pair;
    pair.before = {other.site, other_stores, other.is_atomic != 0,
                   other_traits.is_volatile != 0 && !is_shared};
    pair.after = {access.site,        access.is_store, access.is_atomic,
                  access.is_volatile, is_update,       is_update ? load : kNoSite};
    pair.same_block = other.block == run_.block->clock.block;
    pair.same_warp = pair.same_block && other.thread / 32 == run_.number / 32;
    pair.is_block_one_warp = run_.block->block->indices.size() <= 32;
    const auto note_atomic = [&](const AccessSite& at) {
        const bool is_atomic = at.kind == Kind::atomic || at.traits.is_atomic != 0;
        if (is_atomic) pair.atomic_bytes = std::max(pair.atomic_bytes, at.bytes);
    };
    note_atomic(site(access.site));
    note_atomic(site(other.site));
    cell.each_atomic([&](const Users& atomic) {
        if (atomic.epoch == now) note_atomic(site(atomic.site));
    });
    pair.warp = run_.number / 32;
    pair.last_barrier = run_.block->barrier;
    // If one of the two is the atomic operation, a fence would not help.
    const bool is_operation = (access.is_atomic && !access.is_volatile) ||
                              (other.is_atomic && other_traits.is_volatile == 0);
    pair.lack = is_operation
                    ? Lack::no_fence
                    : run_.order.lacks_fence(other, other_stores, run_.block->clock, run_.number);
    // Volatile data may be meant to be read at any time, unless an atomic operation announces them:
    // then the CUDA programming guide has a fence before it, and none after it.
    const bool is_data = (!access.is_atomic && site(access.site).traits.is_volatile) ||
                         (!other.is_atomic && other_traits.is_volatile);
    const bool is_announced =
        pair.lack == Lack::both_fences || pair.lack == Lack::fence_before_release;
    const bool is_last_block = both_store && pair.lack == Lack::fence_after_acquire;
    if (is_data && !is_shared &&
        (is_operation || (!is_announced && (!both_store || is_last_block)))) {
        return;
    }
    const bool is_said_better = cures_.add(key, pair);
    cures_.note_overlap(key, is_said_better, [&] {
        if (pair.same_block && is_shared) {
            std::string row = IndexSource(run_, access).beyond_row();
            if (row.empty()) {
                Access theirs = access;
                theirs.site = other.site;
                row = IndexSource(run_, theirs, place_of(other.site), other.thread).beyond_row();
            }
            if (!row.empty()) return ". " + row;
        }
        std::string one = pair.same_block || both_store ? "" : one_array_for_two(access, other);
        if (!one.empty()) return one;
        const std::string counted = pair.same_block ? "" : counted_before(access, other);
        return counted.empty() ? overlapping_arguments(access, other) : counted;
    });
    if (is_one_line && findings_.find(key) == nullptr) {
        cures_.note_index(access.site, [&] {
            const IndexSource source(run_, access);
            std::string fault = is_one_store ? source.stride_fault() : std::string();
            if (fault.empty() && pair.same_block && is_shared)
                fault = source.thread_number_fault(other.thread);
            const Place kernel = kernel_place_of(access.site);
            return fault.empty()
                       ? IndexSource(run_, access, kernel).step_of_one_block(!pair.same_block)
                       : fault;
        });
    }
    if (!both_store && !is_said_better && findings_.is_known(key)) return;
    Race race{access,
              other,
              pair,
              run_.worker->launch->kernel_name(),
              target(run_, access.address, access.bytes).item,
              fmt::format("{} of block {}", who(run_, run_.number), run_.block->index),
              fmt::format("{} of block {}",
                          pair.same_block ? who(run_, other.thread)
                                          : fmt::format("thread {}", other.thread),
                          other.block),
              static_cast<std::int64_t>(run_.block->index),
              run_.number};
    if (Finding* const known = findings_.find(key); known != nullptr && is_said_better) {
        const std::uint64_t times = known->times + 1;
        *known = race_finding(race);
        known->times = times;
        return;
    }
    // An atomic operation reads as well, so it matters even if it changes nothing.
    if (!both_store || is_operation) {
        findings_.add(key, race_finding(race));
        return;
    }
    // Equal values hide that two threads mean different items, unless their index tells.
    if (is_one_store && !is_shared) {
        const auto [at, fresh] = strides_.try_emplace(access.site, false);
        const Watched* const memory = fresh ? run_.watched_at(access.address) : nullptr;
        if (memory != nullptr) {
            const std::size_t items = memory->bytes / access.bytes;
            at->second =
                !IndexSource(run_, access).stride_fault(static_cast<std::int64_t>(items)).empty();
        }
        if (at->second) {
            if (!findings_.is_known(key)) findings_.add(key, race_finding(race));
            return;
        }
    }
    pending_.push_back({word, shared, shared_bytes(word, shared), std::move(race), key});
}

/// It takes a while, and is not worth it for two stores of the same value.
Finding DataRace::race_finding(const Race& race) {
    const auto of = [](const std::string& who, std::int64_t block, int thread,
                       const RacingAccess& it) {
        const bool is_free = site(it.site).traits.is_free != 0;
        Party made = party_at(source_place(place_of(it.site)), who,
                              is_free     ? "frees it"
                              : it.stores ? "writes it"
                                          : "reads it",
                              block, thread);
        made.call = source_place(call_of(it.site));
        return made;
    };
    Finding made = finding(run_, Fault::race, "race",
                           race.pair.same_block ? "race within a block" : "race between blocks",
                           of(race.mine, race.block, race.thread, race.pair.after));
    made.kernel = race.kernel;
    made.title += ", on " + race.item;
    made.parties.push_back(of(race.theirs, race.other.block, race.other.thread, race.pair.before));
    put_places(made);
    made.evidence = "Nothing orders the two";
    return made;
}

void DataRace::note_load_before(const Access& access, const Cell& cell, const Stamp& now) {
    const bool is_swap = site(access.site).traits.is_swap;
    if (is_swap) {
        constexpr std::uint64_t kMaxThreads = 1024;
        const std::uint64_t thread =
            run_.block->index * kMaxThreads + static_cast<std::uint64_t>(run_.number);
        cures_.note_claim(access.site, thread, [&] {
            return finding(run_, Fault::backend, "endless_retry", "endless retry",
                           party(run_, access, "compares and swaps"));
        });
    }
    cell.each_read([&](const Users& read) {
        if (read.epoch == now.epoch && read.block == now.block && read.holds(now.thread) &&
            !read.is_atomic) {
            cures_.load_then_atomic(read.of(now.thread).site, is_swap);
        }
    });
}

void DataRace::note_wait(const Access& access) {
    constexpr std::size_t kMaxWords = 64;
    if (access.site == no_wait_) return;
    const auto [at, fresh] = waits_.try_emplace(access.site);
    if (fresh) {
        const Place here = place_of(access.site);
        condition_of(code_line(here.file, here.line), &at->second);
    }
    if (!at->second) {
        no_wait_ = access.site;
        return;
    }
    if (counted_.size() >= kMaxWords || access.bytes > sizeof(std::uint64_t)) return;
    const auto [word, is_new] = counted_.try_emplace(access.address);
    Counted& counted = word->second;
    if (counted.launch == run_.launch_count) return;
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address), access.bytes);
    if (is_new) counted.first = value;
    counted.now = value;
    counted.launch = run_.launch_count;
    counted.site = access.site;
}

std::string DataRace::counted_before(const Access& access, const Stamp& other) {
    const Place here = kernel_place_of(access.site), there = kernel_place_of(other.site);
    for (const auto& [address, each] : counted_) {
        const Place wait = kernel_place_of(each.site), loop = place_of(each.site);
        if (each.launch != run_.launch_count || each.now <= each.first || wait.file != here.file ||
            wait.file != there.file || wait.line <= std::min(here.line, there.line) ||
            wait.line >= std::max(here.line, there.line)) {
            continue;
        }
        const std::string item = target(run_, address, kWordBytes).item;
        const std::string name = item.rfind("item ", 0) == 0 ? "the counter" : item;
        return fmt::format(
            ". The wait in line {} is to order the two, but an earlier launch\nhas counted there: "
            "when the first thread waits, it finds {} in this launch, and {} in the first one. "
            "Set\n"
            "{} back to 0 before each launch.",
            loop.line, each.now, each.first, name);
    }
    return {};
}

void DataRace::check_test_before(const Access& access, const Cell& cell, const Stamp& now) {
    SiteId test = kNoSite;
    const auto look = [&](const Users& use) {
        if (use.epoch != now.epoch || use.block != now.block || use.is_atomic == 0) return;
        if (use.holds(now.thread) && use.of(now.thread).site != access.site)
            test = use.of(now.thread).site;
    };
    cell.each_atomic(look);
    cell.each_read(look);
    if (test == kNoSite) return;
    const auto [at, fresh] = tested_.try_emplace({test, access.site});
    if (fresh) {
        const Place here = place_of(access.site), there = place_of(test);
        if (here.file == there.file && here.function == there.function)
            at->second = tested_counter(here.file, there.line, here.line);
    }
    const TestedCounter& found = at->second;
    // A count without a use of its numbers may exceed its limit for all that is known.
    if (found.operation.empty() ||
        (found.place.empty() && found.operation != "atomicSub" && !found.is_mark)) {
        return;
    }
    const bool has_others = cell.any_atomic([&](const Users& use) {
        if (use.epoch != now.epoch || (found.is_mark && use.site != access.site)) return false;
        const bool is_own_warp = use.block == now.block && use.thread / 32 == now.thread / 32;
        const std::uint32_t lanes = use.lanes & ~(is_own_warp ? 1u << now.thread % 32u : 0u);
        return run_.order.unordered_lanes(use, lanes, run_.block->clock, run_.number) != 0;
    });
    const FindingList::Key key = findings_.key_of(Fault::race, access.site, test);
    if (!has_others && alone_.test == test && alone_.address == access.address &&
        alone_.change.epoch == now.epoch) {
        return;
    }
    if (has_others && findings_.is_known(key)) return;
    const Place here = place_of(access.site), there = place_of(test);
    Finding made = finding(run_, Fault::race, "race", "race between test and change",
                           party(run_, access, "changes it"));
    made.title += ", on " + target(run_, access.address, access.bytes).item;
    Access read = access;
    read.site = test;
    made.parties.insert(made.parties.begin(), party(run_, read, "tests it"));
    put_places(made);
    made.evidence = tested_counter_advice(found, there.line, here.line);
    put(made, here, Spot::after);
    made.cure = Cure::test_index;
    if (has_others) {
        findings_.add(key, std::move(made));
    } else {
        alone_ = {test, access.address, now, key, std::move(made)};
    }
}

void DataRace::check_second_test(const Access& access, const Stamp& now) {
    if (access.address != alone_.address || alone_.change.epoch != now.epoch ||
        run_.order.is_ordered(alone_.change, run_.block->clock, run_.number)) {
        return;
    }
    alone_.test = kNoSite;
    if (findings_.find(alone_.key) == nullptr) findings_.add(alone_.key, std::move(alone_.found));
}

void DataRace::settle_all() {
    std::vector<Pending> settled;
    settled.swap(pending_);
    for (Pending& each : settled) {
        if (shared_bytes(each.word, each.shared) != each.before && !findings_.is_known(each.key)) {
            findings_.add(each.key, race_finding(each.race));
        }
    }
}

}  // namespace lab
