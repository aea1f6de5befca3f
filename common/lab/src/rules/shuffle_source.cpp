#include "rules.hpp"
#include "source_blocks.hpp"
#include "source_updates.hpp"

namespace lab {
namespace {

/// A lane of the running block, by the number of its thread.
Party lane(const Execution& run, int number, std::string what, emulator::Site where) {
    const std::uint64_t block = run.worker->block->index;
    return party_at(source_place(where),
                    fmt::format("lane {} of warp {}, block {},", number % 32, number / 32, block),
                    std::move(what), static_cast<std::int64_t>(block), number);
}

/// The calling lane.
Party lane(const Execution& run, std::string what, emulator::Site where) {
    return lane(run, run.worker->thread->number, std::move(what), where);
}

}  // namespace

void ShuffleSource::report(int asking, int source, unsigned mask, emulator::Site where) {
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(where), {"shuffle", 0});
    const SourcePlace place = source_place(where);
    if (findings_.is_known(key) || is_used_in_branches(place.path, place.line, "shfl")) return;
    const emulator::Worker& worker = *emulator::this_worker;
    run_.worker = &worker;
    const int warp = worker.thread->number / 32;
    const unsigned lanes = worker.block->warps[static_cast<std::size_t>(warp)].lanes;
    const bool exists = (lanes >> source & 1u) != 0;
    Finding made = finding(run_, Fault::backend, "shuffle_from_outside", "shuffle from outside",
                           lane(run_, warp * 32 + asking,
                                fmt::format("asks for the value of lane {},", source), where));
    made.evidence =
        (exists ? fmt::format("Lane {} is not among those of the mask (0x{:08x})", source, mask)
                : fmt::format("The warp has only {} lanes", __builtin_popcount(lanes))) +
        ", so what it gets is undefined.";
    made.advice = exists
                      ? " Name all lanes that give or take a value,\nand let all of them reach the "
                        "call; or let a lane of the mask have the value, such as the "
                        "first:\n__ffs(mask) - 1."
                      : " Begin with a step\nof half as many lanes as there are, or launch whole "
                        "warps.";
    findings_.add(key, std::move(made));
}

void ShuffleSource::report_beyond(emulator::ShuffleBeyond how, unsigned asked, unsigned size,
                                  emulator::Site where) {
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(where), {"shuffle", 0});
    if (findings_.is_known(key)) return;
    run_.worker = emulator::this_worker;
    const Execution& run = run_;
    const bool is_distance = how == emulator::ShuffleBeyond::distance;
    Finding made = finding(
        run, Fault::backend, "shuffle_beyond", "shuffle beyond its group",
        lane(run,
             is_distance
                 ? fmt::format("asks for a value {} lanes away, in a group of {},", asked, size)
                 : fmt::format("asks for the value of rank {}, in a group of {},", asked, size),
             where));
    cure(made, Cure::none, made.parties.front().at, "");
    if (is_distance) {
        made.evidence =
            "No lane is that far away: each gets its own value, and a sum counts it twice.";
        made.advice = fmt::format(" Begin with half\nthe size of the group, {}.", size / 2);
        findings_.add(key, std::move(made));
        return;
    }
    const bool wraps = how == emulator::ShuffleBeyond::tile_rank;
    made.is_note = wraps;
    if (wraps) made.title = "note: " + made.title;
    made.evidence =
        fmt::format("Its ranks are 0 to {}, {}", size - 1,
                    wraps ? fmt::format("and {} wraps around to {}.", asked, asked % size)
                          : "so what it gets is undefined.");
    made.advice =
        "\nA rank is a place in the group, thread_rank(), and not that of a thread in its block.";
    findings_.add(key, std::move(made));
}

void ShuffleSource::report_mask(unsigned lanes, unsigned all, emulator::Site where) {
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(where), {"active mask", 0});
    const SourcePlace place = source_place(where);
    // If the others have already returned, nothing else could be done.
    if (findings_.is_known(key) || !is_in_branch(place.path, place.line)) return;
    run_.worker = emulator::this_worker;
    const Execution& run = run_;
    Finding made = finding(
        run, Fault::backend, "diverged_mask", "__activemask() in a branch",
        lane(run, fmt::format("gets the mask 0x{:08x}, of lanes 0x{:08x},", lanes, all), where));
    made.is_note = true;
    made.title = "note: " + made.title;
    made.evidence =
        "It names the lanes that happen to run together, which on a GPU may be any of those that "
        "reach this line.";
    cure(made, Cure::none, made.parties.front().at,
         "\nIf all of them are to take part, let them agree on a mask before the branch, with "
         "__ballot_sync\nof its condition.");
    findings_.add(key, std::move(made));
}

}  // namespace lab
