// The words for what the race detector finds.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "emulator/report.hpp"
#include "emulator/settings.hpp"
#include "lines.hpp"
#include "memory.hpp"
#include "race_detector.hpp"

namespace lab {
namespace {

constexpr const char* kUnordered = "Nothing orders the two";

Place place_of(SiteId id) {
    const AccessSite& at = site(id);
    return user_place((at.caller != 0 ? at.caller : at.pc) - 1);
}

std::string at_line(const Place& place) {
    return fmt::format("{}:{}", file_name(place.file), place.line);
}

std::string quote(const Place& place) {
    return fmt::format("  {:>5} | {}", place.line, source_line(place.file, place.line));
}

/// For a place in a helper: the kernel's line that calls it, as far as it is the user's.
Place call_of(SiteId id) {
    const AccessSite& at = site(id);
    if (at.kernel_call != 0) return user_place(at.kernel_call - 1);
    // A helper that was compiled into the kernel.
    const std::vector<Place> places = places_of((at.caller != 0 ? at.caller : at.pc) - 1);
    const Place inner = place_of(id);
    if (places.empty() || !inner.is_known()) return {};
    const Place& outer = places.back();
    const bool is_users =
        user_place((at.caller != 0 ? at.caller : at.pc) - 1).is_known() && outer.file == inner.file;
    return is_users && outer.function != inner.function && outer.line > 0 ? outer : Place{};
}

/// The line of the kernel at which it happens, whether there or in a helper.
Place kernel_place_of(SiteId id) {
    const Place call = call_of(id);
    return call.is_known() ? call : place_of(id);
}

std::string at_line(SiteId id) {
    const Place here = place_of(id), call = call_of(id);
    if (!call.is_known()) return at_line(here);
    return call.file == here.file ? fmt::format("{}, from line {}", at_line(here), call.line)
                                  : fmt::format("{}, from {}", at_line(here), at_line(call));
}

std::string quote(SiteId id) {
    const Place call = call_of(id);
    return quote(place_of(id)) + (call.is_known() ? "\n" + quote(call) : "");
}

/// A line of the source without its comment.
std::string code_of(const std::string& file, int line) {
    const std::string text = source_line(file, line);
    return text.substr(0, text.find("//"));
}

bool begins_loop(const std::string& code) {
    const auto is_of_name = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    for (auto at = code.begin(); at != code.end();) {
        const auto end = std::find_if_not(at, code.end(), is_of_name);
        const std::string word(at, end);
        if (word == "for" || word == "while" || word == "do") return true;
        at = end == code.end() ? end : end + 1;
    }
    return false;
}

/// Whether a loop encloses both lines, as far as the source's braces tell.
bool is_in_loop(const std::string& file, int low, int high) {
    if (low == high && begins_loop(code_of(file, low))) return true;
    const std::string above = code_of(file, low - 1);
    if (low == high && begins_loop(above) && above.back() == ')') return true;  // without braces
    constexpr int kMaxLines = 500;
    int closed = 0;
    for (int line = high - 1; line > std::max(0, high - kMaxLines); --line) {
        const std::string code = code_of(file, line);
        for (auto at = code.rbegin(); at != code.rend(); ++at) {
            if (*at == '}') ++closed;
            if (*at != '{') continue;
            if (closed > 0) {
                --closed;
            } else if (line <= low &&
                       (begins_loop(code) || (std::count(code.begin(), code.end(), ')') >
                                                  std::count(code.begin(), code.end(), '(') &&
                                              begins_loop(code_of(file, line - 1))))) {
                return true;
            }
        }
    }
    return false;
}

/// Where the barrier is missing: `before_id` came first, then `after_id`, and no barrier between
/// them. `last`: the last barrier before both.
std::string missing_barrier(SiteId before_id, SiteId after_id, bool both_write,
                            emulator::Site last) {
    Place before = place_of(before_id), after = place_of(after_id);
    const Place call = call_of(after_id);
    const bool in_one_helper = call.is_known() && call_of(before_id).is_known() &&
                               before.file == after.file && before.function == after.function;
    const auto is_looping = [](const Place& one, const Place& other) {
        return is_in_loop(one.file, std::min(one.line, other.line), std::max(one.line, other.line));
    };
    if (in_one_helper && !is_looping(before, after) && is_looping(call, call)) {
        return fmt::format(
            ": a barrier is missing behind line {}, which calls\nthis in every round, or between "
            "what it reads and what it writes; or two\nthreads have the same items.",
            call.line);
    }
    if (!in_one_helper) before = kernel_place_of(before_id), after = kernel_place_of(after_id);
    const auto [low, high] = std::minmax(before.line, after.line);
    if (before.file == after.file && before.function == after.function && last.file != nullptr &&
        file_name(last.file) == file_name(after.file) && low <= last.line && last.line < high) {
        return fmt::format(
            ": a barrier is missing between line {} and line {}\nof the loop's next round.", high,
            low);
    }
    if (before.file != after.file) {
        return fmt::format(": a barrier is missing\nbetween {} and {}.", at_line(before),
                           at_line(after));
    }
    const bool in_loop = before.function != after.function || is_looping(before, after);
    if (before.line < after.line || (before.line > after.line && !in_loop)) {
        return fmt::format(": a barrier is missing between lines {} and {}.", low, high);
    }
    if (before.line > after.line) {
        return fmt::format(
            ": a barrier is missing between lines {} and {}, or,\nin a loop, behind line {}.",
            after.line, before.line, before.line);
    }
    if (both_write) {
        return std::string(". If both are meant to change it, use an atomic operation") +
               (in_loop ? ",\nor put a barrier between two rounds of the loop. If not, give each "
                          "thread\nitems of its own."
                        : ".\nIf not, give each thread items of its own.");
    }
    return std::string(": a barrier is missing between what the line reads\nand what it writes") +
           (in_loop ? ", or between two rounds of its loop." : ".");
}

/// Whether missing_barrier() has written what follows; it is not said where a fence is what helps.
bool asks_for_barrier(const std::string& from_unordered) {
    const std::string rest = from_unordered.substr(std::strlen(kUnordered));
    return rest.compare(0, 11, ": a barrier") == 0 || rest.compare(0, 9, ". If both") == 0;
}

std::string bytes_text(std::size_t bytes) {
    return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace

const char* code(Fault fault) {
    switch (fault) {
        case Fault::race:
            return "race";
        case Fault::out_of_bounds:
            return "out_of_bounds";
        case Fault::misaligned:
            return "misaligned";
        case Fault::read_only:
            return "read_only";
        case Fault::escaped:
            return "escaped";
        case Fault::uninitialised:
            return "uninitialised";
        case Fault::host_pointer:
            return "host_pointer";
        case Fault::device_pointer:
            return "device_pointer";
        case Fault::unused:
            return "unused";
        case Fault::backend:
            return "backend";
        case Fault::leak:
            return "leak";
    }
    return "";
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
    Watched* const found = device_.find(address, 4096);
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

Finding RaceDetector::finding(Fault fault, SiteId id) const {
    const Place place = place_of(id);
    Finding made;
    made.fault = fault;
    made.kernel = worker_->launch->kernel_name();
    made.file = file_name(place.file);
    made.line = place.line;
    return made;
}

// ---- Reports -----------------------------------------------------------------------------------

void RaceDetector::report(const Key& key, Finding finding) {
    constexpr std::size_t kMax = 50;
    if (is_known(key) || findings_.size() >= kMax) return;
    if (finding.code.empty()) finding.code = code(finding.fault);
    known_.emplace(key, findings_.size());
    if (trace_ != nullptr && block_ != nullptr) trace_->fault(finding, block_->index, number_);
    findings_.push_back(std::move(finding));
}

/// True: this was said before, and is counted there.
bool RaceDetector::is_known(const Key& key) {
    const auto known = known_.find(key);
    if (known == known_.end()) return false;
    if (known->second < findings_.size()) ++findings_[known->second].times;
    return true;
}

RaceDetector::Key RaceDetector::key_of(Fault fault, SiteId id, SiteId other) {
    const auto [known, fresh] = keys_.try_emplace({fault, id, other});
    if (fresh) {
        Place here = place_of(id);
        Place there = other != kNoSite ? place_of(other) : Place{};
        if (other != kNoSite && std::tie(there.file, there.line) < std::tie(here.file, here.line)) {
            std::swap(here, there);
        }
        known->second = {fault, here.file, here.line, there.file, there.line};
    }
    return known->second;
}

void RaceDetector::report_race(const Access& access, const Stamp& other, bool other_stores) {
    const Key key = key_of(Fault::race, access.site, other.site);
    const bool both_store = access.is_store && other_stores;
    const bool same_block = other.block == block_->clock.block;
    const bool same_warp = same_block && other.thread / 32 == number_ / 32;
    if (same_block && !same_warp) across_warps_.insert(key);
    if (same_block && both_store) both_write_.insert(key);
    if (same_warp) {
        int& warp = racing_warp_.try_emplace(key, number_ / 32).first->second;
        if (warp != number_ / 32) warp = kSeveral;
    }
    if (!both_store && is_known(key)) return;
    Race race;
    race.access = access;
    race.other = other;
    race.other_stores = other_stores;
    race.same_block = same_block;
    race.is_block_one_warp = block_->block->indices.size() <= 32;
    race.last_barrier = block_->barrier;
    // Where one of the two is the atomic operation, a fence would not help.
    race.lack = access.is_atomic || other.is_atomic
                    ? Lack::no_fence
                    : order_.lacks_fence(other, block_->clock, number_);
    race.kernel = worker_->launch->kernel_name();
    race.item = target(access.address, access.bytes).item;
    race.mine = fmt::format("{} of block {}", who(number_), block_->index);
    race.theirs = fmt::format(
        "{} of block {}", same_block ? who(other.thread) : fmt::format("thread {}", other.thread),
        other.block);
    if (!both_store) {
        report(key, race_finding(key, race));
        return;
    }
    Pending waiting{
        access.address, std::min<std::uint32_t>(access.bytes, 16), {}, std::move(race), key};
    std::memcpy(waiting.before, reinterpret_cast<const void*>(access.address), waiting.bytes);
    pending_.push_back(std::move(waiting));
}

/// The words for it. They take long: nobody writes them of two stores of the same value.
Finding RaceDetector::race_finding(const Key& key, const Race& race) {
    const Access& access = race.access;
    const Stamp& other = race.other;
    const Place here = place_of(access.site), there = place_of(other.site);
    Finding made;
    made.fault = Fault::race;
    made.kernel = race.kernel;
    made.file = file_name(here.file);
    made.line = here.line;
    made.other_file = file_name(there.file);
    made.other_line = there.line;
    made.text = fmt::format(
        "race {} in {}, on {}\n  {} {} it at {}\n{}\n  {} {} it at {}\n{}\n{}.",
        race.same_block ? "within a block" : "between blocks", made.kernel, race.item, race.mine,
        access.is_store ? "writes" : "reads", at_line(access.site), quote(access.site), race.theirs,
        race.other_stores ? "writes" : "reads", at_line(other.site), quote(other.site), kUnordered);
    const Lack lack = race.lack;
    const Traits& traits = site(access.site).traits;
    const Traits& other_traits = site(other.site).traits;
    if (access.is_atomic && other.is_atomic &&
        (traits.is_block_scope || other_traits.is_block_scope)) {
        made.text +=
            " An operation of block scope (..._block, thread_scope_block) is\n"
            "atomic among the threads of one block only: use the one of the whole device.";
    } else if (access.is_volatile && other.is_atomic && other_traits.is_volatile) {
        made.text +=
            " volatile keeps a value out of registers; it orders\nnothing and makes nothing "
            "atomic: use an atomic operation.";
    } else if (lack == Lack::wider_fence) {
        made.text +=
            " __threadfence_block() is for the threads of one block:\nuse __threadfence().";
    } else if (lack == Lack::fence_before_release) {
        made.text +=
            " There is an atomic operation between them, but it orders only itself:\nput a "
            "__threadfence() before it, so that a thread that sees the atomic sees what was "
            "written "
            "before.";
    } else if (lack == Lack::fence_after_acquire) {
        made.text += fmt::format(
            " A __threadfence() and an atomic operation follow the one, and an\natomic operation "
            "before the other sees that: put a __threadfence() behind it too, so that nothing\nis "
            "{} too early.",
            access.is_store ? "written" : "read");
    } else if (race.same_block) {
        made.text.pop_back();  // the full stop
        advice_.emplace(
            key, Lacking{race.is_block_one_warp, other.site, access.site, race.last_barrier});
        made.text += missing_barrier(other.site, access.site, access.is_store && race.other_stores,
                                     race.last_barrier);
    } else {
        made.text +=
            " Blocks run in any order, and at the same time:\ngive each block items of its own, "
            "use an atomic operation, or end the kernel\nbetween the two.";
    }
    return made;
}

void RaceDetector::report_stream_race(const Access& access, const Stamp& other, bool other_stores) {
    const StreamOperation& before = streams_.operation(operation_of_epoch_[other.epoch]);
    const Place here = place_of(access.site);
    const Key key{Fault::race, here.file, here.line,
                  before.site.file != nullptr ? before.site.file : "", before.site.line};
    if (is_known(key) || !(access.is_store || other_stores)) return;
    if (access.is_atomic && other.is_atomic) return;
    Finding made = finding(Fault::race, access.site);
    made.other_file = file_name(before.site.file != nullptr ? before.site.file : "");
    made.other_line = before.site.line;
    made.text = fmt::format(
        "race between streams in {}, on {}\n  {} of block {} {} it at {}\n{}\n  {} in another "
        "stream, from {}:{}, {} it\n{}\nNeither waits for the other. Give both to one stream, or "
        "record an event behind the first\n(cudaEventRecord) and let the other stream wait for it "
        "(cudaStreamWaitEvent).",
        made.kernel, target(access.address, access.bytes).item, who(number_), block_->index,
        access.is_store ? "writes" : "reads", at_line(here), quote(here), before.what,
        made.other_file, made.other_line, other_stores ? "writes" : "reads",
        quote({before.site.file != nullptr ? before.site.file : "", before.site.line, {}}));
    report(key, std::move(made));
}

void RaceDetector::report_copy_race(const emulator::Copy& copy, const Watched& what,
                                    const Stamp& other, bool is_store, bool other_stores) {
    const StreamOperation& before = streams_.operation(operation_of_epoch_[other.epoch]);
    const std::string file = copy.site.file != nullptr ? copy.site.file : "";
    const std::string other_file = before.site.file != nullptr ? before.site.file : "";
    const Key key{Fault::race, file, copy.site.line, other_file, before.site.line};
    if (is_known(key) || !(is_store || other_stores)) return;
    Finding made;
    made.fault = Fault::race;
    made.file = file_name(file);
    made.line = copy.site.line;
    made.other_file = file_name(other_file);
    made.other_line = before.site.line;
    made.text = fmt::format(
        "race between streams, on {}\n  {} {} it, from {}:{}\n{}\n  {} in another stream {} it, "
        "from {}:{}\n{}\nNeither waits for the other. Give both to one stream, wait with "
        "cudaStreamSynchronize, or record an\nevent behind the first (cudaEventRecord) and let the "
        "other stream wait for it (cudaStreamWaitEvent).",
        what.description, copy.call, is_store ? "writes" : "reads", made.file, made.line,
        quote({file, made.line, {}}), before.what, other_stores ? "writes" : "reads",
        made.other_file, made.other_line, quote({other_file, made.other_line, {}}));
    report(key, std::move(made));
}

void RaceDetector::report_host_race(SiteId id, const Watched& what, bool is_store,
                                    const Stamp& other, bool other_stores) {
    const StreamOperation& before = streams_.operation(operation_of_epoch_[other.epoch]);
    const Place here = place_of(id);
    if (!here.is_known()) return;
    const std::string other_file = before.site.file != nullptr ? before.site.file : "";
    const Key key{Fault::race, here.file, here.line, other_file, before.site.line};
    if (is_known(key)) return;
    Finding made;
    made.fault = Fault::race;
    made.file = file_name(here.file);
    made.line = here.line;
    made.other_file = file_name(other_file);
    made.other_line = before.site.line;
    made.text = fmt::format(
        "race with the host, on {}\n  the host {} it at {}\n{}\n  {} {} it, from {}:{}\n{}\nThe "
        "host does not wait for that, and may come first: call cudaDeviceSynchronize() between the "
        "two,\nor cudaStreamSynchronize() for its stream.",
        what.description, is_store ? "writes" : "reads", at_line(here), quote(here), before.what,
        other_stores ? "writes" : "reads", made.other_file, made.other_line,
        quote({other_file, made.other_line, {}}));
    report(key, std::move(made));
}

void RaceDetector::report_read_only(const Access& access, const Stamp& other) {
    const Key key = key_of(Fault::read_only, access.site, other.site);
    if (is_known(key)) return;
    const bool is_load = !access.is_store;
    const Place load = place_of(is_load ? access.site : other.site);
    const Place store = place_of(is_load ? other.site : access.site);
    Finding made = finding(Fault::read_only, is_load ? access.site : other.site);
    made.other_file = file_name(store.file);
    made.other_line = store.line;
    made.text = fmt::format(
        "read-only load in {}, on {}\n  __ldg reads it at {}\n{}\n  the same kernel writes it at "
        "{}\n{}\n__ldg is for what no thread writes while the kernel runs: it may give an old "
        "value. "
        "Load it without\n__ldg, or write to another array.",
        made.kernel, target(access.address, access.bytes).item, at_line(load), quote(load),
        at_line(store), quote(store));
    report(key, std::move(made));
}

void RaceDetector::shuffled_from_outside(int lane, int source, unsigned mask,
                                         emulator::Site where) {
    const emulator::ToolIsBusy busy;
    const std::string file = where.file != nullptr ? where.file : "";
    const Key key{Fault::backend, file, where.line, "shuffle", 0};
    if (is_known(key)) return;
    const emulator::Worker& worker = *emulator::this_worker;
    const int warp = worker.thread->number / 32;
    const bool exists =
        (worker.block->warps[static_cast<std::size_t>(warp)].lanes >> source & 1u) != 0;
    Finding made;
    made.fault = Fault::backend;
    made.code = "shuffle_from_outside";
    made.kernel = worker.launch->kernel_name();
    made.file = file_name(file);
    made.line = where.line;
    made.text = fmt::format(
        "shuffle from outside in {}\n  lane {} of warp {}, block {}, asks for the value of lane "
        "{}, "
        "at {}:{}\n{}\n{}, so what it gets is undefined. ",
        made.kernel, lane, warp, worker.block->index, source, made.file, made.line,
        quote({file, made.line, {}}),
        exists ? fmt::format("Lane {} is not among those of the mask (0x{:08x})", source, mask)
               : fmt::format("The warp has only {} lanes",
                             __builtin_popcount(
                                 worker.block->warps[static_cast<std::size_t>(warp)].lanes)));
    made.text +=
        exists ? "Name all lanes that give or take a value,\nand let all of them come."
               : "Begin with a step\nof half as many lanes as there are, or launch whole warps.";
    report(key, std::move(made));
}

void RaceDetector::report_unset(const Access& access, bool is_store) {
    const Key key = key_of(Fault::uninitialised, access.site);
    if (is_known(key)) return;
    const Place here = place_of(access.site);
    Finding made = finding(Fault::uninitialised, access.site);
    made.text = fmt::format(
        "uninitialised variable in {}\n  {} of block {} {} at {}\n{}\n{}", made.kernel,
        who(number_), block_->index,
        is_store ? "stores the value of a local variable that was never set,"
                 : "reads a local variable that was never set,",
        at_line(here), quote(here),
        is_store ? "The variable, or what it was computed from, has no initial value: give it one "
                   "where it is declared."
                 : "A local variable holds anything until it is set: give it a value where it is "
                   "declared.");
    report(key, std::move(made));
}

void RaceDetector::report_escaped(const Access& access, std::uint64_t block, bool is_other_launch) {
    const Key key = key_of(Fault::escaped, access.site);
    if (is_known(key)) return;
    const Place here = place_of(access.site);
    Finding made = finding(Fault::escaped, access.site);
    made.text = fmt::format(
        "escaped shared memory in {}\n  {} of block {} loads a pointer at {}\n{}\nIt is the "
        "address "
        "of a shared variable of block {}{}. Shared memory is seen by its own block only,\nand "
        "ends with it: pass the values through device memory.",
        made.kernel, who(number_), block_->index, at_line(here), quote(here), block,
        is_other_launch ? " of an earlier kernel" : "");
    report(key, std::move(made));
}

void RaceDetector::report_misaligned(const Access& access, std::uint32_t alignment) {
    Finding made = finding(Fault::misaligned, access.site);
    made.text = fmt::format(
        "misaligned access in {}\n  {} of block {} {} {} at {}\n{}\nThe address is not a multiple "
        "of "
        "{}: "
        "it is {} + {}. A device takes {} only from addresses that are multiples of {}.\nUse a "
        "smaller type, or make the index or the offset in bytes a multiple.",
        made.kernel, who(number_), block_->index, access.is_store ? "writes" : "reads",
        bytes_text(access.bytes), at_line(access.site), quote(access.site), alignment,
        access.address / alignment * alignment == 0 ? std::string("0")
                                                    : fmt::format("a multiple of {}", alignment),
        access.address % alignment, bytes_text(alignment), alignment);
    const Key key = key_of(Fault::misaligned, access.site);
    // The device ends the kernel here; some CPU instructions would too, with other words.
    emulator::Report end{cudaErrorMisalignedAddress,
                         emulator::Reason::misaligned,
                         made.text,
                         made.kernel,
                         made.file,
                         made.line};
    report(key, std::move(made));
    last_said_ = end.text;
    emulator::ToolIsBusy::is_busy = false;
    const_cast<emulator::Worker*>(worker_)->fail(std::move(end));
}

/// Indexes that their arrays do not have, where the accesses did not lie outside of everything.
void RaceDetector::report_indexes() {
    std::vector<Index> left;
    left.swap(indexes_);
    for (const Index& each : left) {
        const std::string file = each.site.file != nullptr ? each.site.file : "";
        const Key key{Fault::out_of_bounds, file, each.site.line, {}, 0};
        if (block_ == nullptr || is_known(key)) continue;
        // 'float [8][9]': it is the first number that the index is for. clang adds what a name of a
        // type stands for: 'Tile' (aka 'float[8][9]').
        std::string type = each.array;
        const std::size_t known_as = type.find("(aka '");
        if (known_as != std::string::npos) {
            type = type.substr(known_as + 5, type.size() - known_as - 6);
        }
        if (type.size() > 2 && type.front() == '\'') type = type.substr(1, type.size() - 2);
        std::size_t bracket = type.find('[');
        if (bracket != std::string::npos && bracket != 0 && type[bracket - 1] != ' ') {
            type.insert(bracket++, 1, ' ');  // clang writes float[8][9]
        }
        const long items = bracket == std::string::npos ? 0 : std::atol(type.c_str() + bracket + 1);
        Finding made;
        made.fault = Fault::out_of_bounds;
        made.kernel = launched_.name;
        made.file = file_name(file);
        made.line = each.site.line;
        // -1, -2, ... as numbers of 32 bits without a sign.
        constexpr std::int64_t kWrapped = std::int64_t{1} << 32;
        const bool is_below_zero = each.value < kWrapped && each.value > kWrapped - 65536;
        const std::string lies_there =
            is_below_zero ? fmt::format(
                                "{} is what {} becomes as an unsigned number: the index "
                                "went below 0.",
                                each.value, each.value - kWrapped)
                          : "What lies there belongs to another row of the array, or to another "
                            "variable.";
        made.text = fmt::format(
            "out of bounds in {}\n  {} of block {} uses item {} of {} at {}:{}\n{}\nIts items are "
            "0 to {}. {}\n"
            "Test the index before it is used.",
            made.kernel, each.who, block_->index, each.value, type, made.file, made.line,
            quote({file, made.line, {}}), items - 1, lies_there);
        report(key, std::move(made));
    }
}

void RaceDetector::report_bounds(const Access& access, const Target& what) {
    const Place here = place_of(access.site);
    indexes_.erase(std::remove_if(indexes_.begin(), indexes_.end(),
                                  [&](const Index& each) { return each.site.line == here.line; }),
                   indexes_.end());
    const Key key = key_of(Fault::out_of_bounds, access.site);
    if (is_known(key)) return;
    Finding made = finding(Fault::out_of_bounds, access.site);
    const std::ptrdiff_t within = static_cast<std::ptrdiff_t>(what.offset);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(what.bytes);
    const std::string where =
        within < 0
            ? fmt::format("{} before the start of", bytes_text(static_cast<std::size_t>(-within)))
        : within == size ? std::string("Right behind the end of")
        : within > size  ? fmt::format("{} behind the end of",
                                       bytes_text(static_cast<std::size_t>(within - size)))
                         : std::string("Across the end of");
    made.text = fmt::format("out of bounds in {}\n  {} of block {} {} {} at {}\n{}\n{} {}.",
                            made.kernel, who(number_), block_->index,
                            access.is_store ? "writes" : "reads", bytes_text(access.bytes),
                            at_line(access.site), quote(access.site), where, what.declaration);
    if (size != 0 && size % access.bytes == 0 &&
        within % static_cast<std::ptrdiff_t>(access.bytes) == 0) {
        made.text += fmt::format(
            "\nThat is item {} of {}, counted from 0. Test the index before it is used.",
            within / static_cast<std::ptrdiff_t>(access.bytes),
            size / static_cast<std::ptrdiff_t>(access.bytes));
    } else {
        made.text += "\nTest the index before it is used.";
    }
    report(key, std::move(made));
}

void RaceDetector::report_uninitialised(const Access& access) {
    const Key key = key_of(Fault::uninitialised, access.site);
    if (is_known(key)) return;
    const Place here = place_of(access.site);
    const Target what = target(access.address, access.bytes);
    Finding made = finding(Fault::uninitialised, access.site);
    const bool is_shared =
        block_->arena != 0 && access.address - block_->arena < (std::size_t{1} << 19);
    made.text = fmt::format(
        "uninitialised memory in {}\n  {} of block {} reads {}, at {}\n{}\n"
        "Nothing has been written there yet: is it the item you meant?\n{}",
        made.kernel, who(number_), block_->index, what.item, at_line(access.site),
        quote(access.site),
        is_shared ? "Shared memory holds anything when a block begins: write it first."
                  : "It holds whatever was there before: write it first, in a kernel, or with\n"
                    "cudaMemset or cudaMemcpy.");
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
    const Key key = key_of(is_shared ? Fault::escaped : Fault::host_pointer, access.site);
    if (is_known(key)) return;
    const Place here = place_of(access.site);
    // An index of an array that is known has led there: that says more.
    const bool is_by_index = std::any_of(indexes_.begin(), indexes_.end(), [&](const Index& each) {
        return each.site.line == here.line;
    });
    if (is_by_index && !is_mapped(access.address)) return;
    Finding made = finding(Fault::host_pointer, access.site);
    std::string kind = "host pointer", what = "memory of the host";
    std::string advice =
        "A GPU cannot do that. Copy the data with cudaMemcpy into memory from cudaMalloc, and give "
        "the\nkernel that pointer.";
    const std::string known = emulator::describe_address(access.address);
    const Watched* const far = device_.nearest(access.address, access.bytes);
    if (emulator::was_freed(access.address)) {
        kind = "freed memory";
        made.code = "freed_memory";
        what = fmt::format("freed memory, {},", known);
        advice = "Free memory when the last kernel that uses it has ended.";
    } else if (is_shared) {
        kind = "escaped shared memory";
        made.code = code(Fault::escaped);
        what = "shared memory of another block";
        advice =
            "Shared memory is seen by its own block only: pass the values through device memory.";
    } else if (worker_->is_stack(access.address)) {
        kind = "pointer to a local variable";
        made.code = "local_variable";
        what = "a local variable of another thread";
        advice =
            "A local variable is its thread's own, and ends with its function: use shared or "
            "device "
            "memory.";
    } else if (!is_mapped(access.address) && far != nullptr) {
        kind = "wild pointer";
        made.code = "wild_pointer";
        const bool is_before = access.address < far->begin;
        const std::uintptr_t distance =
            is_before ? far->begin - access.address : access.address - far->begin;
        what = fmt::format("an address {:.1f} GiB {} the device's arrays,",
                           static_cast<double>(distance) / (1u << 30),
                           is_before ? "before" : "behind");
        advice =
            "Such a distance comes from an index that has overflowed: a product of two ints is an "
            "int. Compute\nit in std::size_t: static_cast<std::size_t>(row) * width + column.";
        // 2^32 items, less a few: 0u - 1 and its like.
        const std::uintptr_t turn = std::uintptr_t{access.bytes} << 32;
        if (!is_before && distance < turn + far->bytes && distance + (turn >> 16) > turn) {
            advice =
                "Such a distance comes from an unsigned index that has gone below 0: as an "
                "unsigned number, 0 - 1\nis 4294967295. Test the index before something is "
                "subtracted from it.";
        }
    } else if (!is_mapped(access.address)) {
        kind = "wild pointer";
        made.code = "wild_pointer";
        what = fmt::format("address 0x{:x}, where no memory is,", access.address);
        advice =
            "The pointer was never set, or was computed from a wrong value: look where it comes "
            "from.";
    }
    made.text = fmt::format("{} in {}\n  {} of block {} {} {} at {}\n{}\n{}", kind, made.kernel,
                            who(number_), block_->index, access.is_store ? "writes" : "reads", what,
                            at_line(access.site), quote(access.site), advice);
    report(key, std::move(made));
}

void RaceDetector::report_device_pointer(SiteId id, const Watched& what, bool is_store) {
    const Key key = key_of(Fault::device_pointer, id);
    if (is_known(key)) return;
    const Place here = place_of(id);
    if (!here.is_known()) return;
    Finding made;
    made.fault = Fault::device_pointer;
    made.file = file_name(here.file);
    made.line = here.line;
    made.text = fmt::format(
        "device pointer on the host\n  the host {} {}, at {}\n{}\n"
        "Only kernels can. Copy it with cudaMemcpy into memory of the host.",
        is_store ? "writes" : "reads", what.description, at_line(here), quote(here));
    report(key, std::move(made));
}

void RaceDetector::report_unused() {
    const std::string file = launched_.site.file != nullptr ? launched_.site.file : "";
    const Key key{Fault::unused, file, launched_.site.line, {}, 0};
    if (is_known(key)) return;
    Finding made;
    made.fault = Fault::unused;
    made.kernel = launched_.name;
    made.file = file_name(file);
    made.line = launched_.site.line;
    made.text = fmt::format(
        "unused shared memory\n  {} is launched with {} of dynamic shared memory at {}:{}\n{}\n"
        "No thread uses them. They are only meant for extern __shared__ arrays, and they leave "
        "less "
        "room\nfor other blocks on a multiprocessor: leave the number out.",
        made.kernel, bytes_text(launched_.dynamic_bytes), made.file, made.line,
        quote({file, made.line, {}}));
    report(key, std::move(made));
}

/// The line of a loop that never ended, in words; nothing for any other report.
std::string RaceDetector::endless_loop(const emulator::Report& said) const {
    if (said.places.empty()) return {};
    // The last basic block is surer than where the thread was interrupted, perhaps in the lab.
    std::vector<std::uintptr_t> places{reinterpret_cast<std::uintptr_t>(last_pc_)};
    places.insert(places.end(), said.places.begin(), said.places.end());
    for (const std::uintptr_t place : places) {
        if (place == 0) continue;
        const Place here = user_place(place - 1);
        if (!here.is_known()) continue;
        return fmt::format(
            "endless loop in {}\n  it was still at {}\n{}\nDoes the loop change what its condition "
            "asks for?\n",
            said.kernel, at_line(here), quote(here));
    }
    return {};
}

/// Causes come before what follows from them: a barrier that not all threads reach, then races and
/// accesses out of bounds, then what was read before it was written, then what is left over.
int RaceDetector::rank_of_cause(const Finding& finding) {
    using emulator::Reason;
    const auto is = [&](Reason reason) { return finding.code == emulator::code(reason); };
    switch (finding.fault) {
        case Fault::backend:
            return is(Reason::divergent_barrier) || is(Reason::divergent_grid_barrier) ||
                           is(Reason::incomplete_collective) || is(Reason::different_collectives)
                       ? 0
                       : 1;
        case Fault::uninitialised:
            return 2;
        case Fault::unused:
        case Fault::leak:
            return 3;
        default:
            return 1;
    }
}

/// Whether threads of one warp alone came to the lines from one of the two accesses to the other.
/// False where that cannot be told.
bool RaceDetector::is_passed_by_one_warp(const Lacking& lacking) {
    const Place one = kernel_place_of(lacking.before), other = kernel_place_of(lacking.after);
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

/// Whether threads of different warps lack the same barrier: it has the same line before it, or
/// behind it.
bool RaceDetector::is_lacked_across_warps(const Lacking& lacking) {
    const auto is_same = [](SiteId one, SiteId other) {
        const Place here = kernel_place_of(one), there = kernel_place_of(other);
        return here.file == there.file && here.line == there.line;
    };
    return std::any_of(advice_.begin(), advice_.end(), [&](const auto& each) {
        const auto& [key, other] = each;
        return across_warps_.count(key) != 0 &&
               (is_same(other.before, lacking.before) || is_same(other.after, lacking.after));
    });
}

/// What helps: where a barrier belongs, and which one.
std::string RaceDetector::advice(const Key& key, const Lacking& lacking) {
    const bool both_write = both_write_.count(key) != 0;
    std::string where =
        missing_barrier(lacking.before, lacking.after, both_write, lacking.last_barrier);
    if (where.find("barrier") == std::string::npos) return where;
    if (across_warps_.count(key) != 0) {
        return where +
               "\nThe threads are of different warps: put a __syncthreads() there, where all\n"
               "threads of the block pass.";
    }
    if (lacking.is_block_one_warp) {
        return where +
               "\nPut a __syncthreads() there, where all threads of the block pass. Lanes of a\n"
               "warp need not run in step, even where a block is but one warp.";
    }
    const auto warp = racing_warp_.find(key);
    if (warp != racing_warp_.end() && warp->second == kSeveral) {
        if (is_lacked_across_warps(lacking)) {
            return where +
                   "\nThe threads are lanes of one warp, which need not run in step. Others race "
                   "here\n"
                   "between warps: put a __syncthreads() there, which helps both.";
        }
        return where +
               "\nThe threads are lanes of one warp, which need not run in step. So are all that\n"
               "meet here, in several warps: put a __syncwarp() there.";
    }
    if (is_passed_by_one_warp(lacking)) {
        return where +
               "\nThe threads are lanes of one warp, which need not run in step, and no other "
               "warp\n"
               "comes here: put a __syncwarp() there.";
    }
    return where +
           "\nPut a __syncthreads() there, where all threads of the block pass. These two\n"
           "are lanes of one warp, and not even those need run in step.";
}

std::vector<Finding> RaceDetector::take(std::string* notice) {
    settle();
    report_indexes();
    add_emulator_report();
    if (notice != nullptr && device_.unwatched() != 0) {
        *notice = fmt::format(
            "Of the device memory 48 MB are watched for races and uninitialised reads; with a "
            "smaller "
            "--n all of it is.");
    }
    // What helps is known only now: later races of the same lines may cross warps.
    for (const auto& [key, lacking] : advice_) {
        const auto known = known_.find(key);
        if (known == known_.end() || known->second >= findings_.size()) continue;
        std::string& text = findings_[known->second].text;
        const std::string::size_type said = text.find(kUnordered);
        if (said == std::string::npos || !asks_for_barrier(text.substr(said))) continue;
        text = text.substr(0, said) + kUnordered + advice(key, lacking);
    }
    advice_.clear();
    warp_at_.clear();
    std::fill(known_blocks_.begin(), known_blocks_.end(), KnownBlock{});
    across_warps_.clear();
    both_write_.clear();
    racing_warp_.clear();
    known_.clear();
    std::vector<Finding> taken;
    taken.swap(findings_);
    std::stable_sort(taken.begin(), taken.end(), [](const Finding& one, const Finding& other) {
        return rank_of_cause(one) < rank_of_cause(other);
    });
    return taken;
}

void start_fault_detection() {
    if (active_detector == nullptr) active_detector = new RaceDetector;
    emulator::set_workers(1);
    emulator::set_observer(active_detector);
    // Of a program that has no option for it: the gallery's, a learner's own.
    const char* const trace = std::getenv("TUTORIAL_TRACE");
    if (trace != nullptr && *trace != '\0' && !active_detector->is_traced()) {
        active_detector->set_trace(std::make_unique<Trace>(trace));
    }
}

void stop_fault_detection() {
    if (active_detector == nullptr) return;
    emulator::set_observer(nullptr);
    delete active_detector;
    active_detector = nullptr;
}

void start_trace(const std::string& file) {
    start_fault_detection();
    active_detector->set_trace(std::make_unique<Trace>(file));
}

void stop_trace() {
    if (active_detector != nullptr) active_detector->end_trace();
}

std::vector<Finding> take_findings(std::string* notice) {
    return active_detector != nullptr ? active_detector->take(notice) : std::vector<Finding>();
}

std::vector<Finding> leaks() {
    std::vector<Finding> found;
    const std::string all = emulator::leak_report();
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find('\n', at), all.size());
        Finding made;
        made.fault = Fault::leak;
        made.code = code(Fault::leak);
        made.text = all.substr(at, end - at);
        const bool is_pinned = made.text.find("from cudaMallocHost") != std::string::npos ||
                               made.text.find("from cudaHostAlloc") != std::string::npos;
        made.text += fmt::format("\nCall {} when it is no longer used.",
                                 is_pinned ? "cudaFreeHost" : "cudaFree");
        found.push_back(std::move(made));
        at = end + 1;
    }
    return found;
}

}  // namespace lab
