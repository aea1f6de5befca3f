// The bytes that memory holds before a program writes to it.
#pragma once

namespace emulator {

/// Fresh memory: NaN as a float or a double, -1 as an integer.
constexpr unsigned char kPoison = 0xff;

/// Memory around an allocation or after a shared variable; anything else there was written by a
/// fault. Not the poison, so that copying poisoned data out of bounds is noticed as well.
constexpr unsigned char kRedZone = 0xfb;

}  // namespace emulator
