#include "cases.hpp"

#include <algorithm>

namespace grading {
namespace {

std::size_t max_of_all = SIZE_MAX;
std::uint64_t run_seed = 0;
bool is_other_order = false;
constexpr std::size_t kMaxInOtherOrders = 1025, kFew = 33, kMany = 257;

const std::vector<std::string>& finite_kinds() {
    static const std::vector<std::string> kinds = {"random", "sorted",  "reversed",  "equal",
                                                   "two",    "sixteen", "organ_pipe"};
    return kinds;
}

}  // namespace

std::vector<std::size_t> sizes(std::size_t most) {
    std::vector<std::size_t> all = {0, 1, 4, 5, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 12345};
    if (run_seed != 0) {
        all.push_back(34 + random_bits(1, 0) % 200);
        all.push_back(258 + random_bits(1, 1) % 700);
        std::sort(all.begin(), all.end());
    }
    std::size_t last = std::min(most, max_of_all);
    if (is_other_order) {
        last = std::min(last, kMaxInOtherOrders);
        // One of several neighbours is enough: each number contains the blocks of the previous one.
        const auto is_left_out = [](std::size_t n) {
            return n == 4 || n == 255 || n == 1023 || n == 1024;
        };
        all.erase(std::remove_if(all.begin(), all.end(), is_left_out), all.end());
    }
    all.erase(std::upper_bound(all.begin(), all.end(), last), all.end());
    return all;
}

std::size_t counted_size(std::size_t n, std::size_t step) {
    return run_seed == 0 ? n : n + random_bits(n, step) % (n / (4 * step) + 1) * step;
}

std::uint64_t hidden_bits(std::uint64_t seed, std::uint64_t index) {
    return run_seed == 0 ? 0 : random_bits(seed, index);
}

std::vector<Input<int>> int_inputs(std::size_t n) {
    std::vector<std::string> kinds = finite_kinds();
    kinds.insert(kinds.begin(), "small");
    kinds.emplace_back("extremes");
    return inputs<int>(n, kinds);
}

std::vector<Input<float>> float_inputs(std::size_t n) { return inputs<float>(n, finite_kinds()); }

std::uint64_t detail::varied(std::uint64_t seed) {
    return run_seed == 0 ? seed : seed ^ tutorial::random_bits(run_seed, seed);
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
    return tutorial::random_bits(detail::varied(seed), index);
}

void detail::set_other_order(bool is_other) { is_other_order = is_other; }

std::vector<std::string> detail::kinds_tried(std::size_t n, const std::vector<std::string>& kinds) {
    if (n <= kFew || (!is_other_order && n <= kMany)) return kinds;
    // All kinds have been tried with fewer numbers; with a thousand, only those that differ most.
    std::vector<std::string> of_many = {"random", "sixteen"};
    if (!is_other_order) of_many.insert(of_many.end(), {"sorted", "reversed", "extremes"});
    std::vector<std::string> tried;
    for (const std::string& kind : kinds) {
        if (std::find(of_many.begin(), of_many.end(), kind) != of_many.end()) tried.push_back(kind);
    }
    return tried.empty() ? kinds : tried;
}

void detail::set_seed(std::uint64_t seed) { run_seed = seed; }

bool detail::has_seed() { return run_seed != 0; }

void detail::limit_sizes(std::size_t most) { max_of_all = most == 0 ? SIZE_MAX : most; }

}  // namespace grading
