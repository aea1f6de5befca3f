// Grades exercise 3.8: one launch; several calls in a row use one ticket.
#include <algorithm>

#include "tile_sums.hpp"

void last_block(const float* d_items, std::size_t n, float* d_partial, unsigned* d_ticket,
                float* d_sum);

namespace {

void answers(grading::Answers& check) {
    grading::DeviceArray<unsigned> d_ticket(std::vector<unsigned>{0}, "d_ticket");
    int call = 0;
    std::vector<std::size_t> sizes = grading::sizes();
    if (check.in_usual_order()) sizes.push_back(70001);  // more than 16 bits can count
    std::reverse(sizes.begin(), sizes.end());  // many blocks first: they show the missing fence
    for (const std::size_t n : sizes) {
        for (const grading::Input<float>& input : exact_inputs(n)) {
            check.begin("call {}, n = {}, input {}", ++call, n, input.name);
            const grading::DeviceArray<float> d_items(input.values, "d_items");
            grading::DeviceArray<float> d_partial(tiles_of(n, 64), "d_partial"), d_sum(1, "d_sum");
            last_block(d_items.data(), n, d_partial.data(), d_ticket.data(), d_sum.data());
            // One tile that holds all items.
            check.equal(tile_sums(input.values, n + 1), d_sum.values(), "d_sum");
        }
    }
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kN = 1000;
    check.begin("n = {}", kN);
    const std::vector<float> items = grading::whole_numbers(kN, 1).items;
    const grading::DeviceArray<float> d_items(items);
    grading::DeviceArray<unsigned> d_ticket(std::vector<unsigned>{0});
    grading::DeviceArray<float> d_partial(tiles_of(kN, 64)), d_sum(1);
    check.follow(d_items);
    const lab::Report report = check.count(
        [&] { last_block(d_items.data(), kN, d_partial.data(), d_ticket.data(), d_sum.data()); });
    check.equal(tile_sums(items, kN + 1), d_sum.values(), "d_sum");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 300,
                  "The threads of the last block should share the blocks' sums among themselves.");
    check.shares(report, {lab::Space::global, lab::Operation::load, sizeof(float), 1, kN, kN, true},
                 "Each thread loads one item, and the last block adds the blocks' sums.");
    // An item, a ticket, and one of the 16 sums, which may be read twice; the ticket once more.
    const double all = kN + 2 * grading::blocks(report);
    check.shares(
        report, {lab::Space::global, lab::Operation::load, sizeof(float), 6, all, kN},
        "Each thread loads one item, and the last block's threads share the blocks' sums.");
    check.at_least("items of 4 bytes that all threads store in global memory",
                   grading::bytes(report, lab::Space::global, lab::Operation::store) / 4,
                   2 * grading::blocks(report) + 1,
                   "Every block stores its sum and takes a ticket, and the last one stores *sum.");
    check.at_least("atomic operations", grading::atomics(report), grading::blocks(report),
                   "Every block takes a ticket.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
