#include "symbols.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "emulator/shared.hpp"
#include "symbol_table.hpp"

namespace emulator {
namespace {

/// "void reduce_kernel<float, 4>(float const*, float*, int)" -> "reduce_kernel<float, 4>"
std::string without_parameters(const std::string& text) {
    constexpr char kAnonymous[] = "(anonymous namespace)::";
    int angle = 0;
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, sizeof kAnonymous - 1, kAnonymous) == 0) {
            i += sizeof kAnonymous - 2;
            continue;
        }
        if (text[i] == '<') ++angle;
        if (text[i] == '>') --angle;
        if (angle == 0 && text[i] == '(') break;
        if (angle == 0 && text[i] == ' ') {
            name.clear();  // that was the result type
        } else {
            name += text[i];
        }
    }
    return name;
}

std::string demangled(const std::string& name) {
    if (name.compare(0, 2, "_Z") != 0) return name;  // "c" would be the type char
    int status = 0;
    char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 ? without_parameters(text) : name;
    std::free(text);
    return result;
}

std::uintptr_t relative(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - load_address();
}

std::string containing_in(const std::map<std::uintptr_t, Symbol>& all, const void* address) {
    const std::uintptr_t at = relative(address);
    auto found = all.upper_bound(at);
    if (found == all.begin()) return {};
    --found;
    return at - found->first < found->second.bytes ? found->second.name : std::string();
}

const Symbol* symbol_of(const void* function) {
    const auto found = symbol_table().functions.find(relative(function));
    return found == symbol_table().functions.end() ? nullptr : &found->second;
}

std::string mangled_name(const void* function) {
    const Symbol* const symbol = symbol_of(function);
    return symbol == nullptr ? std::string() : symbol->name;
}

/// Calls `visit` with each static variable of the function that has this type and `part` in its
/// name.
template <class T, class Visit>
void for_statics(const void* function, const char* part, Visit visit) {
    const Symbol* const owner = symbol_of(function);
    if (owner == nullptr || owner->name.compare(0, 2, "_Z") != 0) return;
    // A local variable's mangled name contains its function's: _ZZ <function> E <variable>.
    const std::string prefix = "_ZZ" + owner->name.substr(2) + "E";
    const auto& statics = symbol_table().statics;
    for (auto at = statics.lower_bound(prefix);
         at != statics.end() && at->first.compare(0, prefix.size(), prefix) == 0; ++at) {
        const Symbol& found = at->second;
        const bool is_another_files =
            owner->unit != 0 && found.unit != 0 && found.unit != owner->unit;
        if (is_another_files || found.bytes != sizeof(T)) continue;
        if (at->first.find(part) == std::string::npos) continue;
        visit(*reinterpret_cast<const T*>(found.address + load_address()));
    }
}

}  // namespace

void SymbolTable::add_function(const Symbol& function) {
    functions.emplace(function.address, function);
    function_addresses.emplace(function.name, function.address);
}

void SymbolTable::add_variable(const Symbol& variable) {
    const auto begins = [&](const char* prefix) { return variable.name.rfind(prefix, 0) == 0; };
    if (begins("_ZZ")) {
        statics.emplace(variable.name, variable);
    } else if (begins("_ZTV")) {
        tables.emplace(variable.address, variable);
    } else if (!begins("_ZT") && variable.bytes != 0) {  // the linker's marks have none
        variables.emplace(variable.address, variable);
    }
}

std::string symbol_name(const void* function) {
    const std::string mangled = mangled_name(function);
    if (!mangled.empty()) return demangled(mangled);
    const std::string exported = exported_name(function);
    return exported.empty() ? exported : demangled(exported);
}

std::string variable_name(const void* address) {
    const std::string name = containing_in(symbol_table().variables, address);
    return name.empty() ? name : demangled(name);
}

std::size_t variable_room(const void* address) {
    static const std::map<std::uintptr_t, std::size_t>* const all = [] {
        auto* const made = new std::map<std::uintptr_t, std::size_t>;
        for (const auto& [at, each] : symbol_table().variables) made->emplace(at, each.bytes);
        for (const auto& [name, each] : symbol_table().statics)
            made->emplace(each.address, each.bytes);
        return made;
    }();
    const std::uintptr_t at = relative(address);
    auto found = all->upper_bound(at);
    if (found == all->begin()) return ~std::size_t{0};
    --found;
    const std::size_t before = at - found->first;
    return before < found->second ? found->second - before : ~std::size_t{0};
}

std::string virtual_table_class(const void* address) {
    const std::string name = containing_in(symbol_table().tables, address);
    if (name.empty()) return {};
    int status = 0;
    char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    const std::string full = status == 0 ? text : name;
    std::free(text);
    constexpr char kPrefix[] = "vtable for ";
    return full.compare(0, sizeof kPrefix - 1, kPrefix) == 0 ? full.substr(sizeof kPrefix - 1)
                                                             : full;
}

std::size_t declared_shared_bytes(const void* function) {
    std::size_t bytes = 0;
    for_statics<SharedVariable>(function, "_shared", [&](const SharedVariable& variable) {
        const std::size_t alignment = std::max<std::size_t>(variable.alignment, 1);
        bytes = (bytes + alignment - 1) / alignment * alignment + variable.bytes;
    });
    return bytes;
}

const LaunchBound* declared_launch_bound(const void* function) {
    const LaunchBound* bound = nullptr;
    for_statics<LaunchBound>(function, "cpu_launch_bound",
                             [&](const LaunchBound& found) { bound = &found; });
    return bound;
}

}  // namespace emulator
