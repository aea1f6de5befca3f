// How many samples, and what to make of them. Knows nothing of GPUs: see gpu_timer.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace tutorial {

/// When to stop sampling. The defaults are those of every device row.
struct SampleRule {
    int least_samples = 10;
    double long_sample_seconds = 0.5;  ///< a sample longer than this is long, and of those
    int least_long_samples = 3;        ///< this many are enough
    double stable_to = 0.005;          ///< stop when the median is known to this fraction,
    double most_seconds = 2.0;         ///< or when this time is spent, all that goes with a sample
                                       ///< (reset, flush) included
};

/// Samples in seconds, in the order taken.
class Samples {
  public:
    void add(double seconds) { seconds_.push_back(seconds); }
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

  private:
    std::vector<double> seconds_;
};

/// Seconds of a steady clock from some fixed point.
double steady_seconds();

/// Calls `sample`, which returns seconds, until the rule is satisfied. `now` is the clock that
/// bounds the whole, replaced in tests.
Samples take_samples(const std::function<double()>& sample, const SampleRule& rule = {},
                     const std::function<double()>& now = steady_seconds);

}  // namespace tutorial
