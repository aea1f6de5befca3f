#include "read_ceiling.hpp"

#include <algorithm>
#include <cstdint>

#include "ceilings.hpp"
#include "device_buffer.hpp"
#include "device_info.hpp"
#include "gpu_timer.hpp"

namespace tutorial {
namespace {

/// From so many times the L2 cache on, what is left in it from before does not count.
constexpr std::size_t kCaches = 8;

double median_seconds(GpuTimer& timer, const void* d_data, std::size_t bytes, int shape) {
    DeviceBuffer<std::uint32_t> partials(read_partials(bytes, shape));
    const auto read = [&] { read_everything(d_data, bytes, shape, partials.data()); };
    return timer.cold([] {}, read).median();
}

}  // namespace

Ceiling read_ceiling(const void* d_data, std::size_t bytes) {
    const double bandwidth = ceilings().read_bytes_per_second;
    if (bytes < kCaches * device_info().l2_bytes || bandwidth == 0.0) {
        const double seconds = bandwidth == 0.0 ? 0.0 : static_cast<double>(bytes) / bandwidth;
        return {"read bandwidth", seconds};
    }
    const std::size_t whole = bytes / 16 * 16;  // read_everything() takes whole 16-byte items
    GpuTimer timer;
    double seconds = median_seconds(timer, d_data, whole, 0);
    for (int shape = 1; shape < read_shapes(); ++shape) {
        seconds = std::min(seconds, median_seconds(timer, d_data, whole, shape));
    }
    return {"reading the same bytes", seconds};
}

}  // namespace tutorial
