// CUDA's runtime header on a machine with no GPU: the CPU backend's parts, and no Boost, no {fmt}.
#pragma once

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu/qualifiers.hpp"
// The order matters: the words above are used below.
#include "cpu/atomics.hpp"
#include "cpu/barrier.hpp"
#include "cpu/builtins.hpp"
#include "cpu/clock.hpp"
#include "cpu/device_api.hpp"
#include "cpu/errors.hpp"
#include "cpu/integer.hpp"
#include "cpu/kernel.hpp"
#include "cpu/kernel_api.hpp"
#include "cpu/math.hpp"
#include "cpu/memory_access.hpp"
#include "cpu/memory_api.hpp"
#include "cpu/ptx.hpp"
#include "cpu/rounding.hpp"
#include "cpu/runtime_types.hpp"
#include "cpu/shared.hpp"
#include "cpu/vector_types.hpp"
#include "cpu/warp.hpp"
