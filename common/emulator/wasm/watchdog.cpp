// In place of ../src/watchdog.cpp: there is one thread, which looks at the clock itself now and
// then.
#include "watchdog.hpp"

#include <chrono>
#include <cstdint>

#include "settings_internal.hpp"
#include "traps.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kAloneFactor = 15;  // as in ../src/watchdog.cpp

/// How things were when there was progress last.
const Worker* worker_then = nullptr;
std::uint64_t progress_then = 0, given_way_then = 0;
Clock::time_point then;

}  // namespace

void look_at_clock() {
    Worker* const worker = this_worker;
    if (worker == nullptr || !worker->in_kernel || worker->thread == nullptr) return;
    const std::uint64_t progress = worker->progress;
    const Clock::time_point now = Clock::now();
    if (worker != worker_then || progress != progress_then) {
        worker_then = worker;
        progress_then = progress;
        given_way_then = worker->times_given_way;
        then = now;
        return;
    }
    const double limit = settings().time_limit * (worker->is_alone ? kAloneFactor : 1);
    if (limit <= 0 || std::chrono::duration<double>(now - then).count() < limit) return;
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
