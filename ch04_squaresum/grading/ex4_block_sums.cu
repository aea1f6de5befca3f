// Grades exercise 4.4: block sums whose array has room for them.
#include "squares.hpp"

void block_sums(const int* d_items, std::size_t n, Sum* d_sums);

namespace {

constexpr unsigned kBlocks = 8, kThreads = 64;

void answers(grading::Answers& check) {
    for (const std::size_t n : sizes_to_large(check)) {
        for (const grading::Input<int>& input : square_inputs(n, 46340)) {
            check.begin("n = {}, input {}", n, input.name);
            const grading::DeviceArray<int> d_items(input.values, "d_items");
            grading::DeviceArray<Sum> d_sums(kBlocks, "d_sums");
            block_sums(d_items.data(), n, d_sums.data());
            std::vector<Sum> expected(kBlocks, 0);
            for (std::size_t i = 0; i < n; ++i) {
                expected[i / kThreads % kBlocks] += square(input.values[i]);
            }
            check.equal(expected, d_sums.values(), "d_sums");
        }
    }
}

}  // namespace

int main(int argc, char** argv) { return grading::Grader().answers(answers).run(argc, argv); }
