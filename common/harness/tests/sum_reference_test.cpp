// Does the check of a sum of floats notice what it must notice, and allow what it must allow?
#include "../sum_reference.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../inputs.hpp"
#include "../options.hpp"

using namespace tutorial;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

float serial_sum(const std::vector<float>& items) {
    float sum = 0.0f;
    for (const float item : items) sum += item;
    return sum;
}

}  // namespace

TEST_CASE("sum reference: known sums") {
    CHECK(reference_sum({}).sum == 0.0);
    CHECK(reference_sum({}).absolute == 0.0);
    const SumReference three = reference_sum({1.5f, -4.0f, 0.25f});
    CHECK(three.sum == -2.25);
    CHECK(three.absolute == 5.75);
    // More than one leaf of the pairwise sum; all numbers are exact.
    std::vector<float> many(100000);
    double expected = 0.0;
    for (std::size_t i = 0; i < many.size(); ++i) {
        many[i] = static_cast<float>(i % 1000) - 300.0f;
        expected += many[i];
    }
    CHECK(reference_sum(many).sum == expected);
}

TEST_CASE("sum reference: what is not a number stays so, in every order") {
    CHECK(std::isnan(reference_sum({1.0f, kNaN}).sum));
    CHECK(std::isnan(reference_sum({kInfinity, 1.0f, -kInfinity}).sum));
    CHECK(reference_sum({1.0f, kInfinity}).sum == static_cast<double>(kInfinity));
    const float largest = std::numeric_limits<float>::max();
    CHECK(reference_sum({largest}).sum == static_cast<double>(largest));
    // (max + max) - max overflows, max + (max - max) does not.
    CHECK_THROWS_AS(reference_sum({largest, largest, -largest}), UsageError);
    CHECK_THROWS_AS(reference_sum({largest, largest, kInfinity}), UsageError);
}

TEST_CASE("sum check: right and wrong results") {
    const SumReference finite = reference_sum({1.0f, 2.0f, 4.0f});
    CHECK(verify_sum(finite, 2, 7.0f).ok);
    CHECK_FALSE(verify_sum(finite, 2, 6.0f).ok);
    CHECK_FALSE(verify_sum(finite, 2, kNaN).ok);
    CHECK_FALSE(verify_sum(finite, 2, kInfinity).ok);
    CHECK_FALSE(verify_sum(finite, 0x1p25, kNaN).ok);
    CHECK_FALSE(verify_sum(finite, 0x1p25, kInfinity).ok);
    // d u = 2: off by (e^2 - 1) * 7 = 44.7, and that barely passes. The bound says little here, but
    // not nothing.
    CHECK(verify_sum(finite, 0x1p25, 51.5f).ok);
    CHECK_FALSE(verify_sum(finite, 0x1p25, 52.0f).ok);
    const SumReference infinite = reference_sum({1.0f, kInfinity});
    CHECK(verify_sum(infinite, 1, kInfinity).ok);
    CHECK_FALSE(verify_sum(infinite, 1, -kInfinity).ok);
    CHECK_FALSE(verify_sum(infinite, 1, 1.0f).ok);
    CHECK_FALSE(verify_sum(infinite, 1, kNaN).ok);
    const SumReference none = reference_sum({kNaN});
    CHECK(verify_sum(none, 1, kNaN).ok);
    CHECK_FALSE(verify_sum(none, 1, 0.0f).ok);
}

TEST_CASE("sum check: the bound is ((1 + u)^d - 1) sum |x|, and a serial sum keeps it") {
    const std::vector<float> items(10000, 0.1f);
    const SumReference reference = reference_sum(items);
    const double roundings = 9999 * 0x1p-24;
    const double bound = sum_error_bound(reference, 9999);
    CHECK(bound >= (roundings + roundings * roundings / 2.001) * reference.absolute);
    CHECK(bound <= roundings / (1 - roundings) * reference.absolute);
    const float serial = serial_sum(items);
    CHECK(verify_sum(reference, 9999, serial).ok);
    CHECK_FALSE(verify_sum(reference, 1, serial).ok);  // it does have an error
    for (const char* kind : {"random", "sorted", "equal", "organ_pipe"}) {
        const std::vector<float> input = make_input<float>(kind, 20000, 3);
        CHECK(verify_sum(reference_sum(input), 19999, serial_sum(input)).ok);
    }
}

TEST_CASE("whole numbers: one lost, doubled or swapped-in item shows") {
    for (const std::size_t n : {1u, 2u, 31u, 1000u, 5000u}) {
        CAPTURE(n);
        const WholeNumbers numbers = whole_numbers(n, 7);
        REQUIRE(numbers.items.size() == n);
        CHECK(verify_whole_numbers(numbers, n, serial_sum(numbers.items)).ok);
        CHECK_FALSE(verify_whole_numbers(numbers, n, kNaN).ok);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(numbers.items[i] != 0.0f);
            std::vector<float> damaged = numbers.items;
            damaged[i] = 0.0f;
            REQUIRE_FALSE(verify_whole_numbers(numbers, n, serial_sum(damaged)).ok);
            damaged[i] = 2 * numbers.items[i];
            REQUIRE_FALSE(verify_whole_numbers(numbers, n, serial_sum(damaged)).ok);
        }
    }
}

TEST_CASE("whole numbers: every order is exact") {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1} << 20, (std::size_t{1} << 20) + 1, std::size_t{5000001}}) {
        CAPTURE(n);
        const WholeNumbers numbers = whole_numbers(n, 1);
        REQUIRE(numbers.items.size() == n);
        double absolute = 0.0;
        std::size_t others = 0;
        for (const float item : numbers.items) {
            absolute += std::fabs(item);
            others += item != 0.0f && item == std::floor(item);
        }
        CHECK(absolute <= 0x1p24);
        CHECK(others >= n / ((n >> 20) + 2));
        const std::vector<float> backwards(numbers.items.rbegin(), numbers.items.rend());
        CHECK(serial_sum(numbers.items) == numbers.sum);
        CHECK(serial_sum(backwards) == numbers.sum);
        if (n > 0) CHECK((numbers.items.front() != 0.0f && numbers.items.back() != 0.0f));
    }
}

TEST_CASE("error table: one line per row, none where there is nothing to compare with") {
    const SumReference reference = reference_sum({1.0f, 2.0f});
    const std::string table = error_table(reference, {{"left", 3, 3.0f}, {"right", 0x1p25, 3.5f}});
    CHECK(table.find("left") != std::string::npos);
    CHECK(table.find("right") != std::string::npos);
    CHECK(table.find("inf") == std::string::npos);
    CHECK(error_table(reference_sum({kNaN}), {{"left", 3, kNaN}}).empty());
    CHECK(error_table(reference, {}).empty());
}
