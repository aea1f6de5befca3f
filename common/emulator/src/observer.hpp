// The tool that watches, if any.
#pragma once

#include "cpu/hooks.hpp"

namespace cpu {

extern Observer* installed_observer;
inline Observer* current_observer() { return installed_observer; }

}  // namespace cpu
