#include "rules.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "source_blocks.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

namespace {

/// What a kernel or a call does in its stream.
const char* does_it(const StreamOperation& operation, bool stores) {
    if (operation.what.rfind("cudaFree", 0) == 0) return "frees it";
    if (operation.what == "cudaMallocAsync") return "allocates it";
    return stores ? "writes it" : "reads it";
}

/// `waits`: the other way, which the host has if it makes both calls.
std::string one_stream(emulator::Site first, const SourcePlace& second, const char* waits = "") {
    const bool are_lines =
        second.is_known() && first.line != second.line && source_place(first).path == second.path;
    return fmt::format(
        " Issue both in one stream,{} or record an\nevent (cudaEventRecord) after {} and let the "
        "other stream wait for it (cudaStreamWaitEvent){}.",
        waits, are_lines ? fmt::format("line {}", first.line) : "the first",
        are_lines ? fmt::format(" before line {}", second.line) : "");
}

/// The line that gives a stream the function of the host around this place; its line is 0 if none
/// in the file does.
SourcePlace launch_of_function(const SourcePlace& at) {
    constexpr int kNear = 400;
    const std::string name = host_function_around(at.path, at.line);
    const auto launches = [&](int line) {
        const std::string code = code_line(at.path, line);
        const bool is_launch = code.find("cudaLaunchHostFunc") != std::string::npos ||
                               code.find("cudaStreamAddCallback") != std::string::npos;
        return is_launch && find_word(code, name) != std::string::npos;
    };
    if (name.empty()) return {at.path, 0};
    // From there upwards for a lambda, which is in the call's own lines; else from the top.
    for (int line = at.line; name.rfind("cuda", 0) == 0 && line > 0; --line) {
        if (launches(line)) return {at.path, line};
    }
    for (int line = std::max(at.line - kNear, 1); line < at.line + kNear; ++line) {
        if (launches(line)) return {at.path, line};
    }
    return {at.path, 0};
}

/// Whether a compare-and-swap of the host comes next, which finds out whether the value is an old
/// one.
bool is_before_swap(const SourcePlace& at) {
    for (int line = at.line; line <= at.line + 3; ++line) {
        const std::string code = source_line(at.path, line);
        if (code.find("compare_and_swap") != std::string::npos ||
            code.find("compare_exchange") != std::string::npos) {
            return true;
        }
    }
    return false;
}

/// How the kernel's atomic operation there becomes one that is atomic for the host too.
std::string system_scope(const SourcePlace& at) {
    const std::string code = source_line(at.path, at.line);
    const std::size_t begin = std::min(code.find("atomic"), code.size());
    const std::size_t end = code.find('(', begin);
    const bool is_function = end != std::string::npos && std::isupper(code[begin + 6]) != 0;
    const std::string name = is_function ? code.substr(begin, end - begin) : "";
    return fmt::format("\nOr make the kernel's operation in line {} atomic for the host too: {}.",
                       at.line,
                       is_function ? fmt::format("{0}_system() in place of\n{0}()", name)
                                   : std::string("cuda::thread_scope_system"));
}

}  // namespace

/// If the operation's stream has waited for an event, but nothing came of it.
std::string StreamRace::about_wait(std::uint32_t epoch, const StreamOperation& before) const {
    const std::uint32_t stream = run_.streams.operation_of_epoch(epoch).stream;
    const std::string why = run_.streams.wait_in_vain(stream);
    if (why.empty() && run_.streams.waits_for_last_record(stream, before)) {
        return "\nIts stream waits for an event that was recorded there, and then again in another "
               "stream: a wait is for the\nlast record only. Wait after each record, or use an "
               "event for each stream.";
    }
    if (why.empty() && run_.streams.waits_too_early(stream, before)) {
        const SourcePlace at = source_place(before.site);
        const int record = call_above(at.path, at.line, "cudaEventRecord");
        return fmt::format(
            "\nIts stream waits for an event that was recorded before that{}: record it after line "
            "{}, and before the\nwait.",
            record != 0 ? fmt::format(" (line {})", record) : "", at.line);
    }
    if (why.empty() && run_.streams.waits_for_other(stream, before)) {
        return fmt::format(
            "\nIts stream waits for an event that was recorded in another stream than that of line "
            "{}: was it to be\nrecorded there, after that line?",
            before.site.line);
    }
    if (why.empty()) return {};
    const SourcePlace launch = source_place(run_.launched.site);
    const int wait = call_above(launch.path, launch.line, "cudaStreamWaitEvent");
    const int record = call_above(launch.path, launch.line, "cudaEventRecord");
    const bool is_unrecorded = why.find("not recorded") != std::string::npos;
    if (is_unrecorded && before.site.line < wait && wait < record) {
        return fmt::format(
            "\nLine {} waits for an event that line {} records only then, which has no effect: "
            "exchange the two\nlines.",
            wait, record);
    }
    return fmt::format(
        "\nIts stream waits for an event {}, which has no effect: call\ncudaEventRecord() in the "
        "other stream, after the first and before that wait.",
        why);
}

