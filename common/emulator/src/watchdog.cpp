#include "watchdog.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "diagnose.hpp"
#include "observer.hpp"
#include "settings_internal.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

using Clock = std::chrono::steady_clock;

struct Watched {
    Worker* worker;
    pthread_t thread;
    std::uint64_t times_given_way;       ///< time of the last progress
    std::uint64_t given_way_before = 0;  ///< at the last look
};

/// One thread that checks all workers a few times per second.
class Watchdog {
  public:
    Watchdog() {
        std::thread([this] { watch(); }).detach();
    }

    void add(Worker& worker) {
        const std::lock_guard<std::mutex> lock(mutex_);
        watched_.push_back({&worker, pthread_self(), worker.times_given_way});
    }

    void remove(Worker& worker) {
        const std::lock_guard<std::mutex> lock(mutex_);
        watched_.erase(std::remove_if(watched_.begin(), watched_.end(),
                                      [&](const Watched& w) { return w.worker == &worker; }),
                       watched_.end());
    }

    void set_launch(const Launch* launch) {
        const std::lock_guard<std::mutex> lock(mutex_);
        launch_ = launch;
        launch_began_ = Clock::now();
        is_estimate_told_ = is_endless_told_ = false;
        // In a launch that was ended early no thread has returned, which would count as progress.
        note_progress(launch_began_);
        returned_ = launch_began_;
    }

  private:
    void note_progress(Clock::time_point now) {
        progressed_ = now;
        for (Watched& each : watched_) each.times_given_way = each.worker->times_given_way;
    }

    /// Prints, once, how long the launch will take, if that is more than a minute.
    void tell_estimate(Clock::time_point now) {
        constexpr double kFirstSeconds = 2, kLongSeconds = 60;
        if (launch_ == nullptr || is_estimate_told_) return;
        const double seconds = std::chrono::duration<double>(now - launch_began_).count();
        const std::uint64_t blocks = launch_->blocks;
        const std::uint64_t done = std::min<std::uint64_t>(launch_->next_block, blocks);
        if (seconds < kFirstSeconds || done == 0) return;
        is_estimate_told_ = true;
        const double left =
            seconds / static_cast<double>(done) * static_cast<double>(blocks - done);
        if (left < kLongSeconds) return;
        std::fprintf(stderr,
                     "Emulator: kernel %s has %llu blocks of %d threads, and will take about %s "
                     "here; a GPU runs many at once. Choose a smaller size.\n",
                     launch_->kernel_name().c_str(), static_cast<unsigned long long>(blocks),
                     launch_->threads, duration(left).c_str());
    }

    static std::string duration(double seconds) {
        const std::pair<double, const char*> units[] = {
            {86400, "days"}, {3600, "hours"}, {60, "minutes"}};
        for (const auto& [length, name] : units) {
            if (seconds < 2 * length) continue;
            return std::to_string(std::lround(seconds / length)) + " " + name;
        }
        return std::to_string(std::lround(seconds)) + " seconds";
    }

    /// Prints, once, that a launch in which no thread returns may be an endless loop, and where it
    /// is. A worker is asked first.
    void tell_of_endless(double limit) {
        if (launch_ == nullptr || is_endless_told_) return;
        const auto busy = std::find_if(watched_.begin(), watched_.end(), [](const Watched& each) {
            return each.worker->in_kernel.load();
        });
        if (busy == watched_.end()) return;
        const std::uintptr_t instruction = busy->worker->where.exchange(0);
        if (instruction == 0) {
            busy->worker->is_asked_where = true;
            pthread_kill(busy->thread, watchdog_signal());
            return;
        }
        is_endless_told_ = true;
        Observer* const observer = current_observer();
        const Site site = observer != nullptr ? observer->place(instruction) : Site{};
        const std::string at = site.file != nullptr ? ", and one is at " + words(site) : "";
        std::fprintf(stderr,
                     "Emulator: in kernel %s no thread has ended for %g s%s: an endless loop, or a "
                     "lot of work. It will be ended after %g s (TUTORIAL_CPU_TIME_LIMIT=%g).\n",
                     launch_->kernel_name().c_str(), limit, at.c_str(), limit * kEndlessFactor,
                     limit);
    }

    /// A worker that is between two CUDA threads ignores it; the next check tries again.
    void end_launch(bool none_returns) {
        for (const Watched& each : watched_) {
            each.worker->keeps_giving_way = each.worker->times_given_way != each.times_given_way;
            each.worker->none_returns = none_returns;
            if (each.worker->in_kernel) pthread_kill(each.thread, watchdog_signal());
        }
    }

    void watch() {
        std::uint64_t progress_before = 0, returned_before = 0;
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            const std::lock_guard<std::mutex> lock(mutex_);
            std::uint64_t progress = 0, returned = 0;
            bool busy = false, alone = false;
            for (Watched& each : watched_) {
                progress += each.worker->progress.load(std::memory_order_relaxed);
                returned += each.worker->returned.load(std::memory_order_relaxed);
                busy = busy || each.worker->in_kernel;
                const std::uint64_t given_way = each.worker->times_given_way;
                const bool yields = given_way - each.given_way_before > kFewYields;
                each.given_way_before = given_way;
                alone = alone || (each.worker->in_kernel && each.worker->is_alone && !yields);
            }
            const Clock::time_point now = Clock::now();
            tell_estimate(now);
            if (!busy || progress != progress_before) note_progress(now);
            if (!busy || returned != returned_before) returned_ = now;
            progress_before = progress;
            returned_before = returned;
            const double limit = settings().time_limit;
            if (limit <= 0) continue;
            const auto seconds_since = [&](Clock::time_point then) {
                return std::chrono::duration<double>(now - then).count();
            };
            // A launch of one thread that hardly yields may work for a long time, or loop
            // forever.
            if (!alone && seconds_since(progressed_) >= limit) {
                end_launch(false);
            } else if (seconds_since(returned_) >= limit * kEndlessFactor) {
                end_launch(true);
            } else if (seconds_since(returned_) >= limit) {
                tell_of_endless(limit);
            }
        }
    }

    std::mutex mutex_;
    std::vector<Watched> watched_;
    const Launch* launch_ = nullptr;  ///< that runs
    Clock::time_point launch_began_;
    /// Times of the last progress, and of the last thread that returned.
    Clock::time_point progressed_ = Clock::now(), returned_ = progressed_;
    bool is_estimate_told_ = false, is_endless_told_ = false;
};

Watchdog& watchdog() {
    static Watchdog* const only = new Watchdog;
    return *only;
}

}  // namespace

int watchdog_signal() { return SIGURG; }

__thread bool signal_was_refused = false;

WatchedThread::WatchedThread(Worker& worker) : worker_(worker) { watchdog().add(worker); }

WatchedLaunch::WatchedLaunch(const Launch& launch) { watchdog().set_launch(&launch); }

WatchedLaunch::~WatchedLaunch() { watchdog().set_launch(nullptr); }

WatchedThread::~WatchedThread() { watchdog().remove(worker_); }

}  // namespace emulator
