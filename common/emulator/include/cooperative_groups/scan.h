// CUDA's cooperative groups: scans; see cpu/group_scan.hpp.
#pragma once

#include "../cooperative_groups.h"
// The order matters: the above has CUDA's words.
#include "../cpu/group_scan.hpp"
