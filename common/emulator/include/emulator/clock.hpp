// Clocks that a kernel can read. One tick is one nanosecond, which agrees with the clock rate of
// 1 GHz that the device reports.
#pragma once

namespace emulator {

/// Nanoseconds since some fixed point; never goes back.
long long nanoseconds();

/// PTX's %globaltimer. CUDA has no function of this name, and programs write their own.
inline unsigned long long globaltimer() { return static_cast<unsigned long long>(nanoseconds()); }

}  // namespace emulator

inline long long clock64() { return emulator::nanoseconds(); }
