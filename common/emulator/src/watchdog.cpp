#include "watchdog.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "settings_internal.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kAloneFactor = 15;

struct Watched {
    Worker* worker;
    pthread_t thread;
    std::uint64_t times_given_way = 0;  ///< when there was progress last
};

/// One thread that looks at all workers a few times a second.
class Watchdog {
  public:
    Watchdog() {
        std::thread([this] { watch(); }).detach();
    }

    void add(Worker& worker) {
        const std::lock_guard<std::mutex> lock(mutex_);
        watched_.push_back({&worker, pthread_self()});
    }

    void remove(Worker& worker) {
        const std::lock_guard<std::mutex> lock(mutex_);
        watched_.erase(std::remove_if(watched_.begin(), watched_.end(),
                                      [&](const Watched& w) { return w.worker == &worker; }),
                       watched_.end());
    }

  private:
    void watch() {
        std::uint64_t before = 0;
        Clock::time_point since = Clock::now();
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            const std::lock_guard<std::mutex> lock(mutex_);
            std::uint64_t progress = 0;
            bool busy = false, alone = false;
            for (const Watched& each : watched_) {
                progress += each.worker->progress.load(std::memory_order_relaxed);
                busy = busy || each.worker->in_kernel;
                alone = alone || (each.worker->in_kernel && each.worker->is_alone);
            }
            const Clock::time_point now = Clock::now();
            // A launch of one thread waits for nobody: it may work for long, or loop for ever.
            const double limit = settings().time_limit * (alone ? kAloneFactor : 1);
            if (!busy || progress != before) {
                before = progress;
                since = now;
                for (Watched& each : watched_) each.times_given_way = each.worker->times_given_way;
            } else if (limit > 0 && std::chrono::duration<double>(now - since).count() >= limit) {
                for (const Watched& each : watched_) {
                    each.worker->keeps_giving_way =
                        each.worker->times_given_way != each.times_given_way;
                    if (each.worker->in_kernel) pthread_kill(each.thread, watchdog_signal());
                }
                // A worker that is between two CUDA threads ignores it; the next look tries again.
            }
        }
    }

    std::mutex mutex_;
    std::vector<Watched> watched_;
};

Watchdog& watchdog() {
    static Watchdog* const only = new Watchdog;
    return *only;
}

}  // namespace

int watchdog_signal() { return SIGURG; }

__thread bool signal_was_refused = false;

WatchedThread::WatchedThread(Worker& worker) : worker_(worker) { watchdog().add(worker); }

WatchedThread::~WatchedThread() { watchdog().remove(worker_); }

}  // namespace emulator
