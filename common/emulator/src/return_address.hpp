// The instruction after the call of the function that uses these. There are two, because
// WebAssembly distinguishes calls of hooks, which the compiler has added, from those of the source.
// And where that function's part of the stack begins, below all local variables of its callers;
// null: not known.
#pragma once

#if defined(__wasm__)
#include "numbered_calls.hpp"
#define FRAME_ADDRESS nullptr
#else
#define RETURN_ADDRESS __builtin_return_address(0)
#define RETURN_ADDRESS_OF_HOOK __builtin_return_address(0)
#define FRAME_ADDRESS __builtin_frame_address(0)
#endif
