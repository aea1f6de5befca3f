// What the program's own symbol table says about its kernels.
#pragma once

#include <cstddef>
#include <string>

#include "emulator/kernel.hpp"

namespace emulator {

/// The function's name with template arguments and without parameters, e.g.
/// "reduce_kernel<float, 4>"; empty if the program's symbols do not tell.
std::string symbol_name(const void* function);

/// The name of the program's variable at namespace scope that holds this address; empty if there is
/// none, or the symbols do not say.
std::string variable_name(const void* address);

/// Bytes from the address to the end of the program's variable, static ones of functions included,
/// that holds it; all ones if there is none, or the symbols do not say.
std::size_t variable_room(const void* address);

/// The class whose table of virtual functions holds this address; empty: none.
std::string virtual_table_class(const void* address);

/// The function that an instruction belongs to; null if the symbols do not say.
const void* function_containing(const void* instruction);

/// Bytes of the static shared variables that are declared in the function itself; 0 if the symbols
/// do not say.
std::size_t declared_shared_bytes(const void* function);

/// The function's __launch_bounds__; null if it has none or the symbols do not say.
const LaunchBound* declared_launch_bound(const void* function);

}  // namespace emulator
