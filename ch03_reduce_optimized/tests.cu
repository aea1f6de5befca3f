// Tests of chapter 3: every stage of its table, over sizes and inputs that have broken such code.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
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
#include "../common/harness/sum_reference.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

const std::vector<std::size_t> kSizes = {0,    1,     2,     3,     4,     5,      31,    32,
                                         33,   255,   256,   257,   511,   512,    513,   1023,
                                         1024, 1025,  4095,  4096,  4097,  8191,   8192,  8193,
                                         8195, 12345, 16384, 16385, 65537, 100003, 300001};

/// Items on the device, and what else the launchers need.
struct Problem {
    explicit Problem(const std::vector<float>& items)
        : n(items.size()), d_items(n), d_sum(1), work(n) {
        d_items.upload(items);
    }

    /// The sum as the stage leaves it; beforehand, every word it may write holds NaN.
    float sum_by(const Stage<ReduceStage>& stage) {
        d_sum.fill_bytes(0xff);
        for (DeviceBuffer<float>& partial : work.partial) partial.fill_bytes(0xff);
        stage.launch.launch(d_items.data(), n, d_sum.data(), work);
        return d_sum.download()[0];
    }

    std::size_t n;
    DeviceBuffer<float> d_items;
    DeviceBuffer<float> d_sum;
    Workspace work;
};

std::uint32_t bits_of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

int run_chapter(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"ch03"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(&word[0]);
    return chapter_main(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

TEST_CASE("ch03: whole numbers are summed exactly, at every size") {
    for (const std::size_t n : kSizes) {
        const WholeNumbers numbers = whole_numbers(n, n + 1);
        Problem problem(numbers.items);
        for (const Stage<ReduceStage>& stage : stages()) {
            INFO(stage.name << ", n = " << n);
            const Verdict verdict = verify_whole_numbers(numbers, n, problem.sum_by(stage));
            CHECK_MESSAGE(verdict.ok, verdict.message);
        }
    }
}

TEST_CASE("ch03: every kind of input is summed within the stage's own bound") {
    for (const std::string& kind : input_kinds()) {
        for (const std::size_t n : {std::size_t{257}, std::size_t{20011}}) {
            const std::vector<float> items = make_input<float>(kind, n, 5);
            const SumReference reference = reference_sum(items);
            Problem problem(items);
            for (const Stage<ReduceStage>& stage : stages()) {
                INFO(stage.name << ", n = " << n << ", " << kind);
                const Verdict verdict =
                    verify_sum(reference, stage.launch.depth(n), problem.sum_by(stage));
                CHECK_MESSAGE(verdict.ok, verdict.message);
            }
        }
    }
}

TEST_CASE("ch03: the bounds are within what a tree needs at least and one percent at most") {
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name);
        for (const std::size_t n : {std::size_t{1}, std::size_t{1} << 20, std::size_t{1} << 31}) {
            CHECK(stage.launch.depth(n) >= std::log2(static_cast<double>(n)));
            CHECK(stage.launch.depth(n) * 0x1p-24 <= 0.01);
        }
    }
}

TEST_CASE("ch03: many runs give the same bits, on one workspace with other sizes between") {
    const std::vector<float> items = make_input<float>("random", 20011, 9);
    Problem problem(items);
    Problem other(make_input<float>("random", 9001, 10));
    const int runs = on_emulator() ? 20 : 100;
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name);
        const std::uint32_t first = bits_of(problem.sum_by(stage));
        int different = 0;
        for (int run = 1; run < runs; ++run) {
            if (run % (runs / 4) == 0) {
                // The next launch must not see anything that the previous one left.
                other.d_sum.fill_bytes(0xff);
                stage.launch.launch(other.d_items.data(), other.n - run, other.d_sum.data(),
                                    problem.work);
                CHECK(std::isfinite(other.d_sum.download()[0]));
            }
            different += bits_of(problem.sum_by(stage)) != first;
        }
        CHECK(different == 0);
    }
}

TEST_CASE("ch03: the order of the threads does not matter") {
    Problem problem(make_input<float>("random", 20011, 11));
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name);
        set_thread_order("forward", 0);
        const std::uint32_t forward = bits_of(problem.sum_by(stage));
        for (const char* order : {"reverse", "shuffle"}) {
            set_thread_order(order, 3);
            CHECK(bits_of(problem.sum_by(stage)) == forward);
        }
    }
    set_thread_order("forward", 0);
}

