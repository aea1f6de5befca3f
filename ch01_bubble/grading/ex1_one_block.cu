// Grades exercise 1.1: does one block sort in descending order, whatever n and the keys are?
#include <utility>
#include <vector>

#include "sorted_keys.hpp"

void sort_keys(int* d_keys, unsigned n);

namespace {

void answers(grading::Answers& check) {
    check_sorted(check, sort_keys, sizes_for_bubbles(check), Order::descending);
}

#if GRADING_HAS_LAB
/// The keys at the beginning and after each half-step. Even and odd ones alternate; `first` is 0 or
/// 1, the number of the one to begin with.
std::vector<std::vector<int>> half_steps(const std::vector<int>& keys, std::size_t first) {
    std::vector<std::vector<int>> all{keys};
    for (std::size_t step = first; step < first + keys.size(); ++step) {
        all.push_back(all.back());
        for (std::size_t i = step % 2; i + 1 < keys.size(); i += 2) {
            if (all.back()[i] < all.back()[i + 1]) std::swap(all.back()[i], all.back()[i + 1]);
        }
    }
    return all;
}

void counts(grading::Counts& check) {
    constexpr unsigned kKeys = 128;  // 64 pairs: one for each thread
    const std::vector<int> keys = grading::make_input<int>("random", kKeys, 1);
    grading::DeviceArray<int> d_keys(keys);
    check.follow(d_keys);
    check.begin("n = {}, input random", kKeys);
    const lab::Report report =
        check.count([&] { sort_keys(d_keys.data(), kKeys); }, [&] { d_keys.set(keys); });
    check.equal(sorted_keys(keys, Order::descending), d_keys.values(), "d_keys");
    check.at_most("steps of the longest thread", grading::longest_thread(report), 8000,
                  "Does one thread compare all the pairs? The threads should share them: here each "
                  "has one pair in each half-step.");
    check.exactly("requests to shared memory", grading::requests(report, lab::Space::shared), 0,
                  "The keys stay in global memory; exercise 1.3 uses shared memory.");
    // A pair in each half-step: both keys to compare them, and both again to swap them.
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, sizeof(int), 4 * kKeys,
                  kKeys * (kKeys - 1.0), kKeys / 2},
                 "Each of the 64 threads has one pair of neighbours in each half-step.");
    check.even_loads(report, lab::Space::global, 1.25,
                     "Each of the 64 threads has one pair of neighbours in each half-step.");
    check.shares(
        report,
        {lab::Space::global, lab::Operation::store, sizeof(int), 2 * kKeys, kKeys, kKeys / 2},
        "In a half-step each of the 64 threads swaps its own pair, and no other.");
    // The even or the odd half-step may come first.
    const double found = grading::states(report), odd = grading::states(half_steps(keys, 1));
    check.exactly("sum of the keys at all barriers, each multiplied by its index", found,
                  found == odd ? odd : grading::states(half_steps(keys, 0)),
                  "There is a barrier after each half-step, and a half-step compares and swaps "
                  "only neighbours.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
