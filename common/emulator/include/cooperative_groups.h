// CUDA's cooperative groups; see emulator/cooperative_groups.hpp.
#pragma once

#include "cuda_runtime.h"
// The order matters: the header above defines CUDA's words.
#include "emulator/cooperative_groups.hpp"
