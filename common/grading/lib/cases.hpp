// What a learner's code is tried with: sizes and inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../harness/inputs.hpp"
#include "../../harness/sum_reference.hpp"

namespace grading {

/// tutorial::random_bits(), varied by this run's seed.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

namespace detail {
/// sizes() gives none above it; 0: no limit.
void limit_sizes(std::size_t most);

/// Threads run in an order other than the usual one: fewer sizes and kinds of inputs than in the
/// usual order are enough to show a dependence on the order.
void set_other_order(bool is_other);
/// Which of `kinds` are tried with this many numbers.
std::vector<std::string> kinds_tried(std::size_t n, const std::vector<std::string>& kinds);

/// From here on all inputs, and some of the sizes, are those of this seed; 0: the usual ones.
void set_seed(std::uint64_t seed);
bool has_seed();
std::uint64_t varied(std::uint64_t seed);
}  // namespace detail

/// tutorial::make_input(), varied by this run's seed.
template <class T>
std::vector<T> make_input(const std::string& kind, std::size_t n, std::uint64_t seed) {
    return tutorial::make_input<T>(kind, n, detail::varied(seed));
}

/// tutorial::whole_numbers(), varied by this run's seed.
inline tutorial::WholeNumbers whole_numbers(std::size_t n, std::uint64_t seed) {
    return tutorial::whole_numbers(n, detail::varied(seed));
}

/// 0, 1, 4, 5, 31..33, 255..257, 1023..1025, 12345; those of them that are at most `most`. With a
/// seed also two of its own. In another order of threads 0, 1, 5, 31..33, 256, 257, 1025 and those.
std::vector<std::size_t> sizes(std::size_t most = SIZE_MAX);

/// For a phase that counts: n if the inputs are the usual ones; with a seed, larger by an unknown
/// number of `steps`, at most by a quarter of n, so that code cannot detect the counted size.
std::size_t counted_size(std::size_t n, std::size_t step = 1);

/// For inputs that follow a pattern, so that they are easily read: 0 if they are the usual ones,
/// and unknown bits with a seed. Without these a result could be guessed from its index.
std::uint64_t hidden_bits(std::uint64_t seed, std::uint64_t index);

template <class T>
struct Input {
    std::string name;
    std::vector<T> values;
};

/// n numbers from 0 to 99: short enough to be read in a report.
template <class T>
std::vector<T> small_numbers(std::size_t n) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(random_bits(n + 1, i) % 100);
    return values;
}

/// The kinds of tutorial::make_input() that are named, and `small`. Those that are equal to an
/// earlier one (all of them at n = 0) are left out. Not all of `kinds` if some are enough: with
/// more than 257 numbers, or in another order of threads more than 33 (kinds_tried() says which).
template <class T>
std::vector<Input<T>> inputs(std::size_t n, const std::vector<std::string>& kinds) {
    std::vector<Input<T>> made;
    for (const std::string& kind : detail::kinds_tried(n, kinds)) {
        std::vector<T> values =
            kind == "small" ? small_numbers<T>(n) : make_input<T>(kind, n, n + 1);
        bool is_new = true;
        for (const Input<T>& before : made) is_new = is_new && before.values != values;
        if (is_new) made.push_back({kind, std::move(values)});
    }
    return made;
}

/// Small, random, sorted, reversed, all equal, few distinct, organ pipe, extremes (including the
/// smallest and the largest int: sums overflow).
std::vector<Input<int>> int_inputs(std::size_t n);

/// The same without extremes: finite floats in [-1, 1).
std::vector<Input<float>> float_inputs(std::size_t n);

}  // namespace grading
