#include "../inputs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <type_traits>

#include "../options.hpp"
#include "../verify.hpp"

using namespace tutorial;

namespace {

const std::size_t kSizes[] = {0, 1, 2, 31, 32, 33, 1023, 1024, 1025};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return verify_equal(a, b).ok;
}

template <class T>
bool has_nan(const std::vector<T>& items) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::any_of(items.begin(), items.end(), [](T item) { return std::isnan(item); });
    }
    return false;
}

template <class T>
std::size_t distinct(const std::vector<T>& items) {
    return std::set<T>(items.begin(), items.end()).size();
}

}  // namespace

TEST_CASE_TEMPLATE("inputs are what their names say", T, int, unsigned, std::int64_t, std::uint64_t,
                   float, double) {
    for (const std::size_t n : kSizes) {
        CAPTURE(n);
        const auto make = [&](const char* kind) { return make_input<T>(kind, n, 7); };
        for (const std::string& kind : input_kinds()) {
            CAPTURE(kind);
            CHECK(make_input<T>(kind, n, 7).size() == n);
            if (kind != "special") CHECK_FALSE(has_nan(make_input<T>(kind, n, 7)));
        }
        const std::vector<T> random = make("random");
        const std::vector<T> sorted = make("sorted");
        CHECK(same(sorted, sorted_copy(random)));

        std::vector<T> reversed = make("reversed");
        CHECK(std::is_sorted(reversed.rbegin(), reversed.rend()));
        std::reverse(reversed.begin(), reversed.end());
        CHECK(same(reversed, sorted));

        CHECK(distinct(make("equal")) == std::min<std::size_t>(n, 1));
        CHECK(distinct(make("two")) <= 2);
        CHECK(distinct(make("sixteen")) <= 16);
        if (n >= 1023) {
            CHECK(distinct(random) > n - n / 10);
            CHECK(distinct(make("two")) == 2);
            CHECK(distinct(make("sixteen")) == 16);
            CHECK_FALSE(std::is_sorted(random.begin(), random.end()));
        }

        const std::vector<T> pipe = make("organ_pipe");
        const auto top = pipe.begin() + static_cast<std::ptrdiff_t>((n + 1) / 2);
        CHECK(std::is_sorted(pipe.begin(), top));
        CHECK(std::is_sorted(pipe.rbegin(), pipe.rend() - (top - pipe.begin())));
        CHECK(same(sorted_copy(pipe), sorted));

        const std::vector<T> digits = make("digits");
        for (const T digit : digits)
            CHECK((digit >= T{0} && digit <= T{9} && digit == T(int(digit))));
        if (n >= 1023) CHECK(distinct(digits) == 10);

        const std::vector<T> almost = make("almost_sorted");
        CHECK(same(sorted_copy(almost), sorted));
        if (n >= 1023) {
            CHECK_FALSE(same(almost, sorted));
            std::size_t moved = 0;
            for (std::size_t i = 0; i < n; ++i) moved += almost[i] != sorted[i];
            CHECK(moved <= n / 20);
        }
    }
}

TEST_CASE_TEMPLATE("the same seed gives the same, another seed another", T, int, unsigned,
                   std::int64_t, std::uint64_t, float, double) {
    for (const std::string& kind : input_kinds()) {
        CAPTURE(kind);
        CHECK(same(make_input<T>(kind, 1025, 3), make_input<T>(kind, 1025, 3)));
        CHECK_FALSE(same(make_input<T>(kind, 1025, 3), make_input<T>(kind, 1025, 4)));
    }
}

TEST_CASE("the values are the same on every platform") {
    // The published first outputs of splitmix64 from state 0.
    CHECK(random_bits(0, 0) == 0xe220a8397b1dcdaf);
    CHECK(random_bits(0, 1) == 0x6e789e6aa1b965f4);
    CHECK(random_bits(0, 2) == 0x06c45d188009454f);
    // A change here changes every reader's input.
    CHECK(random_bits(1, 0) == 0xbfef8030ddc2d772);
    CHECK(make_input<unsigned>("random", 2, 1) == std::vector<unsigned>{0xbfef8030, 0x5f552ce4});
    CHECK(make_input<int>("random", 1, 1) == std::vector<int>{-0x40107fd0});
    CHECK(make_input<float>("random", 1, 1)[0] == 0x1.7fdf00p0f - 1.0f);
}

