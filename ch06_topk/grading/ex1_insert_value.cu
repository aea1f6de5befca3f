// Grades exercise 6.1, insert_value.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

void top_of_rows(const int* d_items, std::size_t rows, std::size_t columns, unsigned k, int* d_top,
                 unsigned* d_counts);

namespace {

void check_rows(grading::Answers& check, const std::vector<int>& items, std::size_t rows,
                unsigned k) {
    const std::size_t columns = items.size() / rows;
    grading::DeviceArray<int> d_items(items, "d_items"), d_top(rows * k, "d_top");
    grading::DeviceArray<unsigned> d_counts(rows, "d_counts");
    top_of_rows(d_items.data(), rows, columns, k, d_top.data(), d_counts.data());
    const std::vector<int> top = d_top.values();
    const std::vector<unsigned> counts = d_counts.values();
    for (std::size_t row = 0; row < rows; ++row) {
        const auto first = items.begin() + static_cast<std::ptrdiff_t>(row * columns);
        const std::set<int, std::greater<>> values(first,
                                                   first + static_cast<std::ptrdiff_t>(columns));
        std::vector<int> expected(values.begin(), values.end());
        expected.resize(std::min<std::size_t>(k, expected.size()));
        check.equal(expected.size(), counts[row], "the count that insert_value returned last");
        const auto got = top.begin() + static_cast<std::ptrdiff_t>(row * k);
        check.equal(expected, std::vector<int>(got, got + counts[row]), "top");
    }
}

void answers(grading::Answers& check) {
    for (const std::size_t n : grading::sizes(1025)) {
        for (const auto& input : grading::int_inputs(n)) {
            check.begin("one list, k = 20, n = {}, input {}", n, input.name);
            check_rows(check, input.values, 1, 20);
        }
    }
    // A long list that ends with the smallest int: it is a value like any other.
    check.begin("one list, k = 5, values 3 3 INT_MIN 2 INT_MIN");
    check_rows(check, {3, 3, INT_MIN, 2, INT_MIN}, 1, 5);
    for (const unsigned k : {0u, 1u, 7u}) {
        for (const std::size_t rows : {1, 33}) {
            check.begin("{} lists, k = {}, n = 20 each, random input", rows, k);
            check_rows(check, grading::make_input<int>("random", 20 * rows, k), rows, k);
        }
    }
}

}  // namespace

int main(int argc, char** argv) { return grading::Grader().answers(answers).run(argc, argv); }
