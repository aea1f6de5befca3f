// In place of ../src/program.hpp on other systems: code has no addresses here. Their place is taken
// by the numbers of calls, times four (emulator/wasm/numbered_calls.hpp), which are far below data.
#pragma once

#include <cstdint>

extern "C" {
extern const char __global_base[];
extern const char __data_end[];
}

namespace lab {

constexpr std::uintptr_t kMaxCalls = 0x10000;

inline std::uintptr_t code_begin() { return 0; }
inline std::uintptr_t code_end() { return 4 * kMaxCalls; }
inline std::uintptr_t data_begin() { return reinterpret_cast<std::uintptr_t>(__global_base); }
inline std::uintptr_t data_end() { return reinterpret_cast<std::uintptr_t>(__data_end); }

/// A variable of the emulator that inline functions of its headers use: elsewhere it is in a
/// thread's own memory, not among the program's variables.
bool is_emulator_variable(std::uintptr_t address);

inline bool is_program_data(std::uintptr_t address) {
    return address >= data_begin() && address < data_end() && !is_emulator_variable(address);
}

inline bool is_program_image(std::uintptr_t address) {
    return address >= data_begin() && address < data_end();
}

}  // namespace lab
