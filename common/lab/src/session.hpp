// Everything that is counted between the start and the end of lab::count().
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "counters.hpp"
#include "emulator/for_observers.hpp"
#include "flow.hpp"
#include "recorder.hpp"

namespace lab {

class Session : public emulator::Observer {
  public:
    Session();
    ~Session() override;

    /// Launches are watched between these two. One session at a time.
    void start();
    void stop();

    /// True: a run must be counted once more, because something learnt late changes it.
    bool is_stale() const;

    /// Forgets the counts, but not what was learnt.
    void forget();

    Report report() const;

    /// The kernel whose launch has not ended, which nothing is counted of; null if there is none.
    const char* running() const;

    Flow& flow() { return flow_; }

    void launch_begins(const emulator::KernelSite& where,
                       const emulator::LaunchShape& shape) override;
    void launch_ends(cudaError_t result) override;
    void block_begins(std::uint64_t block) override;
    void block_ends(std::uint64_t block) override;
    void barrier_passed(std::uint64_t block, emulator::Site site) override;
    void warp_passed(std::uint64_t, int, unsigned, emulator::Site) override {}
    void renewed(const void* begin, std::size_t bytes) override;

  private:
    struct Kernel {
        KernelReport report;
        Counters counters;
    };

    Recorder& recorder();

    Flow flow_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Recorder>> recorders_;
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::unique_ptr<Kernel> running_;
    std::uint64_t serial_;
};

}  // namespace lab
