// Times device work: cold, hot, and with its copies. What each number means is said here.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "timer.hpp"

namespace tutorial {

/// Measures on the default stream of the current device.
class GpuTimer {
  public:
    /// Allocates the flush buffer and events. Throws ResourceError if memory is short.
    GpuTimer();
    ~GpuTimer();

    /// Device memory that the flush buffer takes.
    static std::size_t flush_bytes();

    /// Cold: nothing of the data is in the L2 cache. Before each sample `reset` restores the input,
    /// then the flush buffer (twice the L2) is written, which drives everything else out, and read,
    /// so that the sample does not pay for writing the flush's own lines back. Then event, `work`,
    /// event. While the device is busy with the flush the host enqueues `work`, so the time to
    /// launch one kernel is not in the number; the gaps between kernels of a `work` that has many
    /// are, as they are in real use. So is the time of the events themselves: it shows in kernels
    /// of a few microseconds, and is the same for every row.
    Samples cold(const std::function<void()>& reset, const std::function<void()>& work,
                 const SampleRule& rule = {});

    /// Hot: per run, back to back, the data in L2 where it fits. `reset` is called before each
    /// batch; then `work(i)` for i in 0..runs-1 between two events, whose own time is so spread
    /// over the batch. A short kernel takes the device less time than its launch takes the host,
    /// and then one would measure the host; so a waiting kernel holds the device until the host has
    /// enqueued the batch (keep it below a thousand launches: the device's queue takes no more).
    /// What is left beside the kernel itself is what the device needs from the end of one kernel to
    /// the start of the next: the best rate at which any host could feed it with launches.
    Samples hot(int runs, const std::function<void()>& reset, const std::function<void(int)>& work);

    /// With copies, by the host's clock, from a device that is idle to one that is idle again:
    /// copies from pageable memory, and what the host does between them, are part of the answer.
    Samples with_copies(const std::function<void()>& reset, const std::function<void()>& work);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tutorial
