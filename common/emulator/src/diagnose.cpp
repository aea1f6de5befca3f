#include "diagnose.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <vector>

#include "device.hpp"
#include "kernel_heap.hpp"
#include "memory.hpp"
#include "settings_internal.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

std::string triple(uint3 v) { return fmt::format("({},{},{})", v.x, v.y, v.z); }

std::string where(const Launch& launch, const Block& block) {
    return fmt::format("kernel {}, block {}", launch.kernel_name(), triple(block.position));
}

/// Of a thread or a lane. A type of its own, because the program's std::vector<int> is watched, and
/// the linker keeps only one.
enum Number : int {};

/// "3", "0..127" or "0, 2, 4..7" long lists are cut off.
std::string ranges(const std::vector<Number>& numbers) {
    std::string text;
    int pieces = 0;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        if (pieces == 6) return text + fmt::format(", ... ({} in all)", numbers.size());
        if (pieces++ != 0) text += ", ";
        text += last == i ? fmt::format("{}", int{numbers[i]})
                          : fmt::format("{}..{}", int{numbers[i]}, int{numbers[last]});
        i = last + 1;
    }
    return text;
}

const char* name_of(Collective kind) {
    switch (kind) {
        case Collective::syncwarp:
            return "__syncwarp";
        case Collective::shuffle:
            return "shuffle";
        case Collective::ballot:
            return "vote";
        case Collective::match_any:
            return "__match_any_sync";
        case Collective::match_all:
            return "__match_all_sync";
        default:
            return "__reduce_*_sync";
    }
}

std::string what(const Thread& thread) {
    switch (thread.state) {
        case State::unstarted:
            return "not started";
        case State::runnable:
            return "running";
        case State::ready:
            return "ready to go on";
        case State::at_barrier:
            return "wait at the barrier of " + words(thread.site);
        case State::at_grid:
            return "wait at the grid barrier of " + words(thread.site);
        case State::at_async_barrier:
            return "wait at the cuda::barrier, pipeline or tile of " + words(thread.site);
        case State::in_warp:
            return fmt::format("wait at the {} of {} (mask 0x{:08x})", name_of(thread.kind),
                               words(thread.site), thread.mask);
        case State::converging:
            return "wait at the __activemask of " + words(thread.site);
        case State::gave_way:
            return "wait in the loop of " + words(thread.site);
        case State::returned:
            return "ended";
    }
    return "";
}

/// "ended without reaching the barrier": what the ended threads missed, according to the first
/// thread that waits.
std::string ended(const Block& block) {
    for (const Thread& thread : block.threads) {
        if (thread.state == State::at_barrier) return "ended without reaching the barrier";
        if (thread.state == State::at_grid) return "ended without reaching the grid barrier";
        if (thread.state == State::in_warp) {
            return fmt::format("ended without reaching the {}", name_of(thread.kind));
        }
    }
    return "ended";
}

/// "threads 0..127 wait at ...; threads 128..255 ended without reaching the barrier"
std::string groups(const Block& block) {
    std::vector<std::pair<std::string, std::vector<Number>>> found;
    const Thread* previous = nullptr;
    std::size_t at = 0;
    for (const Thread& thread : block.threads) {
        const bool same = previous != nullptr && previous->state == thread.state &&
                          (thread.state == State::returned || thread.state == State::unstarted ||
                           (same_site(previous->site, thread.site) &&
                            (thread.state != State::in_warp ||
                             (previous->mask == thread.mask && previous->kind == thread.kind))));
        if (!same) {
            const std::string text = thread.state == State::returned ? ended(block) : what(thread);
            for (at = 0; at < found.size() && found[at].first != text;) ++at;
            if (at == found.size()) found.push_back({text, {}});
        }
        found[at].second.push_back(Number(thread.number));
        previous = &thread;
    }
    std::string text;
    for (const auto& [state, numbers] : found) {
        if (!text.empty()) text += "; ";
        const bool is_one = numbers.size() == 1;
        const bool waits = is_one && state.compare(0, 5, "wait ") == 0;
        text += fmt::format("thread{} {} {}", is_one ? "" : "s", ranges(numbers),
                            waits ? "waits" + state.substr(4) : state);
    }
    return text;
}

