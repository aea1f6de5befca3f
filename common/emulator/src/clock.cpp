#include "emulator/clock.hpp"

#include <ctime>

#include <chrono>

#include "worker.hpp"

namespace emulator {

long long nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace emulator

/// In a kernel clock() reads the device's clock; on the host it returns processor time, like the C
/// library function that it replaces.
extern "C" clock_t clock() noexcept(noexcept(clock())) {
    if (emulator::this_worker != nullptr && emulator::this_worker->thread != nullptr) {
        return static_cast<clock_t>(emulator::nanoseconds());
    }
    timespec used;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return static_cast<clock_t>(-1);
    return static_cast<clock_t>(used.tv_sec) * CLOCKS_PER_SEC +
           static_cast<clock_t>(used.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}
