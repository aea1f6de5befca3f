#include "../timer.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using tutorial::SampleRule;
using tutorial::Samples;
using tutorial::Spread;
using tutorial::take_samples;

namespace {

Samples samples_of(const std::vector<double>& seconds) {
    Samples samples;
    for (const double value : seconds) samples.add(value);
    return samples;
}

/// A machine on which samples take the given times, and nothing else takes any.
struct FakeMachine {
    double clock = 100.0;
    int taken = 0;

    /// `next(i)` is the length of sample i.
    template <class Next>
    Samples run(const Next& next, const SampleRule& rule = {}) {
        return take_samples(
            [&] {
                const double seconds = next(taken++);
                clock += seconds;
                return seconds;
            },
            rule, [&] { return clock; });
    }
};

}  // namespace

TEST_CASE("median and minimum") {
    CHECK(samples_of({3.0}).median() == 3.0);
    CHECK(samples_of({3.0, 1.0}).median() == 2.0);
    CHECK(samples_of({9.0, 1.0, 2.0}).median() == 2.0);
    CHECK(samples_of({4.0, 1.0, 3.0, 100.0}).median() == 3.5);
    CHECK(samples_of({9.0, 1.0, 2.0}).minimum() == 1.0);
    CHECK_THROWS_AS(Samples().median(), std::logic_error);
    CHECK_THROWS_AS(Samples().minimum(), std::logic_error);
}

TEST_CASE("the uncertainty of the median is by order statistics") {
    // Of 10 samples, the interval is from the 2nd to the 9th.
    const Samples ten =
        samples_of({1.0, 96.0, 97.0, 98.0, 99.0, 101.0, 102.0, 103.0, 104.0, 999.0});
    CHECK(ten.median() == 100.0);
    CHECK(ten.median_uncertainty() == doctest::Approx(0.5 * (104.0 - 96.0) / 100.0));
    // Of 3, it is all there is.
    CHECK(samples_of({99.0, 100.0, 101.0}).median_uncertainty() == doctest::Approx(0.01));
    CHECK(samples_of({5.0, 5.0, 5.0}).median_uncertainty() == 0.0);
    // A clock too coarse to see anything.
    CHECK(samples_of({0.0, 0.0, 0.0}).median_uncertainty() == 0.0);
}

TEST_CASE("the uncertainty shrinks as samples are added") {
    Samples few;
    Samples many;
    for (int i = 0; i < 20; ++i) few.add(100.0 + i % 7);
    for (int i = 0; i < 2000; ++i) many.add(100.0 + i % 7);
    CHECK(many.median_uncertainty() < few.median_uncertainty());
}

TEST_CASE("steady samples stop at the least number") {
    CHECK(FakeMachine().run([](int) { return 1e-3; }).count() == 10);
    SampleRule rule;
    rule.least_samples = 25;
    CHECK(FakeMachine().run([](int) { return 1e-3; }, rule).count() == 25);
}

TEST_CASE("outliers do not keep the median from being stable") {
    const Samples samples = FakeMachine().run([](int i) { return i == 4 ? 50e-3 : 1e-3; });
    CHECK(samples.count() == 10);
    CHECK(samples.median() == 1e-3);
}

TEST_CASE("noisy samples go on until the time is spent") {
    FakeMachine machine;
    const Samples samples = machine.run([](int i) { return i % 2 == 0 ? 1e-3 : 1.2e-3; });
    CHECK(machine.clock - 100.0 == doctest::Approx(0.5).epsilon(0.01));
    CHECK(samples.count() > 150);
    CHECK(samples.median_uncertainty() > 0.005);
    CHECK(samples.stopped_by_time);
}

TEST_CASE("noise that averages out stops before the time is spent") {
    FakeMachine machine;
    // Three samples in four are within 0.2 % of each other, one is far off.
    const Samples samples =
        machine.run([](int i) { return i % 4 == 3 ? 2e-3 : 1e-3 + (i % 3) * 1e-6; });
    CHECK(samples.median_uncertainty() <= 0.005);
    CHECK(machine.clock - 100.0 < 0.5);
    CHECK_FALSE(samples.stopped_by_time);
}

