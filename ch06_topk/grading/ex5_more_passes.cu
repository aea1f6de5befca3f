// Grades exercise 6.5, more_passes.
#include <cstddef>
#include <vector>

#include "../../common/grading/lib/grading.hpp"
#include "reference.hpp"

void top_in_passes(const int* d_items, std::size_t n, unsigned k, int* d_first, int* d_second,
                   int* d_top);

namespace {

constexpr std::size_t kThreads = 128;

/// What a call needs.
struct Call {
    Call(const std::vector<int>& items, unsigned most)
        : n(items.size()),
          k(most),
          expected(largest_on_host(items, most)),
          d_items(items, "d_items"),
          d_first((n + kThreads - 1) / kThreads * k, "d_first"),
          d_second(d_first.size(), "d_second"),
          d_top(expected.size(), "d_top") {}

    void run() {
        top_in_passes(d_items.data(), n, k, d_first.data(), d_second.data(), d_top.data());
    }

    std::size_t n;
    unsigned k;
    std::vector<int> expected;
    grading::DeviceArray<int> d_items, d_first, d_second, d_top;
};

void check_one(grading::Answers& check, const std::vector<int>& items, unsigned k) {
    Call call(items, k);
    call.run();
    check.equal(call.expected, call.d_top.values(), "d_top");
}

void answers(grading::Answers& check) {
    for (const std::size_t n : grading::sizes(1025)) {
        // The pass itself is given, so with many items a few inputs are enough.
        for (const auto& input : n <= 33
                                     ? grading::int_inputs(n)
                                     : grading::inputs<int>(n, {"random", "sorted", "sixteen"})) {
            check.begin("n = {}, k = 20, input {}", n, input.name);
            check_one(check, input.values, 20);
        }
    }
    // 128 items are the most that one block takes; at 1281 the last block has one.
    for (const unsigned k : {1u, 20u, 64u}) {
        for (const std::size_t n : {127, 128, 129, 1281}) {
            if (!check.in_usual_order() && (k == 1 || n == 127)) continue;
            check.begin("n = {}, k = {}, random input", n, k);
            check_one(check, grading::make_input<int>("random", n, k), k);
        }
    }
    if (!check.in_usual_order()) return;
    check.begin("n = 3201, k = 20, random input");
    check_one(check, grading::make_input<int>("random", 3201, 1), 20);
}

#if GRADING_HAS_LAB
void counts(grading::Counts& check) {
    struct {
        std::size_t n;
        unsigned k, launches;
    } const cases[] = {{128, 20, 1}, {129, 20, 2}, {1000, 20, 3}, {1000, 64, 4}};
    for (const auto& each : cases) {
        Call call(grading::make_input<int>("random", each.n, 2), each.k);
        const lab::Report report = check.count([&] { call.run(); });
        check.begin("n = {}, k = {}", each.n, each.k);
        check.equal(call.expected, call.d_top.values(), "d_top");
        check.exactly("launches", grading::launches(report), each.launches,
                      "The last launch is the first one whose items fit into one block.");
    }
}
#endif

}  // namespace

int main(int argc, char** argv) {
    return grading::Grader().answers(answers).GRADING_COUNTS(counts).run(argc, argv);
}
