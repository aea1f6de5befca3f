// A rank's share of an input: item i of the whole depends on the seed and on i alone, so that no
// rank ever holds more than its share.
#pragma once

#include <string>
#include <vector>

#include "ranks.hpp"

namespace tutorial {

/// Those of input_kinds() whose items can be computed from their indices: random, equal, two,
/// sixteen, extremes, special are the same items that make_input() returns; sorted and reversed are
/// evenly spaced values; large_first: the first quarter of the items is larger than all others.
const std::vector<std::string>& part_input_kinds();

/// Items [share.begin, share.end()) of the n items of this kind. Throws UsageError for an unknown
/// kind. T: int, unsigned or float.
template <class T>
std::vector<T> make_part(const std::string& kind, std::size_t n, std::uint64_t seed, Share share);

/// Calls work(begin, end) for pieces of [0, count), on as many threads as there are cores.
void in_parallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work);

/// A number that is the same for the same values in any order, and for hardly any others.
std::uint64_t multiset_checksum(std::size_t count,
                                const std::function<std::uint64_t(std::size_t)>& value);

}  // namespace tutorial