void StreamRace::report(const Access& access, const Stamp& other, bool other_stores) {
    const StreamOperation& before = run_.streams.operation_of_epoch(other.epoch);
    const FindingList::Key key = FindingList::key_of(
        Fault::race, source_place(place_of(access.site)), source_place(before.site));
    const bool is_known = findings_.is_known(key);
    if (is_known && access.is_store && other_stores) note_overlap(key, access);
    if (is_known || !(access.is_store || other_stores)) return;
    if (access.is_atomic && other.is_atomic) return;
    Finding made = finding(run_, Fault::race, "race", "race between streams",
                           party(run_, access, access.is_store ? "writes it" : "reads it"));
    made.title += ", on " + target(run_, access.address, access.bytes).item;
    made.parties.push_back(
        call(before.what + " in another stream", does_it(before, other_stores), before.site));
    made.evidence = "Neither waits for the other.";
    const std::string wait = about_wait(run_.epoch(), before);
    cure(made, Cure::synchronise, source_place(before.site),
         one_stream(before.site, source_place(run_.launched.site)) + wait, Spot::after);
    findings_.add(key, std::move(made));
    pairs_.push_back({key, run_.streams.index_of_epoch(run_.epoch()),
                      run_.streams.index_of_epoch(other.epoch), "", wait});
    if (access.is_store && other_stores && before.what.rfind("kernel", 0) == 0) {
        if (const Watched* const memory = run_.watched_at(access.address)) {
            const std::size_t offset = access.address - memory->begin;
            overlaps_[key] = {memory->begin, offset, offset, access.bytes,
                              one_stream(before.site, source_place(run_.launched.site))};
            note_overlap(key, access);
        }
    }
}

/// Two kernels write a few items of a large array: each should have its own part, but one of the
/// parts is too long.
void StreamRace::note_overlap(const FindingList::Key& key, const Access& access) {
    constexpr std::uint32_t kMaxWords = 64;
    const auto at = overlaps_.find(key);
    Finding* const known = findings_.find(key);
    if (at == overlaps_.end() || known == nullptr) return;
    Overlap& overlap = at->second;
    const Watched* const memory = run_.watched_at(access.address);
    if (memory == nullptr || memory->begin != overlap.memory) return;
    const std::size_t offset = access.address - memory->begin;
    overlap.first = std::min(overlap.first, offset);
    overlap.last = std::max(overlap.last, offset);
    const std::size_t all = memory->bytes / overlap.item;
    const std::size_t first = overlap.first / overlap.item, last = overlap.last / overlap.item;
    if (++overlap.words > kMaxWords || 8 * (last - first + 1) > all) {
        known->cure = Cure::synchronise;
        known->advice = overlap.advice;
        overlaps_.erase(at);
        return;
    }
    known->cure = Cure::own_items;
    known->advice = fmt::format(
        " Of the array's {} items both write only {}:\nis one of the two parts too long? If both "
        "are meant to write there, issue both in one stream.",
        all, items_text(first, last));
}

void StreamRace::check(const Party& mine, Watched* memory, std::uintptr_t address,
                       std::size_t bytes, std::uint32_t epoch, bool is_store) {
    if (memory == nullptr || memory->cells == nullptr) return;
    Stamp now;
    now.epoch = epoch;
    now.bytes = 0xf;
    const auto is_over = [&](std::uint32_t each) { return !run_.streams.is_pending_use(each); };
    const std::size_t offset = address - memory->begin;
    for (std::size_t word = offset / kWordBytes;
         word < (offset + bytes + kWordBytes - 1) / kWordBytes; ++word) {
        Cell& cell = (*memory->cells)[word];
        const auto look = [&](const Stamp& stamp, bool stores) {
            if (!run_.streams.is_pending_use(stamp.epoch)) return;
            report(mine, *memory, is_store, stamp, stores);
        };
        cell.each_use(is_store, look);
        if (is_store) {
            memory->cells->write(cell, now, is_over);
        } else {
            memory->cells->append(cell, now, is_over);
        }
    }
}

