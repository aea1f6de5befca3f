// Tests of chapter 1: every row of its table, over sizes and inputs that have broken such code.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "../common/harness/backend.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/known_devices.hpp"
#include "../common/harness/verify.hpp"

#include "halo_model.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

constexpr std::size_t kFence = 64;  // keys before and after the stage's own, which must not change

/// Runs `launch` on a copy of the keys, fenced on both sides; the keys it leaves, or a message.
template <class Key, class Run>
Verdict sorts(const std::vector<Key>& input, const Run& launch) {
    const std::size_t n = input.size();
    Key guard;
    std::memset(&guard, 0x5a, sizeof guard);
    std::vector<Key> fenced(n + 2 * kFence, guard);
    std::copy(input.begin(), input.end(), fenced.begin() + kFence);
    std::vector<Key> expected = fenced;
    const std::vector<Key> sorted = sorted_copy(input);
    std::copy(sorted.begin(), sorted.end(), expected.begin() + kFence);

    DeviceBuffer<Key> d_keys(fenced.size());
    d_keys.upload(fenced);
    DeviceBuffer<char> d_scratch(scratch_bytes(n));
    d_scratch.fill_bytes(0xa5);
    launch(d_keys.data() + kFence, static_cast<unsigned>(n), d_scratch.data());
    CUDA_CHECK(cudaDeviceSynchronize());
    return verify_equal(expected, d_keys.download());
}

template <class Key>
Verdict row_sorts(const Stage<Launch<Key>>& row, std::vector<Key> input) {
    if (row.kind != RowKind::host) return sorts(input, row.launch);
    const std::vector<Key> expected = sorted_copy(input);
    row.launch(input.data(), static_cast<unsigned>(input.size()), nullptr);
    return verify_equal(expected, input);
}

/// Every row of the table that takes that many keys.
template <class Key>
void check_rows(std::size_t n, const std::string& kind, std::uint64_t seed) {
    const std::vector<Key> input = make_input<Key>(kind, n, seed);
    for (const Stage<Launch<Key>>& row : stages<Key>()) {
        if (n > row.limits.max_n) continue;
        CAPTURE(row.name);
        CAPTURE(n);
        CAPTURE(kind);
        const Verdict verdict = row_sorts(row, input);
        CHECK_MESSAGE(verdict.ok, verdict.message);
    }
}

