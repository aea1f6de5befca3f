// Where a launch's counts are added when it has ended.
#pragma once

#include "emulator/counters.hpp"

namespace emulator {

void add_to_totals(const Counts& launch);

}  // namespace emulator
