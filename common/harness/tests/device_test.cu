// What runs on the device: buffers, error checks, the kernel that measures the read ceiling.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../backend.hpp"
#include "../ceilings.hpp"
#include "../cuda_check.hpp"
#include "../device_buffer.hpp"
#include "../device_info.hpp"
#include "../inputs.hpp"
#include "../memory_kernels.hpp"
#include "../options.hpp"
#include "../timer.hpp"

using namespace tutorial;

namespace {

__global__ void add_one_kernel(int* items, std::size_t n) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) items[i] += 1;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::vector<int> counting(std::size_t n) {
    std::vector<int> items(n);
    std::iota(items.begin(), items.end(), 0);
    return items;
}

}  // namespace

TEST_CASE("a DeviceBuffer holds what is uploaded, and what kernels make of it") {
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{1025}}) {
        DeviceBuffer<int> d_items(n);
        CHECK(d_items.size() == n);
        CHECK(d_items.bytes() == n * sizeof(int));
        d_items.upload(counting(n));
        CHECK(d_items.download() == counting(n));
        const auto blocks = static_cast<unsigned>((n + 255) / 256);
        add_one_kernel<<<blocks, 256>>>(d_items.data(), n);
        CUDA_CHECK_LAUNCH();
        std::vector<int> expected = counting(n);
        for (int& item : expected) ++item;
        CHECK(d_items.download() == expected);
    }
}

TEST_CASE("an empty DeviceBuffer has no memory and takes every call") {
    DeviceBuffer<int> empty(0);
    CHECK(empty.data() == nullptr);
    CHECK(empty.size() == 0);
    empty.upload({});
    empty.fill_bytes(1);
    empty.copy_from(DeviceBuffer<int>(0));
    CHECK(empty.download().empty());
}

TEST_CASE("fill_bytes and copy_from") {
    DeviceBuffer<std::uint32_t> from(100);
    DeviceBuffer<std::uint32_t> to(100);
    from.fill_bytes(0xa5);
    to.fill_bytes(0);
    CHECK(from.download() == std::vector<std::uint32_t>(100, 0xa5a5a5a5));
    to.copy_from(from);
    CHECK(to.download() == std::vector<std::uint32_t>(100, 0xa5a5a5a5));
}

TEST_CASE("moving a DeviceBuffer moves the memory") {
    DeviceBuffer<int> a(10);
    a.upload(counting(10));
    const int* d_data = a.data();
    DeviceBuffer<int> b(std::move(a));
    CHECK(b.data() == d_data);
    CHECK(b.size() == 10);
    DeviceBuffer<int> c(3);
    c = std::move(b);
    CHECK(c.data() == d_data);
    CHECK(c.download() == counting(10));
}

TEST_CASE("other sizes are refused") {
    DeviceBuffer<int> items(4);
    CHECK_THROWS_AS(items.upload(counting(5)), std::length_error);
    CHECK_THROWS_AS(items.upload({}), std::length_error);
    CHECK_THROWS_AS(items.copy_from(DeviceBuffer<int>(3)), std::length_error);
}

TEST_CASE("too much memory: what was needed, what is free, and no error left behind") {
    try {
        DeviceBuffer<char> huge(std::size_t{1} << 50);
        FAIL("allocated");
    } catch (const ResourceError& error) {
        CHECK(contains(error.what(), "out of device memory: 1024.0 TiB were needed, "));
        CHECK(contains(error.what(), " are free"));
    }
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_THROWS_AS(DeviceBuffer<double>(SIZE_MAX / 2), ResourceError);
}

TEST_CASE("CUDA_CHECK says where, what and why") {
    CUDA_CHECK(cudaSuccess);
    const int line = __LINE__ + 2;
    try {
        CUDA_CHECK(std::pair<cudaError_t, int>(cudaErrorInvalidValue, 1).first);
        FAIL("no error");
    } catch (const CudaError& error) {
        CHECK(error.code() == cudaErrorInvalidValue);
        CHECK(std::string(error.what()) ==
              "tests/device_test.cu:" + std::to_string(line) +
                  ": std::pair<cudaError_t, int>(cudaErrorInvalidValue, 1).first: invalid argument "
                  "(cudaErrorInvalidValue)");
    }
}

