#include "../lib/answers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../lib/cases.hpp"
#include "../lib/verdict.hpp"

using grading::Answers;
using grading::detail::Failure;
using grading::detail::GraderError;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How `check` ended; the reason is empty if it did not fail.
Failure failure_of(const std::function<void(Answers&)>& run, const std::string& order = "") {
    Answers check(order);
    try {
        run(check);
    } catch (const Failure& failure) {
        return failure;
    }
    return {};
}

bool passes(const std::function<void(Answers&)>& run) { return failure_of(run).reason.empty(); }

}  // namespace

TEST_CASE("equal passes what is equal") {
    CHECK(passes([](Answers& check) { check.equal(std::vector<int>{}, std::vector<int>{}, "a"); }));
    CHECK(passes([](Answers& check) {
        check.equal(std::vector<int>{1, -1}, std::vector<int>{1, -1}, "a");
    }));
    CHECK(passes([](Answers& check) { check.equal(3, std::size_t{3}, "a"); }));
    CHECK(passes([](Answers& check) { check.equal(0.5f, 0.5f, "a"); }));
    CHECK(passes([](Answers& check) { check.equal(kNan, kNan, "the same bits"); }));
}

TEST_CASE("equal names the first difference, and how many there are") {
    const Failure failure = failure_of([](Answers& check) {
        check.begin("n = {}, input {}", 4, "random");
        check.equal(std::vector<int>{1, 2, 3, 4}, std::vector<int>{1, 7, 3, -1}, "d_sums");
    });
    CHECK(failure.reason == "answer");
    CHECK(failure.text ==
          "d_sums[1]: expected 2, got 7\n2 of 4 items are wrong.\n  expected: 1 2 3 4\n"
          "  got:      1 7 3 -1\nThis was with n = 4, input random.");
}

TEST_CASE("equal says where nobody seems to have written") {
    const Failure failure = failure_of(
        [](Answers& check) { check.equal(std::vector<int>{5}, std::vector<int>{-1}, "d_sums"); });
    CHECK(failure.text ==
          "d_sums[0]: expected 5, got -1 (every bit is set, as in uninitialised "
          "memory)\n1 of 1 item is wrong.");
}

TEST_CASE("equal says from where on no item is written") {
    const auto says = [](const std::vector<int>& got) {
        return failure_of([&](Answers& check) {
                   check.equal(std::vector<int>{1, 2, 3, 4}, got, "to");
               })
                   .text.find(
                       "No thread has written the items from 2 on. Do all blocks write the "
                       "same ones?") != std::string::npos;
    };
    CHECK(says({1, 2, -1, -1}));
    CHECK_FALSE(says({1, 2, 3, -1}));     // one item is an end, not a block's share
    CHECK_FALSE(says({1, 2, -1, 5}));     // something is written there
    CHECK_FALSE(says({1, 7, -1, -1}));    // and what is written is wrong
    CHECK_FALSE(says({-1, -1, -1, -1}));  // nothing is written at all
}

TEST_CASE("equal says the order of threads where it is not the usual one") {
    const Failure failure =
        failure_of([](Answers& check) { check.equal(1, 2, "sum"); }, "threads in reverse order");
    CHECK(failure.text ==
          "sum: expected 1, got 2\nThis was with threads in reverse order.\n"
          "With the threads in their usual order, everything was right.");
}

TEST_CASE("equal fails on what only looks equal") {
    const auto fails = [](const auto& expected, const auto& got) {
        return failure_of([&](Answers& check) { check.equal(expected, got, "a"); }).reason ==
               "answer";
    };
    CHECK(fails(-1, 4294967295u));
    CHECK(fails(std::int64_t{-1}, ~std::uint64_t{0}));
    CHECK(fails(0.0f, -0.0f));
    CHECK(fails(1.0, kNan));
    CHECK(fails(kNan, -kNan));
    CHECK(fails(std::vector<int>{1}, std::vector<int>{}));
    CHECK(fails(std::vector<int>{}, std::vector<int>{1}));
}

TEST_CASE("near takes the bound, and never NaN") {
    const auto fails = [](double expected, double got, double bound) {
        return failure_of([&](Answers& check) {
                   check.near(expected, got, bound, "sum");
               }).reason == "answer";
    };
    CHECK_FALSE(fails(1.0, 1.5, 0.5));
    CHECK(fails(1.0, 1.5001, 0.5));
    CHECK(fails(1.0, 0.4999, 0.5));
    CHECK(fails(kNan, 1.0, 1.0));
    CHECK(fails(1.0, kNan, 1.0));
    CHECK(fails(kNan, kNan, 1.0));
    CHECK(fails(1.0, 1.0, kNan));
    CHECK(fails(kInfinity, kInfinity, 1.0));
    CHECK(failure_of([](Answers& check) {
              check.near({1.0, 2.0}, std::vector<float>{1.0f, 3.0f}, 0.25, "d_sums");
          }).text == "d_sums[1]: expected 2, got 3; it may be off by 0.25");
    CHECK(failure_of([](Answers& check) {
              check.near({1.0}, std::vector<float>{}, 0.25, "d_sums");
          }).reason == "answer");
}

