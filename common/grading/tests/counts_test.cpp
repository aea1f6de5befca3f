#include "../lib/counts.hpp"

#if GRADING_HAS_LAB

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

#include "../lib/verdict.hpp"

using grading::Counts;
using grading::detail::Failure;

namespace {

Failure failure_of(const std::function<void(Counts&)>& run) {
    Counts check;
    try {
        run(check);
    } catch (const Failure& failure) {
        return failure;
    }
    return {};
}

/// Two kernels, the first launched twice with four blocks in all.
lab::Report report() {
    lab::KernelReport first;
    first.name = "sum_kernel";
    first.launches = 2;
    first.blocks = 4;
    first.barriers = 12;
    first.longest_thread = 7;
    first.atomics = 3;
    lab::Row load;
    load.operation = lab::Operation::load;
    load.space = lab::Space::global;
    load.traffic.requests = 4;
    load.traffic.sectors = 10;
    lab::Row store = load;
    store.operation = lab::Operation::store;
    store.traffic.sectors = 32;
    lab::Row shared = load;
    shared.space = lab::Space::shared;
    shared.traffic.wavefronts = 6;
    first.rows = {load, store, shared};
    lab::KernelReport second;
    second.name = "finish_kernel<int>";
    second.launches = 1;
    second.blocks = 1;
    second.longest_thread = 9;
    return {{first, second}};
}

}  // namespace

TEST_CASE("shares: the busiest thread, all together, and how many threads") {
    lab::Report one = report();
    const int loads = lab::move_of(lab::Space::global, lab::Operation::load);
    one.kernels[0].moved[loads] = {12, 3, 30};  // the busiest of each launch count together
    one.kernels[1].moved[loads] = {8, 3, 30};
    const auto said = [&](double each, double all, double threads) {
        const grading::Counts::Share share{
            lab::Space::global, lab::Operation::load, 4, each, all, threads};
        return failure_of([&](Counts& check) { check.shares(one, share, "think"); }).text;
    };
    CHECK(said(5, 15, 6) == "");
    CHECK(said(4, 15, 6).find("items of 4 bytes that the busiest thread loads from global memory: "
                              "5; at most 4 is allowed.\nthink") == 0);
    CHECK(said(5, 16, 6).find("items of 4 bytes that all threads load from global memory: 15; at "
                              "least 16 is required.") == 0);
    CHECK(said(5, 15, 7).find("threads that load from global memory: 6; at least 7 is required.") ==
          0);
}

TEST_CASE("the states of an array: each different one after the first") {
    CHECK(grading::states({{1, 2}}) == 0);
    CHECK(grading::states({{1, 2}, {2, 1}, {2, 1}, {1, 2}, {0, 3}}) == (2 + 2) + (0 + 6));
    CHECK(grading::states({{0}, {-1}}) == 4294967295.0);
}

TEST_CASE("shares of the array that is followed, and whether they are even") {
    lab::Report one = report();
    one.kernels[0].threads = 90;  // in three launches
    one.kernels[0].moved[lab::move_of_followed(lab::Operation::load)] = {8, 15, 120};
    const auto said = [&](double each, double most) {
        const grading::Counts::Share share{
            lab::Space::global, lab::Operation::load, 4, each, 30, 15, true};
        return failure_of([&](Counts& check) {
                   check.shares(one, share, "think");
                   check.even_shares(one, most, "think");
               })
            .text;
    };
    CHECK(said(2, 2) == "");
    CHECK(said(1, 2).find("items of 4 bytes that the busiest thread loads from the array: 2; at "
                          "most 1 is allowed.\nthink") == 0);
    CHECK(said(2, 1.9).find("bytes of the array that the busiest thread loads, divided by those of "
                            "the average thread: 2; at most 1.90 is allowed.\nthink") == 0);
}

TEST_CASE("what was held against a bar is told, of each the last") {
    Counts check;
    CHECK(check.bars().empty());
    check.at_most("sectors per request", 7.0, 8.0, "");
    check.exactly("barriers", 2.0, 2.0, "");
    check.at_least("active lanes", 31.5, 30.0, "");
    check.at_most("sectors per request", 4.0, 5.25, "");
    CHECK_THROWS_AS(check.at_least("active lanes", 29.0, 30.0, ""), Failure);
    grading::Verdict verdict;
    verdict.bars = check.bars();
    CHECK(grading::json(verdict) ==
          R"({"status":"not_graded","reason":"","code":"","text":"","file":"","line":0,"bars":[)"
          R"({"what":"sectors per request","measured":4,"relation":"at most","allowed":5.25,)"
          R"("is_met":true},)"
          R"({"what":"barriers","measured":2,"relation":"exactly","allowed":2,"is_met":true},)"
          R"({"what":"active lanes","measured":29,"relation":"at least","allowed":30,)"
          R"("is_met":false}],"digest":""})");
}

