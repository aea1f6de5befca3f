// Ends launches that make no progress.
#pragma once

namespace emulator {

class Worker;
struct Launch;

/// A thread that waits yields more often between two looks.
constexpr int kFewYields = 10;

/// While it lives, the worker is watched; it must live on the worker's own thread.
class WatchedThread {
  public:
    explicit WatchedThread(Worker& worker);
    ~WatchedThread();
    WatchedThread(const WatchedThread&) = delete;
    WatchedThread& operator=(const WatchedThread&) = delete;

  private:
    Worker& worker_;
};

/// The signal that takes a worker out of a CUDA thread that never yields.
int watchdog_signal();

/// The signal came while a tool was busy, and was ignored: the tool raises it again when it is
/// done.
extern __thread bool signal_was_refused;

/// While it lives, the user is told if this launch takes very long.
class WatchedLaunch {
  public:
    explicit WatchedLaunch(const Launch& launch);
    ~WatchedLaunch();
    WatchedLaunch(const WatchedLaunch&) = delete;
    WatchedLaunch& operator=(const WatchedLaunch&) = delete;
};

}  // namespace emulator
