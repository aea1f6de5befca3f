// The observing tool, if any.
#pragma once

#include "emulator/hooks.hpp"

namespace emulator {

extern Observer* installed_observer;
inline Observer* current_observer() { return installed_observer; }

}  // namespace emulator
