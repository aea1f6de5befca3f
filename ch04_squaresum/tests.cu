// Tests of chapter 4: every stage of its table, over sizes and values that have broken such code.
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "../common/harness/backend.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/known_devices.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

const std::vector<std::size_t> kSizes = {
    0,   1,   2,   3,    4,    5,    31,   32,   33,   63,   64,    65,    255,   256,   257,
    511, 512, 513, 1023, 1024, 1025, 8191, 8192, 8193, 8195, 12345, 16383, 16384, 16385, 100003};

struct Problem {
    explicit Problem(const std::vector<int>& items)
        : n(items.size()),
          d_items(n),
          d_sums(kThreads),
          d_accumulator(1),
          d_times(std::max(kArticleBlocks, full_grid_blocks())) {
        d_items.upload(items);
        d_accumulator.fill_bytes(0);
    }

    /// The sum as the stage leaves it; beforehand, every word it may write holds garbage.
    Sum sum_by(const Stage<ReduceStage>& stage, bool timed = false, std::size_t offset = 0) {
        d_sums.fill_bytes(0xa5);
        stage.launch.launch(d_items.data() + offset, n, d_sums.data(),
                            timed ? d_times.data() : nullptr, d_accumulator.data());
        const std::vector<Sum> sums = d_sums.download();
        Sum sum = 0;
        for (unsigned i = 0; i < stage.launch.sums; ++i) sum += sums[i];
        return sum;
    }

    std::size_t n;
    DeviceBuffer<int> d_items;
    DeviceBuffer<Sum> d_sums;
    DeviceBuffer<GridAccumulator> d_accumulator;
    DeviceBuffer<BlockTime> d_times;
};

std::vector<int> items_of(const std::string& values, const std::string& kind, std::size_t n,
                          std::uint64_t seed) {
    Options options;
    options.n = n;
    options.input = kind;
    options.seed = seed;
    return make_items(options, values);
}

/// Every stage against the host, and once more on what the first run left.
void check_stages(const std::vector<int>& items) {
    const Sum expected = host_sum(items);
    Problem problem(items);
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name << ", n = " << items.size());
        CHECK(problem.sum_by(stage) == expected);
        CHECK(problem.sum_by(stage) == expected);
    }
}

int run_chapter(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"ch04"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(&word[0]);
    return chapter_main(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

TEST_CASE("ch04: the square of every int fits, and the host's sum notices what does not") {
    CHECK(square(0) == 0);
    CHECK(square(-3) == 9);
    CHECK(square(kWideMax) == 2147395600u);
    CHECK(square(INT_MAX) == 4611686014132420609u);
    CHECK(square(INT_MIN) == Sum{1} << 62);
    CHECK(host_sum({}) == 0);
    CHECK(host_sum({INT_MIN, 3, INT_MIN, INT_MIN}) == 3 * (Sum{1} << 62) + 9);
    CHECK_THROWS_AS(host_sum({INT_MIN, INT_MIN, INT_MIN, INT_MIN}), UsageError);
    CHECK_THROWS_AS(host_sum(std::vector<int>(5, INT_MAX)), UsageError);
}

TEST_CASE("ch04: values are scaled to their range") {
    CHECK(scaled(INT_MIN, 0, 10) == 0);
    CHECK(scaled(INT_MAX, 0, 10) == 9);
    CHECK(scaled(INT_MIN, -kWideMax, 2 * kWideMax + 1) == -kWideMax);
    CHECK(scaled(INT_MAX, -kWideMax, 2 * kWideMax + 1) == kWideMax);
    std::vector<int> seen(10);
    for (const int item : items_of("digits", "random", 10000, 1)) ++seen.at(item);
    for (const int count : seen) CHECK(count > 800);
}

TEST_CASE("ch04: every size, the values that an int's square just fits into") {
    for (const std::size_t n : kSizes) check_stages(items_of("wide", "random", n, n + 1));
}

TEST_CASE("ch04: every kind of input") {
    for (const std::string& kind : input_kinds()) {
        INFO(kind);
        check_stages(items_of("digits", kind, 10007, 2));
        check_stages(items_of("wide", kind, 20011, 3));
    }
}

TEST_CASE("ch04: sums near the end of 64 bits are exact") {
    check_stages({INT_MIN, INT_MIN, INT_MIN});
    check_stages({INT_MAX, INT_MIN, -INT_MAX, INT_MIN + 1});
    for (const std::size_t n : {std::size_t{1025}, std::size_t{20011}}) {
        // Three of the largest squares, at tails and seams; small ones in between.
        std::vector<int> items(n);
        for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<int>(i % 7) - 3;
        items.front() = items[n / 2] = items.back() = INT_MIN;
        check_stages(items);
    }
    // Low halves that add up to much more than 32 bits.
    check_stages(std::vector<int>(30011, 65535));
}

TEST_CASE("ch04: one changed item changes the sum") {
    std::vector<int> items = items_of("wide", "random", 9973, 4);
    const Sum expected = host_sum(items);
    for (const std::size_t at : {std::size_t{0}, std::size_t{4097}, std::size_t{9972}}) {
        std::vector<int> damaged = items;
        damaged[at] = damaged[at] > 0 ? damaged[at] - 1 : damaged[at] + 1;
        Problem problem(damaged);
        for (const Stage<ReduceStage>& stage : stages()) {
            INFO(stage.name << ", item " << at);
            CHECK(problem.sum_by(stage) != expected);
        }
    }
}

TEST_CASE("ch04: many runs, in whatever order the threads come, give the same sum") {
    const std::vector<int> items = items_of("wide", "random", 20011, 9);
    const Sum expected = host_sum(items);
    Problem problem(items);
    const char* const orders[] = {"forward", "reverse", "shuffle"};
    const int runs = on_emulator() ? 20 : 100;
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name);
        int different = 0;
        for (int run = 0; run < runs; ++run) {
            set_thread_order(orders[run % 3], run);
            different += problem.sum_by(stage) != expected;
        }
        CHECK(different == 0);
    }
    set_thread_order("forward", 0);
}