std::string lanes_of(unsigned mask);

/// "Of the mask 0xffffffff in warp 1, lanes 8..31 ended. " for the first collective that waits.
std::string missing_lanes(const Block& block) {
    for (std::size_t w = 0; w < block.warps.size(); ++w) {
        const Warp& warp = block.warps[w];
        if (warp.waiting == 0) continue;
        const Thread* const lanes = &block.threads[w * 32];
        const Thread& first = lanes[__builtin_ctz(warp.waiting)];
        unsigned here = 0;
        for (unsigned left = warp.waiting; left != 0; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            if (lanes[lane].mask == first.mask) here |= 1u << lane;
        }
        const unsigned gone = first.mask & warp.returned;
        const unsigned elsewhere = first.mask & ~here & ~warp.returned;
        std::string text;
        if (gone != 0) text += lanes_of(gone) + " ended";
        if (elsewhere != 0) {
            text += (text.empty() ? "" : ", ") + lanes_of(elsewhere) +
                    (__builtin_popcount(elsewhere) == 1 ? " is elsewhere" : " are elsewhere");
        }
        return fmt::format("Of the lanes of mask 0x{:08x} in warp {}, {}. ", first.mask, w, text);
    }
    return {};
}

Report make(cudaError_t code, Reason reason, const Launch& launch, Site site, std::string text) {
    return {code, reason, std::move(text), launch.kernel_name(), file_of(site), site.line};
}

std::string lanes_of(unsigned mask) {
    std::vector<Number> numbers;
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1u) != 0) numbers.push_back(Number(lane));
    }
    return fmt::format("lane{} {}", numbers.size() == 1 ? "" : "s", ranges(numbers));
}

}  // namespace

std::string file_of(Site site) {
    if (site.file == nullptr) return {};
    const char* const slash = std::strrchr(site.file, '/');
    return slash == nullptr ? site.file : slash + 1;
}

std::string outside_text(std::ptrdiff_t offset) {
    return offset < 0
               ? fmt::format("{} byte{} before the start of", -offset, offset == -1 ? "" : "s")
           : offset == 0 ? std::string("just past the end of")
                         : fmt::format("{} byte{} past the end of", offset, offset == 1 ? "" : "s");
}

std::string words(Site site) {
    return site.file == nullptr ? "an unknown line"
           : site.line == 0     ? file_of(site)
                                : fmt::format("{}:{}", file_of(site), site.line);
}

std::string who(const Worker& worker) {
    return fmt::format("{}, thread {}", where(*worker.launch, *worker.block),
                       triple(worker.block->indices[worker.thread->number]));
}

Report stuck_report(const Launch& launch, const Block& block) {
    Site site;
    int at_barrier = 0, at_grid = 0, in_warp = 0, at_async_barrier = 0;
    for (const Thread& thread : block.threads) {
        at_barrier += thread.state == State::at_barrier;
        at_grid += thread.state == State::at_grid;
        in_warp += thread.state == State::in_warp;
        at_async_barrier += thread.state == State::at_async_barrier;
        if (site.file == nullptr && thread.state != State::returned) site = thread.site;
    }
    const char* kind = "deadlock";
    Reason reason = Reason::deadlock;
    std::string rule = "All threads wait for one another.";
    if (in_warp != 0) {
        if (at_barrier + at_grid == 0) {
            kind = "incomplete warp collective";
            reason = Reason::incomplete_collective;
        }
        rule = missing_lanes(block) +
               "All lanes named in a mask must reach that collective with the same mask.";
    } else if (at_async_barrier != 0 && at_barrier + at_grid == 0) {
        rule =
            "As many threads must arrive at a cuda::barrier as init() was told to expect; in a "
            "pipeline, all must commit and release each stage; all threads of a tile must wait.";
    } else if (at_barrier != 0 && at_grid != 0) {
        rule = "All threads of a block must reach the same barrier.";
    } else if (at_barrier != 0) {
        kind = "divergent barrier";
        reason = Reason::divergent_barrier;
        rule = "All threads of a block must reach the same __syncthreads().";
    } else if (at_grid != 0) {
        kind = "divergent grid barrier";
        reason = Reason::divergent_grid_barrier;
        rule = "All threads of the grid must reach the same grid.sync().";
    }
    return make(cudaErrorLaunchFailure, reason, launch, site,
                fmt::format("{} in {}: {}.\n{}", kind, where(launch, block), groups(block), rule));
}