int run_chapter(std::vector<std::string> words) {
    words.insert(words.begin(), "ch01_bubble");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return chapter_main(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

TEST_CASE_TEMPLATE("every row sorts every kind of input at small sizes", Key, float, int) {
    for (const std::size_t n : {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65}) {
        for (const std::string& kind : input_kinds()) check_rows<Key>(n, kind, n + 1);
    }
}

TEST_CASE_TEMPLATE("every row sorts at the edges of warps, blocks and segments", Key, float, int) {
    const std::vector<std::string> kinds = {"random", "reversed", "special"};
    std::size_t turn = std::is_same_v<Key, float> ? 0 : 1;
    for (const std::size_t n : {255, 256, 257, 1023, 1024, 1025, 1632, 1633, 2048, 2049}) {
        // A CPU tries the kinds in turn, a GPU all of them.
        if (on_emulator()) {
            check_rows<Key>(n, kinds[turn++ % kinds.size()], n);
        } else {
            for (const std::string& kind : input_kinds()) check_rows<Key>(n, kind, n);
        }
    }
}

TEST_CASE_TEMPLATE("every row sorts every kind of input at a large odd size", Key, float, int) {
    if (on_emulator()) {
        check_rows<Key>(2501, std::is_same_v<Key, float> ? "special" : "random", 7);
    } else {
        for (const std::string& kind : input_kinds()) check_rows<Key>(10007, kind, 7);
    }
}

// Each zero has to move past all the ones: the longest path that a key can take.
TEST_CASE("the worst case: the least keys come last") {
    const std::size_t n = on_emulator() ? 1700 : 5 * kSegment + 3;
    for (const std::size_t zeros : {std::size_t{1}, n / 2}) {
        std::vector<int> input(n, 1);
        std::fill(input.end() - static_cast<std::ptrdiff_t>(zeros), input.end(), 0);
        for (const Stage<Launch<int>>& row : stages<int>()) {
            if (n > row.limits.max_n) continue;
            CAPTURE(row.name);
            CAPTURE(zeros);
            const Verdict verdict = row_sorts(row, input);
            CHECK_MESSAGE(verdict.ok, verdict.message);
        }
    }
}

// On a CPU it is skipped, not passed: the sizes that a CPU can do are in the cases above.
TEST_CASE("many-block stages sort sizes that fill a GPU" * doctest::skip(on_emulator())) {
    for (const std::size_t n : {65537, 200003, 500009, 1000003, 1048576}) {
        for (const char* kind : {"random", "reversed"}) {
            const std::vector<float> input = make_input<float>(kind, n, n);
            for (const Stage<Launch<float>>& row : stages<float>()) {
                const bool quick = row.kind == RowKind::library || row.name == "persistent";
                if (row.name == "global" || n > row.limits.max_n) continue;
                const bool fair = row.name == "registers" || row.name == "overlap" ||
                                  row.name == "unrolled" || row.name == "two_pipes" ||
                                  row.name == "halo";
                if (n > 65537 && !quick && !(fair && n == 200003)) continue;
                CAPTURE(row.name);
                CAPTURE(n);
                const Verdict verdict = row_sorts(row, input);
                CHECK_MESSAGE(verdict.ok, verdict.message);
            }
        }
    }
}

TEST_CASE("persistent sorts in every shape") {
    for_each_window([](auto window) {
        using W = decltype(window);
        for (const int refreshes : {2, 3, W::kGroups / (4 * W::kOverlap)}) {
            const int margin = refreshes * W::kOverlap;
            const int own = W::kGroups - 2 * margin;
            for (const int blocks :
                 {2, on_emulator() ? 3 : std::min(100, device_info().sm_count)}) {
                const int n = (blocks - 1) * own * W::kKeys + 1;  // the last block owns one key
                if (on_emulator() && n > 3000) continue;
                const HaloShape shape = {W::kKeys, refreshes, margin, own, blocks};
                CHECK(mailbox_keys(shape) ==
                      std::size_t{2} * (blocks - 1) * kMailStride<W> * W::kKeys);
                CAPTURE(W::kKeys);
                CAPTURE(refreshes);
                CAPTURE(blocks);
                const auto launch = [&](int* keys, unsigned count, void* scratch) {
                    launch_persistent(keys, count, scratch, shape, count);
                };
                const Verdict verdict = sorts(make_input<int>("reversed", n, 3), launch);
                CHECK_MESSAGE(verdict.ok, verdict.message);
            }
        }
    });
}

TEST_CASE("the shape of persistent holds all keys, and its mailboxes fit") {
    std::vector<int> counts = {1, 4, 20, 60, 132, 200};
    for (const DeviceInfo& device : known_devices()) counts.push_back(device.sm_count);
    for (const int multiprocessors : counts) {
        for (unsigned n = 2; n <= (1u << 20); n += n / 3 + 1) {
            const HaloShape shape = choose_shape(n, multiprocessors);
            CAPTURE(n);
            CAPTURE(multiprocessors);
            if (shape.blocks == 0) {
                CHECK(n > 4096u * multiprocessors);
                continue;
            }
            const unsigned own = shape.own * shape.keys;
            CHECK(shape.blocks <= multiprocessors);
            CHECK(shape.blocks * own >= n);
            CHECK((shape.blocks - 1) * own < n);  // each block owns keys, so each takes part
            CHECK((shape.blocks == 1 || 2 * shape.margin <= shape.own));
            CHECK((shape.blocks == 1 || shape.refreshes >= 2));
            CHECK(mailbox_keys(shape) * sizeof(TaggedKey) <= scratch_bytes(n));
        }
    }
}

TEST_CASE("several GPUs: what a run takes, by counting") {
    std::vector<double> windows;  // numbers of keys whose half-steps were requested
    HaloModel model;
    model.links.latency = 10e-6;
    model.links.bandwidth = 4e9;
    model.half_step_seconds = [&](double keys) {
        windows.push_back(keys);
        return keys * 1e-12;
    };
    // 1000 keys in rounds of 300 half-steps are 4 rounds, and 1200 half-steps.
    for (const int ranks : {2, 4, 8}) {
        const double keys = 1000.0 / ranks + (ranks == 2 ? 300 : 600);  // one neighbour, or two
        const Prediction prediction = model.predict(ranks, 1000, 300);
        CHECK(windows.back() == doctest::Approx(keys));
        CHECK(prediction.local == doctest::Approx(4 * kLaunchSeconds + 1200 * keys * 1e-12));
        CHECK(prediction.messages == doctest::Approx(4 * (10e-6 + 300 * 4 / 4e9)));
    }
    const Prediction alone = model.predict(1, 1000, 1000);
    CHECK(windows.back() == 1000);
    CHECK(alone.messages == 0.0);
}

TEST_CASE("several GPUs: margins that no share is too small for, and none better") {
    HaloModel model;
    model.links.latency = 10e-6;
    model.links.bandwidth = 400e9;
    model.half_step_seconds = [](double keys) { return (100 + keys / 100) * 1e-9; };
    for (const unsigned n : {0u, 1u, 255u, 256u, 257u, 1500u, 3001u, 1u << 15, 1u << 20}) {
        for (const int all : {1, 2, 3, 8, 1024}) {
            const int ranks = ranks_with_keys(n, all);
            const unsigned steps = model.best_steps(ranks, n);
            CAPTURE(n);
            CAPTURE(ranks);
            CHECK((ranks == 1 || n / ranks >= 128));
            CHECK(steps >= 2);
            CHECK(steps % 2 == 0);  // a round ends with an odd half-step
            CHECK((ranks == 1 ? steps >= n : steps <= std::min(n / ranks, kMaxSteps)));
            for (unsigned other = kStepsUnit; ranks > 1 && other < steps; other += kStepsUnit) {
                CHECK(model.predict(ranks, n, steps).seconds() <=
                      model.predict(ranks, n, other).seconds());
            }
        }
    }
}

// Sorting networks: a sequence of comparisons sorts all inputs if it sorts all of zeros and ones.
TEST_CASE("so many rounds sort alternating segments, and one round fewer does not") {
    for (const unsigned segment : {2u, 4u, 6u}) {
        for (unsigned n = 0; n <= 13; ++n) {
            const unsigned rounds = rounds_needed(n, segment);
            bool fewer_suffice = true;
            for (unsigned bits = 0; bits < (1u << n); ++bits) {
                std::vector<int> keys(n);
                for (unsigned i = 0; i < n; ++i) keys[i] = bits >> i & 1;
                for (unsigned round = 0; round < rounds; ++round) {
                    if (round + 1 == rounds && !std::is_sorted(keys.begin(), keys.end())) {
                        fewer_suffice = false;
                    }
                    for (unsigned at = round % 2 * (segment / 2); at < n; at += segment) {
                        std::sort(keys.begin() + at, keys.begin() + std::min(n, at + segment));
                    }
                }
                CHECK(std::is_sorted(keys.begin(), keys.end()));
            }
            CAPTURE(n);
            CAPTURE(segment);
            if (n >= 2 && n % (segment / 2) == 0) CHECK_FALSE(fewer_suffice);
        }
    }
}

TEST_CASE("the article's example: 10 segments of 512 keys need 10 rounds of two launches") {
    CHECK(rounds_needed(10 * 512, 512) == 20);
}

TEST_CASE("the estimate counts what the stages launch") {
    for (const unsigned n : {1500u, 2048u}) {
        for (const StageWork& work : many_block_work(n, device_info().sm_count)) {
            CAPTURE(work.stage);
            CHECK(work.launches >= 1.0);
            CHECK(work.launches * work.half_steps >= n);
            CHECK(work.blocks * work.block_keys >= n);
            if (!on_emulator()) continue;
            for (const Stage<Launch<int>>& row : stages<int>()) {
                if (row.name != work.stage) continue;
                DeviceBuffer<int> d_keys(n);
                d_keys.upload(make_input<int>("random", n, 1));
                DeviceBuffer<char> d_scratch(scratch_bytes(n));
                reset_counts();
                row.launch(d_keys.data(), n, d_scratch.data());
                CUDA_CHECK(cudaDeviceSynchronize());
                CHECK(read_counts().launches == work.launches);
            }
        }
    }
}

TEST_CASE("the chapter's own options") {
    CHECK(run_chapter({"--n", "300", "--type", "int", "--estimate"}) == 0);
    CHECK(run_chapter({"--n", "300", "--type", "float", "--input", "special"}) == 0);
    CHECK(run_chapter({"--n", "0"}) == 0);
    CHECK(run_chapter({"--list"}) == 0);
    CHECK(run_chapter({"--type", "double"}) == 2);
    CHECK(run_chapter({"--estimate=maybe"}) == 2);
    CHECK(run_chapter({"--n", "2^21"}) == 2);
    CHECK(run_chapter({"--n", "4096", "--stage", "shared"}) == 2);  // above its limit
}