TEST_CASE("a median is not asked for more exactly than the clock can tell") {
    SampleRule rule;
    rule.tick_seconds = 32e-9;
    // About 2 us in ticks of 32 ns: neighbouring values, 1.6 % apart.
    const auto in_ticks = [](int i) { return (60 + i % 2) * 32e-9; };
    FakeMachine machine;
    const Samples samples = machine.run(in_ticks, rule);
    CHECK(samples.count() == 10);
    CHECK_FALSE(samples.stopped_by_time);
    FakeMachine without;
    CHECK(without.run(in_ticks).count() > 1000);
}

TEST_CASE("the spread: quartiles, and the interval of the median with a tick on both sides") {
    const Samples samples =
        samples_of({1.0, 96.0, 97.0, 98.0, 99.0, 101.0, 102.0, 103.0, 104.0, 999.0});
    const Spread plain = samples.spread();
    CHECK(plain.first_quarter == 97.0);
    CHECK(plain.third_quarter == 103.0);
    CHECK(plain.low == 96.0);
    CHECK(plain.high == 104.0);
    const Spread wider = samples.spread(2.0);
    CHECK(wider.low == 94.0);
    CHECK(wider.high == 106.0);
    CHECK(wider.first_quarter == 97.0);
    CHECK(samples_of({1.0}).spread(3.0).low == 0.0);  // no time is below 0
    CHECK_THROWS_AS(Samples().spread(), std::logic_error);
}

TEST_CASE("medians are told apart only if their intervals do not overlap") {
    const Spread a = {1.0, 1.0, 0.9, 1.1};
    CHECK(a.overlaps({1.0, 1.0, 1.05, 1.2}));
    CHECK(a.overlaps({1.0, 1.0, 1.1, 1.2}));
    CHECK(a.overlaps({1.0, 1.0, 0.5, 2.0}));
    CHECK_FALSE(a.overlaps({1.0, 1.0, 1.2, 1.3}));
    CHECK_FALSE(a.overlaps({1.0, 1.0, 0.5, 0.8}));
    CHECK_FALSE(a.overlaps(Spread()));  // not known
}

TEST_CASE("samples of batches are shared among the runs of a batch") {
    Samples batches = samples_of({10.0, 20.0});
    batches.stopped_by_time = true;
    const Samples each = batches.divided_by(10);
    CHECK(each.median() == doctest::Approx(1.5));
    CHECK(each.stopped_by_time);
}

TEST_CASE("long samples: three are enough, and never fewer") {
    FakeMachine steady;
    CHECK(steady.run([](int) { return 0.6; }).count() == 3);
    FakeMachine very_long;
    CHECK(very_long.run([](int i) { return 10.0 + i; }).count() == 3);
    // Noisy ones go on until time runs out.
    FakeMachine noisy;
    SampleRule rule;
    rule.max_seconds = 2.0;
    CHECK(noisy.run([](int i) { return i % 2 == 0 ? 0.51 : 0.6; }, rule).count() == 4);
}

TEST_CASE("a slow first sample alone does not make the samples long") {
    FakeMachine machine;
    CHECK(machine.run([](int i) { return i == 0 ? 0.7 : 1e-3; }).count() == 10);
}

TEST_CASE("least samples are taken even when the time is spent") {
    FakeMachine machine;
    CHECK(machine.run([](int i) { return 0.4 + 0.05 * (i % 2); }).count() == 10);
    CHECK(machine.clock - 100.0 > 2.0);
}

TEST_CASE("an error in a sample is not swallowed") {
    CHECK_THROWS_AS(take_samples([]() -> double { throw std::runtime_error("lost"); }),
                    std::runtime_error);
}
