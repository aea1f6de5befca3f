// WebAssembly has no return addresses. docs/site/page_lab/sites.mjs numbers the calls in a
// program's functions, from 1, and puts a store of four times that number before each of them.
#pragma once

#include <cstdint>

extern "C" {
extern std::uint32_t page_hook;  ///< the last call of a hook of the lab's
extern std::uint32_t page_call;  ///< the last call of any other function
}

#define RETURN_ADDRESS reinterpret_cast<const void*>(page_call)
#define RETURN_ADDRESS_OF_HOOK reinterpret_cast<const void*>(page_hook)