TEST_CASE("that fails with its own words") {
    CHECK(passes([](Answers& check) { check.that(true, "{} is wrong", 1); }));
    const Failure failure =
        failure_of([](Answers& check) { check.that(false, "{} of {} is wrong", 1, "all"); });
    CHECK(failure.reason == "answer");
    CHECK(failure.text == "1 of all is wrong");
}

TEST_CASE("predicted says neither the number nor on which side of it the guess is") {
    const auto verdict = [](double number, double within = 0.0) {
        return failure_of([&](Answers& check) {
            check.predicted("sectors", number, 7.25, "Think of the stride.", within);
        });
    };
    CHECK(verdict(7.25).reason.empty());
    CHECK(verdict(7.25 + 1e-12).reason.empty());
    CHECK(verdict(7.3, 0.1).reason.empty());
    CHECK(verdict(7.3).reason == "prediction");
    CHECK(verdict(7.3).text == "sectors: not the right number yet.\nThink of the stride.");
    CHECK(verdict(0).text == verdict(7.3).text);
    CHECK(verdict(kNan).text == "sectors: your number is not a number.\nThink of the stride.");
}

TEST_CASE("a grader that compares nothing, or writes a bad pattern, is said to be wrong") {
    Answers check;
    CHECK_THROWS_AS(check.end(), GraderError);
    CHECK_THROWS_AS(check.begin("{} {}", 1), GraderError);
    check.begin("braces {} stay as they are where there are no values");
    check.equal(1, 1, "a");
    CHECK_NOTHROW(check.end());
}

TEST_CASE("sizes stand around warps, blocks and the largest") {
    const std::vector<std::size_t> all = {0,   1,   4,   5,    31,   32,   33,
                                          255, 256, 257, 1023, 1024, 1025, 12345};
    CHECK(grading::sizes() == all);
    CHECK(grading::sizes(32) == std::vector<std::size_t>{0, 1, 4, 5, 31, 32});
    CHECK(grading::sizes(0) == std::vector<std::size_t>{0});
    grading::detail::limit_sizes(31);
    CHECK(grading::sizes() == std::vector<std::size_t>{0, 1, 4, 5, 31});
    CHECK(grading::sizes(1) == std::vector<std::size_t>{0, 1});
    grading::detail::limit_sizes(0);
    CHECK(grading::sizes() == all);
}

TEST_CASE("another order of threads is tried with fewer sizes and kinds, and both beyond a block") {
    CHECK(grading::int_inputs(1025).size() == 5);
    CHECK(grading::inputs<int>(1025, {"organ_pipe"}).size() == 1);
    grading::detail::set_other_order(true);
    CHECK(grading::sizes() == std::vector<std::size_t>{0, 1, 5, 31, 32, 33, 256, 257, 1025});
    CHECK(grading::int_inputs(33).size() == 9);
    CHECK(grading::int_inputs(257).size() == 2);
    grading::detail::set_other_order(false);
    CHECK(grading::int_inputs(257).size() == 9);
}

TEST_CASE("inputs differ, and floats are finite") {
    CHECK(grading::int_inputs(0).size() == 1);
    CHECK(grading::int_inputs(100).size() == 9);
    CHECK(grading::int_inputs(100).front().name == "small");
    CHECK(grading::int_inputs(100).back().name == "extremes");
    for (const auto& input : grading::int_inputs(33)) CHECK(input.values.size() == 33);
    for (const auto& input : grading::float_inputs(100)) {
        for (float value : input.values) REQUIRE(std::abs(value) <= 1.0f);
    }
}

TEST_CASE("a seed changes inputs and adds sizes, and 0 is the usual ones") {
    const std::vector<int> usual = grading::make_input<int>("random", 100, 1);
    CHECK(usual == tutorial::make_input<int>("random", 100, 1));
    const std::size_t sizes = grading::sizes().size();
    grading::detail::set_seed(7);
    CHECK(grading::make_input<int>("random", 100, 1) != usual);
    CHECK(grading::make_input<int>("sorted", 100, 1).size() == 100);
    CHECK(grading::sizes().size() == sizes + 2);
    grading::detail::set_seed(0);
    CHECK(grading::make_input<int>("random", 100, 1) == usual);
    CHECK(grading::sizes().size() == sizes);
}

TEST_CASE(
    "a wrong item comes with all of them where they are few, and with what was right before") {
    const Failure failure = failure_of([](Answers& check) {
        const std::vector<int> right = {1, 2, 3}, wrong = {1, 3, 2};
        for (int n : {0, 1, 2}) {
            check.begin("n = {}, input small", n);
            check.equal(right, right, "d_keys");
        }
        check.begin("n = {}, input small", 3);
        check.equal(right, right, "d_keys");
        check.begin("n = {}, input random", 3);
        check.equal(right, wrong, "d_keys");
    });
    CHECK(failure.text ==
          "d_keys[1]: expected 2, got 3\n2 of 3 items are wrong.\n  expected: 1 2 3\n"
          "  got:      1 3 2\nThis was with n = 3, input random.\n"
          "Right so far: n = 0, 1, 2; n = 3 with other inputs.");
}