TEST_CASE("ch04: the device's clocks") {
    const std::vector<int> items = items_of("wide", "random", 100003, 9);
    Problem problem(items);
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name);
        problem.d_times.fill_bytes(0);
        CHECK(problem.sum_by(stage, true) == host_sum(items));
        const std::vector<BlockTime> times = problem.d_times.download();
        const unsigned timed =
            stage.launch.timed_blocks == nullptr ? 0 : stage.launch.timed_blocks();
        for (unsigned b = 0; b < timed; ++b) {
            REQUIRE(times[b].start_ns > 0);
            REQUIRE(times[b].end_ns >= times[b].start_ns);
            REQUIRE(times[b].end_cycles > times[b].start_cycles);
        }
        if (timed < times.size()) CHECK(times[timed].end_ns == 0);
    }
}

TEST_CASE("ch04: a result that no kernel wrote is wrong, in every row") {
    Options options;
    options.n = 1000;
    const std::unique_ptr<Experiment> owner = ::experiment(options, "digits", false);
    Experiment& experiment = *owner;
    experiment.prepare(options);
    for (std::size_t row = 0; row < experiment.rows().size(); ++row) {
        INFO(experiment.rows()[row].name);
        experiment.reset(0);
        CHECK_FALSE(experiment.check(row, 0).ok);
        experiment.reset(0);
        experiment.run(row, 0);
        const Verdict verdict = experiment.check(row, 0);
        CHECK_MESSAGE(verdict.ok, verdict.message);
    }
}

TEST_CASE("ch04: a grid that fits n: tiles that cover every n, up to the largest") {
    std::vector<std::size_t> sizes = kSizes;
    for (int bits = 10; bits <= 31; ++bits) {
        for (const int more : {-1, 0, 1, 3}) sizes.push_back((std::size_t{1} << bits) + more);
    }
    for (const std::size_t n : sizes) {
        INFO("n = " << n);
        const std::size_t vectors = n / kWidth;
        if (n <= kSingleBlockItems) {
            CHECK(std::size_t{single_block_threads(n)} * kSingleBlockReads >= vectors);
            continue;
        }
        const unsigned reads = n <= kPrefetchItems ? small_tile_reads(n) : kMaxReads;
        const unsigned tiles = tiles_for(n, reads);
        const unsigned blocks = n <= kPrefetchItems ? tiles : blocks_for(tiles);
        // In 32 bits, as the kernel counts, with room for the last thread's last index.
        const std::uint64_t tile = std::uint64_t{kThreads} * reads;
        const std::uint64_t covered = tile * tiles;
        CHECK(covered + tile * blocks < std::uint64_t{1} << 32);
        CHECK(covered >= vectors);
        CHECK(covered - tile < vectors);
        CHECK(blocks > 1);
        CHECK(blocks <= std::min(tiles, kMaxBlocks));
        // The reads of prefetched_kernel_for(): 1, 2, 4.
        CHECK((n > kPrefetchItems || (reads <= 4 && reads != 3)));
        // One tile per block, two for very many, and more only if that many cannot be counted.
        const bool are_all_counted = blocks < kMaxBlocks;
        if (are_all_counted) CHECK(divide_up(tiles, blocks) == (tiles < kMinTilesForPairs ? 1 : 2));
    }
}

TEST_CASE("ch04: known devices hold the blocks that the kernels ask for, and their cache counts") {
    std::vector<DeviceInfo> devices = known_devices();
    devices.push_back(device_info());
    for (const DeviceInfo& device : devices) {
        INFO(device.name);
        CHECK(blocks_held(device, kThreads, 0) >= kMinBlocksPerSm);
        CHECK_FALSE(beyond_cache(device.l2_bytes, device));
        CHECK(beyond_cache(device.l2_bytes + 1, device));
    }
}

