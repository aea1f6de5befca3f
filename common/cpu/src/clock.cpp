#include "cpu/clock.hpp"

#include <chrono>

namespace cpu {

long long nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace cpu
