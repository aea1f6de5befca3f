// A grader like those of the exercises; sample_learner.cu is what it grades.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "../lib/grading.hpp"

void reverse(const int* d_items, int* d_reversed, std::size_t n);
double predicted_sectors();

namespace {

void answers(grading::Answers& check) {
    const char* const sample = std::getenv("SAMPLE");
    if (sample != nullptr && std::string(sample) == "grader_compares_nothing") return;
    if (sample != nullptr && std::string(sample) == "grader_bad_pattern") check.begin("{} {}", 1);
    for (std::size_t n : grading::sizes()) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            grading::DeviceArray<int> d_items(input.values, "d_items"), d_reversed(n, "d_reversed");
            reverse(d_items.data(), d_reversed.data(), n);
            const std::vector<int> expected(input.values.rbegin(), input.values.rend());
            check.equal(expected, d_reversed.values(), "d_reversed");
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const std::size_t n = 1024;
    check.begin("n = {}", n);
    const char* const sample = std::getenv("SAMPLE");
    const std::vector<int> items = grading::make_input<int>("random", n, 1);
    grading::DeviceArray<int> d_items(items), d_reversed(n);
    const lab::Report report = check.count([&] { reverse(d_items.data(), d_reversed.data(), n); });
    check.exactly("launches", grading::launches(report), 1, "One launch does it.");
    check.at_most("sectors per request, loads from global memory",
                  grading::sectors_per_request(report, lab::Operation::load), 4.0,
                  "Which items do the threads of a warp read?");
    check.predicted("sectors per request", predicted_sectors(),
                    grading::sectors_per_request(report, lab::Operation::load),
                    "A sector has 32 bytes, an int has 4.");
    if (sample != nullptr && std::string(sample) == "grader_counts_only") return;
    const std::vector<int> expected(items.rbegin(), items.rend());
    check.equal(expected, d_reversed.values(), "d_reversed");
}
#endif

void times(grading::Times& check) {
    const std::size_t n = 1 << 20;
    grading::DeviceArray<int> d_items(grading::make_input<int>("random", n, 1)), d_reversed(n);
    const auto run = [&] { reverse(d_items.data(), d_reversed.data(), n); };
    check.at_most_times("itself", run, run, 1.5);
}

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).times(times).run(argc, argv);
}
