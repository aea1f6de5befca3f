#include "timer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace tutorial {

double Samples::median() const {
    if (seconds_.empty()) throw std::logic_error("Samples: the median of nothing");
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    return n % 2 == 1 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

double Samples::minimum() const {
    if (seconds_.empty()) throw std::logic_error("Samples: the minimum of nothing");
    return *std::min_element(seconds_.begin(), seconds_.end());
}

double Samples::median_uncertainty() const {
    const double middle = median();
    if (!(middle > 0.0)) return 0.0;
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    const double n = static_cast<double>(sorted.size());
    // Ranks from 1 to n; where a rank falls outside, the interval is all there is.
    const double half_width = 0.98 * std::sqrt(n);
    const double low = std::max(1.0, std::round(n / 2 - half_width));
    const double high = std::min(n, std::round(n / 2 + 1 + half_width));
    const double span =
        sorted[static_cast<std::size_t>(high) - 1] - sorted[static_cast<std::size_t>(low) - 1];
    return 0.5 * span / middle;
}

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Samples take_samples(const std::function<double()>& sample, const SampleRule& rule,
                     const std::function<double()>& now) {
    Samples samples;
    const double start = now();
    std::size_t next_test = 0;
    while (true) {
        samples.add(sample());
        const std::size_t count = samples.count();
        const bool is_long = samples.minimum() > rule.long_sample_seconds;
        const int least = is_long ? rule.least_long_samples : rule.least_samples;
        if (count < static_cast<std::size_t>(least)) continue;
        if (now() - start >= rule.most_seconds) return samples;
        // Not after every sample: to sort thousands each time would take longer than the samples.
        if (count < next_test) continue;
        if (samples.median_uncertainty() <= rule.stable_to) return samples;
        next_test = count + std::max<std::size_t>(1, count / 5);
    }
}

}  // namespace tutorial
