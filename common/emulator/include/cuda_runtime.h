// CUDA's runtime header on a machine with no GPU: the emulator's parts, and no Boost, no {fmt}.
#pragma once

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emulator/qualifiers.hpp"
// The order matters: the words above are used below.
#include "emulator/atomics.hpp"
#include "emulator/barrier.hpp"
#include "emulator/builtins.hpp"
#include "emulator/clock.hpp"
#include "emulator/device_api.hpp"
#include "emulator/errors.hpp"
#include "emulator/integer.hpp"
#include "emulator/kernel.hpp"
#include "emulator/kernel_api.hpp"
#include "emulator/kernel_heap.hpp"
#include "emulator/math.hpp"
#include "emulator/memory_access.hpp"
#include "emulator/memory_api.hpp"
#include "emulator/packed_integers.hpp"
#include "emulator/ptx.hpp"
#include "emulator/rounding.hpp"
#include "emulator/runtime_types.hpp"
#include "emulator/shared.hpp"
#include "emulator/special_functions.hpp"
#include "emulator/vector_types.hpp"
#include "emulator/warp.hpp"
