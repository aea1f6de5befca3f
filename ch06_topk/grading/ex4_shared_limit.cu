// Grades exercise 6.4, shared_limit.
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "reference.hpp"

void largest(const int* d_items, std::size_t n, unsigned k, int* d_top);

namespace {

void check_one(grading::Answers& check, const std::vector<int>& items, unsigned k) {
    const std::vector<int> expected = largest_on_host(items, k);
    grading::DeviceArray<int> d_items(items, "d_items"), d_top(expected.size(), "d_top");
    largest(d_items.data(), items.size(), k, d_top.data());
    check.equal(expected, d_top.values(), "d_top");
}

void answers(grading::Answers& check) {
    for (const std::size_t n : grading::sizes(1025)) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("n = {}, k = 5, input {}", n, input.name);
            check_one(check, input.values, 5);
        }
    }
    for (const unsigned k : {1u, 20u, 24u, 25u, 48u, 49u, 97u, 200u, 400u}) {
        // Which launches fit does not depend on the order of threads.
        if (!check.in_usual_order() && k != 25 && k != 400) continue;
        check.begin("n = 500, k = {}, random input", k);
        check_one(check, grading::make_input<int>("random", 500, k), k);
    }
    if (!check.in_usual_order()) return;
    check.begin("n = 12345, k = 5, random input");
    check_one(check, grading::make_input<int>("random", 12345, 1), 5);
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    struct {
        unsigned k, threads;
    } const cases[] = {{20, 256}, {24, 256}, {25, 128}, {100, 32}, {400, 8}};
    for (const auto& each : cases) {
        const std::vector<int> items = grading::make_input<int>("random", 256, 3);
        grading::DeviceArray<int> d_items(items), d_top(largest_on_host(items, each.k).size());
        const lab::Report report =
            check.count([&] { largest(d_items.data(), items.size(), each.k, d_top.data()); });
        check.begin("k = {}", each.k);
        check.equal(largest_on_host(items, each.k), d_top.values(), "d_top");
        check.at_least("threads of the block", grading::threads(report), each.threads,
                       "Short lists need less memory. Reduce the number of threads no further than "
                       "necessary.");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
