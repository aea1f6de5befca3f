#include "lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <cstdlib>
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
        // The innermost scope, then those around it where it stands in the program; from an inlined
        // function dwarf_getscopes() alone would go on with those where it was written.
        Dwarf_Die* innermost = nullptr;
        Dwarf_Die* scopes = nullptr;
        int count = dwarf_getscopes(unit, pc - bias, &innermost);
        if (count > 0) count = dwarf_getscopes_die(&innermost[0], &scopes);
        std::free(innermost);
        for (int i = 0; i < count; ++i) {
            const int tag = dwarf_tag(&scopes[i]);
            if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
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
        std::free(scopes);
        if (found.empty()) found.push_back(at);
        return found;
    }

  private:
    Dwfl_Callbacks callbacks_{};
    Dwfl* dwfl_ = nullptr;
};

std::mutex mutex;

bool is_users(const std::string& file) {
    return !file.empty() && file.rfind("/usr/", 0) != 0 &&
           file.find("/common/cpu/include/") == std::string::npos;
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