void StreamRace::check_free(const Party& mine, Watched& memory, std::size_t bytes, bool is_note) {
    // Who waits for the last one of a stream has waited for all.
    std::map<std::uint32_t, std::pair<Stamp, bool>> last;
    for (std::size_t word = 0; word < bytes / kWordBytes; ++word) {
        (*memory.cells)[word].each_use(true, [&](const Stamp& stamp, bool stores) {
            if (!run_.streams.is_pending_for_host(stamp.epoch)) return;
            const std::uint32_t stream = run_.streams.operation_of_epoch(stamp.epoch).stream;
            const auto [at, fresh] = last.try_emplace(stream, stamp, stores);
            if (!fresh && stamp.epoch > at->second.first.epoch) at->second = {stamp, stores};
        });
    }
    for (const auto& each : last) {
        const auto [stamp, stores] = each.second;
        report(mine, memory, true, stamp, stores);
        const StreamOperation& before = run_.streams.operation_of_epoch(stamp.epoch);
        Finding* const made =
            findings_.find(FindingList::key_of(Fault::race, mine.at, source_place(before.site)));
        if (!is_note || made == nullptr || made->is_note) continue;
        made->is_note = true;
        made->title = fmt::format("note: memory is given back while {} may still use it, {}",
                                  before.what, memory.description);
        made->evidence = "The drivers of today wait there, but CUDA does not promise it:";
    }
}

void StreamRace::check_host(SiteId id, Watched& memory, std::size_t offset, std::size_t bytes,
                            bool is_store) {
    const auto is_used = [&](const Stamp& stamp) {
        return run_.streams.is_pending_for_host(stamp.epoch);
    };
    // The host polls what a kernel sets, so it comes after that.
    const Traits& traits = site(id).traits;
    const std::uintptr_t address = memory.begin + offset;
    const auto lacks_system_fence = [&](const Users& each) {
        return run_.streams.index_of_epoch(each.epoch) == polled_.kernel &&
               run_.order.is_released(each, polled_.flags) &&
               !run_.order.is_told(each, polled_.flags);
    };
    const Cell& first = (*memory.cells)[offset / kWordBytes];
    // Volatile data, which a fence for the device separates from a flag that the host has seen.
    const bool is_data = !is_store && traits.is_volatile && !polled_.flags.empty() &&
                         polled_.flags.last(address) == 0 &&
                         run_.streams.is_only_told(polled_.kernel) &&
                         first.any_atomic(lacks_system_fence) &&
                         loop_around(place_of(id).file, place_of(id).line) == 0;
    const bool is_flag = (traits.is_volatile || traits.is_atomic) && !is_data;
    const bool is_atomic = site(id).kind == Kind::atomic;
    if (!is_store && is_flag) {
        first.each_atomic([&](const Users& each) {
            const std::uint32_t kernel = run_.streams.index_of_epoch(each.epoch);
            if (is_used(each)) run_.streams.tell(kernel);
            if (kernel == polled_.kernel && run_.streams.is_only_told(kernel)) {
                run_.order.tell(polled_.flags, address, each.operation);
            }
        });
    }
    // The only things known to be done are the kernel's flags and what a fence orders before them.
    const auto is_unfenced = [&](const Stamp& stamp, std::size_t word) {
        if (stamp.is_atomic != 0 &&
            polled_.flags.last(memory.begin + word * kWordBytes) >= stamp.operation) {
            return false;
        }
        return !is_flag && !polled_.flags.empty() && stamp.epoch != 0 &&
               run_.streams.index_of_epoch(stamp.epoch) == polled_.kernel &&
               run_.streams.is_only_told(polled_.kernel) &&
               !run_.order.is_told(stamp, polled_.flags);
    };
    for (std::size_t word = offset / kWordBytes; word <= (offset + bytes - 1) / kWordBytes;
         ++word) {
        Cell& cell = (*memory.cells)[word];
        cell.each_use(is_store, [&](const Stamp& stamp, bool stores) {
            // The host tells a kernel that waits for it.
            if (is_store && is_flag && stamp.is_atomic != 0 && !stores) return;
            const bool is_pending = is_used(stamp);
            if (!is_pending && !is_unfenced(stamp, word)) return;
            const bool is_both = is_atomic && stamp.is_atomic != 0;
            if (stamp.is_atomic != 0 && site(stamp.site).traits.is_system_scope != 0 &&
                (is_both || (!is_store && is_before_swap(source_place(place_of(id)))))) {
                return;
            }
            const Party mine = host(id, is_store ? "writes it" : "reads it");
            if (!is_pending) {
                report_unfenced(mine, memory, stamp, stores);
            } else {
                report(mine, memory, is_store, stamp, stores, is_both);
            }
        });
        if (is_store) {
            for (std::size_t byte = 0; byte < kWordBytes; ++byte) {
                const std::size_t at = word * kWordBytes + byte;
                if (at >= offset && at < offset + bytes) cell.written |= 1u << byte;
            }
        }
    }
}

