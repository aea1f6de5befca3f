#include "../verify.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

using tutorial::sorted_copy;
using tutorial::Verdict;
using tutorial::verify_close;
using tutorial::verify_equal;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float from_bits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a verdict that nobody made is a failure") {
    CHECK_FALSE(Verdict{}.ok);
    CHECK(Verdict{}.message == "not checked");
}

TEST_CASE("verify_equal accepts what is equal") {
    CHECK(verify_equal<int>({}, {}).ok);
    CHECK(verify_equal<int>({1, 2, 3}, {1, 2, 3}).ok);
    CHECK(verify_equal<int>({1, 2, 3}, {1, 2, 3}).message.empty());
    CHECK(verify_equal<float>({kNan, -0.0f, kInfinity}, {kNan, -0.0f, kInfinity}).ok);
}

TEST_CASE("verify_equal names n, the first wrong index, and both values") {
    const Verdict verdict = verify_equal<int>({1, 2, 3, 4}, {1, 2, 7, 9});
    CHECK_FALSE(verdict.ok);
    CHECK(verdict.message == "wrong at index 2 of 4: expected 3, got 7 (2 wrong in all)");
}

TEST_CASE("verify_equal rejects NaN where a number is expected, and the reverse") {
    const Verdict got_nan = verify_equal<float>({1.0f, 2.0f}, {1.0f, kNan});
    CHECK_FALSE(got_nan.ok);
    CHECK(contains(got_nan.message, "index 1 of 2: expected 2, got nan (bits 0x7fc00000)"));
    CHECK_FALSE(verify_equal<float>({1.0f, kNan}, {1.0f, 2.0f}).ok);
    CHECK_FALSE(verify_equal<double>({0.0}, {std::nan("")}).ok);
}

TEST_CASE("verify_equal tells NaN from another NaN and -0 from +0") {
    CHECK_FALSE(verify_equal<float>({from_bits(0x7fc00001)}, {from_bits(0x7fc00002)}).ok);
    CHECK_FALSE(verify_equal<float>({from_bits(0x7fc00000)}, {from_bits(0xffc00000)}).ok);
    CHECK_FALSE(verify_equal<float>({0.0f}, {-0.0f}).ok);
    CHECK_FALSE(verify_equal<double>({-0.0}, {0.0}).ok);
}

TEST_CASE("verify_equal rejects a dropped tail") {
    const Verdict verdict = verify_equal<int>({1, 2, 3}, {1, 2});
    CHECK_FALSE(verdict.ok);
    CHECK(verdict.message == "expected 3 items, got 2");
    CHECK_FALSE(verify_equal<int>({1, 2}, {1, 2, 3}).ok);
    CHECK_FALSE(verify_equal<int>({1}, {}).ok);
    // A tail that is there, but was not written.
    CHECK_FALSE(verify_equal<int>({1, 2, 3}, {1, 2, 0}).ok);
}

TEST_CASE("verify_equal rejects an untouched output, whatever the sentinel") {
    const std::vector<float> expected = {-1.0f, 0.5f, 2.0f};
    CHECK_FALSE(verify_equal(expected, std::vector<float>(3, from_bits(0xffffffff))).ok);
    CHECK_FALSE(verify_equal(expected, std::vector<float>(3, from_bits(0x5a5a5a5a))).ok);
    CHECK_FALSE(verify_equal(expected, std::vector<float>(3, 0.0f)).ok);
}

TEST_CASE("a sort is judged by order and by multiset") {
    const std::vector<int> keys = {5, 1, 4, 1, 3};
    const std::vector<int> expected = sorted_copy(keys);
    CHECK(expected == std::vector<int>{1, 1, 3, 4, 5});
    SUBCASE("a wrong order of the right multiset") {
        CHECK_FALSE(verify_equal(expected, {1, 1, 4, 3, 5}).ok);
        CHECK_FALSE(verify_equal(expected, keys).ok);
    }
    SUBCASE("a right order of the wrong multiset") {
        const std::vector<int> other = {1, 1, 3, 4, 4};
        REQUIRE(std::is_sorted(other.begin(), other.end()));
        CHECK_FALSE(verify_equal(expected, other).ok);
        CHECK_FALSE(verify_equal(expected, {1, 3, 3, 4, 5}).ok);
        CHECK_FALSE(verify_equal(expected, {1, 1, 1, 1, 1}).ok);
    }
}

TEST_CASE("values far apart in the last digit only are told apart in the message") {
    const Verdict verdict = verify_equal<float>({1.0f}, {std::nextafter(1.0f, 2.0f)});
    CHECK_FALSE(verdict.ok);
    CHECK(contains(verdict.message, "expected 1, got 1.0000001"));
}

TEST_CASE("verify_close takes the bound itself and nothing beyond it") {
    CHECK(verify_close(10.0, 10.5, 0.5).ok);
    CHECK(verify_close(10.0, 9.5, 0.5).ok);
    CHECK(verify_close(3.0, 3.0, 0.0).ok);
    const Verdict verdict = verify_close(10.0, 11.0, 0.5);
    CHECK_FALSE(verdict.ok);
    CHECK(verdict.message == "expected 10, got 11: they differ by 1, the limit is 0.5");
}

TEST_CASE("verify_close never passes NaN") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK_FALSE(verify_close(1.0, nan, 1e300).ok);
    CHECK_FALSE(verify_close(nan, 1.0, 1e300).ok);
    CHECK_FALSE(verify_close(nan, nan, 1e300).ok);
    CHECK_FALSE(verify_close(1.0, 1.0, nan).ok);
    CHECK_FALSE(verify_close(1.0, nan, infinity).ok);
    CHECK_FALSE(verify_close(1.0, infinity, 1e300).ok);
}

TEST_CASE("sorted_copy puts -0 before +0 and NaN last, by bits, and loses none") {
    const std::vector<float> keys = {from_bits(0xffc00000),
                                     0.0f,
                                     kInfinity,
                                     from_bits(0x7fc00001),
                                     -0.0f,
                                     1.0f,
                                     -kInfinity,
                                     from_bits(0x7fc00000),
                                     -1.0f,
                                     0.0f,
                                     -0.0f};
    const std::vector<float> expected = {-kInfinity,
                                         -1.0f,
                                         -0.0f,
                                         -0.0f,
                                         0.0f,
                                         0.0f,
                                         1.0f,
                                         kInfinity,
                                         from_bits(0x7fc00000),
                                         from_bits(0x7fc00001),
                                         from_bits(0xffc00000)};
    CHECK(verify_equal(expected, sorted_copy(keys)).ok);
    CHECK(sorted_copy(std::vector<float>{}).empty());
}
