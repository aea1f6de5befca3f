// The generator XORWOW (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003)
// with cuRAND's seeding and its jumps: a step is linear over single bits, so n steps are a power of
// a matrix of 160 x 160 bits.
#pragma once

#include <cstdint>

namespace emulator {

/// Advances the five words of a XORWOW state by count * 2^power steps, as if the generator had been
/// called that often.
void xorwow_jump(unsigned (&words)[5], std::uint64_t count, int power);

}  // namespace emulator
