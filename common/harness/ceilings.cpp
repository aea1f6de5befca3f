#include "ceilings.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "device_info.hpp"
#include "memory_kernels.hpp"
#include "timer.hpp"

namespace tutorial {
namespace {

/// From so many times the L2 cache on, what is left in it from before does not count.
constexpr std::size_t kCaches = 8;

/// Median time of one `launch`. All samples are enqueued before the first is awaited, so that the
/// time the host takes to launch is hidden behind the sample before.
template <class Launch>
double median_seconds(const Launch& launch) {
    constexpr int kSamples = 11;
    const std::vector<CudaEvent> events(kSamples + 1);
    launch();  // warm-up
    events[0].record();
    for (int i = 1; i <= kSamples; ++i) {
        launch();
        events[i].record();
    }
    events[kSamples].wait();
    Samples samples;
    for (int i = 1; i <= kSamples; ++i) samples.add(events[i].seconds_since(events[i - 1]));
    return samples.median();
}

/// Large beside the cache, so that what is left in it from the run before does not count, and large
/// enough that starting and ending a kernel does not either; no more than a quarter of the free
/// memory. 0 where that is too little to measure.
std::size_t bytes_to_measure() {
    constexpr std::size_t kMost = std::size_t{4} << 30;
    constexpr std::size_t kWhole = std::size_t{1} << 20;
    const std::size_t bytes = std::min(kMost, free_device_bytes() / 4) / kWhole * kWhole;
    return bytes < kCaches * device_info().l2_bytes ? 0 : bytes;
}

Ceilings measure() {
    Ceilings best;
    if (on_cpu_backend()) return best;
    const std::size_t bytes = bytes_to_measure();
    if (bytes == 0) return best;

    DeviceBuffer<unsigned char> data(bytes);
    scramble(data.data(), bytes);
    DeviceBuffer<unsigned char> target(bytes);

    // Copies first: they also give the clocks time to rise.
    double seconds = median_seconds([&] { target.copy_from(data); });
    for (int shape = 0; shape < read_shapes(); ++shape) {
        seconds = std::min(seconds, median_seconds([&] {
                               copy_everything(data.data(), target.data(), bytes, shape);
                           }));
    }
    best.copy_bytes_per_second = 2.0 * static_cast<double>(bytes) / seconds;

    seconds = 0.0;
    for (int shape = 0; shape < read_shapes(); ++shape) {
        DeviceBuffer<std::uint32_t> partials(read_partials(bytes, shape));
        const double sample =
            median_seconds([&] { read_everything(data.data(), bytes, shape, partials.data()); });
        seconds = shape == 0 ? sample : std::min(seconds, sample);
    }
    best.read_bytes_per_second = static_cast<double>(bytes) / seconds;
    return best;
}

double cold_read_seconds(GpuTimer& timer, const void* d_data, std::size_t bytes, int shape) {
    DeviceBuffer<std::uint32_t> partials(read_partials(bytes, shape));
    const auto read = [&] { read_everything(d_data, bytes, shape, partials.data()); };
    return timer.cold([] {}, read).median();
}

}  // namespace

const Ceilings& ceilings() {
    static const Ceilings measured = measure();
    return measured;
}

Ceiling read_ceiling(const void* d_data, std::size_t bytes) {
    const double bandwidth = ceilings().read_bytes_per_second;
    if (bytes < kCaches * device_info().l2_bytes || bandwidth == 0.0) {
        const double seconds = bandwidth == 0.0 ? 0.0 : static_cast<double>(bytes) / bandwidth;
        return {"read bandwidth", seconds};
    }
    const std::size_t whole = bytes / 16 * 16;  // read_everything() takes whole 16-byte items
    GpuTimer timer;
    double seconds = cold_read_seconds(timer, d_data, whole, 0);
    for (int shape = 1; shape < read_shapes(); ++shape) {
        seconds = std::min(seconds, cold_read_seconds(timer, d_data, whole, shape));
    }
    return {"reading the same bytes", seconds};
}

}  // namespace tutorial
