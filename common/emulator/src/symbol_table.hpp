// The program's own symbols, including those that a dynamic linker does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace emulator {

/// Functions of several source files may have the same name if they are local to their file, as in
/// an unnamed namespace; `unit` tells these files apart.
struct Symbol {
    std::string name;
    std::uintptr_t address;  ///< relative to where the program is loaded
    std::size_t bytes;
    int unit;  ///< 0: seen by all files
};

/// Empty if the program's file cannot be read.
struct SymbolTable {
    std::map<std::uintptr_t, Symbol> functions;  ///< by address
    std::map<std::string, std::uintptr_t> function_addresses;
    std::map<std::uintptr_t, Symbol> variables;  ///< by address
    std::map<std::uintptr_t, Symbol> tables;     ///< of virtual functions
    std::multimap<std::string, Symbol> statics;  ///< static variables of functions, by mangled name

    void add_function(const Symbol& function);
    void add_variable(const Symbol& variable);
};

/// Read on first use.
const SymbolTable& symbol_table();

/// Where the program is loaded.
std::uintptr_t load_address();

/// The function's mangled name as the dynamic linker knows it; empty if it does not know it.
std::string exported_name(const void* function);

}  // namespace emulator
