#include "symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "emulator/shared.hpp"

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

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

#if defined(__linux__)

std::uintptr_t load_address() {
    std::uintptr_t address = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            *static_cast<std::uintptr_t*>(data) = info->dlpi_addr;
            return 1;  // the first one is the program itself
        },
        &address);
    return address;
}

/// A symbol of this program. Functions of several source files may have the same name where they
/// are local to their file, as in an unnamed namespace; `unit` tells these files apart.
struct Symbol {
    std::string name;
    std::uintptr_t address;  ///< relative to where the program is loaded
    std::size_t bytes;
    int unit;  ///< 0: seen by all files
};

/// All symbols of this program, also those that the dynamic linker does not know, from its own
/// file.
struct Symbols {
    std::map<std::uintptr_t, Symbol> functions;  ///< by address
    std::map<std::string, std::uintptr_t> function_addresses;
    std::map<std::uintptr_t, Symbol> variables;  ///< by address
    std::map<std::uintptr_t, Symbol> tables;     ///< of virtual functions
    std::multimap<std::string, Symbol> statics;  ///< static variables of functions, by mangled name

    Symbols() {
        std::ifstream file("/proc/self/exe", std::ios::binary);
        const auto read = [&](std::uint64_t offset, void* to, std::size_t bytes) {
            file.seekg(static_cast<std::streamoff>(offset));
            file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
            return static_cast<bool>(file);
        };
        ElfW(Ehdr) header;
        if (!read(0, &header, sizeof header)) return;
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
        std::vector<ElfW(Shdr)> sections(header.e_shnum);
        if (!read(header.e_shoff, sections.data(), sections.size() * sizeof sections[0])) return;
        for (const auto& section : sections) {
            if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
            const auto& strings = sections[section.sh_link];
            std::vector<ElfW(Sym)> symbols(section.sh_size / sizeof(ElfW(Sym)));
            std::vector<char> names(strings.sh_size + 1);
            if (!read(section.sh_offset, symbols.data(), section.sh_size)) return;
            if (!read(strings.sh_offset, names.data(), strings.sh_size)) return;
            int unit = 0;
            for (const auto& symbol : symbols) {
                // The local symbols of a file follow the one that names the file.
                if ((symbol.st_info & 0xfu) == STT_FILE) ++unit;
                if (symbol.st_value == 0 || symbol.st_name >= strings.sh_size) continue;
                add(symbol, &names[symbol.st_name], unit);
            }
        }
    }

    void add(const ElfW(Sym) & symbol, const char* name, int unit) {
        const unsigned type = symbol.st_info & 0xfu;
        const bool is_local = symbol.st_info >> 4 == STB_LOCAL;
        const Symbol added = {name, symbol.st_value, symbol.st_size, is_local ? unit : 0};
        if (type == STT_FUNC) {
            functions.emplace(symbol.st_value, added);
            function_addresses.emplace(name, symbol.st_value);
        } else if (type == STT_OBJECT && std::strncmp(name, "_ZZ", 3) == 0) {
            statics.emplace(name, added);
        } else if (type == STT_OBJECT && std::strncmp(name, "_ZTV", 4) == 0) {
            tables.emplace(symbol.st_value, added);
        } else if (type == STT_OBJECT && std::strncmp(name, "_ZT", 3) != 0) {
            variables.emplace(symbol.st_value, added);
        }
    }
};

const Symbols& symbols() {
    static const Symbols* const all = new Symbols;
    return *all;
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
    const auto found = symbols().functions.find(relative(function));
    return found == symbols().functions.end() ? nullptr : &found->second;
}

std::string mangled_name(const void* function) {
    const Symbol* const symbol = symbol_of(function);
    return symbol == nullptr ? std::string() : symbol->name;
}

const void* containing(const void* instruction) {
    auto found = symbols().functions.upper_bound(relative(instruction) - 1);
    if (found == symbols().functions.begin()) return nullptr;
    --found;
    std::uintptr_t address = found->first;
    // The compiler may have moved a part of the function elsewhere, as "name.cold".
    const std::size_t dot = found->second.name.find('.');
    if (dot != std::string::npos) {
        const auto whole = symbols().function_addresses.find(found->second.name.substr(0, dot));
        if (whole != symbols().function_addresses.end()) address = whole->second;
    }
    return reinterpret_cast<const void*>(address + load_address());
}

/// Calls `visit` with each static variable of the function that has this type and in its name
/// `part`.
template <class T, class Visit>
void for_statics(const void* function, const char* part, Visit visit) {
    const Symbol* const owner = symbol_of(function);
    if (owner == nullptr || owner->name.compare(0, 2, "_Z") != 0) return;
    // A local variable's mangled name holds its function's: _ZZ <function> E <variable>.
    const std::string prefix = "_ZZ" + owner->name.substr(2) + "E";
    const auto& statics = symbols().statics;
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

#else

std::string mangled_name(const void*) { return {}; }

const void* containing(const void* instruction) {
    Dl_info info;
    return dladdr(instruction, &info) != 0 ? info.dli_saddr : nullptr;
}

template <class T, class Visit>
void for_statics(const void*, const char*, Visit) {}

#endif

}  // namespace

std::string symbol_name(const void* function) {
    const std::string mangled = mangled_name(function);
    if (!mangled.empty()) return demangled(mangled);
    Dl_info info;
    if (dladdr(function, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == function) {
        return demangled(info.dli_sname);
    }
    return {};
}

#if defined(__linux__)
std::string variable_name(const void* address) {
    const std::string name = containing_in(symbols().variables, address);
    return name.empty() ? name : demangled(name);
}

std::string virtual_table_class(const void* address) {
    const std::string name = containing_in(symbols().tables, address);
    if (name.empty()) return {};
    int status = 0;
    char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    const std::string full = status == 0 ? text : name;
    std::free(text);
    constexpr char kPrefix[] = "vtable for ";
    return full.compare(0, sizeof kPrefix - 1, kPrefix) == 0 ? full.substr(sizeof kPrefix - 1)
                                                             : full;
}
#else
std::string variable_name(const void*) { return {}; }
std::string virtual_table_class(const void*) { return {}; }
#endif

const void* function_containing(const void* instruction) { return containing(instruction); }

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
