// In place of ../src/symbol_table.cpp. The browser lab has read the program's binary, and has
// written what is needed here to the file /symbols (docs/site/page_lab/symbols.mjs), one line for
// each:
//     F address 0 name       a function: its number in the table of functions
//     D address bytes name   a variable
//     S site function count  so many calls of hooks or of functions, numbered by fours from this
//                            one: the function that contains them
#include "symbol_table.hpp"

#include <fstream>

#include "symbols.hpp"

namespace emulator {
namespace {

struct Calls {
    std::uintptr_t end, function;
};

/// By the first of them.
std::map<std::uintptr_t, Calls>& calls_of_functions() {
    static auto* const all = new std::map<std::uintptr_t, Calls>;
    return *all;
}

void read_symbols(SymbolTable& table) {
    std::ifstream file("/symbols");
    std::string kind, name;
    std::uintptr_t address = 0;
    for (std::size_t second = 0; file >> kind >> address >> second >> name;) {
        if (kind == "S") {
            calls_of_functions()[address] = {address + 4 * std::stoul(name), second};
        } else if (kind == "F") {
            table.add_function({name, address, second, 0});
        } else if (kind == "D") {
            table.add_variable({name, address, second, 0});
        }
    }
}

}  // namespace

const void* function_containing(const void* instruction) {
    symbol_table();
    const auto site = reinterpret_cast<std::uintptr_t>(instruction);
    const auto after = calls_of_functions().upper_bound(site);
    if (after == calls_of_functions().begin()) return nullptr;
    const Calls& calls = std::prev(after)->second;
    return site < calls.end ? reinterpret_cast<const void*>(calls.function) : nullptr;
}

std::uintptr_t load_address() { return 0; }

std::string exported_name(const void*) { return {}; }

const SymbolTable& symbol_table() {
    static const SymbolTable* const all = [] {
        auto* const read = new SymbolTable;
        read_symbols(*read);
        return read;
    }();
    return *all;
}

}  // namespace emulator
