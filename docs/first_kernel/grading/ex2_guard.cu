// Grades warm-up 2: are the n - 1 differences there, and is nothing else touched?
#include <cstddef>
#include <vector>

#include "shares.hpp"

void consumption(const int* d_readings, int* d_used, unsigned n);

namespace {

/// A meter that only goes up, by 1 to 10 each time.
std::vector<int> meter(std::size_t n) {
    std::vector<int> readings(n);
    for (std::size_t i = 0; i < n; ++i) {
        const int before = i == 0 ? 1000 : readings[i - 1];
        readings[i] = before + 1 + static_cast<int>(grading::random_bits(n, i) % 10);
    }
    return readings;
}

std::vector<int> differences(const std::vector<int>& readings) {
    std::vector<int> used;
    for (std::size_t i = 0; i + 1 < readings.size(); ++i) {
        used.push_back(readings[i + 1] - readings[i]);
    }
    return used;
}

void answers(grading::Answers& check) {
    // First a size that is not a multiple of the block size.
    std::vector<std::size_t> sizes = grading::sizes();
    sizes.insert(sizes.begin(), 100);
    for (std::size_t n : sizes) {
        check.begin("n = {}", n);
        const std::vector<int> readings = meter(n);
        const std::vector<int> expected = differences(readings);
        grading::DeviceArray<int> d_readings(readings, "readings"), d_used(expected.size(), "used");
        consumption(d_readings.data(), d_used.data(), static_cast<unsigned>(n));
        check.equal(expected, d_used.values(), "used");
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::size_t n = grading::counted_size(4096, 32) + 1;
    check.begin("n = {}", n);
    grading::DeviceArray<int> d_readings(meter(n)), d_used(n - 1);
    const lab::Report report = check.count(
        [&] { consumption(d_readings.data(), d_used.data(), static_cast<unsigned>(n)); });
    check.equal(differences(meter(n)), d_used.values(), "used");
    check.exactly("requests that store, one for each 32 differences",
                  grading::requests(report, lab::Space::global, lab::Operation::store),
                  static_cast<double>((n - 1) / 32),
                  "Only the guard is wrong: each thread still stores one difference.");
    const auto items = static_cast<double>(n - 1);
    check_shares(check, report, sizeof(int), items, 3, 1, items);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
