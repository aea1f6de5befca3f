// Grades exercise 6.6, one_list.
#include <cstddef>
#include <vector>

#include "../../common/grading/grading.hpp"
#include "reference.hpp"

void top20(const int* d_items, std::size_t n, int* d_result);

namespace {

void answers(grading::Answers& check) {
    for (const std::size_t n : grading::sizes()) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("n = {}, input {}", n, input.name);
            const std::vector<int> expected = largest_on_host(input.values, 20);
            grading::DeviceArray<int> d_items(input.values, "d_items"),
                d_result(expected.size(), "d_result");
            top20(d_items.data(), n, d_result.data());
            check.equal(expected, d_result.values(), "d_result");
        }
    }
}

}  // namespace

int main(int argc, char** argv) { return grading::Grader().answers(answers).run(argc, argv); }