Report grid_report(const Launch& launch, Site site) {
    return make(
        cudaErrorLaunchFailure, Reason::divergent_grid_barrier, launch, site,
        fmt::format("divergent grid barrier in kernel {}: {} block{} at the grid barrier of "
                    "{}; {} ended without reaching it.\n"
                    "All threads of the grid must reach the same grid.sync().",
                    launch.kernel_name(), launch.blocks_at_grid,
                    launch.blocks_at_grid == 1 ? " waits" : "s wait", words(site),
                    launch.blocks_ended));
}

/// More blocks than are resident at once cannot wait for each other.
static std::string not_started(const Launch& launch) {
    const std::uint64_t most = static_cast<std::uint64_t>(launch.resident_blocks) *
                               static_cast<std::uint64_t>(settings().workers);
    if (launch.blocks <= most) return {};
    return fmt::format(
        "\nThe grid has {} blocks, and at most {} run here at a time: the others begin when these "
        "end. A GPU too\nholds only so many. If all are to wait for each other, make it a "
        "cooperative launch, which refuses a grid\nthat does not fit, or end the kernel and launch "
        "another.",
        launch.blocks, most);
}

Report timeout_report(const Launch& launch, Block& block, bool running, double seconds) {
    Site site;
    for (Thread& thread : block.threads) {
        // A thread that is running now has just given way and is about to do so again.
        if (!running && thread.state == State::runnable) thread.state = State::gave_way;
        if (site.file == nullptr && thread.state == State::gave_way) site = thread.site;
    }
    return make(
        cudaErrorLaunchTimeout, Reason::no_progress, launch, site,
        fmt::format("no progress for {} s in {}: {}.\n{}\n"
                    "TUTORIAL_CPU_TIME_LIMIT sets the limit in seconds; 0 is none.",
                    seconds, where(launch, block), groups(block),
                    running ? "If the running thread waits for another one, its loop must call "
                              "__nanosleep(): here threads take turns."
                            : "What they wait for never happens." + not_started(launch)));
}

Report endless_report(const Launch& launch, const Block& block) {
    return make(cudaErrorLaunchTimeout, Reason::no_progress, launch, {},
                fmt::format("no thread has ended for {} s in {}: {}.\nA loop never ends, or there "
                            "is a lot of work. The limit is {} times TUTORIAL_CPU_TIME_LIMIT, "
                            "{} s here; 0 is none.",
                            settings().time_limit * kEndlessFactor, where(launch, block),
                            groups(block), kEndlessFactor, settings().time_limit));
}

std::string illegal_address_text(std::uintptr_t address, const Worker& worker,
                                 const std::string& place) {
    constexpr std::uintptr_t kNull = 65536;  // addresses below are a null pointer with an index
    std::string text = fmt::format(
        "illegal address 0x{:x} in {}{}: {}.", address, who(worker), place,
        worker.block->guards_end(address) ? "far past the arrays in the block's shared memory"
        : worker.block->guards(address)   ? "far before the block's shared memory"
                                          : describe_address(address));
    if (address < kNull && kernel_heap_was_full()) {
        text += fmt::format(
            "\nmalloc() or new has returned null: the heap of kernels is full, {} bytes. Make it "
            "larger before the\nfirst launch, cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes), "
            "and test each pointer for null.",
            kernel_heap_bytes());
    } else if (address < kNull) {
        text +=
            "\nEither the pointer was never set, or the array has no items (n = 0) and no test "
            "kept the\nthread away: `i < n - 1` does not, as n - 1 is then 4294967295 if n is "
            "unsigned.";
    }
    return text;
}