TEST_CASE("ch03: a result that no kernel wrote is wrong, in every row") {
    Options options;
    options.n = 1000;
    OptimizedExperiment optimized(options, stages());
    Experiment& experiment = optimized;
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

TEST_CASE("ch03: items at any address: stages that read 16 bytes at a time refuse, others add") {
    const std::size_t n = 1001;
    const WholeNumbers numbers = whole_numbers(n + 4, 3);
    Problem problem(numbers.items);
    const std::vector<std::string> narrow = {"sequential", "contiguous", "coalesced", "unrolled",
                                             "shuffle"};
    for (std::size_t offset = 0; offset <= 4; ++offset) {
        const std::vector<float> part(
            numbers.items.begin() + static_cast<std::ptrdiff_t>(offset),
            numbers.items.begin() + static_cast<std::ptrdiff_t>(offset + n));
        const SumReference reference = reference_sum(part);
        for (const Stage<ReduceStage>& stage : stages()) {
            INFO(stage.name << ", " << offset << " items beyond a multiple of 16 bytes");
            const auto add = [&] {
                problem.d_sum.fill_bytes(0xff);
                stage.launch.launch(problem.d_items.data() + offset, n, problem.d_sum.data(),
                                    problem.work);
            };
            const bool is_narrow = std::count(narrow.begin(), narrow.end(), stage.name) > 0;
            if (!is_narrow && offset % 4 != 0) {
                try {
                    add();
                    FAIL("launched");
                } catch (const std::invalid_argument& error) {
                    const std::string message = error.what();
                    CHECK(message.find(stage.name + " reads") == 0);
                    CHECK(message.find("must begin at a multiple of 16 bytes") !=
                          std::string::npos);
                    CHECK(message.find(std::to_string(4 * offset) + " bytes past one") !=
                          std::string::npos);
                }
            } else {
                add();
                const Verdict verdict =
                    verify_sum(reference, stage.launch.depth(n), problem.d_sum.download()[0]);
                CHECK_MESSAGE(verdict.ok, verdict.message);
            }
        }
    }
}

TEST_CASE("ch03: best in a row: each launch reads what the one before it has just written") {
    // Items that are 0 except for the last, which is 1; and one that receives the previous sum.
    constexpr std::size_t kArrays = 100;
    for (const std::size_t n : {std::size_t{1000}, std::size_t{12000}, std::size_t{40000}}) {
        std::vector<float> items(kArrays * n, 0.0f);
        for (std::size_t array = 1; array <= kArrays; ++array) items[array * n - 1] = 1.0f;
        DeviceBuffer<float> d_items(items.size());
        DeviceBuffer<float> d_sum(1);
        Workspace work(n);
        for (int run = 0; run < 3; ++run) {
            d_items.upload(items);
            d_sum.fill_bytes(0xff);
            for (std::size_t array = 0; array < kArrays; ++array) {
                float* d_array = d_items.data() + array * n;
                const bool is_last = array + 1 == kArrays;
                best(d_array, n, is_last ? d_sum.data() : d_array + n + n / 2, work);
            }
            CHECK_MESSAGE(d_sum.download()[0] == static_cast<float>(kArrays), "n = " << n);
        }
    }
}

TEST_CASE(
    "ch03: the tiles cover every n, and no stage has more blocks than the workspace has words") {
    std::vector<std::size_t> sizes = kSizes;
    for (int bits = 10; bits <= 31; ++bits) {
        for (const int more : {-1, 0, 1, 3}) sizes.push_back((std::size_t{1} << bits) + more);
    }
    for (const std::size_t n : sizes) {
        INFO("n = " << n);
        const Tiling tiling = tiling_for(n);
        const std::size_t vectors = n / kWidth;
        const std::uint64_t tile = std::uint64_t{kThreads} * tiling.reads;
        const std::uint64_t covered = tile * tiling.blocks;
        CHECK(covered < std::uint64_t{1} << 32);  // load_tile() counts in 32 bits
        CHECK(covered >= vectors);
        if (tiling.blocks > 1) CHECK(covered - tile < vectors);
        // As many words as collect_by_warp() requests together.
        if (tiling.reads < kMaxReads) CHECK(tiling.blocks <= 128);
        if (tiling.reads < kMaxReads / 2) CHECK(tiling.blocks <= 32);
        const std::size_t words = Workspace::partials(n);
        for (const unsigned blocks :
             {tiling.blocks, grid_stride_blocks(n), blocks_for(n, kVectorTile * kWidth)}) {
            CHECK(blocks >= 1);
            CHECK(blocks <= words);
        }
        // And grid_stride_sum() counts in 32 bits, one round beyond the last vector.
        const std::uint64_t round = std::uint64_t{grid_stride_blocks(n)} * kVectorTile;
        CHECK(vectors + 2 * round < std::uint64_t{1} << 32);
    }
}

TEST_CASE("ch03: block 0 leaves room for others on every device that we know") {
    std::vector<DeviceInfo> devices = known_devices();
    devices.push_back(device_info());
    for (const DeviceInfo& device : devices) {
        INFO(device.name);
        CHECK(blocks_held(device, kThreads, 0) >= 2);
    }
}

TEST_CASE("ch03: the passes end in one block, and never write what they read") {
    Workspace work(300001);
    float sum = 0.0f;
    const float items = 0.0f;
    for (const std::size_t n : {0, 1, 512, 513, 4097, 262144, 262145, 300001}) {
        INFO("n = " << n);
        const std::vector<Pass> all = passes(&items, n, 512, &sum, work);
        CHECK(all.front().d_from == &items);
        CHECK(all.front().n == n);
        CHECK(all.back().blocks == 1);
        CHECK(all.back().d_to == &sum);
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK(all[i].d_from != all[i].d_to);
            if (i > 0) CHECK(all[i].n == all[i - 1].blocks);
            if (i > 0) CHECK(all[i].d_from == all[i - 1].d_to);
        }
    }
}

