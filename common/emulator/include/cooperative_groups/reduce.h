// CUDA's cooperative groups: reductions; see cpu/group_reduce.hpp.
#pragma once

#include "../cooperative_groups.h"
// The order matters: the above has CUDA's words.
#include "../cpu/group_reduce.hpp"
