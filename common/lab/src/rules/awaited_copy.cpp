#include "rules.hpp"
#include "source_updates.hpp"

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

void AwaitedCopy::report(const Access& access, const AsyncCopy& copy) {
    const SourcePlace begun = source_place(place_of(copy.site));
    known_.insert(AwaitedCopy::key(access.site, begun));
    // One wait that comes too early or leaves out too many copies is one fault, whatever is used
    // afterwards.
    const FindingList::Key key =
        copy.barrier == nullptr && copy.waited.file != nullptr
            ? FindingList::key_of(Fault::race, source_place(copy.waited), {"leaves out", 0})
            : AwaitedCopy::key(access.site, begun);
    if (findings_.is_known(key)) return;
    Finding made = finding(run_, Fault::race, "async_copy", "race with an asynchronous copy",
                           party(run_, access, access.is_store ? "writes it" : "reads it"));
    made.title += ", on " + target(run_, access.address, access.bytes).item;
    made.parties.push_back(
        party_at(begun, fmt::format("{} of block {}", who(run_, copy.thread), run_.block->index),
                 "has begun a copy into it"));
    if (copy.barrier != nullptr) {
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
            run_.number != copy.thread
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
