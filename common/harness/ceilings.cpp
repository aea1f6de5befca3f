#include "ceilings.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "backend.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "device_info.hpp"
#include "memory_kernels.hpp"
#include "timer.hpp"

namespace tutorial {
namespace {

/// Large compared with the cache, so that leftovers of the previous run do not matter, and large
/// enough that starting and ending a kernel does not matter; no more than a quarter of the free
/// memory. 0 if that is too little to measure.
std::size_t bytes_to_measure() {
    constexpr std::size_t kMax = std::size_t{4} << 30;
    constexpr std::size_t kWhole = std::size_t{1} << 20;
    constexpr std::size_t kCaches = 8;
    const std::size_t bytes = std::min(kMax, free_device_bytes() / 4) / kWhole * kWhole;
    return bytes < kCaches * device_info().l2_bytes ? 0 : bytes;
}

/// Median time of one `launch`. All samples are enqueued before the first is awaited, so that the
/// time the host takes to launch is hidden behind the previous sample.
double median_seconds(int samples, const std::function<void()>& launch) {
    const std::vector<CudaEvent> events(static_cast<std::size_t>(samples) + 1);
    launch();  // warm-up
    events[0].record();
    for (int i = 1; i <= samples; ++i) {
        launch();
        events[i].record();
    }
    events[samples].wait();
    Samples times;
    for (int i = 1; i <= samples; ++i) times.add(events[i].seconds_since(events[i - 1]));
    return times.median();
}

/// One of the kernels tried, and its rate in bytes per second.
struct Tried {
    double rate;
    int shape;
    bool operator<(const Tried& other) const { return rate > other.rate; }
};

/// The fastest of all shapes: a short trial of each, on part of the bytes, then a longer one of the
/// best few, on all bytes. `launch(shape, bytes, on_second)` enqueues a run on the first or the
/// second buffer: where memory lies also makes a difference. If they take too long, the short
/// trials end, and fewer shapes get a longer one, so that a slow GPU does not keep its user
/// waiting.
Tried fastest(std::size_t bytes,
              const std::function<void(int shape, std::size_t bytes, bool on_second)>& launch) {
    constexpr std::size_t kShort = std::size_t{1} << 30;
    constexpr int kShortSamples = 3;
    constexpr int kLongSamples = 11;
    constexpr std::size_t kFinalists = 10;
    constexpr std::size_t kFewFinalists = 5;
    constexpr double kMaxSeconds = 1.0;
    const std::size_t part = std::min(bytes, kShort);
    const auto rate = [&](int samples, int shape, std::size_t count, bool on_second) {
        return static_cast<double>(count) /
               median_seconds(samples, [&] { launch(shape, count, on_second); });
    };
    rate(kLongSamples, 0, part, false);  // gives the clocks time to rise
    std::vector<Tried> tried;
    const double begin = steady_seconds();
    for (int shape = 0; shape < read_shapes(); ++shape) {
        if (steady_seconds() - begin > kMaxSeconds) break;
        tried.push_back({rate(kShortSamples, shape, part, false), shape});
    }
    std::sort(tried.begin(), tried.end());
    std::vector<Tried> finalists;
    const double begin_long = steady_seconds();
    for (const Tried& one : tried) {
        const bool takes_long = steady_seconds() - begin_long > kMaxSeconds;
        if (finalists.size() >= (takes_long ? kFewFinalists : kFinalists)) break;
        finalists.push_back({std::max(rate(kLongSamples, one.shape, bytes, false),
                                      rate(kLongSamples, one.shape, bytes, true)),
                             one.shape});
    }
    return *std::min_element(finalists.begin(), finalists.end());
}

void measure_bandwidths(Ceilings& best) {
    const std::size_t bytes = bytes_to_measure();
    if (bytes == 0) return;
    DeviceBuffer<unsigned char> first(bytes);
    scramble(first.data(), bytes);
    DeviceBuffer<unsigned char> second(bytes);
    scramble(second.data(), bytes);

    const Tried copied = fastest(bytes, [&](int shape, std::size_t count, bool on_second) {
        unsigned char* const from = on_second ? second.data() : first.data();
        unsigned char* const to = on_second ? first.data() : second.data();
        copy_everything(from, to, count, shape);
    });
    const double by_runtime =
        static_cast<double>(bytes) / median_seconds(11, [&] { second.copy_from(first); });
    best.copy_bytes_per_second = 2.0 * std::max(copied.rate, by_runtime);

    std::size_t max_partials = 0;
    for (int shape = 0; shape < read_shapes(); ++shape) {
        max_partials = std::max(max_partials, read_partials(bytes, shape));
    }
    DeviceBuffer<std::uint32_t> partials(max_partials);
    const Tried read = fastest(bytes, [&](int shape, std::size_t count, bool on_second) {
        read_everything(on_second ? second.data() : first.data(), count, shape, partials.data());
    });
    best.read_bytes_per_second = read.rate;
    best.read_kernel = read_shape_text(read.shape);
}

void measure_launches(Ceilings& best) {
    constexpr int kRuns = 200;  // as many as the shortest rows have in a hot batch
    GpuTimer timer;
    const auto nothing = [] {};
    best.launch_cold_seconds = timer.cold(nothing, [] { launch_nothing(false); }).median();
    best.launch_hot_seconds =
        timer.hot(kRuns, nothing, [](int) { launch_nothing(false); }).median();
    best.programmatic_hot_seconds =
        timer.hot(kRuns, nothing, [](int) { launch_nothing(true); }).median();
}

Ceilings measure() {
    Ceilings best;
    if (on_emulator()) return best;
    measure_bandwidths(best);
    measure_launches(best);
    return best;
}

}  // namespace

const Ceilings& ceilings() {
    static const Ceilings measured = measure();
    return measured;
}

Ceiling read_ceiling(std::size_t bytes) {
    const double bandwidth = ceilings().read_bytes_per_second;
    const double seconds = bandwidth == 0.0 ? 0.0 : static_cast<double>(bytes) / bandwidth;
    return {"read bandwidth", seconds};
}

}  // namespace tutorial