TEST_CASE_TEMPLATE("random integers reach over the whole range", T, int, unsigned, std::int64_t,
                   std::uint64_t) {
    const std::vector<T> items = make_input<T>("random", 100000, 5);
    const double least = static_cast<double>(std::numeric_limits<T>::min());
    const double span = static_cast<double>(std::numeric_limits<T>::max()) - least;
    int tenths[10] = {};
    for (const T item : items) {
        const int tenth = static_cast<int>((static_cast<double>(item) - least) / span * 10.0);
        ++tenths[std::min(tenth, 9)];
    }
    for (const int count : tenths) {
        CHECK(count > 9500);
        CHECK(count < 10500);
    }
}

TEST_CASE_TEMPLATE("random floats are uniform in [-1, 1)", T, float, double) {
    const std::vector<T> items = make_input<T>("random", 100000, 5);
    int tenths[10] = {};
    for (const T item : items) {
        REQUIRE(item >= T{-1});
        REQUIRE(item < T{1});
        ++tenths[static_cast<int>((item + T{1}) * T{5})];
    }
    for (const int count : tenths) {
        CHECK(count > 9500);
        CHECK(count < 10500);
    }
}

TEST_CASE_TEMPLATE("extremes hold the least and the largest", T, int, unsigned, std::int64_t,
                   std::uint64_t, float, double) {
    const std::vector<T> items = make_input<T>("extremes", 1024, 1);
    const auto holds = [&](T value) {
        return std::any_of(items.begin(), items.end(),
                           [&](T item) { return same<T>({item}, {value}); });
    };
    CHECK(holds(std::numeric_limits<T>::lowest()));
    CHECK(holds(std::numeric_limits<T>::max()));
    CHECK(holds(T{0}));
    CHECK(holds(static_cast<T>(-1)));
    if constexpr (std::is_floating_point_v<T>) {
        CHECK(holds(-T{0}));
        CHECK(holds(std::numeric_limits<T>::infinity()));
        CHECK(holds(-std::numeric_limits<T>::infinity()));
        CHECK(holds(std::numeric_limits<T>::denorm_min()));
    }
}

TEST_CASE_TEMPLATE("special floats hold NaN of both signs and several payloads", T, float, double) {
    const std::vector<T> items = make_input<T>("special", 1024, 1);
    std::vector<T> nans;
    std::copy_if(items.begin(), items.end(), std::back_inserter(nans),
                 [](T item) { return std::isnan(item); });
    CHECK(std::any_of(nans.begin(), nans.end(), [](T nan) { return std::signbit(nan); }));
    CHECK(std::any_of(nans.begin(), nans.end(), [](T nan) { return !std::signbit(nan); }));
    std::vector<std::vector<T>> payloads;
    for (const T nan : nans) {
        const bool known = std::any_of(payloads.begin(), payloads.end(),
                                       [&](const auto& other) { return same({nan}, other); });
        if (!known) payloads.push_back({nan});
    }
    CHECK(payloads.size() == 6);
    CHECK(nans.size() < items.size() / 2);
    CHECK(std::any_of(items.begin(), items.end(), [](T item) { return std::isinf(item); }));
    CHECK(std::any_of(items.begin(), items.end(),
                      [](T item) { return std::fpclassify(item) == FP_SUBNORMAL; }));
    CHECK(std::any_of(items.begin(), items.end(),
                      [](T item) { return item == T{0} && std::signbit(item); }));
    CHECK(same(make_input<int>("special", 100, 1), make_input<int>("extremes", 100, 1)));
}

TEST_CASE("an unknown kind is refused with the list of kinds") {
    try {
        make_input<int>("chaos", 4, 1);
        FAIL("accepted");
    } catch (const UsageError& error) {
        const std::string text = error.what();
        CHECK(text.find("unknown input 'chaos'; there are random, sorted") == 0);
        for (const std::string& kind : input_kinds()) CHECK(text.find(kind) != std::string::npos);
    }
}
