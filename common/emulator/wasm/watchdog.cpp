// In place of ../src/watchdog.cpp: there is one thread, which checks the clock itself now and then.
#include "watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "diagnose.hpp"
#include "settings_internal.hpp"
#include "traps.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

using Clock = std::chrono::steady_clock;
/// A single thread's only progress is its end: if the limit is short, it may take longer, as in
/// ../src/watchdog.cpp.
constexpr double kAloneSeconds = 10;

/// The state at the last progress.
const Worker* worker_then = nullptr;
std::uint64_t progress_then = 0, given_way_then = 0;
std::uint64_t given_way_before = 0;  // at the last look
Clock::time_point then;
/// The number of threads that had returned when the last one did, and when that was.
std::uint64_t returned_then = 0;
Clock::time_point last_return;

}  // namespace

void look_at_clock() {
    Worker* const worker = this_worker;
    const bool in_kernel = worker != nullptr && worker->in_kernel && worker->thread != nullptr;
    if (page_look(in_kernel ? 1 : 0) != 0) page_leave(kTooLong);
    if (!in_kernel) return;
    const std::uint64_t progress = worker->progress;
    const Clock::time_point now = Clock::now();
    const auto seconds_since = [now](Clock::time_point before) {
        return std::chrono::duration<double>(now - before).count();
    };
    if (worker != worker_then || worker->returned != returned_then) {
        returned_then = worker->returned;
        last_return = now;
    }
    double limit = settings().time_limit;
    if (limit > 0 && !worker->is_alone && seconds_since(last_return) >= limit * kEndlessFactor) {
        worker->none_returns = true;
        worker_then = nullptr;
        page_leave(kTooLong);
    }
    if (worker != worker_then || progress != progress_then) {
        worker_then = worker;
        progress_then = progress;
        given_way_then = worker->times_given_way;
        then = now;
        return;
    }
    const bool yields = worker->times_given_way - given_way_before > kFewYields;
    given_way_before = worker->times_given_way;
    if (worker->is_alone && !yields)
        limit = std::max(limit, std::min(kEndlessFactor * limit, kAloneSeconds));
    if (limit <= 0 || seconds_since(then) < limit) return;
    worker->keeps_giving_way = worker->times_given_way != given_way_then;
    worker_then = nullptr;
    page_leave(kTooLong);
}

int watchdog_signal() { return 0; }
__thread bool signal_was_refused = false;
WatchedThread::WatchedThread(Worker& worker) : worker_(worker) { worker_then = nullptr; }
WatchedThread::~WatchedThread() { static_cast<void>(worker_); }
WatchedLaunch::WatchedLaunch(const Launch&) {}
WatchedLaunch::~WatchedLaunch() = default;

}  // namespace emulator
