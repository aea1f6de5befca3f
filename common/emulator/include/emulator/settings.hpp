// How kernels are run. Each setting has an environment variable, read once, for runs from a shell.
#pragma once

#include <cstdint>
#include <string>

namespace emulator {

/// The order in which the threads of a block start, and continue after a barrier.
enum class Order { forward, reverse, shuffle };

/// TUTORIAL_CPU_ORDER=forward | reverse | shuffle | shuffle:SEED. Blocks are ordered the same way.
void set_order(Order order, std::uint64_t seed = 1);
Order order();

/// Sets it from text; false if that is not one of these.
bool set_order(const std::string& text);

/// TUTORIAL_CPU_TIME_LIMIT, in seconds: how long a launch may run without progress (no thread ends,
/// starts, or passes a barrier) before it is ended as a deadlock. 0: no limit.
void set_time_limit(double seconds);

/// TUTORIAL_CPU_WORKERS: how many threads run blocks, 1 to 16; by default as many as there are
/// cores.
void set_workers(int workers);
int workers();

}  // namespace emulator