Report not_cooperative_report(const Worker& worker, Site site) {
    return make(cudaErrorLaunchFailure, Reason::not_cooperative, *worker.launch, site,
                fmt::format("grid.sync() at {} in {}: the kernel was not launched with "
                            "cudaLaunchCooperativeKernel.",
                            words(site), who(worker)));
}

Report trap_report(const Worker& worker, Site site) {
    return make(cudaErrorLaunchFailure, Reason::trap, *worker.launch, site,
                fmt::format("__trap() at {} in {}.", words(site), who(worker)));
}

Report missing_return_report(const Worker& worker, Site site) {
    return make(cudaErrorIllegalInstruction, Reason::missing_return, *worker.launch, site,
                fmt::format("missing return in the function at {}, in {}.\nIts caller uses a value "
                            "that is not set: let every path end with a return.",
                            words(site), who(worker)));
}

Report assert_report(const Worker& worker, const char* expression, Site site) {
    return make(
        cudaErrorAssert, Reason::assertion, *worker.launch, site,
        fmt::format("assertion `{}` failed at {} in {}.", expression, words(site), who(worker)));
}

Report shuffle_width_report(const Worker& worker, int width, Site site) {
    return make(cudaErrorLaunchFailure, Reason::wrong_lanes, *worker.launch, site,
                fmt::format("shuffle with width {} at {} in {}: it must be 1, 2, 4, 8, 16 or 32.",
                            width, words(site), who(worker)));
}

Report async_barrier_report(const Worker& worker, Site site, const char* what_is_wrong) {
    return make(cudaErrorLaunchFailure, Reason::wrong_barrier, *worker.launch, site,
                fmt::format("wrong use of a cuda::barrier or pipeline in {} at {}: {}.",
                            who(worker), words(site), what_is_wrong));
}

Report async_copy_report(const Worker& worker, Site site, std::uintptr_t to, std::uintptr_t from,
                         std::size_t bytes, std::size_t zeros) {
    const bool has_size = bytes == 4 || bytes == 8 || bytes == 16;
    const bool is_misaligned = has_size && (to | from) % bytes != 0;
    std::string wrong;
    if (!has_size) {
        wrong = fmt::format(
            "it has {} bytes. __pipeline_memcpy_async copies\n4, 8 or 16; for another size a GPU "
            "copies nothing. Copy in pieces of such a size, each with a\ncall of its own.",
            bytes);
    } else if (is_misaligned) {
        const std::uintptr_t at = to % bytes != 0 ? to : from;
        wrong = fmt::format(
            "the {} is not a multiple of {} bytes: it is a multiple of {} + {}.\n"
            "Both addresses must be multiples of the size. Copy in smaller pieces, or align the "
            "array and the\noffset.",
            at == to ? "destination" : "source", bytes, bytes, at % bytes);
    } else if (zeros > bytes) {
        wrong = fmt::format("it fills {} bytes with zeros, but has only {}.", zeros, bytes);
    } else {
        wrong =
            "the destination is not shared memory. It copies from global to shared memory only.";
    }
    return make(is_misaligned ? cudaErrorMisalignedAddress : cudaErrorLaunchFailure,
                is_misaligned ? Reason::misaligned : Reason::illegal_address, *worker.launch, site,
                fmt::format("asynchronous copy by {} at {}: {}", who(worker), words(site), wrong));
}

