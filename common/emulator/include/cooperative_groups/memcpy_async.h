// Copies by all threads of a group, as cooperative_groups::memcpy_async and wait do them.
#pragma once

#include "../emulator/group_memcpy.hpp"
