// What a learner's code is tried with: sizes and inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../harness/inputs.hpp"

namespace grading {

using tutorial::make_input;
using tutorial::random_bits;

/// 0, 1, 31..33, 255..257, 1023..1025, 12345; those of them that are at most `most`.
std::vector<std::size_t> sizes(std::size_t most = SIZE_MAX);

template <class T>
struct Input {
    std::string name;
    std::vector<T> values;
};

/// The kinds of tutorial::make_input() that are named. Those that give what another one gave (all
/// of them at n = 0) are left out.
template <class T>
std::vector<Input<T>> inputs(std::size_t n, const std::vector<std::string>& kinds) {
    std::vector<Input<T>> made;
    for (const std::string& kind : kinds) {
        std::vector<T> values = make_input<T>(kind, n, n + 1);
        bool is_new = true;
        for (const Input<T>& before : made) is_new = is_new && before.values != values;
        if (is_new) made.push_back({kind, std::move(values)});
    }
    return made;
}

/// Random, sorted, reversed, all equal, few distinct, organ pipe, extremes (the least and the
/// largest int among them: sums overflow).
std::vector<Input<int>> int_inputs(std::size_t n);

/// The same without extremes: finite floats in [-1, 1).
std::vector<Input<float>> float_inputs(std::size_t n);

namespace detail {
/// sizes() gives none above it; 0: all.
void limit_sizes(std::size_t most);
}  // namespace detail

}  // namespace grading
