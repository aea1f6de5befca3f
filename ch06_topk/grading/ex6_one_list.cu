// Grades exercise 6.6, one_list.
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "reference.hpp"

void top20(const int* d_items, std::size_t n, int* d_result);

namespace {

void answers(grading::Answers& check) {
    for (const std::size_t n : grading::sizes()) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            const std::vector<int> expected = largest_on_host(input.values, 20);
            grading::DeviceArray<int> d_items(input.values, "d_items"),
                d_result(expected.size(), "d_result");
            top20(d_items.data(), n, d_result.data());
            check.equal(expected, d_result.values(), "d_result");
        }
    }
}

#if GRADING_HAS_LAB
/// The race is gone, and the threads still read together.
void counts(grading::Counts& check) {
    constexpr std::size_t kItems = 1024;
    const std::vector<int> items = grading::make_input<int>("random", kItems, 1);
    grading::DeviceArray<int> d_items(items);
    grading::DeviceArray<int> d_result(20);
    check.begin("n = {}, random input", kItems);
    check.follow(d_items);
    const lab::Report report = check.count([&] { top20(d_items.data(), kItems, d_result.data()); });
    check.equal(largest_on_host(items, 20), d_result.values(), "d_result");
    // A key that passes may be read a second time.
    const char* const think = "In every round each thread reads a different key.";
    check.at_most("requests that load items",
                  grading::requests(report, lab::Space::global, lab::Operation::load),
                  2 * kItems / 32.0, think);
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int), 2 * kItems / 128.0, kItems,
                  128, true},
                 think);
    check.even_shares(report, 1.6, think);
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