TEST_CASE("an atomic operation is a load and a store") {
    lab::Report all = report();
    lab::Row atomic = all.kernels[0].rows[0];
    atomic.operation = lab::Operation::atomic;
    atomic.traffic.lanes = 5;
    all.kernels[0].rows.push_back(atomic);
    for (const lab::Operation operation : {lab::Operation::load, lab::Operation::store}) {
        CHECK(grading::requests(all, lab::Space::global, operation) == 8.0);
        CHECK(grading::lanes(all, lab::Space::global, operation) == 5.0);
    }
    CHECK(grading::requests(all, lab::Space::global, lab::Operation::atomic) == 4.0);
    CHECK(grading::requests(all, lab::Space::shared, lab::Operation::store) == 0.0);
    CHECK(grading::bytes_moved(all, lab::Operation::load) == 32.0 * 20);
}

TEST_CASE("the busiest thread") {
    lab::Report all = report();
    CHECK(grading::busiest_thread({}) == 0.0);
    all.kernels[0].threads = 8;
    all.kernels[0].lane_steps = 24;  // three each on average, but one has nine
    CHECK(grading::busiest_thread(all) == 3.0);
}

TEST_CASE("helpers of a report") {
    CHECK(grading::sectors_per_request(report(), lab::Operation::load) == 2.5);
    CHECK(grading::sectors_per_request(report(), lab::Operation::store) == 8.0);
    CHECK(grading::sectors_per_request(report()) == 42.0 / 8.0);
    CHECK(grading::sectors_per_request(report(), lab::Operation::atomic) == 0.0);
    CHECK(grading::wavefronts_per_request(report()) == 1.5);
    CHECK(grading::bytes_moved(report()) == 32.0 * 42.0);
    CHECK(grading::bytes_moved(report(), lab::Operation::load) == 320.0);
    CHECK(grading::requests(report(), lab::Space::global) == 8.0);
    CHECK(grading::requests(report(), lab::Space::shared, lab::Operation::load) == 4.0);
    CHECK(grading::launches(report()) == 3.0);
    CHECK(grading::blocks(report()) == 5.0);
    CHECK(grading::barriers(report()) == 12.0);
    CHECK(grading::barriers_per_block(grading::only(report(), "sum_kernel")) == 3.0);
    CHECK(grading::barriers_per_block(lab::Report{}) == 0.0);
    CHECK(grading::atomics(report()) == 3.0);
    CHECK(grading::longest_thread(report()) == 9.0);
    CHECK(grading::launches(grading::only(report(), "finish")) == 1.0);
    CHECK(grading::only(report(), "none").kernels.empty());
}

TEST_CASE("bars hold, and NaN meets none") {
    const double nan = std::nan("");
    CHECK(failure_of([](Counts& check) { check.at_most("a", 4.0, 4.0, ""); }).reason.empty());
    CHECK(failure_of([](Counts& check) { check.at_least("a", 4.0, 4.0, ""); }).reason.empty());
    CHECK(failure_of([](Counts& check) { check.exactly("a", 4.0, 4.0, ""); }).reason.empty());
    CHECK(failure_of([](Counts& check) { check.at_least("a", 3.9, 4.0, ""); }).reason == "count");
    CHECK(failure_of([](Counts& check) { check.exactly("a", 4.5, 4.0, ""); }).reason == "count");
    CHECK(failure_of([&](Counts& check) { check.at_most("a", nan, 4.0, ""); }).reason == "count");
    CHECK(failure_of([&](Counts& check) { check.at_least("a", nan, 4.0, ""); }).reason == "count");
    CHECK(failure_of([&](Counts& check) { check.exactly("a", nan, 4.0, ""); }).reason == "count");
    CHECK(failure_of([](Counts& check) {
              check.begin("n = {}", 7);
              check.at_most("sectors per request", 7.6777, 4.0, "Think of the stride.");
          }).text ==
          "sectors per request: 7.68; at most 4 is allowed.\nThink of the stride.\nThis was with n "
          "= 7.");
}

TEST_CASE("counting what launches no kernel fails") {
    const Failure failure = failure_of([](Counts& check) { check.count([] {}); });
    CHECK(failure.reason == "count");
    CHECK(failure.text == "No kernel was launched.");
}

#endif
