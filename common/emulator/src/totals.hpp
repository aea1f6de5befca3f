// Where a launch's counts go when it has ended.
#pragma once

#include "cpu/counters.hpp"

namespace cpu {

void add_to_totals(const Counts& launch);

}  // namespace cpu