TEST_CASE("ch04: the kernels of large n, with more blocks than a device holds") {
    const std::size_t n = 2000003;
    const std::vector<int> items = items_of("wide", "random", n, 4);
    const Sum expected = host_sum(items);
    Problem problem(items);
    // Runs such a kernel three times, with that many tiles per block.
    const auto check_kernel = [&](auto* kernel, unsigned tiles_of_a_block) {
        const unsigned tiles = tiles_for(n, kMaxReads);
        for (int run = 0; run < 3; ++run) {
            problem.d_sums.fill_bytes(0xa5);
            kernel<<<divide_up(tiles, tiles_of_a_block), kThreads>>>(
                problem.d_items.data(), n, tiles, problem.d_accumulator.data(),
                problem.d_sums.data());
            CUDA_CHECK_LAUNCH();
            CHECK(problem.d_sums.download()[0] == expected);
        }
    };
    check_kernel(counted_kernel<false>, 1);
    check_kernel(counted_kernel<true>, 2);
    check_kernel(counted_kernel<false>, 3);
    const auto check_small_tiles = [&](auto* kernel, unsigned reads) {
        for (int run = 0; run < 3; ++run) {
            problem.d_sums.fill_bytes(0xa5);
            kernel<<<tiles_for(n, reads), kThreads>>>(
                problem.d_items.data(), n, problem.d_accumulator.data(), problem.d_sums.data());
            CUDA_CHECK_LAUNCH();
            CHECK(problem.d_sums.download()[0] == expected);
        }
    };
    check_small_tiles(prefetched_kernel<1>, 1);
    check_small_tiles(prefetched_kernel<3>, 3);
    check_small_tiles(prefetched_kernel<kMaxReads>, kMaxReads);
    // And as they are launched: the tail of a large odd n.
    const std::size_t large = device_info().l2_bytes / sizeof(int) + 1000003;
    check_stages(items_of("wide", "random", large, 6));
}

TEST_CASE("ch04: the counted words are zero after every launch") {
    const std::vector<int> items = items_of("wide", "random", 70001, 8);
    Problem problem(items);
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name);
        CHECK(problem.sum_by(stage) == host_sum(items));
        const GridAccumulator left = problem.d_accumulator.download()[0];
        CHECK(left.low == 0);
        CHECK(left.high == 0);
    }
}

TEST_CASE("ch04: items at any address: stages that read 16 bytes refuse, others add") {
    const std::vector<std::string> of_vectors = {
        "vector",     "in_flight",    "tile_per_block", "streaming",       "counted",
        "prefetched", "single_block", "tile_sizes",     "best_serialized", "best"};
    const std::vector<int> items = items_of("wide", "random", 1005, 3);
    Problem problem(items);
    problem.n = 1001;
    for (std::size_t offset = 0; offset <= 4; ++offset) {
        const std::vector<int> part(items.begin() + static_cast<std::ptrdiff_t>(offset),
                                    items.begin() + static_cast<std::ptrdiff_t>(offset + 1001));
        for (const Stage<ReduceStage>& stage : stages()) {
            INFO(stage.name << ", " << offset << " items beyond a multiple of 16 bytes");
            const bool is_wide =
                std::find(of_vectors.begin(), of_vectors.end(), stage.name) != of_vectors.end();
            if (is_wide && offset % 4 != 0) {
                CHECK_THROWS_AS(problem.sum_by(stage, false, offset), std::invalid_argument);
            } else {
                CHECK(problem.sum_by(stage, false, offset) == host_sum(part));
            }
        }
    }
}

__global__ void fill_kernel(int* items, std::size_t n) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        items[i] = static_cast<int>(i % 257) - 128;
    }
}

// Skipped, not passed, if a CPU would take hours.
TEST_CASE("ch04: the largest n, where 31 bits do not count the items" *
          doctest::skip(on_emulator())) {
    const std::size_t n = (std::size_t{1} << 31) + 3;
    if (free_device_bytes() < n * sizeof(int) + (std::size_t{1} << 30)) {
        MESSAGE("not run: it takes more memory than is free on this device");
        return;
    }
    Sum expected = 0;
    for (int r = 0; r < 257; ++r) {
        const std::size_t times = n / 257 + (static_cast<std::size_t>(r) < n % 257 ? 1 : 0);
        expected += times * square(r - 128);
    }
    Problem problem({});
    problem.d_items = DeviceBuffer<int>(n);
    problem.n = n;
    fill_kernel<<<1024, 512>>>(problem.d_items.data(), n);
    CUDA_CHECK_LAUNCH();
    for (const Stage<ReduceStage>& stage : stages()) {
        if (n > stage.limits.max_n) continue;
        INFO(stage.name);
        CHECK(problem.sum_by(stage) == expected);
    }
}

TEST_CASE("ch04: the program") {
    CHECK(run_chapter({"--list"}) == 0);
    CHECK(run_chapter({"--n", "1000", "--stage", "tree", "host", "--device"}) == 0);
    CHECK(run_chapter({"--n", "20000", "--stage", "best", "--values", "wide"}) == 0);
    CHECK(run_chapter({"--n", "0", "--stage", "chunked"}) == 0);
    CHECK(run_chapter({"--n", "1000", "--values", "full"}) == 2);
    CHECK(run_chapter({"--values", "none"}) == 2);
}