TEST_CASE("ch03: best beyond the cache") {
    // Small tiles first: more blocks than a device holds, for only two million items.
    const std::size_t n = 2000003;
    const WholeNumbers numbers = whole_numbers(n, 4);
    Problem problem(numbers.items);
    const auto add_by = [&](auto* kernel, unsigned reads) {
        for (int run = 0; run < 3; ++run) {
            problem.d_sum.fill_bytes(0xff);
            kernel<<<blocks_for(n / kWidth, kThreads * reads), kThreads>>>(
                problem.d_items.data(), n, problem.work.words.data(), problem.d_sum.data());
            CUDA_CHECK_LAUNCH();
            const Verdict verdict = verify_whole_numbers(numbers, n, problem.d_sum.download()[0]);
            CHECK_MESSAGE(verdict.ok, verdict.message);
        }
    };
    add_by(tile_sizes_kernel<kMaxReads, true>, kMaxReads);
    add_by(tile_sizes_kernel<kMaxReads + 1, true>, kMaxReads + 1);
    // And as it is launched: the tail of a large odd n.
    const std::size_t large = device_info().l2_bytes / sizeof(float) + 1000003;
    const WholeNumbers more = whole_numbers(large, 6);
    Problem big(more.items);
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name);
        const Verdict verdict = verify_whole_numbers(more, large, big.sum_by(stage));
        CHECK_MESSAGE(verdict.ok, verdict.message);
    }
}

/// 1 at every kStep-th place, else 0: the sum of 2^31 of them is a whole number that a float holds.
constexpr std::size_t kStep = 257;
__global__ void fill_kernel(float* items, std::size_t n) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        items[i] = i % kStep == 0 ? 1.0f : 0.0f;
    }
}

// Skipped, not passed, if a CPU would take hours.
TEST_CASE("ch03: the largest n, where 31 bits do not count the items" *
          doctest::skip(on_emulator())) {
    for (const std::size_t n : {(std::size_t{1} << 31) - 1, (std::size_t{1} << 31) + 3}) {
        if (free_device_bytes() < n * sizeof(float) + (std::size_t{1} << 30)) {
            MESSAGE("not run: it takes more memory than is free on this device");
            return;
        }
        DeviceBuffer<float> d_items(n);
        fill_kernel<<<1024, 512>>>(d_items.data(), n);
        CUDA_CHECK_LAUNCH();
        DeviceBuffer<float> d_sum(1);
        Workspace work(n);
        for (const Stage<ReduceStage>& stage : stages()) {
            INFO(stage.name << ", n = " << n);
            d_sum.fill_bytes(0xff);
            stage.launch.launch(d_items.data(), n, d_sum.data(), work);
            CHECK(d_sum.download()[0] == static_cast<float>((n - 1) / kStep + 1));
        }
    }
}

TEST_CASE("ch03: the program") {
    CHECK(run_chapter({"--list"}) == 0);
    CHECK(run_chapter({"--n", "1000", "--stage", "best", "one_pass"}) == 0);
    CHECK(run_chapter({"--n", "0", "--stage", "vector"}) == 0);
    CHECK(run_chapter({"--n", "100", "--input", "special", "--stage", "shuffle"}) == 0);
    CHECK(run_chapter({"--stage", "fastest"}) == 2);
    CHECK(run_chapter({"--n", "-1"}) == 2);
}
