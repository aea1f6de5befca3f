// CUDA's cooperative groups: reductions; see emulator/group_reduce.hpp.
#pragma once

#include "../cooperative_groups.h"
// The order matters: the header above defines CUDA's words.
#include "../emulator/group_reduce.hpp"
