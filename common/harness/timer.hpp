// How long work takes: how many samples, what is computed from them, and what cold, hot and with
// copies mean.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "cuda_check.hpp"
#include "spread.hpp"

namespace tutorial {

// ---- Samples -----------------------------------------------------------------------------------

/// When to stop sampling. The defaults are those of every device row.
struct SampleRule {
    int least_samples = 10;
    double long_sample_seconds = 0.5;  ///< a sample longer than this is long, and of those
    int least_long_samples = 3;        ///< this many are enough
    double stable_to = 0.005;          ///< stop when the median is known to this fraction,
    double tick_seconds = 0.0;         ///< or to this: the resolution of one tick of the clock,
    double max_seconds = 0.5;          ///< or when this time is spent, the work around each sample
                                       ///< (reset, flush) included
};

/// Samples in seconds, in the order taken.
class Samples {
  public:
    void add(double seconds) {
        seconds_.push_back(seconds);
        minimum_ = std::min(minimum_, seconds);
    }
    std::size_t count() const { return seconds_.size(); }
    const std::vector<double>& seconds() const { return seconds_; }

    /// The middle one, or the mean of the two in the middle. Throws std::logic_error if empty.
    double median() const;
    double minimum() const;

    /// Half the width of the interval that holds the true median in about 95 of 100 cases, as a
    /// fraction of the median. By order statistics, so that nothing is assumed of the noise: of n
    /// sorted samples, those at ranks n/2 -+ 0.98 sqrt(n) bound it (Conover, "Practical
    /// nonparametric statistics", section 3.2).
    double median_uncertainty() const;

    /// Quartiles, and that interval, made wider by `tick_seconds` on both sides: the clock cannot
    /// tell times apart that differ by less. Throws std::logic_error if empty.
    Spread spread(double tick_seconds = 0.0) const;

    /// Every sample divided by `runs`: of batches, the time of one run.
    Samples divided_by(int runs) const;

    /// Sampling ended because its time was up before the median was known well enough.
    bool stopped_by_time = false;

  private:
    std::vector<double> seconds_;
    double minimum_ = std::numeric_limits<double>::infinity();
};

/// Seconds of a steady clock from some fixed point.
double steady_seconds();

/// Calls `sample`, which returns seconds, until the rule is satisfied. `now` is the clock that
/// bounds the whole, replaced in tests.
Samples take_samples(const std::function<double()>& sample, const SampleRule& rule = {},
                     const std::function<double()>& now = steady_seconds);

// ---- The device --------------------------------------------------------------------------------

/// A CUDA event that destroys itself: a mark in the stream of work that records when it is passed.
class CudaEvent {
  public:
    CudaEvent() { CUDA_CHECK(cudaEventCreate(&event_)); }
    ~CudaEvent() { static_cast<void>(cudaEventDestroy(event_)); }
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    /// On the default stream, after all that is enqueued there. Does not wait.
    void record() const { CUDA_CHECK(cudaEventRecord(event_)); }

    /// Until the device has passed the mark.
    void wait() const { CUDA_CHECK(cudaEventSynchronize(event_)); }

    /// Device time between two marks that have been passed.
    double seconds_since(const CudaEvent& start) const {
        float milliseconds = 0.0f;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
        return milliseconds * 1e-3;
    }

  private:
    cudaEvent_t event_ = nullptr;
};

/// The time between two neighbouring values of a CUDA event's clock, found by experiment: 32 ns on
/// many GPUs. Measured once. 0 on the emulator.
double event_tick_seconds();

/// Times device work on the default stream of the current device.
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
    /// launch one kernel is excluded; the gaps between the kernels of a `work` that has several are
    /// included, as in real use. So is the time of the events themselves: it shows in kernels of a
    /// few microseconds, and is the same for every row.
    Samples cold(const std::function<void()>& reset, const std::function<void()>& work,
                 const SampleRule& rule = {});

    /// Hot: per run, back to back, the data in L2 if they fit. `reset` is called before each
    /// batch; then `work(i)` for i in 0..runs-1 between two events, whose own time is thus spread
    /// over the batch. A short kernel takes the device less time than its launch takes the host,
    /// and then one would measure the host; so a waiting kernel holds the device until the host has
    /// enqueued the batch (keep it below a thousand launches: the device's queue takes no more).
    /// Besides the kernel itself, what remains is the time that the device needs from the end of
    /// one kernel to the start of the next: the best rate at which any host could feed it with
    /// launches.
    Samples hot(int runs, const std::function<void()>& reset, const std::function<void(int)>& work);

    /// With copies, by the host's clock, from a device that is idle to one that is idle again:
    /// copies from pageable memory, and what the host does between them, are part of the answer.
    Samples with_copies(const std::function<void()>& reset, const std::function<void()>& work);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tutorial
