// Grades exercise 1.4: do segments that alternate sort any n keys, in as many rounds as are needed?
#include <vector>

#include "sorted_keys.hpp"

void sort_keys(int* d_keys, unsigned n);

namespace {

void answers(grading::Answers& check) {
    // Besides the usual sizes, some around one and a half segments of 64 keys.
    std::vector<std::size_t> sizes = {0, 1, 31, 32, 33, 63, 64, 65, 96, 97, 256, 257};
    if (check.in_usual_order()) sizes.push_back(1025);
    check_sorted(check, sort_keys, sizes);
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    // A multiple of half a segment, where one more round or block is easily launched; and one more.
    struct {
        unsigned n, launches, blocks;
    } const cases[] = {{64, 1, 1}, {256, 8, 8 * 4}, {257, 9, 5 * 5 + 4 * 4}};
    for (const auto& each : cases) {
        const std::vector<int> keys = grading::make_input<int>("random", each.n, 1);
        grading::DeviceArray<int> d_keys(keys);
        check.begin("n = {}", each.n);
        const lab::Report report =
            check.count([&] { sort_keys(d_keys.data(), each.n); }, [&] { d_keys.set(keys); });
        check.exactly("launches", grading::launches(report), each.launches,
                      "One launch sorts one segment. If there are more keys, treat half-segments "
                      "of 32 keys as items: there are as many rounds as items.");
        check.equal(sorted_keys(keys), d_keys.values(), "d_keys");
        check.exactly("threads of a block", grading::threads(report) / grading::blocks(report), 32,
                      "A segment of 64 keys has 32 pairs in each half-step: a thread for each.");
        check.at_most("blocks, of all launches together", grading::blocks(report), each.blocks,
                      "No block begins at n or beyond. Divide the number of keys from `first` on "
                      "by the segment size, rounded up.");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
