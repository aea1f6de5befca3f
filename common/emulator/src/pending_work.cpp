#include "pending_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "diagnose.hpp"
#include "kernel_printf.hpp"
#include "observer.hpp"
#include "state.hpp"

namespace emulator {
namespace {

struct Work {
    std::uint64_t number = 0;
    bool was_asked_for = false;  ///< by a query
};

struct Recorded {
    cudaStream_t stream;
    Work work;
};

/// A pointer into the host's stack that a function in a stream gets.
struct Given {
    const void* data;
    cudaStream_t stream;
    const void* thread;  ///< of the host, which has given it
    std::uint64_t number;
    Site site;
    std::array<std::byte, 32> content;  ///< how large the variable is, is not known
    bool is_told = false;               ///< the function has changed it, which the host may see

    /// The first word: what follows it may be another variable.
    bool has_changed() const { return std::memcmp(data, content.data(), 4) != 0; }
};

const void* this_thread() {
    static thread_local const char place = 0;
    return &place;
}

/// Whether it is asked for the first time.
bool is_first_query(Work& work) { return !std::exchange(work.was_asked_for, true); }

/// If it is not certain whether the host has waited, it counts as having waited: nothing correct is
/// reported.
struct PendingWork {
    std::mutex mutex;
    std::uint64_t number = 0;                      ///< of pieces of work and of records
    std::set<cudaStream_t> non_blocking;           ///< which the default stream does not wait for
    std::map<cudaStream_t, Work> busy;             ///< the last work of each
    std::map<cudaEvent_t, Recorded> not_complete;  ///< events after work
    std::vector<Given> given;
    bool streams_are_linked = false;

    bool meets_default(cudaStream_t stream) const { return non_blocking.count(stream) == 0; }

    /// Whether a wait for `stream` is also a wait for this one.
    bool is_waited_for(cudaStream_t each, cudaStream_t stream) const {
        if (each == stream || streams_are_linked) return true;
        return (each == nullptr && meets_default(stream)) ||
               (stream == nullptr && meets_default(each));
    }

    void finish(cudaStream_t stream, std::uint64_t until) {
        for (auto at = busy.begin(); at != busy.end();) {
            at = is_waited_for(at->first, stream) && at->second.number <= until ? busy.erase(at)
                                                                                : std::next(at);
        }
        for (auto at = not_complete.begin(); at != not_complete.end();) {
            const bool is_done =
                is_waited_for(at->second.stream, stream) && at->second.work.number <= until;
            at = is_done ? not_complete.erase(at) : std::next(at);
        }
        given.erase(std::remove_if(given.begin(), given.end(),
                                   [&](const Given& each) {
                                       return is_waited_for(each.stream, stream) &&
                                              each.number <= until;
                                   }),
                    given.end());
    }
};

PendingWork& pending() {
    static PendingWork* const all = new PendingWork;
    return *all;
}

void report_local_variable(Site site) {
    publish({cudaErrorInvalidValue,
             Reason::call,
             fmt::format("the pointer that {} gives a function of the host is that of a local "
                         "variable, which has\nchanged, or whose function has returned, before "
                         "the host has waited for the stream: when the stream\ncalls the "
                         "function, other values are there. Give each call a variable of its "
                         "own, and keep it until\nthen: wait first, or allocate it.",
                         words(site)),
             {},
             file_of(site),
             site.line});
}

/// The handles of the default streams are one stream here.
cudaStream_t plain(cudaStream_t stream) {
    return stream == cudaStreamLegacy || stream == cudaStreamPerThread ? nullptr : stream;
}

}  // namespace

void stream_made(cudaStream_t stream, bool is_blocking) {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (is_blocking) {
        all.non_blocking.erase(stream);
    } else {
        all.non_blocking.insert(stream);
    }
}

void stream_gets_work(cudaStream_t stream) {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.busy[plain(stream)] = {++all.number};
}

void stream_waits_for_event() {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.streams_are_linked = true;
}

void event_recorded(cudaEvent_t event, cudaStream_t stream) {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.not_complete.erase(event);
    stream = plain(stream);
    for (const auto& [each, work] : all.busy) {
        const bool comes_before = each == stream ||
                                  (each == nullptr && all.meets_default(stream)) ||
                                  (stream == nullptr && all.meets_default(each));
        if (comes_before) all.not_complete[event] = {stream, {++all.number}};
    }
}

void event_destroyed(cudaEvent_t event) {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.not_complete.erase(event);
}

void host_waits_for_device() {
    print_what_kernels_said();
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.busy.clear();
    all.not_complete.clear();
    all.given.clear();
}

void host_waits_for_stream(cudaStream_t stream) {
    print_what_kernels_said();
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.finish(plain(stream), all.number);
}

void host_waits_for_event(cudaEvent_t event) {
    print_what_kernels_said();
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.not_complete.find(event);
    if (found == all.not_complete.end()) return;
    const Recorded recorded = found->second;
    all.finish(recorded.stream, recorded.work.number);
}

void host_function_given(cudaStream_t stream, const void* data, Site site) {
#if defined(__wasm__)
    // The stack comes first in memory, then all other variables.
    constexpr std::uintptr_t kStackBytes = 256 << 10;
    if (reinterpret_cast<std::uintptr_t>(data) >= kStackBytes) return;
#else
    constexpr std::ptrdiff_t kMaxStack = 8 << 20;
    const char here = 0;
    const std::ptrdiff_t above = static_cast<const char*>(data) - &here;
    if (above < 0 || above > kMaxStack) return;
#endif
    PendingWork& all = pending();
    bool has_changed = false;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        for (const Given& each : all.given) {
            const bool is_same = each.data == data && each.thread == this_thread();
            has_changed = has_changed || (is_same && !each.is_told && each.has_changed());
        }
        all.given.push_back({data, plain(stream), this_thread(), ++all.number, site, {}});
        std::memcpy(all.given.back().content.data(), data, sizeof Given::content);
    }
    Observer* const observer = current_observer();
    if (has_changed && observer != nullptr && observer->is_unaware_of_calls(site)) {
        report_local_variable(site);
    }
}

void host_function_returned(const void* data) {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const bool is_told =
        !all.given.empty() && all.given.back().data == data &&
        std::memcmp(data, all.given.back().content.data(), sizeof Given::content) != 0;
    for (Given& each : all.given) each.is_told = each.is_told || (is_told && each.data == data);
}

void check_host_function_data(const void* frame) {
    PendingWork& all = pending();
    std::vector<Given> left;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        const auto ended = std::partition(
            all.given.begin(), all.given.end(),
            [&](const Given& each) { return each.thread != this_thread() || each.data >= frame; });
        left.assign(ended, all.given.end());
        all.given.erase(ended, all.given.end());
    }
    for (const Given& each : left) report_local_variable(each.site);
}

bool is_complete(cudaEvent_t event) {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    return all.not_complete.count(event) == 0;
}

bool is_done_when_asked(cudaStream_t stream) {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    bool is_done = true;
    for (auto& [each, work] : all.busy) {
        if (all.is_waited_for(each, plain(stream)) && is_first_query(work)) is_done = false;
    }
    return is_done;
}

bool is_complete_when_asked(cudaEvent_t event) {
    PendingWork& all = pending();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.not_complete.find(event);
    return found == all.not_complete.end() || !is_first_query(found->second.work);
}

}  // namespace emulator
