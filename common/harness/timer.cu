#include "timer.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "backend.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "device_info.hpp"
#include "memory_kernels.hpp"

namespace tutorial {

// ---- Samples -----------------------------------------------------------------------------------

double Samples::median() const {
    if (seconds_.empty()) throw std::logic_error("Samples: the median of nothing");
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    return n % 2 == 1 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

double Samples::minimum() const {
    if (seconds_.empty()) throw std::logic_error("Samples: the minimum of nothing");
    return minimum_;
}

namespace {

/// The two samples between which the true median lies in about 95 of 100 cases.
std::pair<double, double> median_interval(const std::vector<double>& sorted) {
    const double n = static_cast<double>(sorted.size());
    // Ranks from 1 to n; if a rank falls outside, the interval is that of all samples.
    const double half_width = 0.98 * std::sqrt(n);
    const double low = std::max(1.0, std::round(n / 2 - half_width));
    const double high = std::min(n, std::round(n / 2 + 1 + half_width));
    return {sorted[static_cast<std::size_t>(low) - 1], sorted[static_cast<std::size_t>(high) - 1]};
}

}  // namespace

double Samples::median_uncertainty() const {
    const double middle = median();
    if (!(middle > 0.0)) return 0.0;
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    const auto [low, high] = median_interval(sorted);
    return 0.5 * (high - low) / middle;
}

Spread Samples::spread(double tick_seconds) const {
    if (seconds_.empty()) throw std::logic_error("Samples: the spread of nothing");
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t last = sorted.size() - 1;
    const auto [low, high] = median_interval(sorted);
    return {sorted[last / 4], sorted[last - last / 4], std::max(0.0, low - tick_seconds),
            high + tick_seconds};
}

Samples Samples::divided_by(int runs) const {
    Samples each = *this;
    for (double& seconds : each.seconds_) seconds /= runs;
    each.minimum_ /= runs;
    return each;
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
        const bool is_late = now() - start >= rule.max_seconds;
        // Not after every sample: to sort thousands each time would take longer than the samples.
        if (count < next_test && !is_late) continue;
        const double known_to =
            std::max(rule.stable_to, rule.tick_seconds / std::max(samples.median(), 1e-12));
        if (samples.median_uncertainty() <= known_to) return samples;
        if (is_late) {
            samples.stopped_by_time = true;
            return samples;
        }
        next_test = count + std::max<std::size_t>(1, count / 5);
    }
}

// ---- The device --------------------------------------------------------------------------------

namespace {

/// Keeps the device busy, with one thread, for about this many clocks of its multiprocessor.
__global__ void hold_kernel(long long clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {
    }
}

constexpr int kFlushShape = 0;

double measure_event_tick() {
    if (on_emulator()) return 0.0;
    constexpr int kTimes = 100;
    const std::vector<CudaEvent> events(kTimes + 1);
    events[0].record();
    for (int i = 1; i <= kTimes; ++i) {
        hold_kernel<<<1, 1>>>(1000 + 37 * i);
        CUDA_CHECK_LAUNCH();
        events[i].record();
    }
    events[kTimes].wait();
    std::vector<double> times;
    for (int i = 1; i <= kTimes; ++i) times.push_back(events[i].seconds_since(events[i - 1]));
    std::sort(times.begin(), times.end());
    // Times are floats of milliseconds: smaller differences than this are rounding.
    constexpr double kRounding = 1e-9;
    double tick = 1e-6;  // nothing finer than CUDA promises, if all are alike
    for (std::size_t i = 1; i < times.size(); ++i) {
        const double gap = times[i] - times[i - 1];
        if (gap > kRounding) tick = std::min(tick, gap);
    }
    return tick;
}

}  // namespace

double event_tick_seconds() {
    static const double tick = measure_event_tick();
    return tick;
}

struct GpuTimer::Impl {
    Impl() : flush_buffer(flush_bytes()), partials(read_partials(flush_bytes(), kFlushShape)) {}

    void flush() {
        flush_buffer.fill_bytes(0x5a);
        read_everything(flush_buffer.data(), flush_buffer.size(), kFlushShape, partials.data());
    }

    void hold(double seconds) {
        const double clocks = seconds * device_info().sm_clock_hz;
        hold_kernel<<<1, 1>>>(static_cast<long long>(clocks));
        CUDA_CHECK_LAUNCH();
    }

    /// Device seconds from before the first to after the last kernel of `work`.
    double span(const std::function<void()>& work) {
        start.record();
        work();
        CUDA_CHECK_LAUNCH();
        stop.record();
        stop.wait();
        return stop.seconds_since(start);
    }

    DeviceBuffer<unsigned char> flush_buffer;
    DeviceBuffer<std::uint32_t> partials;
    CudaEvent start;
    CudaEvent stop;
};

GpuTimer::GpuTimer() : impl_(std::make_unique<Impl>()) {}
GpuTimer::~GpuTimer() = default;

std::size_t GpuTimer::flush_bytes() {
    constexpr std::size_t kLeast = std::size_t{64} << 20;
    return std::max(kLeast, 2 * device_info().l2_bytes / sizeof(uint4) * sizeof(uint4));
}

Samples GpuTimer::cold(const std::function<void()>& reset, const std::function<void()>& work,
                       const SampleRule& rule) {
    const auto sample = [&] {
        reset();
        impl_->flush();
        return impl_->span(work);
    };
    sample();  // warm-up
    SampleRule with_tick = rule;
    with_tick.tick_seconds = event_tick_seconds();
    return take_samples(sample, with_tick);
}

Samples GpuTimer::hot(int runs, const std::function<void()>& reset,
                      const std::function<void(int)>& work) {
    const auto batch = [&] {
        for (int i = 0; i < runs; ++i) work(i);
    };
    // Warm up, and see how long the host takes to enqueue a batch. Twice: the first launch of a
    // kernel may also load it.
    double enqueue_seconds = 0.0;
    for (int i = 0; i < 2; ++i) {
        reset();
        CUDA_CHECK(cudaDeviceSynchronize());
        const double before = steady_seconds();
        batch();
        CUDA_CHECK_LAUNCH();
        enqueue_seconds = steady_seconds() - before;
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    constexpr double kMargin = 1.5;
    constexpr double kAtLeast = 20e-6;
    constexpr double kAtMost = 20e-3;
    const double hold_seconds = std::min(kMargin * enqueue_seconds + kAtLeast, kAtMost);
    SampleRule rule;
    rule.least_samples = 7;
    rule.max_seconds = 0.2;
    rule.tick_seconds = event_tick_seconds();
    return take_samples(
               [&] {
                   reset();
                   impl_->hold(hold_seconds);
                   return impl_->span(batch);
               },
               rule)
        .divided_by(runs);
}

Samples GpuTimer::with_copies(const std::function<void()>& reset,
                              const std::function<void()>& work) {
    const auto sample = [&] {
        reset();
        CUDA_CHECK(cudaDeviceSynchronize());
        const double before = steady_seconds();
        work();
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
        return steady_seconds() - before;
    };
    sample();  // warm-up
    return take_samples(sample);
}

}  // namespace tutorial
