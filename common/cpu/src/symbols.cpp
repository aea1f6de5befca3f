#include "symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <vector>

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

namespace cpu {
namespace {

/// "void reduce_kernel<float, 4>(float const*, float*, int)" -> "reduce_kernel<float, 4>"
std::string without_parameters(const std::string& text) {
    int angle = 0;
    std::size_t begin = 0, end = text.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '<') ++angle;
        if (text[i] == '>') --angle;
        if (angle != 0) continue;
        if (text[i] == ' ') begin = i + 1;
        if (text[i] == '(') {
            if (text.compare(i, 21, "(anonymous namespace)") == 0) {
                i += 20;
                continue;
            }
            end = i;
            break;
        }
    }
    return text.substr(begin, end - begin);
}

std::string demangled(const char* name) {
    int status = 0;
    char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    const std::string result = status == 0 ? without_parameters(text) : name;
    std::free(text);
    return result;
}

#if defined(__linux__)
/// All functions of this program, also those that the dynamic linker does not know, from its own
/// file: address relative to where it is loaded, and mangled name.
const std::map<std::uintptr_t, std::string>& program_functions() {
    static const auto* const functions = [] {
        auto* const found = new std::map<std::uintptr_t, std::string>;
        std::ifstream file("/proc/self/exe", std::ios::binary);
        const auto read = [&](std::uint64_t offset, void* to, std::size_t bytes) {
            file.seekg(static_cast<std::streamoff>(offset));
            file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
            return static_cast<bool>(file);
        };
        ElfW(Ehdr) header;
        if (!read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
            return found;
        }
        std::vector<ElfW(Shdr)> sections(header.e_shnum);
        if (!read(header.e_shoff, sections.data(), sections.size() * sizeof(ElfW(Shdr)))) {
            return found;
        }
        for (const ElfW(Shdr) & section : sections) {
            if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
            const ElfW(Shdr)& strings = sections[section.sh_link];
            std::vector<ElfW(Sym)> symbols(section.sh_size / sizeof(ElfW(Sym)));
            std::vector<char> names(strings.sh_size + 1);
            if (!read(section.sh_offset, symbols.data(), symbols.size() * sizeof(ElfW(Sym))) ||
                !read(strings.sh_offset, names.data(), strings.sh_size)) {
                return found;
            }
            for (const ElfW(Sym) & symbol : symbols) {
                if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value != 0 &&
                    symbol.st_name < strings.sh_size) {
                    found->emplace(symbol.st_value, &names[symbol.st_name]);
                }
            }
        }
        return found;
    }();
    return *functions;
}

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
#endif

}  // namespace

std::string symbol_name(const void* function) {
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    Dl_info info;
    if (dladdr(function, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == function) {
        return demangled(info.dli_sname);
    }
#if defined(__linux__)
    const auto found =
        program_functions().find(reinterpret_cast<std::uintptr_t>(function) - load_address());
    if (found != program_functions().end()) return demangled(found->second.c_str());
#endif
    return {};
}

}  // namespace cpu
