// Grades exercise 5.4: a bitonic sort in one block, for any number of keys up to 1024.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void sort_in_a_block(int* d_keys, std::size_t n);

namespace {

void check_sort(grading::Answers& check, const std::vector<int>& keys) {
    grading::DeviceArray<int> d_keys(keys, "d_keys");
    sort_in_a_block(d_keys.data(), keys.size());
    std::vector<int> expected = keys;
    std::sort(expected.begin(), expected.end());
    check.equal(expected, d_keys.values(), "d_keys");
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes(33)) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            check_sort(check, input.values);
        }
    }
    // Which keys a network compares does not depend on the keys: one input is enough here.
    for (std::size_t n : {2, 3, 5, 6, 7, 9, 65, 100, 129, 255, 256, 257, 1023, 1024}) {
        check.begin("n = {}, input random", n);
        check_sort(check, grading::make_input<int>("random", n, n));
    }
    check.begin("n = {}, input extremes", 257);
    check_sort(check, grading::make_input<int>("extremes", 257, 1));
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    constexpr std::size_t kKeys = 1000;
    check.begin("n = {}, input random", kKeys);
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys, "d_keys");
    const lab::Report report =
        check.count([&] { sort_in_a_block(d_keys.data(), kKeys); }, [&] { d_keys.set(keys); });
    std::vector<int> expected = keys;
    std::sort(expected.begin(), expected.end());
    check.equal(expected, d_keys.values(), "d_keys");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 3000,
                  "The network has 55 steps for 1024 places. In each step a thread does at most "
                  "one comparison.");
    // 55 steps; in each a thread may read both keys of its pair, and both again. Half the threads
    // may do the work, or 40 of the 55 steps, those within a warp, may use shuffles.
    check.shares(
        report, {lab::Space::shared, lab::Operation::load, sizeof(int), 55 * 4 + 1, 15 * 1024, 512},
        "In each step of the network a thread reads its own key and its partner's.");
    check.shares(report, {lab::Space::global, lab::Operation::load, sizeof(int), 2, kKeys, 500},
                 "Each key is loaded once: the network works on the tile.");
    check.at_most("shuffles of all warps", grading::exchanges(report), 2 * 40 * 32,
                  "Within a warp a step of the network needs only one shuffle.");
    check.at_least(
        "barriers", grading::barriers(report), 15,
        "Steps of the network in which warps exchange keys must come one after the other.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
