// Tests of chapter 2: every stage of its table, finished both ways, over sizes and inputs that have
// broken such code.
#include <cuda_runtime.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "../common/harness/backend.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/sum_reference.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

const std::vector<std::size_t> kSizes = {0,   1,   2,   3,   31,   32,   33,   255,   256,
                                         257, 511, 512, 513, 1023, 1024, 1025, 12345, 100003};
constexpr Finish kFinishes[] = {Finish::host, Finish::launch};

const char* name_of(Finish finish) {
    return finish == Finish::host ? "finished by the host" : "finished by launches";
}

struct Problem {
    explicit Problem(const std::vector<float>& items)
        : n(items.size()),
          d_items(n),
          d_scratch{DeviceBuffer<float>(blocks_for(n)), DeviceBuffer<float>(blocks_for(n))} {
        d_items.upload(items);
    }

    /// The sum as the stage leaves it; beforehand, every word it may write holds NaN.
    float sum_by(const Stage<ReduceStage>& stage, Finish finish) {
        for (DeviceBuffer<float>& scratch : d_scratch) scratch.fill_bytes(0xff);
        const Partials partials = reduce(stage.launch, finish, d_items.data(), n,
                                         {d_scratch[0].data(), d_scratch[1].data()});
        std::vector<float> sums(partials.count);
        CUDA_CHECK(cudaMemcpy(sums.data(), partials.d_sums, sums.size() * sizeof(float),
                              cudaMemcpyDeviceToHost));
        if (finish == Finish::launch) REQUIRE(sums.size() == 1);
        return serial_sum(sums.data(), sums.size());
    }

    std::size_t n;
    DeviceBuffer<float> d_items;
    DeviceBuffer<float> d_scratch[2];
};

std::uint32_t bits_of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

int run_chapter(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"ch02"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(&word[0]);
    return chapter_main(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

TEST_CASE("ch02: whole numbers are summed exactly, at every size, finished both ways") {
    for (const std::size_t n : kSizes) {
        const WholeNumbers numbers = whole_numbers(n, n + 1);
        Problem problem(numbers.items);
        for (const Stage<ReduceStage>& stage : stages()) {
            for (const Finish finish : kFinishes) {
                INFO(stage.name << ", n = " << n << ", " << name_of(finish));
                const Verdict verdict =
                    verify_whole_numbers(numbers, n, problem.sum_by(stage, finish));
                CHECK_MESSAGE(verdict.ok, verdict.message);
            }
        }
    }
}

TEST_CASE("ch02: every kind of input is summed within the stage's own bound") {
    for (const std::string& kind : input_kinds()) {
        for (const std::size_t n : {std::size_t{257}, std::size_t{20011}}) {
            const std::vector<float> items = make_input<float>(kind, n, 5);
            const SumReference reference = reference_sum(items);
            Problem problem(items);
            for (const Stage<ReduceStage>& stage : stages()) {
                for (const Finish finish : kFinishes) {
                    INFO(stage.name << ", n = " << n << ", " << kind << ", " << name_of(finish));
                    const Verdict verdict =
                        verify_sum(reference, total_depth(stage.launch, finish, n),
                                   problem.sum_by(stage, finish));
                    CHECK_MESSAGE(verdict.ok, verdict.message);
                }
            }
        }
    }
}

TEST_CASE("ch02: additions on an item's way to the result") {
    const auto depth_of = [](std::size_t stage, Finish finish, std::size_t n) {
        return total_depth(stages()[stage].launch, finish, n);
    };
    CHECK(depth_of(0, Finish::host, 1000) == 1000);
    CHECK(depth_of(0, Finish::launch, 1000) == 1000);
    for (std::size_t stage = 1; stage < stages().size(); ++stage) {
        INFO(stages()[stage].name);
        CHECK(depth_of(stage, Finish::host, 512) == 9);
        CHECK(depth_of(stage, Finish::launch, 512) == 9);
        CHECK(depth_of(stage, Finish::host, 5120) == 9 + 9);  // ten partial sums, nine additions
        CHECK(depth_of(stage, Finish::launch, 5120) == 2 * 9);
        CHECK(depth_of(stage, Finish::launch, 512 * 512 + 1) == 3 * 9);
    }
}

TEST_CASE("ch02: many runs give the same bits, except for atomic") {
    const std::vector<float> items = make_input<float>("random", 20011, 9);
    Problem problem(items);
    const int runs = on_emulator() ? 20 : 100;
    for (const Stage<ReduceStage>& stage : stages()) {
        if (stage.name == "atomic") continue;  // adds in any order
        for (const Finish finish : kFinishes) {
            INFO(stage.name << ", " << name_of(finish));
            const std::uint32_t first = bits_of(problem.sum_by(stage, finish));
            int different = 0;
            for (int run = 1; run < runs; ++run) {
                different += bits_of(problem.sum_by(stage, finish)) != first;
            }
            CHECK(different == 0);
        }
    }
}

TEST_CASE("ch02: the order of the threads does not matter, except for atomic's last bits") {
    const std::vector<float> items = make_input<float>("random", 20011, 11);
    const SumReference reference = reference_sum(items);
    Problem problem(items);
    for (const Stage<ReduceStage>& stage : stages()) {
        INFO(stage.name);
        set_thread_order("forward", 0);
        const std::uint32_t forward = bits_of(problem.sum_by(stage, Finish::launch));
        for (const char* order : {"reverse", "shuffle"}) {
            set_thread_order(order, 3);
            const float sum = problem.sum_by(stage, Finish::launch);
            CHECK(verify_sum(reference, serial_depth(problem.n), sum).ok);
            if (stage.name != "atomic") CHECK(bits_of(sum) == forward);
        }
    }
    set_thread_order("forward", 0);
}

TEST_CASE("ch02: a result that no kernel wrote is wrong, in every row") {
    Options options;
    options.n = 1000;
    for (const Finish finish : kFinishes) {
        const std::unique_ptr<Experiment> owner = ::experiment(options, finish);
        Experiment& experiment = *owner;
        experiment.prepare(options);
        for (std::size_t row = 0; row < experiment.rows().size(); ++row) {
            INFO(experiment.rows()[row].name << ", " << name_of(finish));
            experiment.reset(0);
            CHECK_FALSE(experiment.check(row, 0).ok);
            experiment.reset(0);
            experiment.run(row, 0);
            Verdict verdict = experiment.check(row, 0);
            CHECK_MESSAGE(verdict.ok, verdict.message);
            experiment.reset(0);
            if (!experiment.run_with_copies(row, 0)) {
                CHECK(experiment.rows()[row].kind == RowKind::host);
                continue;
            }
            verdict = experiment.check(row, 0);
            CHECK_MESSAGE(verdict.ok, "with copies: " << verdict.message);
        }
    }
}

TEST_CASE("ch02: the program") {
    CHECK(run_chapter({"--list"}) == 0);
    CHECK(run_chapter({"--n", "1000", "--stage", "compact", "host"}) == 0);
    CHECK(run_chapter({"--n", "3000", "--stage", "neighbour", "--finish", "host"}) == 0);
    CHECK(run_chapter({"--n", "0", "--stage", "sequential"}) == 0);
    CHECK(run_chapter({"--n", "100", "--input", "special", "--stage", "atomic"}) == 0);
    CHECK(run_chapter({"--stage", "fastest"}) == 2);
    CHECK(run_chapter({"--finish", "never"}) == 2);
}