Report wrong_mask_report(const Worker& worker, unsigned mask, Site site) {
    const Thread& self = *worker.thread;
    const unsigned own = 1u << (self.number % 32);
    const std::string start =
        fmt::format("{} at {} in {}: ", name_of(self.kind), words(site), who(worker));
    if (mask == 0) {
        return make(cudaErrorLaunchFailure, Reason::wrong_lanes, *worker.launch, site,
                    start +
                        "the mask 0x00000000 names no lane.\nThe mask of all 32 lanes is "
                        "0xffffffff: a shift by 32, or by 32 & 31, does not give it.");
    }
    if ((mask & own) == 0) {
        return make(cudaErrorLaunchFailure, Reason::wrong_lanes, *worker.launch, site,
                    start + fmt::format("the mask 0x{:08x} does not name the calling lane {}.\n"
                                        "A lane may only use a mask that it is part of.",
                                        mask, self.number % 32));
    }
    const unsigned gone = mask & worker.block->warps[self.number / 32].returned;
    // Lanes that have met others before, with a mask that does not name this one.
    const Thread* const lanes = &worker.block->threads[self.number & ~31u];
    const unsigned theirs = lanes[__builtin_ctz(gone)].mask;
    bool is_other = theirs != 0 && (theirs & own) == 0;
    for (unsigned left = gone; left != 0; left &= left - 1)
        is_other = is_other && lanes[__builtin_ctz(left)].mask == theirs;
    const char* const have = __builtin_popcount(gone) == 1 ? "has" : "have";
    return make(
        cudaErrorLaunchFailure, Reason::wrong_lanes, *worker.launch, site,
        start + fmt::format("the mask 0x{:08x} names {} of warp {}, which {} {}.\n{}", mask,
                            lanes_of(gone), self.number / 32, have,
                            is_other
                                ? fmt::format("called with the mask 0x{:08x} and ended", theirs)
                                : "ended",
                            is_other ? "All lanes that a mask names must call with the same mask."
                                     : "A mask may only name lanes that reach the call."));
}

Report different_collectives_report(const Worker& worker, unsigned mask) {
    const Thread& self = *worker.thread;
    const Thread* const lanes = &worker.block->threads[self.number & ~31u];
    std::string text;
    unsigned left = mask;
    while (left != 0) {
        const Thread& first = lanes[__builtin_ctz(left)];
        unsigned same = 0;
        for (int lane = 0; lane < 32; ++lane) {
            if ((left >> lane & 1u) != 0 && lanes[lane].kind == first.kind &&
                same_site(lanes[lane].site, first.site)) {
                same |= 1u << lane;
            }
        }
        text += fmt::format("{}{} at the {} of {}", text.empty() ? "" : "; ", lanes_of(same),
                            name_of(first.kind), words(first.site));
        left &= ~same;
    }
    return make(cudaErrorLaunchFailure, Reason::different_collectives, *worker.launch, self.site,
                fmt::format("different warp collectives in {}, warp {}, mask 0x{:08x}: {}.\n"
                            "All lanes of a mask must reach the same call.",
                            where(*worker.launch, *worker.block), self.number / 32, mask, text));
}

Report shared_damage_report(const Launch& launch, const Block& block, const SharedRegion& region,
                            std::ptrdiff_t offset) {
    return make(cudaErrorIllegalAddress, Reason::out_of_bounds, launch, region.site,
                fmt::format("out of bounds in {}: something wrote {} shared variable {} "
                            "({} bytes, {}).",
                            where(launch, block), outside_text(offset), region.name, region.bytes,
                            words(region.site)));
}

Report static_shared_report(const Worker& worker, const SharedVariable& variable) {
    return make(cudaErrorInvalidValue, Reason::launch, *worker.launch, variable.site,
                fmt::format("too much static shared memory in {}: with variable {} ({} bytes, {}) "
                            "more than {} bytes; more is only possible as dynamic shared memory.",
                            who(worker), variable.name, variable.bytes, words(variable.site),
                            kStaticSharedBytes));
}

Report no_stack_report(const Launch& launch) {
    return make(cudaErrorMemoryAllocation, Reason::out_of_memory, launch, launch.where.site,
                fmt::format("kernel {}: there is no memory for the threads' stacks of "
                            "{} KB. TUTORIAL_CPU_STACK_KB sets another size.",
                            launch.kernel_name(), stack_bytes() / 1024));
}

}  // namespace emulator
