// CUDA's cooperative groups: scans; see emulator/group_scan.hpp.
#pragma once

#include "../cooperative_groups.h"
// The order matters: the header above defines CUDA's words.
#include "../emulator/group_scan.hpp"
