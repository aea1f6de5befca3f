#include "lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

#include "emulator/for_observers.hpp"
#include "program.hpp"

namespace lab {
namespace {

/// The program's debug information, opened once and kept.
class DebugInfo {
  public:
    DebugInfo() {
        callbacks_.find_elf = dwfl_linux_proc_find_elf;
        callbacks_.find_debuginfo = dwfl_standard_find_debuginfo;
        dwfl_ = dwfl_begin(&callbacks_);
        if (dwfl_ == nullptr) return;
        dwfl_linux_proc_report(dwfl_, getpid());
        dwfl_report_end(dwfl_, nullptr, nullptr);
    }

    std::vector<Place> places(std::uintptr_t pc) {
        std::vector<Place> found;
        Dwfl_Module* const module = dwfl_ != nullptr ? dwfl_addrmodule(dwfl_, pc) : nullptr;
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit =
            module != nullptr ? dwfl_module_addrdie(module, pc, &bias) : nullptr;
        if (unit == nullptr) return found;
        Place at;
        if (Dwarf_Line* const line = dwarf_getsrc_die(unit, pc - bias)) {
            if (const char* const name = dwarf_linesrc(line, nullptr, nullptr)) at.file = name;
            dwarf_lineno(line, &at.line);
        }
        Dwarf_Files* files = nullptr;
        dwarf_getsrcfiles(unit, &files, nullptr);
        // From the innermost scope outwards, in the order in which the functions are nested.
        std::vector<Dwarf_Die> scopes = scopes_of(unit, pc - bias);
        for (std::size_t i = scopes.size(); i-- > 0;) {
            const int tag = dwarf_tag(&scopes[i]);
            Dwarf_Attribute attribute;
            Dwarf_Attribute* const name = dwarf_attr_integrate(&scopes[i], DW_AT_name, &attribute);
            if (name != nullptr) at.function = dwarf_formstring(name);
            found.push_back(at);
            if (tag == DW_TAG_subprogram) break;
            at = {};
            Dwarf_Word value = 0;
            if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attribute), &value) == 0 &&
                files != nullptr) {
                if (const char* const file = dwarf_filesrc(files, value, nullptr, nullptr)) {
                    at.file = file;
                }
            }
            if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &value) == 0) {
                at.line = static_cast<int>(value);
            }
        }
        if (found.empty()) found.push_back(at);
        return found;
    }

    template <class Visit>
    void each_variable(Visit visit) {
        Dwfl_Module* const module =
            dwfl_ != nullptr ? dwfl_addrmodule(dwfl_, code_begin()) : nullptr;
        GElf_Sym symbol;
        const int symbols = module != nullptr ? dwfl_module_getsymtab(module) : 0;
        for (int i = 1; i < symbols; ++i) {
            GElf_Addr begin = 0;
            const char* const name =
                dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
            if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
            visit(name, begin, symbol.st_size);
        }
    }

  private:
    struct Function {
        Dwarf_Addr end;
        Dwarf_Die die;
    };
    using Functions = std::map<Dwarf_Addr, Function>;  ///< by their first addresses

    static void add_functions(Dwarf_Die* parent, Functions& into) {
        Dwarf_Die child;
        if (dwarf_child(parent, &child) != 0) return;
        do {
            const int tag = dwarf_tag(&child);
            if (tag == DW_TAG_namespace) add_functions(&child, into);
            if (tag != DW_TAG_subprogram) continue;
            std::ptrdiff_t offset = 0;
            Dwarf_Addr base = 0, begin = 0, end = 0;
            while ((offset = dwarf_ranges(&child, offset, &base, &begin, &end)) > 0) {
                into[begin] = {end, child};
            }
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    /// The function at this address of the unit, and what was inlined there, outermost first.
    /// dwarf_getscopes() would walk through the whole unit each time.
    std::vector<Dwarf_Die> scopes_of(Dwarf_Die* unit, Dwarf_Addr pc) {
        const auto [known, fresh] = functions_.try_emplace(dwarf_dieoffset(unit));
        if (fresh) add_functions(unit, known->second);
        std::vector<Dwarf_Die> scopes;
        auto function = known->second.upper_bound(pc);
        if (function == known->second.begin()) return scopes;
        --function;
        if (pc >= function->second.end) return scopes;
        scopes.push_back(function->second.die);
        Dwarf_Die inner = function->second.die;
        while (step_in(&inner, pc)) {
            if (dwarf_tag(&inner) == DW_TAG_inlined_subroutine) scopes.push_back(inner);
        }
        return scopes;
    }

    /// Continues with the child that contains the address, if there is one.
    static bool step_in(Dwarf_Die* die, Dwarf_Addr pc) {
        Dwarf_Die child;
        if (dwarf_child(die, &child) != 0) return false;
        do {
            if (dwarf_haspc(&child, pc) > 0) {
                *die = child;
                return true;
            }
        } while (dwarf_siblingof(&child, &child) == 0);
        return false;
    }

    std::map<Dwarf_Off, Functions> functions_;  ///< of each unit
    Dwfl_Callbacks callbacks_{};
    Dwfl* dwfl_ = nullptr;
};

std::mutex mutex;

bool is_users(const std::string& file) {
    return !file.empty() && file.rfind("/usr/", 0) != 0 &&
           file.find("/common/emulator/include/") == std::string::npos &&
           file.find("/common/lab/include/") == std::string::npos;
}

}  // namespace

