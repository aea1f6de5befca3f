// A part of CUDA's cooperative groups; here there is only the whole.
#pragma once

#include "../cooperative_groups.h"