TEST_CASE("CUDA_CHECK_LAUNCH sees a launch that cannot be") {
    DeviceBuffer<int> d_items(1);
    add_one_kernel<<<1, 4096>>>(d_items.data(), 1);
    CHECK_THROWS_AS(CUDA_CHECK_LAUNCH(), CudaError);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("the device is known") {
    const DeviceInfo& device = device_info();
    CHECK_FALSE(device.name.empty());
    CHECK(device.is_emulator == on_emulator());
    CHECK(device.sm_count >= 1);
    CHECK(device.memory_bytes > 0);
    CHECK(device.free_bytes > 0);
    CHECK(device.compute_major >= 3);
    CHECK(device.cuda_version >= 10000);
    CHECK((device.sm_clock_hz > 0.0) == !on_emulator());
}

TEST_CASE("the kernel of the read ceiling reads every word, in every shape of grid") {
    for (const std::size_t words : {0u, 4u, 124u, 128u, 132u, 65536u, 65540u, 300000u}) {
        const std::vector<unsigned> items = make_input<unsigned>("random", words, 3);
        unsigned expected = 0;
        for (const unsigned item : items) expected ^= item;
        DeviceBuffer<unsigned> d_items(words);
        d_items.upload(items);
        for (int shape = 0; shape < read_shapes(); ++shape) {
            CAPTURE(words);
            CAPTURE(shape);
            DeviceBuffer<std::uint32_t> d_partials(read_partials(words * sizeof(unsigned), shape));
            d_partials.fill_bytes(0x77);
            read_everything(d_items.data(), words * sizeof(unsigned), shape, d_partials.data());
            unsigned actual = 0;
            for (const std::uint32_t partial : d_partials.download()) actual ^= partial;
            CHECK(actual == expected);
        }
    }
}

TEST_CASE("the kernel of the copy ceiling copies every word, in every shape of grid") {
    for (const std::size_t words : {0u, 4u, 132u, 65540u}) {
        const std::vector<unsigned> items = make_input<unsigned>("random", words, 5);
        DeviceBuffer<unsigned> d_items(words);
        d_items.upload(items);
        DeviceBuffer<unsigned> d_copies(words);
        for (int shape = 0; shape < read_shapes(); ++shape) {
            CAPTURE(words);
            CAPTURE(read_shape_text(shape));
            d_copies.fill_bytes(0x77);
            copy_everything(d_items.data(), d_copies.data(), words * sizeof(unsigned), shape);
            CHECK(d_copies.download() == items);
        }
    }
}

TEST_CASE("the shapes try 4, 8 and 16 loads in flight, plain and __ldcs, half the blocks, pairs") {
    std::string all;
    for (int shape = 0; shape < read_shapes(); ++shape) all += read_shape_text(shape) + "\n";
    for (const char* part :
         {"4 plain", "8 plain", "16 plain", "4 __ldcs", "8 __ldcs", "16 __ldcs", ", full occupancy",
          ", half occupancy", "one tile per block\n", "two tiles per block\n"}) {
        CHECK_MESSAGE(contains(all, part), part);
    }
}

TEST_CASE("a kernel that does nothing is launched both ways") {
    launch_nothing(false);
    launch_nothing(true);
    CUDA_CHECK(cudaDeviceSynchronize());
}

TEST_CASE("the ceilings are plausible, and not measured where a CPU imitates") {
    const Ceilings& measured = ceilings();
    CHECK(&measured == &ceilings());
    if (on_emulator()) {
        CHECK(measured.read_bytes_per_second == 0.0);
        CHECK(measured.copy_bytes_per_second == 0.0);
        CHECK(measured.launch_cold_seconds == 0.0);
        CHECK(event_tick_seconds() == 0.0);
    } else {
        // CUDA promises half a microsecond, and no kernel starts and ends in less than 100 ns.
        CHECK(event_tick_seconds() > 0.0);
        CHECK(event_tick_seconds() <= 1e-6);
        CHECK(measured.launch_cold_seconds > 1e-7);
        CHECK(measured.launch_cold_seconds < 1e-3);
        CHECK(measured.launch_hot_seconds > 1e-7);
        CHECK(measured.launch_hot_seconds < 1e-3);
        CHECK(measured.programmatic_hot_seconds > 0.0);
        CHECK(measured.programmatic_hot_seconds < 1.5 * measured.launch_hot_seconds);
        CHECK_FALSE(measured.read_kernel.empty());
        // No GPU that runs this is slower than 10 GB/s or faster than 100 TB/s.
        CHECK(measured.read_bytes_per_second > 1e10);
        CHECK(measured.read_bytes_per_second < 1e14);
        CHECK(measured.copy_bytes_per_second > 1e10);
        CHECK(measured.copy_bytes_per_second < 1e14);
    }
}

TEST_CASE("the GPU timer calls reset and work in order, and sees more work take longer" *
          doctest::skip(on_emulator())) {
    // 256 MB, several times what an L2 cache holds: otherwise ten runs take less than ten times as
    // long.
    constexpr std::size_t kItems = std::size_t{1} << 26;
    DeviceBuffer<int> d_items(kItems);
    const auto add_one = [&] {
        add_one_kernel<<<kItems / 256, 256>>>(d_items.data(), kItems);
        CUDA_CHECK_LAUNCH();
    };
    GpuTimer timer;
    std::string calls;
    const auto reset = [&] {
        d_items.fill_bytes(0);
        calls += 'r';
    };
    const Samples once = timer.cold(reset, [&] {
        add_one();
        calls += 'w';
    });
    // Each sample, including the warm-up, is one reset and then one run.
    CHECK(calls.size() == 2 * (once.count() + 1));
    for (std::size_t i = 0; i < calls.size(); ++i) CHECK(calls[i] == (i % 2 == 0 ? 'r' : 'w'));
    CHECK(d_items.download() == std::vector<int>(kItems, 1));

    const Samples ten = timer.cold(reset, [&] {
        for (int i = 0; i < 10; ++i) add_one();
    });
    CHECK(ten.median() > 5 * once.median());
    CHECK(ten.median() < 15 * once.median());

    // After a batch of 8 runs and one reset, each item was raised 8 times.
    const Samples hot = timer.hot(8, reset, [&](int) { add_one(); });
    CHECK(d_items.download() == std::vector<int>(kItems, 8));
    CHECK(hot.median() < 1.5 * once.median());
    CHECK(hot.median() > 0.0);
}
