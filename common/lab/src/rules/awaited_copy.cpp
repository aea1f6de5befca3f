#include "rules.hpp"

#include <algorithm>

#include "race_pair.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

FindingList::Key AwaitedCopy::key(SiteId use, const SourcePlace& begun) {
    return FindingList::key_of(Fault::race, source_place(place_of(use)),
                               {"asynchronous copy: " + begun.path, begun.line});
}

bool AwaitedCopy::check(const Access& access, std::uintptr_t word, const Cell& cell) {
    const AsyncCopies& copies = run_.block->copies;
    const std::size_t number = (word - run_.block->arena) / kWordBytes;
    const AsyncCopy* const copy = copies.find(number);
    if (copy == nullptr || (copy->site == access.site && access.is_store)) return false;
    // A thread that went ahead fills the buffer again: a wait does not help, but a barrier does.
    if (copies.has_landed(number) && cell.write.thread == (copy->thread & 0x7ff) &&
        !run_.order.is_ordered(cell.write, run_.block->clock, run_.number)) {
        return false;
    }
    report(access, *copy);
    return true;
}

/// The line of a loop that uses the half of an array which the copy in the loop fills, though a
/// copy above the loop has begun to fetch one round ahead; 0: none is known.
static int use_of_half(const SourcePlace& copy) {
    const int loop = loop_around(copy.path, copy.line);
    const std::vector<IndexText> all = indexes_of(source_line(copy.path, copy.line));
    const auto half = std::find_if(all.begin(), all.end(), [&](const IndexText& each) {
        return each.position == 0 && has_two_halves(copy.path, copy.line, each.array);
    });
    if (loop == 0 || half == all.end()) return 0;
    bool is_ahead = false;
    for (int line = std::max(1, function_around(copy.path, copy.line).line); line < loop; ++line) {
        const std::string code = code_line(copy.path, line);
        is_ahead = is_ahead || (code.find("memcpy_async") != std::string::npos &&
                                find_word(code, half->array) != std::string::npos);
    }
    const int end = is_ahead ? end_of_loop(copy.path, copy.line, copy.line) : 0;
    for (int line = copy.line + 1; line <= end; ++line) {
        for (const Assignment& each : assignments(copy.path, line))
            if (find_word(half->index, each.target) != std::string::npos) return 0;
        for (const IndexText& each : indexes_of(source_line(copy.path, line))) {
            if (each.array == half->array && each.position == 0 && each.index == half->index)
                return line;
        }
    }
    return 0;
}

/// The wait of each thread for its own copies that comes after the barrier before this use; 0: none
/// does.
static int late_wait(const SourcePlace& use, int* barrier) {
    int wait = 0;
    for (int line = use.line; line > function_around(use.path, use.line).line; --line) {
        const std::string code = code_line(use.path, line);
        *barrier = line;
        if (code.find("__syncthreads(") < code.size() || code.find(".sync()") < code.size())
            return wait;
        if (code.find("memcpy_async") < code.size()) return 0;
        if (wait == 0 && (code.find("__pipeline_wait_prior(") < code.size() ||
                          code.find("consumer_wait") < code.size())) {
            wait = line;
        }
    }
    return 0;
}

void AwaitedCopy::report(const Access& access, const AsyncCopy& copy) {
    const SourcePlace begun = source_place(place_of(copy.site));
    known_.insert(AwaitedCopy::key(access.site, begun));
    // One wait that comes too early or leaves out too many copies is one fault, whatever is used
    // afterwards.
    const SourcePlace use = source_place(place_of(access.site));
    const bool is_copy = source_line(use.path, use.line).find("memcpy_async") != std::string::npos;
    const SourcePlace& fetch = is_copy ? use : begun;
    const bool is_own = run_.number == copy.thread;
    const auto [cause, fresh] = causes_.try_emplace({access.site, copy.site, is_own});
    if (fresh) {
        cause->second.half = use_of_half(fetch);
        if (copy.barrier == nullptr && !is_own)
            cause->second.late = late_wait(use, &cause->second.barrier);
    }
    const int half = cause->second.half, late = cause->second.late;
    if (late != 0) late_.emplace(begun.path, begun.line);
    const FindingList::Key key =
        half != 0   ? FindingList::key_of(Fault::race, fetch, {"fills", 0})
        : late != 0 ? FindingList::key_of(Fault::race, {use.path, late}, {"late", 0})
        : copy.barrier == nullptr && copy.waited.file != nullptr
            ? FindingList::key_of(Fault::race, source_place(copy.waited), {"leaves out", 0})
            : AwaitedCopy::key(access.site, begun);
    if (findings_.is_known(key)) return;
    Finding made = finding(run_, Fault::race, "async_copy", "race with an asynchronous copy",
                           party(run_, access, access.is_store ? "writes it" : "reads it"));
    made.title += ", on " + target(run_, access.address, access.bytes).item;
    made.parties.push_back(
        party_at(begun, fmt::format("{} of block {}", who(run_, copy.thread), run_.block->index),
                 "has begun a copy into it"));
    if (half != 0) {
        made.evidence = fmt::format(
            "Line {} fetches what the next round needs, but into that part of the array "
            "which this round\nuses as well (line {}):",
            fetch.line, half);
        advise(made, {fetch.path, fetch.line, {}}, Spot::at, Cure::other_half,
               " let it fill the other half.");
    } else if (late != 0) {
        made.evidence = fmt::format(
            "The copy is complete once its thread has waited for it. Line {} waits after the "
            "barrier of line {},\nso other threads need not have waited yet:",
            late, cause->second.barrier);
        made.advice = " let each wait first, and reach the barrier after that.";
    } else if (copy.barrier != nullptr) {
        made.evidence =
            "The copy is complete once all threads have arrived at its barrier, and they have not:";
        made.advice = " wait for the barrier\n(or the pipeline's stage) before the copy is used.";
        std::string name;
        if (const int wait = unreleased_wait(begun.path, begun.line, &name); wait != 0) {
            made.advice = fmt::format(
                "\nno stage is released, so line {} waits for the first one only. Call "
                "{}.consumer_release() after the\nlast use of each stage.",
                wait, name);
        }
    } else if (copy.waited.file != nullptr) {
        made.evidence = fmt::format(
            "The copy is complete once its thread has waited for it. The wait in line {} leaves "
            "out the newest {} of\nthe batches that were committed before it, and that copy is "
            "among them or not committed yet:",
            copy.waited.line, copy.prior);
        const std::string wait = source_line(source_place(copy.waited).path, copy.waited.line);
        made.advice =
            fmt::format(" commit\nfirst and then wait, or wait for one more batch{}.",
                        copy.prior != 0 && wait.find("__pipeline_wait_prior") != std::string::npos
                            ? fmt::format(": __pipeline_wait_prior({}) in line {}", copy.prior - 1,
                                          copy.waited.line)
                            : "");
    } else {
        made.evidence = "The copy is complete once its thread has waited for it, and it has not:";
        const bool has_passed_barrier = copy.interval < run_.block->clock.interval;
        made.advice =
            !is_own
                ? " wait before the barrier\n(__pipeline_wait_prior(0), consumer_wait(), or "
                  "cooperative groups' wait())."
                : " wait (__pipeline_wait_prior(0),\nconsumer_wait(), or cooperative groups' "
                  "wait()) before " +
                      std::string(has_passed_barrier ? "the barrier that comes after the copy, so\n"
                                                       "that other threads may use it too."
                                                     : "it is used.");
    }
    findings_.add(key, std::move(made));
}

}  // namespace lab