namespace {

DebugInfo& info() {
    static DebugInfo* const only = new DebugInfo;
    return *only;
}

/// libdw needs more stack than a CUDA thread has. Not std::thread: if the program has some, the
/// linker keeps the program's, which calls the lab at each access.
template <class Work>
void on_own_thread(Work work) {
    pthread_t thread{};
    const auto call = [](void* its_work) -> void* {
        const emulator::ToolIsBusy busy;  // the lab may be using functions that the program has
        (*static_cast<Work*>(its_work))();
        return nullptr;
    };
    if (pthread_create(&thread, nullptr, call, &work) == 0) pthread_join(thread, nullptr);
}

}  // namespace

void each_variable(
    const std::function<void(const std::string&, std::uintptr_t, std::size_t)>& visit) {
    const std::lock_guard<std::mutex> lock(mutex);
    on_own_thread([&] { info().each_variable(visit); });
}

std::vector<std::pair<std::uintptr_t, std::uintptr_t>> constant_ranges() {
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> found;
    std::ifstream file("/proc/self/exe", std::ios::binary);
    const auto read = [&](std::uint64_t offset, void* to, std::size_t bytes) {
        file.seekg(static_cast<std::streamoff>(offset));
        return static_cast<bool>(
            file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
    };
    ElfW(Ehdr) header;
    if (!read(0, &header, sizeof header)) return found;
    std::vector<ElfW(Shdr)> sections(header.e_shnum);
    if (!read(header.e_shoff, sections.data(), sections.size() * sizeof sections[0])) return found;
    if (header.e_shstrndx >= sections.size()) return found;
    std::vector<char> names(sections[header.e_shstrndx].sh_size + 1);
    if (!read(sections[header.e_shstrndx].sh_offset, names.data(), names.size() - 1)) return found;
    // A position-independent program is loaded as a whole; any other lies at the address that it
    // states.
    const std::uintptr_t bias = header.e_type == ET_DYN ? code_begin() : 0;
    constexpr char kPrefix[] = "cuda_constant";
    for (const auto& section : sections) {
        if (section.sh_name >= names.size()) continue;
        if (std::strncmp(&names[section.sh_name], kPrefix, sizeof kPrefix - 1) != 0) continue;
        found.emplace_back(section.sh_addr + bias, section.sh_addr + bias + section.sh_size);
    }
    return found;
}

std::vector<Place> places_of(std::uintptr_t pc) {
    static auto* const known = new std::map<std::uintptr_t, std::vector<Place>>;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [at, fresh] = known->try_emplace(pc);
    if (fresh) on_own_thread([&, into = &at->second] { *into = info().places(pc); });
    return at->second;
}

Place user_place(std::uintptr_t pc) {
    // A library's code is never the user's, whatever its debug information calls its files.
    if (pc < code_begin() || pc >= code_end()) return {};
    for (Place& place : places_of(pc)) {
        if (place.line > 0 && is_users(place.file)) return place;
    }
    return {};
}

}  // namespace lab
