// Seeded inputs, the same on every platform and in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutorial {

/// The names that --input takes:
///   random         integers: all values equally likely; floats: uniform in [-1, 1)
///   sorted         random, in ascending order
///   reversed       random, in descending order
///   equal          one random value, n times
///   two, sixteen   at most 2 or 16 different random values, mixed
///   organ_pipe     ascending to the middle, then descending
///   almost_sorted  sorted, then about one pair in a hundred items swapped
///   extremes       the type's least and largest values, 0, 1, -1; floats also -0, infinities and
///                  denormals, mixed; no NaN
///   special        floats: random mixed with extremes and several NaN; integers: as extremes
///   digits         whole numbers from 0 to 9, all equally likely: sums can be followed by eye
const std::vector<std::string>& input_kinds();

/// n items of the kind named. Throws UsageError, with the list of kinds, for an unknown name.
/// T: int, unsigned, std::int64_t, std::uint64_t, float, double.
template <class T>
std::vector<T> make_input(const std::string& kind, std::size_t n, std::uint64_t seed);

/// Items [begin, begin + count) of such an input, if an item depends only on the seed and its
/// index: random, equal, two, sixteen, extremes, special, digits. Throws UsageError for other
/// kinds. T: int, unsigned, float.
template <class T>
std::vector<T> make_input_part(const std::string& kind, std::uint64_t seed, std::size_t begin,
                               std::size_t count);

/// The generator behind them: item `index` of the stream `seed`, 64 random bits. Counter based
/// (splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014), so
/// that it depends neither on the platform's library nor on the order of calls.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

}  // namespace tutorial
