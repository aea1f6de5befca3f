// The race detector's reports: what was found, as data.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulator/report.hpp"
#include "memory.hpp"
#include "places.hpp"
#include "race_detector.hpp"
#include "source_blocks.hpp"
#include "symbols.hpp"

namespace lab {
namespace {

constexpr const char* kUnordered = "Nothing orders the two";

std::string bytes_text(std::size_t bytes) {
    return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

const char* does(bool stores) { return stores ? "writes" : "reads"; }

/// The host's own line.
Party host(SiteId id, std::string what) {
    Party made{"the host", std::move(what)};
    made.at = source_place(place_of(id));
    return made;
}

/// What a kernel or a call does in its stream.
const char* does_it(const StreamOperation& operation, bool stores) {
    if (operation.what.rfind("cudaFree", 0) == 0) return "frees it";
    if (operation.what == "cudaMallocAsync") return "allocates it";
    return stores ? "writes it" : "reads it";
}

void put_places(Finding& made) {
    made.file = file_name(made.parties.front().at.path);
    made.line = made.parties.front().at.line;
    if (made.parties.size() < 2) return;
    made.other_file = file_name(made.parties.back().at.path);
    made.other_line = made.parties.back().at.line;
}

void cure(Finding& made, Cure how, const SourcePlace& place, std::string words,
          Spot spot = Spot::at) {
    made.cure = how;
    made.cure_place = place;
    made.spot = spot;
    made.advice = std::move(words);
}

}  // namespace

Party call(std::string who, std::string what, emulator::Site site) {
    Party made{std::move(who), std::move(what), true};
    made.at = source_place(site);
    return made;
}

// ---- Who, and what -----------------------------------------------------------------------------

std::string RaceDetector::who(int thread) const {
    const uint3 at = block_->block->indices[static_cast<std::size_t>(thread)];
    const dim3 shape = worker_->launch->shape.block;
    if (shape.y == 1 && shape.z == 1) return fmt::format("thread {}", thread);
    return fmt::format("thread ({},{},{})", at.x, at.y, at.z);
}

Target RaceDetector::target(std::uintptr_t address, std::uint32_t bytes) {
    if (block_->arena != 0 && address - block_->arena < kArenaBytes) {
        const std::size_t offset = address - block_->arena;
        const emulator::SharedRegion* nearest = nullptr;
        for (const emulator::SharedRegion& region : block_->block->regions) {
            if (region.offset <= offset &&
                (nearest == nullptr || region.offset > nearest->offset)) {
                nearest = &region;
            }
        }
        if (nearest == nullptr) return {"shared memory", "shared memory", ""};
        const std::size_t within = offset - nearest->offset;
        std::string item = nearest->bytes > bytes && within % bytes == 0
                               ? fmt::format("{}[{}]", nearest->name, within / bytes)
                               : std::string(nearest->name);
        return {nearest->name, item,
                fmt::format("{}, shared, {}, declared at {}:{}", nearest->name,
                            bytes_text(nearest->bytes),
                            file_name(nearest->site.file != nullptr ? nearest->site.file : ""),
                            nearest->site.line),
                within, nearest->bytes};
    }
    Watched* const found = watched_at(address);
    if (found == nullptr) {
        const Variable variable = variable_at(address);
        if (variable.name.empty()) return {"memory", "memory", ""};
        const std::size_t within = address - variable.begin;
        return {variable.name,
                variable.bytes > bytes && within % bytes == 0
                    ? fmt::format("{}[{}]", variable.name, within / bytes)
                    : variable.name,
                fmt::format("{}, {}", variable.name, bytes_text(variable.bytes)), within,
                variable.bytes};
    }
    const std::size_t within = address - found->begin;
    return {fmt::format("{} {}", found->call, found->number),
            address < found->begin || within % bytes != 0
                ? found->description
                : fmt::format("item {} of {}", within / bytes, found->description),
            found->description, within, found->bytes};
}

Party RaceDetector::party(const Access& access, std::string what) const {
    Party made{fmt::format("{} of block {}", who(number_), block_->index), std::move(what)};
    made.block = static_cast<std::int64_t>(block_->index);
    made.thread = number_;
    made.at = source_place(place_of(access.site));
    made.call = source_place(call_of(access.site));
    return made;
}

Finding RaceDetector::finding(Fault fault, const char* code, const std::string& title,
                              Party party) const {
    Finding made;
    made.fault = fault;
    made.code = code;
    if (worker_ != nullptr) made.kernel = worker_->launch->kernel_name();
    made.title = title + " in " + made.kernel;
    made.parties.push_back(std::move(party));
    put_places(made);
    return made;
}

// ---- Reports -----------------------------------------------------------------------------------

void RaceDetector::report(const FindingList::Key& key, Finding finding) {
    const Finding* const added = findings_.add(key, std::move(finding));
    if (added != nullptr && trace_ != nullptr && block_ != nullptr) {
        trace_->fault(*added, block_->index, number_);
    }
}

/// Of a use of what an asynchronous copy is still to write. It is not that of a race of the same
/// lines, whose cure is chosen at the end.
static FindingList::Key awaited_key(SiteId use, const SourcePlace& begun) {
    return FindingList::key_of(Fault::race, source_place(place_of(use)),
                               {"asynchronous copy: " + begun.path, begun.line});
}

void RaceDetector::report_race(const Access& access, const Cell& cell, const Stamp& other,
                               bool other_stores) {
    // Some copies have landed, and others have not: it is the wait that is late.
    if (has_async_copies_ &&
        findings_.is_known(awaited_key(access.site, source_place(place_of(other.site))))) {
        return;
    }
    const FindingList::Key key = findings_.key_of(Fault::race, access.site, other.site);
    const bool is_shared = block_->arena != 0 && access.address - block_->arena < kArenaBytes;
    const std::uint32_t now = is_shared ? block_->serial : epoch();
    // The thread has read the word at the same line, as in `x += 1`.
    const auto is_own = [&](const Users& read) {
        const unsigned thread = static_cast<unsigned>(number_);
        return read.epoch == now && read.block == block_->clock.block && read.holds(thread) &&
               !read.is_atomic && place_of(read.of(thread).site).line == place_of(access.site).line;
    };
    const Traits& other_traits = site(other.site).traits;
    RacePair pair;
    pair.before = {other.site, other_stores, other.is_atomic != 0,
                   other_traits.is_volatile != 0 && !is_shared};
    pair.after = {access.site, access.is_store, access.is_atomic, access.is_volatile,
                  access.is_store && cell.any_read(is_own)};
    pair.same_block = other.block == block_->clock.block;
    pair.same_warp = pair.same_block && other.thread / 32 == number_ / 32;
    pair.is_block_one_warp = block_->block->indices.size() <= 32;
    pair.is_word_atomic = cell.any_atomic([&](const Users& atomic) {
        return atomic.epoch == now && !site(atomic.site).traits.is_volatile;
    });
    pair.warp = number_ / 32;
    pair.last_barrier = block_->barrier;
    // Where one of the two is the atomic operation, a fence would not help.
    pair.lack = access.is_atomic || other.is_atomic
                    ? Lack::no_fence
                    : order_.lacks_fence(other, block_->clock, number_);
    const bool both_store = access.is_store && other_stores;
    const bool is_said_better = race_cures_.add(key, pair);
    if (!both_store && !is_said_better && findings_.is_known(key)) return;
    Race race{
        access,
        other,
        pair,
        worker_->launch->kernel_name(),
        target(access.address, access.bytes).item,
        fmt::format("{} of block {}", who(number_), block_->index),
        fmt::format("{} of block {}",
                    pair.same_block ? who(other.thread) : fmt::format("thread {}", other.thread),
                    other.block),
        static_cast<std::int64_t>(block_->index),
        number_};
    if (Finding* const known = findings_.find(key); known != nullptr && is_said_better) {
        const std::uint64_t times = known->times + 1;
        *known = race_finding(race);
        known->times = times;
        return;
    }
    if (!both_store) {
        report(key, race_finding(race));
        return;
    }
    Pending waiting{
        access.address, std::min<std::uint32_t>(access.bytes, 16), {}, std::move(race), key};
    std::memcpy(waiting.before, reinterpret_cast<const void*>(access.address), waiting.bytes);
    pending_.push_back(std::move(waiting));
}

/// It takes long: nobody makes it of two stores of the same value.
Finding RaceDetector::race_finding(const Race& race) {
    const auto of = [](const std::string& who, std::int64_t block, int thread,
                       const RacingAccess& it) {
        const bool is_free = site(it.site).traits.is_free != 0;
        Party made{who, is_free ? "frees it" : it.stores ? "writes it" : "reads it"};
        made.block = block;
        made.thread = thread;
        made.at = source_place(place_of(it.site));
        made.call = source_place(call_of(it.site));
        return made;
    };
    Finding made = finding(Fault::race, "race",
                           race.pair.same_block ? "race within a block" : "race between blocks",
                           of(race.mine, race.block, race.thread, race.pair.after));
    made.kernel = race.kernel;
    made.title += ", on " + race.item;
    made.parties.push_back(of(race.theirs, race.other.block, race.other.thread, race.pair.before));
    put_places(made);
    made.evidence = kUnordered;
    return made;
}

void RaceDetector::report_stream_race(const Access& access, const Stamp& other, bool other_stores) {
    const StreamOperation& before = streams_.operation_of_epoch(other.epoch);
    const FindingList::Key key = FindingList::key_of(
        Fault::race, source_place(place_of(access.site)), source_place(before.site));
    if (findings_.is_known(key) || !(access.is_store || other_stores)) return;
    if (access.is_atomic && other.is_atomic) return;
    Finding made = finding(Fault::race, "race", "race between streams",
                           party(access, access.is_store ? "writes it" : "reads it"));
    made.title += ", on " + target(access.address, access.bytes).item;
    made.parties.push_back(
        call(before.what + " in another stream", does_it(before, other_stores), before.site));
    put_places(made);
    made.evidence = "Neither waits for the other.";
    cure(made, Cure::synchronise, source_place(before.site),
         " Give both to one stream, or record an event behind the first\n(cudaEventRecord) and let "
         "the other stream wait for it (cudaStreamWaitEvent).",
         Spot::after);
    report(key, std::move(made));
}

void RaceDetector::report_host_side_race(const Party& mine, const Watched& what, bool is_store,
                                         const Stamp& other, bool other_stores) {
    const StreamOperation& before = streams_.operation_of_epoch(other.epoch);
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
    put_places(made);
    made.evidence = mine.is_call ? "Neither waits for the other."
                                 : "The host does not wait for that, and may come first:";
    cure(made, Cure::synchronise, source_place(before.site),
         mine.is_call ? " Give both to one stream, wait with cudaStreamSynchronize, or record "
                        "an\nevent behind the first (cudaEventRecord) and let the other stream "
                        "wait for it (cudaStreamWaitEvent)."
                      : " call cudaDeviceSynchronize() between the two,\nor "
                        "cudaStreamSynchronize() for its stream.",
         Spot::after);
    report(key, std::move(made));
}

void RaceDetector::report_host_race(SiteId id, const Watched& what, bool is_store,
                                    const Stamp& other, bool other_stores) {
    report_host_side_race(host(id, is_store ? "writes it" : "reads it"), what, is_store, other,
                          other_stores);
}

/// A thread uses what an asynchronous copy is still to write.
void RaceDetector::report_awaited(const Access& access, const AsyncCopy& copy) {
    const SourcePlace begun = source_place(place_of(copy.site));
    const FindingList::Key key = awaited_key(access.site, begun);
    if (findings_.is_known(key)) return;
    Finding made = finding(Fault::race, "async_copy", "race with an asynchronous copy",
                           party(access, access.is_store ? "writes it" : "reads it"));
    made.title += ", on " + target(access.address, access.bytes).item;
    Party copies{fmt::format("{} of block {}", who(copy.thread), block_->index),
                 "has begun a copy into it"};
    copies.at = begun;
    made.parties.push_back(std::move(copies));
    put_places(made);
    if (copy.barrier != nullptr) {
        made.evidence =
            "The copy lands when all threads have arrived at its barrier, and they have not:";
        made.advice =
            " wait for the barrier\n(or the pipeline's stage) before what it brings is used.";
    } else if (copy.waited.file != nullptr) {
        made.evidence = fmt::format(
            "The copy lands when its thread waits for it. The wait in line {} leaves out the "
            "newest "
            "{} of\nthe batches that were committed before it, and that copy is among them or not "
            "committed yet:",
            copy.waited.line, copy.prior);
        made.advice = " commit\nfirst and wait then, or wait for one batch more.";
    } else {
        made.evidence = "The copy lands when its thread waits for it, and it has not:";
        made.advice =
            number_ == copy.thread
                ? " wait (__pipeline_wait_prior(0),\nconsumer_wait(), or cooperative groups' "
                  "wait()) "
                  "before it is used."
                : " wait before the barrier\n(__pipeline_wait_prior(0), consumer_wait(), or "
                  "cooperative groups' wait()).";
    }
    report(key, std::move(made));
}

void RaceDetector::report_read_only(const Access& access, SiteId other) {
    const FindingList::Key key = findings_.key_of(Fault::read_only, access.site, other);
    if (findings_.is_known(key)) return;
    const SiteId load = access.is_store ? other : access.site;
    const SiteId store = access.is_store ? access.site : other;
    Party reader{"__ldg", "reads it"}, writer{"the same kernel", "writes it"};
    reader.at = source_place(place_of(load));
    writer.at = source_place(place_of(store));
    Finding made = finding(Fault::read_only, "read_only", "read-only load", std::move(reader));
    made.title += ", on " + target(access.address, access.bytes).item;
    made.parties.push_back(std::move(writer));
    put_places(made);
    made.evidence =
        "__ldg is for what no thread writes while the kernel runs: it may give an old value.";
    cure(made, Cure::plain_load, made.parties.front().at,
         " Load it without\n__ldg, or write to another array.");
    report(key, std::move(made));
}

void RaceDetector::shuffled_from_outside(int lane, int source, unsigned mask,
                                         emulator::Site where) {
    const emulator::ToolIsBusy busy;
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(where), {"shuffle", 0});
    if (findings_.is_known(key)) return;
    const emulator::Worker& worker = *emulator::this_worker;
    worker_ = &worker;
    const int warp = worker.thread->number / 32;
    const unsigned lanes = worker.block->warps[static_cast<std::size_t>(warp)].lanes;
    const bool exists = (lanes >> source & 1u) != 0;
    Party mine{fmt::format("lane {} of warp {}, block {},", lane, warp, worker.block->index),
               fmt::format("asks for the value of lane {},", source)};
    mine.block = static_cast<std::int64_t>(worker.block->index);
    mine.thread = warp * 32 + lane;
    mine.at = source_place(where);
    Finding made =
        finding(Fault::backend, "shuffle_from_outside", "shuffle from outside", std::move(mine));
    made.evidence =
        (exists ? fmt::format("Lane {} is not among those of the mask (0x{:08x})", source, mask)
                : fmt::format("The warp has only {} lanes", __builtin_popcount(lanes))) +
        ", so what it gets is undefined.";
    made.advice = exists
                      ? " Name all lanes that give or take a value,\nand let all of them come."
                      : " Begin with a step\nof half as many lanes as there are, or launch whole "
                        "warps.";
    report(key, std::move(made));
}

void RaceDetector::report_unset(const Access& access, bool is_store) {
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (findings_.is_known(key)) return;
    Finding made =
        finding(Fault::uninitialised, "uninitialised", "uninitialised variable",
                party(access, is_store ? "stores the value of a local variable that was never set,"
                                       : "reads a local variable that was never set,"));
    made.parties.front().call = {};
    made.evidence = is_store ? "The variable, or what it was computed from, has no initial value:"
                             : "A local variable holds anything until it is set:";
    cure(made, Cure::initialise, made.parties.front().at,
         is_store ? " give it one where it is declared." : " give it a value where it is declared.",
         Spot::before);
    report(key, std::move(made));
}

void RaceDetector::report_escaped(const Access& access, std::uint64_t block, bool is_other_launch) {
    const FindingList::Key key = findings_.key_of(Fault::escaped, access.site);
    if (findings_.is_known(key)) return;
    Finding made = finding(Fault::escaped, "escaped", "escaped shared memory",
                           party(access, "loads a pointer"));
    made.parties.front().call = {};
    made.evidence = fmt::format(
        "It is the address of a shared variable of block {}{}. Shared memory is seen by its own "
        "block only,\nand ends with it:",
        block, is_other_launch ? " of an earlier kernel" : "");
    made.advice = " pass the values through device memory.";
    report(key, std::move(made));
}

void RaceDetector::report_misaligned(const Access& access, std::uint32_t alignment) {
    Finding made = finding(
        Fault::misaligned, "misaligned", "misaligned access",
        party(access, fmt::format("{} {}", does(access.is_store), bytes_text(access.bytes))));
    made.evidence = fmt::format(
        "The address is not a multiple of {}: it is {} + {}. A device takes {} only from addresses "
        "that are multiples of {}.",
        alignment,
        access.address / alignment * alignment == 0 ? std::string("0")
                                                    : fmt::format("a multiple of {}", alignment),
        access.address % alignment, bytes_text(alignment), alignment);
    made.advice = "\nUse a smaller type, or make the index or the offset in bytes a multiple.";
    // The device ends the kernel here; some CPU instructions would too, with other words.
    emulator::Report end{cudaErrorMisalignedAddress,
                         emulator::Reason::misaligned,
                         text(made),
                         made.kernel,
                         made.file,
                         made.line};
    report(findings_.key_of(Fault::misaligned, access.site), std::move(made));
    said_.insert(end.text);
    emulator::ToolIsBusy::is_busy = false;
    const_cast<emulator::Worker*>(worker_)->fail(std::move(end));
}

namespace {

/// 'float [8][9]': the type of an array as compilers write it. clang adds what a name of a type
/// stands for, and leaves out the blank: 'Tile' (aka 'float[8][9]').
std::string array_type(std::string type) {
    const std::size_t known_as = type.find("(aka '");
    if (known_as != std::string::npos) {
        type = type.substr(known_as + 5, type.size() - known_as - 6);
    }
    if (type.size() > 2 && type.front() == '\'') type = type.substr(1, type.size() - 2);
    const std::size_t bracket = type.find('[');
    if (bracket != std::string::npos && bracket != 0 && type[bracket - 1] != ' ') {
        type.insert(bracket, 1, ' ');
    }
    return type;
}

}  // namespace

/// Indexes that their arrays do not have, where the accesses did not lie outside of everything.
void RaceDetector::report_indexes() {
    std::vector<Index> left;
    left.swap(indexes_);
    for (const Index& each : left) {
        const FindingList::Key key =
            FindingList::key_of(Fault::out_of_bounds, source_place(each.site));
        if (block_ == nullptr || findings_.is_known(key)) continue;
        // It is the first number that the index is for.
        const std::string type = array_type(each.array);
        const std::size_t bracket = type.find('[');
        const long items = bracket == std::string::npos ? 0 : std::atol(type.c_str() + bracket + 1);
        Party mine{fmt::format("{} of block {}", each.who, block_->index),
                   fmt::format("uses item {} of {}", each.value, type)};
        mine.block = static_cast<std::int64_t>(block_->index);
        mine.thread = each.thread;
        mine.at = source_place(each.site);
        Finding made;
        made.fault = Fault::out_of_bounds;
        made.kernel = launched_.name;
        made.title = "out of bounds in " + made.kernel;
        made.parties = {std::move(mine)};
        put_places(made);
        // -1, -2, ... as numbers of 32 bits without a sign.
        constexpr std::int64_t kWrapped = std::int64_t{1} << 32;
        const bool is_below_zero = each.value < kWrapped && each.value > kWrapped - 65536;
        made.evidence = fmt::format(
            "Its items are 0 to {}. {}", items - 1,
            is_below_zero ? fmt::format("{} is what {} becomes as an unsigned number: the index "
                                        "went below 0.",
                                        each.value, each.value - kWrapped)
                          : "What lies there belongs to another row of the array, or to another "
                            "variable.");
        made.item = each.value;
        made.items = items;
        cure(made, Cure::test_index, made.parties.front().at,
             "\nTest the index before it is used.");
        report(key, std::move(made));
    }
}

void RaceDetector::report_bounds(const Access& access, const Target& what) {
    const Place here = place_of(access.site);
    indexes_.erase(std::remove_if(indexes_.begin(), indexes_.end(),
                                  [&](const Index& each) { return each.site.line == here.line; }),
                   indexes_.end());
    const FindingList::Key key = findings_.key_of(Fault::out_of_bounds, access.site);
    if (findings_.is_known(key)) return;
    Finding made = finding(
        Fault::out_of_bounds, "out_of_bounds", "out of bounds",
        party(access, fmt::format("{} {}", does(access.is_store), bytes_text(access.bytes))));
    const std::ptrdiff_t within = static_cast<std::ptrdiff_t>(what.offset);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(what.bytes);
    const std::ptrdiff_t item = static_cast<std::ptrdiff_t>(access.bytes);
    const std::string where =
        within < 0
            ? fmt::format("{} before the start of", bytes_text(static_cast<std::size_t>(-within)))
        : within == size ? std::string("Right behind the end of")
        : within > size  ? fmt::format("{} behind the end of",
                                       bytes_text(static_cast<std::size_t>(within - size)))
                         : std::string("Across the end of");
    made.evidence = fmt::format("{} {}.", where, what.declaration);
    const bool is_item = size != 0 && size % item == 0 && within % item == 0;
    if (is_item) {
        made.item = within / item;
        made.items = size / item;
        made.evidence += fmt::format("\nThat is index {} in {} item{}", made.item, made.items,
                                     made.items == 1 ? "" : "s");
    }
    cure(made, within < 0 ? Cure::test_lower : Cure::test_index, made.parties.front().at, "");
    const std::string expression =
        within < 0 ? subtracting_index(source_line(here.file, here.line)) : "";
    made.evidence += is_item && !expression.empty()
                         ? fmt::format(": the index of {} is below 0.", expression)
                     : is_item ? "."
                               : "";
    made.advice = (is_item ? " " : "\n") + std::string("Test the index before it is used.");
    if (size == 0 && launched_.dynamic_bytes == 0 && block_->arena != 0 &&
        access.address - block_->arena < kArenaBytes) {
        cure(made, Cure::none, source_place(launched_.site),
             "\nThe launch gives no dynamic shared memory: its third number is how many bytes.");
    }
    report(key, std::move(made));
}

void RaceDetector::report_uninitialised(const Access& access) {
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (findings_.is_known(key)) return;
    const Target what = target(access.address, access.bytes);
    Finding made = finding(Fault::uninitialised, "uninitialised", "uninitialised memory",
                           party(access, fmt::format("reads {},", what.item)));
    const bool is_shared =
        block_->arena != 0 && access.address - block_->arena < (std::size_t{1} << 19);
    made.evidence = "Nothing has been written there yet: is it the item you meant?";
    const Watched* const memory = is_shared ? nullptr : device_.find(access.address, 0);
    cure(made, Cure::initialise, memory != nullptr ? source_place(memory->site) : SourcePlace{},
         is_shared ? "\nShared memory holds anything when a block begins: write it first."
                   : "\nIt holds whatever was there before: write it first, in a kernel, or "
                     "with\ncudaMemset or cudaMemcpy.",
         Spot::after);
    if (memory != nullptr) explain_short_copy(access, made);
    report(key, std::move(made));
}

/// Not if something has failed: a kernel that has not run has written nothing.
void RaceDetector::report_never_written(Finding made) {
    add_emulator_reports();
    const std::vector<Finding>& all = findings_.all();
    if (std::any_of(all.begin(), all.end(),
                    [](const Finding& each) { return each.fault == Fault::backend; })) {
        return;
    }
    const SourcePlace place = made.parties.empty() ? SourcePlace{} : made.parties.front().at;
    report(FindingList::key_of(Fault::uninitialised, place), std::move(made));
}

void RaceDetector::brought_access(SiteId id, std::uintptr_t address, std::uint32_t bytes,
                                  Kind kind) {
    Finding made;
    if (never_written_.host_access(id, address, bytes, kind, &made)) {
        report_never_written(std::move(made));
    }
}

void RaceDetector::note_copy(const emulator::Copy& copy, const Watched& memory) {
    const std::size_t begin = reinterpret_cast<std::uintptr_t>(copy.to) - memory.begin;
    const auto known = short_copies_.find(memory.begin);
    if (known != short_copies_.end() && known->second.site.line == copy.site.line &&
        known->second.bytes == copy.bytes && begin > known->second.begin) {
        ShortCopy& last = known->second;
        if (last.rows == 1) last.pitch = begin - last.begin;
        ++last.rows;
        return;
    }
    if (begin == 0 && copy.bytes >= memory.bytes) {
        short_copies_.erase(memory.begin);
    } else {
        short_copies_[memory.begin] = {copy.call, copy.site, begin, copy.bytes, 0};
    }
}

/// Where a copy has written less of the array than this, it is named as the cause.
void RaceDetector::explain_short_copy(const Access& access, Finding& made) {
    const Watched* const memory = device_.find(access.address, 0);
    const auto found = short_copies_.find(memory->begin);
    if (found == short_copies_.end()) return;
    const ShortCopy& copy = found->second;
    const std::size_t at = access.address - memory->begin;
    if (at < copy.begin + copy.bytes) return;
    const bool has_rows = copy.rows > 1;
    const std::size_t needed = has_rows ? copy.pitch : memory->bytes;
    made.parties.push_back(
        call(copy.call,
             has_rows ? fmt::format("writes {} of {} bytes of each row", copy.bytes, copy.pitch)
                      : fmt::format("writes {} of its {} bytes", copy.bytes, memory->bytes),
             copy.site));
    put_places(made);
    const bool counts_items = copy.bytes * access.bytes == needed;
    made.evidence =
        counts_items ? fmt::format("{} is the number of items: the {} is in bytes.", copy.bytes,
                                   has_rows ? "width" : "size")
        : copy.bytes == sizeof(void*)
            ? fmt::format("{} bytes are the size of a pointer.", copy.bytes)
            : std::string("Nothing has been written behind that: is it the item you meant?");
    made.item = static_cast<std::int64_t>(copy.bytes);
    made.items = static_cast<std::int64_t>(needed);
    cure(made, Cure::copy_bytes, source_place(copy.site),
         fmt::format(" Give it the number of items times\nthe size of one, {} * {}.",
                     needed / access.bytes, access.bytes));
}

/// In the memory of malloc() and new: whether it is inside of what one of them gave.
void RaceDetector::check_kernel_heap(const Access& access, const Watched& heap) {
    const auto after = heap_memory_.upper_bound(access.address);
    const bool has_any = after != heap_memory_.begin();
    const std::uintptr_t begin = has_any ? std::prev(after)->first : heap.begin;
    const std::size_t bytes = has_any ? std::prev(after)->second : 0;
    if (access.address + access.bytes <= begin + bytes) return;
    if (report_freed_heap(access, heap)) return;
    report_bounds(access,
                  {"malloc", "malloc",
                   fmt::format("the {} that malloc() or new gave in the kernel", bytes_text(bytes)),
                   access.address - begin, bytes});
}

/// Whether it was given back before. Where nothing orders the two, they race, and that is reported.
bool RaceDetector::report_freed_heap(const Access& access, const Watched& heap) {
    const auto after = freed_heap_.upper_bound(access.address);
    if (after == freed_heap_.begin()) return false;
    const auto& [begin, freed] = *std::prev(after);
    if (access.address >= begin + freed.bytes) return false;
    const FindingList::Key key = findings_.key_of(Fault::host_pointer, access.site, freed.site);
    const Stamp& last = (*heap.cells)[(access.address - heap.begin) / kWordBytes].write;
    if (findings_.is_known(key) || (last.epoch == epoch() && last.site == freed.site &&
                                    !order_.is_ordered(last, block_->clock, number_))) {
        return true;
    }
    Finding made =
        finding(Fault::host_pointer, "freed_memory", "freed memory",
                party(access, fmt::format("{} the {} that malloc() or new gave in the kernel,",
                                          does(access.is_store), bytes_text(freed.bytes))));
    Party other{freed.who, "has freed it"};
    other.at = source_place(place_of(freed.site));
    made.parties.push_back(std::move(other));
    put_places(made);
    made.advice = "\nFree memory behind the last use of it.";
    report(key, std::move(made));
    return true;
}

/// Two extern __shared__ arrays begin at the same place: what was written by the name of one is
/// read by that of the other. The lines tell the names.
void RaceDetector::check_overlap(const Access& access, const Cell& cell) {
    if (cell.write.epoch != block_->serial || cell.write.site == access.site) return;
    // Before the declaration the name is another's, such as a helper's argument.
    const auto is_named = [](const emulator::SharedRegion& each, const Place& place) {
        const std::string code = source_line(place.file, place.line);
        return code.find(std::string(each.name) + "[") != std::string::npos &&
               (place.line >= each.site.line || file_name(place.file) != file_name(each.site.file));
    };
    const auto array_of = [&](SiteId id) -> const emulator::SharedRegion* {
        const Place place = place_of(id);
        const emulator::SharedRegion* named = nullptr;
        for (const emulator::SharedRegion& each : block_->block->dynamic_arrays) {
            if (!is_named(each, place)) continue;
            if (named != nullptr) return nullptr;
            named = &each;
        }
        return named;
    };
    const FindingList::Key key = findings_.key_of(Fault::overlap, access.site, cell.write.site);
    if (findings_.is_known(key)) return;
    const emulator::SharedRegion* const read = array_of(access.site);
    const emulator::SharedRegion* const written = array_of(cell.write.site);
    const emulator::SharedRegion* lost = read;
    if (read == nullptr && written != nullptr) {
        // A line with several names that reads this word twice has it by two of them.
        const Place here = place_of(access.site);
        const unsigned thread = static_cast<unsigned>(number_);
        const auto is_other = [&](const Users& read) {
            const SiteId at = read.of(thread).site;
            return read.epoch == block_->serial && at != access.site && read.holds(thread) &&
                   place_of(at).line == here.line;
        };
        if (!cell.any_read(is_other)) return;
        for (const emulator::SharedRegion& each : block_->block->dynamic_arrays) {
            if (is_named(each, here) && each.name != written->name) lost = &each;
        }
    }
    if (lost == nullptr || written == nullptr || lost->name == written->name) return;
    Finding made = finding(Fault::overlap, "overlap", "overlapping arrays",
                           party(access, fmt::format("reads {}", lost->name)));
    Party writer{fmt::format("{} of block {}", who(cell.write.thread), block_->index),
                 fmt::format("has written {} there", written->name)};
    writer.at = source_place(place_of(cell.write.site));
    made.parties.push_back(std::move(writer));
    put_places(made);
    made.evidence = "All extern __shared__ arrays begin at the same address.";
    const emulator::SharedRegion& second = block_->block->dynamic_arrays.back();
    const emulator::SharedRegion& first = block_->block->dynamic_arrays.front();
    cure(made, Cure::one_array, source_place(second.site),
         fmt::format(" Declare only one of them, and let {} be\na pointer behind the items of {}.",
                     second.name, first.name));
    report(key, std::move(made));
}

void RaceDetector::function_argument(const emulator::Launch& launch, int position,
                                     const void* function) {
    const std::uintptr_t value = reinterpret_cast<std::uintptr_t>(function);
    if (function == nullptr || host_objects_.is_of_device(value)) return;
    const SourcePlace place = source_place(launch.where.site);
    const FindingList::Key key = FindingList::key_of(Fault::host_pointer, place);
    if (findings_.is_known(key)) return;
    Finding made;
    made.fault = Fault::host_pointer;
    made.code = "host_function";
    made.kernel = launch.kernel_name();
    made.title = "function pointer of the host in " + made.kernel;
    made.parties = {call(fmt::format("argument {}", position),
                         "is the host's address of " + emulator::symbol_name(function),
                         launch.where.site)};
    put_places(made);
    made.evidence = "On a GPU the function is elsewhere:";
    made.advice =
        " copy its address from a __device__ variable that holds it\n(cudaMemcpyFromSymbol), or "
        "choose the function in the kernel.";
    report(key, std::move(made));
}

namespace {

/// Whether anything is mapped at the address.
bool is_mapped(std::uintptr_t address) {
    const std::uintptr_t page = address & ~std::uintptr_t{4095};
    return msync(reinterpret_cast<void*>(page), 1, MS_ASYNC) == 0;
}

}  // namespace

void RaceDetector::report_host_pointer(const Access& access) {
    const bool is_shared = worker_->is_shared_memory(access.address);
    const FindingList::Key key =
        findings_.key_of(is_shared ? Fault::escaped : Fault::host_pointer, access.site);
    if (findings_.is_known(key)) return;
    const char* code = "host_pointer";
    std::string kind = "host pointer", what = "memory of the host", evidence;
    Cure how = Cure::none;
    std::string advice =
        "\nA GPU cannot do that. Copy the data with cudaMemcpy into memory from cudaMalloc, and "
        "give the\nkernel that pointer.";
    const Place here = place_of(access.site);
    const Watched* const far = device_.nearest(access.address, access.bytes);
    const Watched* const wrapped = device_.wrapped(access.address, access.bytes);
    const bool is_host = is_mapped(access.address);
    // An index of an array that is known has led there: that says more.
    const bool is_by_index = std::any_of(indexes_.begin(), indexes_.end(), [&](const Index& each) {
        return each.site.line == here.line;
    });
    if (is_by_index && !is_host) return;
    // Of a place that has used an array, the index is wrong and not the pointer.
    const Watched* const used =
        device_.find_if([&](const Watched& each) { return has_used(each, access.site); });
    if (emulator::was_freed(access.address)) {
        kind = "freed memory";
        code = "freed_memory";
        what = fmt::format("freed memory, {},", emulator::describe_address(access.address));
        advice = "\nFree memory when the last kernel that uses it has ended.";
    } else if (is_shared) {
        kind = "escaped shared memory";
        code = "escaped";
        what = "shared memory of another block";
        advice =
            "\nShared memory is seen by its own block only: pass the values through device memory.";
    } else if (worker_->is_stack(access.address)) {
        kind = "pointer to a local variable";
        code = "local_variable";
        what = "a local variable of another thread";
        advice =
            "\nA local variable is its thread's own, and ends with its function: use shared or "
            "device memory.";
    } else if (wrapped != nullptr) {
        kind = "index below 0";
        code = "wild_pointer";
        how = Cure::test_lower;
        const std::int64_t item =
            static_cast<std::int64_t>((access.address - wrapped->begin) / access.bytes);
        const std::string expression = subtracting_index(source_line(here.file, here.line));
        what = fmt::format("item {} of {},", item, wrapped->description);
        evidence = fmt::format(
            "The index{} is {} there: an unsigned index that has gone below 0 wraps round to {}.",
            expression.empty() ? "" : " of " + expression, item - (std::int64_t{1} << 32), item);
        advice =
            " Use the item\nonly where the index is not below 0: test it before the "
            "subtraction.";
    } else if (far != nullptr && (used != nullptr || !is_host)) {
        kind = "wild pointer";
        code = "wild_pointer";
        how = Cure::wide_index;
        const bool is_before = access.address < far->begin;
        const std::uintptr_t distance =
            is_before ? far->begin - access.address : access.address - far->begin;
        what = fmt::format("an address {:.1f} GiB {} the device's arrays,",
                           static_cast<double>(distance) / (1u << 30),
                           is_before ? "before" : "behind");
        evidence =
            "Such a distance comes from an index that has overflowed: a product of two ints is an "
            "int.";
        advice = " Compute\nit in std::size_t: static_cast<std::size_t>(row) * width + column.";
    } else if (used != nullptr) {
        kind = "wild pointer";
        code = "wild_pointer";
        how = Cure::test_index;
        what = fmt::format("item {} of {},",
                           (static_cast<std::ptrdiff_t>(access.address) -
                            static_cast<std::ptrdiff_t>(used->begin)) /
                               static_cast<std::ptrdiff_t>(access.bytes),
                           used->description);
        evidence =
            "No array is there. The same line has used that one: its index is what is wrong.";
        advice =
            "\nTest the index before it is used. A product of two ints may overflow: compute it in "
            "std::size_t.";
    } else if (!is_host) {
        kind = "wild pointer";
        code = "wild_pointer";
        what = fmt::format("address 0x{:x}, where no memory is,", access.address);
        advice =
            "\nThe pointer was never set, or was computed from a wrong value: look where it comes "
            "from.";
    }
    Finding made = finding(Fault::host_pointer, code, kind,
                           party(access, fmt::format("{} {}", does(access.is_store), what)));
    made.evidence = std::move(evidence);
    if (how == Cure::test_index) made.items = static_cast<std::int64_t>(used->bytes / access.bytes);
    cure(made, how, made.parties.front().at, std::move(advice));
    report(key, std::move(made));
}

/// Whether this place has used the array in this launch: then it is not for its pointer that it
/// misses it now. Only the first items are looked at.
bool RaceDetector::has_used(const Watched& array, SiteId site) const {
    constexpr std::size_t kMaxWords = 65536;
    if (array.cells == nullptr) return false;
    const auto is_by = [&](const Stamp& stamp) {
        return stamp.epoch == epoch() && stamp.site == site;
    };
    for (std::size_t word = 0; word < std::min(array.bytes / kWordBytes, kMaxWords); ++word) {
        const Cell& cell = (*array.cells)[word];
        if (is_by(cell.write) || cell.any_read(is_by) || cell.any_atomic(is_by)) return true;
    }
    return false;
}

void RaceDetector::report_device_pointer(SiteId id, const Watched& what, bool is_store) {
    const FindingList::Key key = findings_.key_of(Fault::device_pointer, id);
    if (findings_.is_known(key) || !place_of(id).is_known()) return;
    Finding made;
    made.fault = Fault::device_pointer;
    made.title = "device pointer on the host";
    made.parties = {host(id, fmt::format("{} {},", does(is_store), what.description))};
    put_places(made);
    made.advice = "\nOnly kernels can. Copy it with cudaMemcpy into memory of the host.";
    report(key, std::move(made));
}

void RaceDetector::report_freed_on_host(SiteId id, std::uintptr_t address, bool is_store) {
    const FindingList::Key key = findings_.key_of(Fault::device_pointer, id);
    if (findings_.is_known(key) || !place_of(id).is_known()) return;
    Finding made;
    made.fault = Fault::device_pointer;
    made.code = "freed_memory";
    made.title = "freed memory on the host";
    made.parties = {
        host(id, fmt::format("{} {},", does(is_store), emulator::describe_address(address)))};
    put_places(made);
    made.advice = "\nFree memory behind the last use of it.";
    report(key, std::move(made));
}

void RaceDetector::report_unused() {
    const SourcePlace place = source_place(launched_.site);
    const FindingList::Key key = FindingList::key_of(Fault::unused, place);
    if (findings_.is_known(key)) return;
    Finding made;
    made.fault = Fault::unused;
    made.kernel = launched_.name;
    made.title = "unused shared memory";
    Party launch{launched_.name, fmt::format("is launched with {} of dynamic shared memory",
                                             bytes_text(launched_.dynamic_bytes))};
    launch.at = place;
    made.parties = {std::move(launch)};
    put_places(made);
    made.evidence =
        "No thread uses them. They are only meant for extern __shared__ arrays, and they leave "
        "less room\nfor other blocks on a multiprocessor:";
    made.advice = " leave the number out.";
    report(key, std::move(made));
}

void RaceDetector::report_constant_store(const Access& access) {
    const FindingList::Key key = findings_.key_of(Fault::backend, access.site);
    if (findings_.is_known(key)) return;
    Finding made = finding(
        Fault::backend, "constant_store", "store to constant memory",
        party(access, fmt::format("writes {},", target(access.address, access.bytes).item)));
    made.parties.front().call = {};
    made.evidence = "A kernel can only read __constant__ memory:";
    made.advice =
        " declare the variable __device__, or let the host write it\nwith "
        "cudaMemcpyToSymbol.";
    report(key, std::move(made));
}

void RaceDetector::report_host_object(const Access& access, const std::string& name,
                                      bool is_function) {
    const FindingList::Key key = findings_.key_of(Fault::host_pointer, access.site);
    if (findings_.is_known(key)) return;
    Finding made = finding(
        Fault::host_pointer, is_function ? "host_function" : "host_object",
        is_function ? "function pointer of the host" : "virtual functions of the host",
        party(access,
              is_function
                  ? fmt::format("loads the host's address of {},", name)
                  : fmt::format("loads the table of virtual functions of an object of class {} "
                                "that the host has made,",
                                name)));
    made.parties.front().call = {};
    made.evidence = is_function ? "On a GPU the function is elsewhere:"
                                : "On a GPU the functions are elsewhere:";
    made.advice = is_function
                      ? " copy its address from a __device__ variable that holds "
                        "it\n(cudaMemcpyFromSymbol), or choose the function in the kernel."
                      : " make the object in a kernel (new, or placement new in device\nmemory), "
                        "not on the host.";
    report(key, std::move(made));
}

}  // namespace lab
