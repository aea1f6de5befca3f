// Grades exercise 5.2: compares the predicted launches and comparisons with those that the lab
// counts. The sorts are not the learner's; still, it is checked that they sort.
#include <algorithm>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

struct Prediction {
    double merge_launches = 0, bitonic_launches = 0, comparisons = 0;
};

Prediction predict();
int* merge_sort(int* d_keys, int* d_spare, unsigned n);
void bitonic_sort(int* d_keys, unsigned n);

namespace {

constexpr unsigned kMergeKeys = 1000;
constexpr unsigned kBitonicKeys = 1024;

std::vector<int> sorted(std::vector<int> keys) {
    std::sort(keys.begin(), keys.end());
    return keys;
}

void answers(grading::Answers& check) {
    check.begin("merge_sort, n = {}", kMergeKeys);
    const std::vector<int> keys = grading::make_input<int>("random", kMergeKeys, 1);
    grading::DeviceArray<int> d_keys(keys, "d_keys"), d_spare(kMergeKeys, "d_spare");
    const bool in_keys = merge_sort(d_keys.data(), d_spare.data(), kMergeKeys) == d_keys.data();
    check.equal(sorted(keys), (in_keys ? d_keys : d_spare).values(), "the sorted keys");

    check.begin("bitonic_sort, n = {}", kBitonicKeys);
    const std::vector<int> more = grading::make_input<int>("random", kBitonicKeys, 2);
    grading::DeviceArray<int> d_more(more, "d_more");
    bitonic_sort(d_more.data(), kBitonicKeys);
    check.equal(sorted(more), d_more.values(), "the sorted keys");
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    const Prediction prediction = predict();

    check.begin("merge_sort, n = {}", kMergeKeys);
    const std::vector<int> keys = grading::make_input<int>("random", kMergeKeys, 1);
    grading::DeviceArray<int> d_keys(keys), d_spare(kMergeKeys);
    bool in_keys = false;
    const lab::Report merges = check.count(
        [&] { in_keys = merge_sort(d_keys.data(), d_spare.data(), kMergeKeys) == d_keys.data(); },
        [&] { d_keys.set(keys); });
    check.equal(sorted(keys), (in_keys ? d_keys : d_spare).values(), "the sorted keys");
    check.predicted("launches of merge_kernel", prediction.merge_launches,
                    grading::launches(merges),
                    "Each launch doubles the length of the sorted runs, beginning with 1 key, "
                    "until one run holds all keys.");

    check.begin("bitonic_sort, n = {}", kBitonicKeys);
    const std::vector<int> more = grading::make_input<int>("random", kBitonicKeys, 2);
    grading::DeviceArray<int> d_more(more);
    const lab::Report steps =
        check.count([&] { bitonic_sort(d_more.data(), kBitonicKeys); }, [&] { d_more.set(more); });
    check.equal(sorted(more), d_more.values(), "the sorted keys");
    check.predicted("launches of compare_kernel", prediction.bitonic_launches,
                    grading::launches(steps),
                    "How often does the inner loop run for i = 2, for i = 4, and for i = 1024?");
    // A comparison loads two keys, and nothing else is loaded.
    const double loads = static_cast<double>(
        steps.kernels.front().total(lab::Space::global, lab::Operation::load).lanes);
    check.predicted("comparisons", prediction.comparisons, loads / 2,
                    "Multiply the threads of one launch, each of which compares once, by the "
                    "number of launches.");
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
