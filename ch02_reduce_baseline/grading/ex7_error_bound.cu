// Grades exercise 2.7: is every sum accepted that rounding can explain, and no other?
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "../../common/grading/lib/grading.hpp"

bool may_be_right(const std::vector<float>& items, double depth, float computed);

namespace {

/// The levels of a tree over n items.
double tree_depth(std::size_t n) {
    double depth = 0.0;
    for (; n > 1; n = (n + 1) / 2) ++depth;
    return depth;
}

double sum_of(const std::vector<float>& items) {
    double sum = 0.0;
    for (float item : items) sum += item;
    return sum;
}

/// What rounding can explain: ((1 + u)^depth - 1) * sum |x| with u = 2^-24 (Higham, "Accuracy and
/// Stability of Numerical Algorithms", section 4.2).
double bound_of(const std::vector<float>& items, double depth) {
    double absolute = 0.0;
    for (float item : items) absolute += std::fabs(item);
    return (std::pow(1.0 + std::ldexp(1.0, -24), depth) - 1.0) * absolute;
}

/// Sums at several distances from the exact one, on both sides. Within 2 % of the bound either
/// answer is accepted: textbooks give it in several forms.
void check_around(grading::Answers& check, const std::vector<float>& items, double depth) {
    const double exact = sum_of(items), bound = bound_of(items, depth);
    for (double distance : {0.0, 0.02, 0.5, 0.95, 1.05, 1.5, 3.0, 100.0}) {
        for (double sign : {-1.0, 1.0}) {
            const float computed = static_cast<float>(exact + sign * distance * bound);
            const double off = std::fabs(computed - exact);
            const bool accepted = may_be_right(items, depth, computed);
            if (off <= 0.98 * bound) {
                check.that(accepted,
                           "{} was refused: it is off by {}, and depth {} explains up to {}",
                           computed, off, depth, bound);
            } else if (off >= 1.02 * bound) {
                check.that(
                    !accepted,
                    "{} was accepted: it is off by {}, and depth {} explains no more than {}",
                    computed, off, depth, bound);
            }
        }
    }
}

/// Large items of both signs that cancel, and a small rest.
std::vector<float> cancelling(std::size_t n) {
    std::vector<float> items = grading::make_input<float>("random", n, 7);
    for (std::size_t i = 0; i + 1 < n; i += 2) {
        items[i] *= 4096.0f;
        items[i + 1] = -items[i];
    }
    return items;
}

void answers(grading::Answers& check) {
    for (std::size_t n : grading::sizes()) {
        std::vector<grading::Input<float>> inputs = grading::float_inputs(n);
        inputs.push_back({"items that cancel", cancelling(n)});
        for (const grading::Input<float>& input : inputs) {
            for (double depth : {tree_depth(n), static_cast<double>(n)}) {
                check.begin("n = {}, input {}, depth {}", n, input.name, depth);
                check_around(check, input.values, depth);
                const float infinity = std::numeric_limits<float>::infinity();
                const float nan = std::numeric_limits<float>::quiet_NaN();
                const float next = std::nextafter(static_cast<float>(sum_of(input.values)), 9.0f);
                check.that(
                    bound_of(input.values, depth) > 0.0 || !may_be_right(input.values, depth, next),
                    "{} was accepted, and nothing was rounded", next);
                check.that(!may_be_right(input.values, depth, infinity), "infinity was accepted");
                check.that(!may_be_right(input.values, depth, nan), "NaN was accepted");
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) { return grading::Grader().answers(answers).run(argc, argv); }
