// Names of functions by address, for reports.
#pragma once

#include <string>

namespace cpu {

/// The function's name with template arguments and without parameters, e.g.
/// "reduce_kernel<float, 4>"; empty where the program's symbols do not tell.
std::string symbol_name(const void* function);

}  // namespace cpu
