// Grades exercise 2.5: the largest of 96 items with its index, in a tree in which whole warps work
// and no banks conflict.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void largest_of_blocks(const float* d_items, std::size_t n, float* d_largest, unsigned* d_place);

namespace {

constexpr std::size_t kThreads = 96;

std::size_t blocks_for(std::size_t n) { return (n + kThreads - 1) / kThreads; }

/// The first of each block's largest items.
std::vector<unsigned> expected_places(const std::vector<float>& items) {
    std::vector<unsigned> places;
    for (std::size_t first = 0; first < items.size(); first += kThreads) {
        const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end =
            items.begin() + static_cast<std::ptrdiff_t>(std::min(first + kThreads, items.size()));
        places.push_back(static_cast<unsigned>(std::max_element(begin, end) - items.begin()));
    }
    return places;
}

void check_largest(grading::Checks& check, const std::vector<float>& items,
                   const grading::DeviceArray<float>& d_largest,
                   const grading::DeviceArray<unsigned>& d_place) {
    const std::vector<unsigned> places = expected_places(items);
    std::vector<float> largest;
    for (const unsigned place : places) largest.push_back(items[place]);
    check.equal(largest, d_largest.values(), "d_largest");
    check.equal(places, d_place.values(), "d_place");
}

void answers(grading::Answers& check) {
    std::vector<std::size_t> sizes = grading::sizes();
    sizes.insert(sizes.end(), {95, 96, 97});
    for (std::size_t n : sizes) {
        if (n == 0) continue;
        std::vector<grading::Input<float>> inputs = {{"small", grading::small_numbers<float>(n)}};
        for (const auto& input : grading::float_inputs(n)) inputs.push_back(input);
        for (const auto& input : inputs) {
            check.begin("n = {}, input {}", n, input.name);
            const grading::DeviceArray<float> d_items(input.values, "d_items");
            grading::DeviceArray<float> d_largest(blocks_for(n), "d_largest");
            grading::DeviceArray<unsigned> d_place(blocks_for(n), "d_place");
            largest_of_blocks(d_items.data(), n, d_largest.data(), d_place.data());
            check_largest(check, input.values, d_largest, d_place);
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    // Each level finds a better one: there cannot be more to write.
    std::vector<float> items(kThreads);
    for (std::size_t i = 0; i < kThreads; ++i) items[i] = static_cast<float>(i);
    const grading::DeviceArray<float> d_items(items);
    grading::DeviceArray<float> d_largest(1);
    grading::DeviceArray<unsigned> d_place(1);
    check.begin("n = {}, one block, input ascending", kThreads);
    const lab::Report report = check.count(
        [&] { largest_of_blocks(d_items.data(), kThreads, d_largest.data(), d_place.data()); });
    check_largest(check, items, d_largest, d_place);
    check.at_most("requests to shared memory", grading::requests(report, lab::Space::shared), 60,
                  "Six requests store the candidates. Then let the first threads look at the "
                  "others' candidates, so that only a few warps have work: 2 at the first level, 1 "
                  "at each of the other six. A comparison takes two loads and two stores, and two "
                  "more loads if nothing is kept in registers.");
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(float), 1, kThreads, kThreads},
                 "Each thread has its own item: let the block compare what is in shared memory.");
    // At most four loads in each of seven levels, and the result.
    check.at_most("words that the busiest thread loads from shared memory",
                  grading::most_loaded(report, lab::Space::shared) / sizeof(float), 7 * 4 + 2,
                  "At each level a thread looks at one other candidate.");
    // Two numbers per level, five levels in each of three warps; as many again for the warps'
    // results.
    check.at_most("shuffles of all warps", grading::exchanges(report), 2 * 2 * 5 * 3,
                  "At each level a thread looks at one other candidate.");
    check.at_most("passes per request, in shared memory", grading::wavefronts_per_request(report),
                  1.0, "Neighbouring threads should use neighbouring words.");
    check.at_most(
        "barriers", grading::barriers(report), 8,
        "One after the candidates are stored, and one for each level: 48, 24, 12, 6, 3, 2, 1.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
