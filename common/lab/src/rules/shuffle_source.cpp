#include "rules.hpp"

namespace lab {

void ShuffleSource::report(int lane, int source, unsigned mask, emulator::Site where) {
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(where), {"shuffle", 0});
    if (findings_.is_known(key)) return;
    const emulator::Worker& worker = *emulator::this_worker;
    run_.worker = &worker;
    const int warp = worker.thread->number / 32;
    const unsigned lanes = worker.block->warps[static_cast<std::size_t>(warp)].lanes;
    const bool exists = (lanes >> source & 1u) != 0;
    Party mine{fmt::format("lane {} of warp {}, block {},", lane, warp, worker.block->index),
               fmt::format("asks for the value of lane {},", source)};
    mine.block = static_cast<std::int64_t>(worker.block->index);
    mine.thread = warp * 32 + lane;
    mine.at = source_place(where);
    Finding made = finding(run_, Fault::backend, "shuffle_from_outside", "shuffle from outside",
                           std::move(mine));
    made.evidence =
        (exists ? fmt::format("Lane {} is not among those of the mask (0x{:08x})", source, mask)
                : fmt::format("The warp has only {} lanes", __builtin_popcount(lanes))) +
        ", so what it gets is undefined.";
    made.advice = exists
                      ? " Name all lanes that give or take a value,\nand let all of them come."
                      : " Begin with a step\nof half as many lanes as there are, or launch whole "
                        "warps.";
    findings_.add(key, std::move(made));
}

}  // namespace lab
