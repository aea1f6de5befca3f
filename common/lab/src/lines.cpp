#include "lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

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
        // From the innermost scope outwards, as the functions stand in the program.
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

    /// Goes on to the child that holds the address, if there is one.
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
           file.find("/common/emulator/include/") == std::string::npos;
}

}  // namespace

std::vector<Place> places_of(std::uintptr_t pc) {
    static DebugInfo* const info = new DebugInfo;
    static auto* const known = new std::map<std::uintptr_t, std::vector<Place>>;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [at, fresh] = known->try_emplace(pc);
    // libdw needs more stack than a CUDA thread has.
    if (fresh) std::thread([&, into = &at->second] { *into = info->places(pc); }).join();
    return at->second;
}

Place user_place(std::uintptr_t pc) {
    for (Place& place : places_of(pc)) {
        if (place.line > 0 && is_users(place.file)) return place;
    }
    return {};
}

std::string source_line(const std::string& file, int line) {
    static auto* const known = new std::map<std::string, std::vector<std::string>>;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [at, fresh] = known->try_emplace(file);
    if (fresh) {
        std::ifstream in(file);
        for (std::string text; std::getline(in, text);) at->second.push_back(text);
    }
    if (line < 1 || static_cast<std::size_t>(line) > at->second.size()) return {};
    const std::string& text = at->second[static_cast<std::size_t>(line) - 1];
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace lab
