// Grades warm-up 9: is every pair in order, without memory?
#include <algorithm>
#include <climits>
#include <cstddef>
#include <vector>

#include "shares.hpp"

void order_pairs(int* d_items, unsigned n);

namespace {

std::vector<int> in_pairs(std::vector<int> items) {
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i + 1] < items[i]) std::swap(items[i], items[i + 1]);
    }
    return items;
}

void check_items(grading::Answers& check, const std::vector<int>& items) {
    grading::DeviceArray<int> d_items(items, "items");
    order_pairs(d_items.data(), static_cast<unsigned>(items.size()));
    check.equal(in_pairs(items), d_items.values(), "items");
}

void answers(grading::Answers& check) {
    const std::vector<int> small{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
    check.begin("items 3 1 4 1 5 9 2 6 5 3 5");
    check_items(check, small);
    for (std::size_t n : grading::sizes()) {
        for (const grading::Input<int>& input : grading::int_inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            check_items(check, input.values);
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    // Two whole blocks: one more than the items fill is launched.
    const std::size_t n = 127;
    check.begin("n = {}", n);
    const std::vector<int> items = grading::make_input<int>("random", n, 1);
    grading::DeviceArray<int> d_items(items);
    const lab::Report report =
        check.count([&] { order_pairs(d_items.data(), static_cast<unsigned>(n)); },
                    [&] { d_items.set(items); });
    check.equal(in_pairs(items), d_items.values(), "items");
    double given = 0;  // by each lane once; those beyond the end hold INT_MAX
    for (std::size_t i = 0; i < 128; ++i) {
        given += static_cast<double>(static_cast<unsigned>(i < n ? items[i] : INT_MAX)) *
                 static_cast<double>(i % 32 + 1);
    }
    check.exactly("sum of the numbers given to shuffles, each multiplied by its lane's number",
                  grading::shuffle_values(report), given,
                  "One shuffle gives every lane of a warp its partner's number.");
    check.exactly("requests to global memory, two for each of the 4 warps",
                  grading::requests(report, lab::Space::global), 8,
                  "The code around the blank loads and stores: no other access is needed.");
    check_shares(check, report, sizeof(int), static_cast<double>(n), 1, 1, static_cast<double>(n));
    check.exactly("requests to shared memory", grading::requests(report, lab::Space::shared), 0,
                  "A shuffle goes from register to register.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
