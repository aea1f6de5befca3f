// Where the program's own code and data are.
#pragma once

#include <cstdint>

#if defined(__wasm__)
#include "linked_data.hpp"
#else

extern "C" {
extern const char __executable_start[];
extern const char etext[];
extern const char __data_start[];
extern const char end[];
}

namespace lab {

inline std::uintptr_t code_begin() { return reinterpret_cast<std::uintptr_t>(__executable_start); }
inline std::uintptr_t code_end() { return reinterpret_cast<std::uintptr_t>(etext); }
inline std::uintptr_t data_begin() { return reinterpret_cast<std::uintptr_t>(__data_start); }
inline std::uintptr_t data_end() { return reinterpret_cast<std::uintptr_t>(end); }

/// Variables of the program, __device__ and __constant__ ones among them.
inline bool is_program_data(std::uintptr_t address) {
    return address >= data_begin() && address < data_end();
}

/// Code, constants and variables of the program.
inline bool is_program_image(std::uintptr_t address) {
    return address >= code_begin() && address < data_end();
}

}  // namespace lab

#endif
