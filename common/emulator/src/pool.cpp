#include "pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "faults.hpp"
#include "launch.hpp"
#include "settings_internal.hpp"
#include "watchdog.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

class Pool {
  public:
    void run(Launch& launch) {
        const std::lock_guard<std::mutex> one_launch_at_a_time(launching_);
        const SignalHandlers handlers;
        const WatchedLaunch watched_launch(launch);
        const int wanted = static_cast<int>(
            std::min<std::uint64_t>(launch.blocks, static_cast<std::uint64_t>(settings().workers)));
        grow(wanted - 1);
        if (wanted > 1) {
            const std::lock_guard<std::mutex> lock(mutex_);
            launch_ = &launch;
            helpers_wanted_ = wanted - 1;
            ++serial_;
            wake_.notify_all();
        }
        {
            const WatchedThread watched(caller_);
            caller_.work(launch);
        }
        if (wanted > 1) {
            std::unique_lock<std::mutex> lock(mutex_);
            launch_ = nullptr;  // a worker that has not started yet never will
            done_.wait(lock, [&] { return helping_ == 0; });
        }
    }

  private:
    void grow(int helpers) {
        while (static_cast<int>(helpers_.size()) < helpers) {
            helpers_.push_back(std::make_unique<Worker>());
            Worker& worker = *helpers_.back();
            const int number = static_cast<int>(helpers_.size());
            std::thread([this, &worker, number] { help(worker, number); }).detach();
        }
    }

    void help(Worker& worker, int number) {
        const WatchedThread watched(worker);
        std::uint64_t seen = 0;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] {
                return launch_ != nullptr && serial_ != seen && number <= helpers_wanted_;
            });
            seen = serial_;
            Launch& launch = *launch_;
            ++helping_;
            lock.unlock();
            worker.work(launch);
            lock.lock();
            if (--helping_ == 0) done_.notify_all();
        }
    }

    std::mutex launching_, mutex_;
    std::condition_variable wake_, done_;
    Launch* launch_ = nullptr;
    int helpers_wanted_ = 0, helping_ = 0;
    std::uint64_t serial_ = 0;
    Worker caller_;
    std::vector<std::unique_ptr<Worker>> helpers_;
};

}  // namespace

void run_on_workers(Launch& launch) {
    static Pool* const pool = new Pool;  // its threads run until the program ends
    pool->run(launch);
}

}  // namespace emulator
