#include "emulator/xorwow.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace emulator {
namespace {

constexpr int kBits = 160;
using Words = std::array<unsigned, 5>;

/// Row i is what a state with only bit i set becomes.
using Matrix = std::array<Words, kBits>;

Words times(const Matrix& matrix, const Words& state) {
    Words result{};
    for (int bit = 0; bit < kBits; ++bit) {
        if ((state[static_cast<std::size_t>(bit / 32)] >> (bit % 32) & 1u) == 0) continue;
        for (std::size_t i = 0; i < 5; ++i) result[i] ^= matrix[static_cast<std::size_t>(bit)][i];
    }
    return result;
}

Words step(const Words& v) {
    const unsigned t = v[0] ^ v[0] >> 2;
    return {v[1], v[2], v[3], v[4], (v[4] ^ v[4] << 4) ^ (t ^ t << 1)};
}

/// The matrix of 2^power steps; each is made once, from the one before.
const Matrix& power_of_two(std::size_t power) {
    static std::mutex mutex;
    static std::vector<std::unique_ptr<const Matrix>> all;
    const std::lock_guard<std::mutex> lock(mutex);
    while (all.size() <= power) {
        auto next = std::make_unique<Matrix>();
        for (int bit = 0; bit < kBits; ++bit) {
            const std::size_t row = static_cast<std::size_t>(bit);
            if (all.empty()) {
                Words one{};
                one[row / 32] = 1u << (bit % 32);
                (*next)[row] = step(one);
            } else {
                (*next)[row] = times(*all.back(), (*all.back())[row]);
            }
        }
        all.push_back(std::move(next));
    }
    return *all[power];
}

}  // namespace

void xorwow_jump(unsigned (&words)[5], std::uint64_t count, int power) {
    Words state;
    for (std::size_t i = 0; i < 5; ++i) state[i] = words[i];
    for (; count != 0; count >>= 1, ++power) {
        if ((count & 1u) != 0) state = times(power_of_two(static_cast<std::size_t>(power)), state);
    }
    for (std::size_t i = 0; i < 5; ++i) words[i] = state[i];
}

}  // namespace emulator
