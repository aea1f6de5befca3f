// Reads an ELF file. On other systems the table is empty, and the dynamic linker is asked instead.
#include "symbol_table.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "symbols.hpp"

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

namespace emulator {

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

namespace {

void add(SymbolTable& table, const ElfW(Sym) & symbol, const char* name, int unit) {
    const unsigned type = symbol.st_info & 0xfu;
    const bool is_local = symbol.st_info >> 4 == STB_LOCAL;
    const Symbol added = {name, symbol.st_value, symbol.st_size, is_local ? unit : 0};
    if (type == STT_FUNC) {
        table.add_function(added);
    } else if (type == STT_OBJECT) {
        table.add_variable(added);
    }
}

void read_program(SymbolTable& table) {
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
            add(table, symbol, &names[symbol.st_name], unit);
        }
    }
}

}  // namespace

const void* function_containing(const void* instruction) {
    const SymbolTable& table = symbol_table();
    auto found = table.functions.upper_bound(reinterpret_cast<std::uintptr_t>(instruction) -
                                             load_address() - 1);
    if (found == table.functions.begin()) return nullptr;
    --found;
    std::uintptr_t address = found->first;
    // The compiler may have moved a part of the function elsewhere, as "name.cold".
    const std::size_t dot = found->second.name.find('.');
    if (dot != std::string::npos) {
        const auto whole = table.function_addresses.find(found->second.name.substr(0, dot));
        if (whole != table.function_addresses.end()) address = whole->second;
    }
    return reinterpret_cast<const void*>(address + load_address());
}

#else

std::uintptr_t load_address() { return 0; }

namespace {

void read_program(SymbolTable&) {}

}  // namespace

const void* function_containing(const void* instruction) {
    Dl_info info;
    return dladdr(instruction, &info) != 0 ? info.dli_saddr : nullptr;
}

#endif

std::string exported_name(const void* function) {
    Dl_info info;
    const bool is_found =
        dladdr(function, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == function;
    return is_found ? info.dli_sname : std::string();
}

const SymbolTable& symbol_table() {
    static const SymbolTable* const all = [] {
        auto* const read = new SymbolTable;
        read_program(*read);
        return read;
    }();
    return *all;
}

}  // namespace emulator
