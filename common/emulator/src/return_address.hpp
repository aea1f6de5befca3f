// The instruction after the call of the function that uses these. There are two, because
// WebAssembly distinguishes calls of hooks, which the compiler has added, from those of the source.
#pragma once

#if defined(__wasm__)
#include "numbered_calls.hpp"
#else
#define RETURN_ADDRESS __builtin_return_address(0)
#define RETURN_ADDRESS_OF_HOOK __builtin_return_address(0)
#endif
