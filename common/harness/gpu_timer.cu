#include "gpu_timer.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "ceilings.hpp"
#include "cuda_check.hpp"
#include "cuda_event.hpp"
#include "device_buffer.hpp"
#include "device_info.hpp"

namespace tutorial {
namespace {

/// Keeps the device busy, with one thread, for about so many clocks of its multiprocessor.
__global__ void hold_kernel(long long clocks) {
    const long long start = clock64();
    while (clock64() - start < clocks) {
    }
}

constexpr int kFlushShape = 0;

}  // namespace

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
    return take_samples(sample, rule);
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
    rule.most_seconds = 0.5;
    return take_samples(
        [&] {
            reset();
            impl_->hold(hold_seconds);
            return impl_->span(batch) / runs;
        },
        rule);
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