void StreamRace::report_unfenced(const Party& mine, const Watched& what, const Stamp& other,
                                 bool stores) {
    const SourcePlace there = source_place(place_of(other.site));
    const FindingList::Key key = FindingList::key_of(Fault::race, mine.at, there);
    if (!mine.at.is_known() || findings_.is_known(key)) return;
    Party theirs = party_at(there, fmt::format("thread {} of block {}", other.thread, other.block),
                            stores ? "writes it" : "reads it", other.block, other.thread);
    Finding made;
    made.code = "race";
    made.title = "race with the host, on " + what.description;
    made.parties = {mine, theirs};
    made.evidence =
        "The host has seen the flag that the kernel sets, but this may arrive after it:";
    cure(
        made, Cure::fence, there,
        run_.order.is_released(other, polled_.flags)
            ? " put a\n__threadfence_system() between the two. A __threadfence() is one for the "
              "device's threads."
            : " put a\n__threadfence_system() between the two, and before it a barrier, if another "
              "thread sets the flag.",
        Spot::after);
    findings_.add(key, std::move(made));
}

void StreamRace::report(const Party& mine, const Watched& what, bool is_store, const Stamp& other,
                        bool other_stores, bool are_atomic) {
    const StreamOperation& before = run_.streams.operation_of_epoch(other.epoch);
    if (!mine.at.is_known() || !(is_store || other_stores)) return;
    const FindingList::Key key =
        FindingList::key_of(Fault::race, mine.at, source_place(before.site));
    if (findings_.is_known(key)) return;
    Finding made;
    made.code = "race";
    made.title = fmt::format("race {}, on {}", mine.is_call ? "between streams" : "with the host",
                             what.description);
    made.parties = {mine, call(before.what + (mine.is_call ? " in another stream" : ""),
                               does_it(before, other_stores), before.site)};
    made.evidence = mine.is_call ? "Neither waits for the other."
                                 : "The host does not wait for that, and may be first:";
    const SourcePlace there = source_place(before.site);
    // It comes to an earlier line in a loop's next round, or when a function is called again.
    const bool is_above = mine.at.path == there.path && mine.at.line < there.line;
    const bool is_next_round = is_above && is_in_loop(there.path, mine.at.line, there.line);
    const std::string wait =
        is_above ? fmt::format(
                       "wait after line {}, before {}\ncomes to line {}, by "
                       "cudaDeviceSynchronize() ",
                       before.site.line, is_next_round ? "the next round of the loop" : "the host",
                       mine.at.line)
                 : std::string("call cudaDeviceSynchronize() between the two,\n");
    const std::string scope = are_atomic ? system_scope(source_place(place_of(other.site))) : "";
    constexpr const char* kWaits = " wait with cudaStreamSynchronize,";
    const bool is_in_stream = !mine.is_call && run_.streams.is_in_host_function();
    if (is_in_stream) {
        made.evidence =
            "The function runs in another stream, which does not wait for that,\nand it must not "
            "call CUDA functions to wait itself.";
    }
    const std::string about = mine.is_call ? about_wait(run_.epoch(), before) : std::string();
    cure(made, Cure::synchronise, there,
         mine.is_call ? one_stream(before.site, mine.at, kWaits) + about
         : is_in_stream
             ? one_stream(before.site, launch_of_function(mine.at))
             : fmt::format(" {}or cudaStreamSynchronize() for its stream.{}", wait, scope),
         Spot::after);
    findings_.add(key, std::move(made));
    if (!mine.is_call) return;
    pairs_.push_back({key, run_.streams.index_of_epoch(run_.epoch()),
                      run_.streams.index_of_epoch(other.epoch), kWaits, about});
}

void StreamRace::join() {
    std::vector<Pair> joined;
    for (const Pair& each : pairs_) {
        const Finding* const made = findings_.find(each.key);
        if (made == nullptr || made->cure != Cure::synchronise) continue;
        const StreamOperation& later = run_.streams.operation(each.later);
        const StreamOperation& earlier = run_.streams.operation(each.earlier);
        const auto same = std::find_if(joined.begin(), joined.end(), [&](const Pair& first) {
            return run_.streams.operation(first.later).stream == later.stream &&
                   run_.streams.operation(first.earlier).stream == earlier.stream &&
                   std::max(first.earlier, each.earlier) < std::min(first.later, each.later);
        });
        if (same == joined.end()) {
            joined.push_back(each);
            continue;
        }
        same->earlier = std::max(same->earlier, each.earlier);
        same->later = std::min(same->later, each.later);
        ++same->others;
        findings_.drop(each.key);
    }
    for (const Pair& each : joined) {
        if (each.others == 0) continue;
        const emulator::Site first = run_.streams.operation(each.earlier).site;
        cure(*findings_.find(each.key), Cure::synchronise, source_place(first),
             one_stream(first, source_place(run_.streams.operation(each.later).site), each.waits) +
                 each.about_wait +
                 (each.others == 1
                      ? "\nThat also orders another pair of lines."
                      : fmt::format("\nThat also orders {} other pairs of lines.", each.others)),
             Spot::after);
    }
    pairs_.clear();
}

}  // namespace lab
