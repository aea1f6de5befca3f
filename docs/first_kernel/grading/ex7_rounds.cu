// Grades warm-up 7: are the three rounds right, whichever thread is first?
#include <cstddef>
#include <vector>

#include "shares.hpp"

void three_rounds(int* d_rings, unsigned count);

namespace {

constexpr std::size_t kRing = 256;

std::vector<int> numbers(std::size_t n) {
    std::vector<int> items(n);
    for (std::size_t i = 0; i < n; ++i) {
        items[i] = static_cast<int>(grading::random_bits(n, i) % 100);
    }
    return items;
}

std::vector<int> after_rounds(std::vector<int> rings, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        const std::vector<int> before = rings;
        for (std::size_t i = 0; i < rings.size(); ++i) {
            rings[i] += before[i / kRing * kRing + (i + 1) % kRing];
        }
    }
    return rings;
}

void answers(grading::Answers& check) {
    for (std::size_t count : {1, 2, 33}) {
        check.begin("{} ring{}", count, count == 1 ? "" : "s");
        const std::vector<int> rings = numbers(count * kRing);
        grading::DeviceArray<int> d_rings(rings, "rings");
        three_rounds(d_rings.data(), static_cast<unsigned>(count));
        check.equal(after_rounds(rings, 3), d_rings.values(), "rings");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    check.begin("1 ring");
    const std::vector<int> ring = numbers(kRing);
    grading::DeviceArray<int> d_rings(ring);
    check.follow(d_rings);
    const lab::Report report =
        check.count([&] { three_rounds(d_rings.data(), 1); }, [&] { d_rings.set(ring); });
    check.equal(after_rounds(ring, 3), d_rings.values(), "rings");
    check_shares(check, report, sizeof(int), kRing, 1, 1, kRing);
    // Each round: the neighbour's number, perhaps twice, and perhaps one's own; at the end one's
    // own.
    check.shares(
        report,
        {lab::Space::shared, lab::Operation::load, sizeof(int), 3 * 3 + 2, 3 * kRing, kRing},
        "In each round every thread reads its right neighbour's number.");
    // The ring at first, and in each round; with two rings also the last round's once more.
    check.shares(
        report,
        {lab::Space::shared, lab::Operation::store, sizeof(int), 1 + 3 + 1, 4 * kRing, kRing},
        "In each round every thread stores its new number.");
    check.at_most("shuffles", grading::exchanges(report), 3 * 2 * kRing / 32.0,
                  "One shuffle per round gives a lane its neighbour's number.");
    check.at_most("barriers", grading::barriers(report), 7,
                  "One barrier before the rounds and two in each are enough.");
    check.exactly("sum of the numbers at all barriers, each multiplied by its index",
                  grading::states(report),
                  grading::states(
                      {ring, after_rounds(ring, 1), after_rounds(ring, 2), after_rounds(ring, 3)}),
                  "In each round every thread adds its neighbour's number as it then is.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
