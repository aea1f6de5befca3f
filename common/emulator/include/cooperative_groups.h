// CUDA's cooperative groups; see cpu/cooperative_groups.hpp.
#pragma once

#include "cuda_runtime.h"
// The order matters: the above has CUDA's words.
#include "cpu/cooperative_groups.hpp"
