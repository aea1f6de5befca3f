#include "variables.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include "lines.hpp"

namespace lab {
namespace {

using Side = Variable::Side;
using Variables = std::map<std::uintptr_t, Variable>;  ///< by their begin

Variable variable(const std::string& symbol, std::uintptr_t begin, std::size_t bytes) {
    int status = -1;
    // Without _Z it is not a mangled name: "c" would be the type char.
    char* const text = symbol.compare(0, 2, "_Z") == 0
                           ? abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status)
                           : nullptr;
    Variable made{status == 0 ? text : symbol, begin, bytes};
    std::free(text);
    const std::size_t colons = made.name.rfind("::");
    if (colons != std::string::npos) {
        made.scope = made.name.substr(0, colons);
        made.name.erase(0, colons + 2);
    }
    return made;
}

/// Removes the prefix; false: there is none.
bool drop(std::string& name, const char* prefix) {
    const std::string wanted = prefix;
    if (name.compare(0, wanted.size(), wanted) != 0) return false;
    name.erase(0, wanted.size());
    return true;
}

/// The sides follow from the marks that translate.py has put beside the variables.
Variables read_variables() {
    Variables all;
    std::set<std::pair<std::string, std::string>> device, host;  // scopes and names
    each_variable([&](const std::string& symbol, std::uintptr_t begin, std::size_t bytes) {
        if (symbol.compare(0, 3, "_ZT") == 0 || bytes == 0) return;  // of a class; the linker's
        Variable made = variable(symbol, begin, bytes);
        std::string name = made.name;
        if (drop(name, "cpu_red_zone_")) {
            made.side = Side::zone;
            device.emplace(made.scope, name);
        } else if (drop(name, "cpu_host_variable_")) {
            host.emplace(made.scope, name);
        } else if (made.scope == "main") {
            made.side = Side::host;
        }
        all.emplace(begin, std::move(made));
    });
    for (auto& [begin, each] : all) {
        const std::pair<std::string, std::string> name(each.scope, each.name);
        const bool is_device = device.count(name) != 0, is_host = host.count(name) != 0;
        // Two files may each have a variable of this name.
        if (is_device != is_host) each.side = is_device ? Side::device : Side::host;
    }
    return all;
}

const Variables& variables() {
    static const auto* const all = new Variables(read_variables());
    return *all;
}

}  // namespace

const Variable* variable_at(std::uintptr_t address) {
    const auto after = variables().upper_bound(address);
    if (after == variables().begin()) return nullptr;
    const Variable& found = std::prev(after)->second;
    return found.holds(address) ? &found : nullptr;
}

const Variable* device_variable_beside(std::uintptr_t address) {
    constexpr std::uintptr_t kReach = 8192;
    const Variable* found = nullptr;
    std::uintptr_t least = kReach;
    const auto look = [&](const Variable& each, std::uintptr_t distance) {
        if (each.side != Side::device || distance >= least) return;
        found = &each;
        least = distance;
    };
    const auto after = variables().upper_bound(address);
    for (auto at = after; at != variables().end() && at->first - address < least; ++at) {
        look(at->second, at->first - address);
    }
    for (auto at = after; at != variables().begin();) {
        const Variable& each = (--at)->second;
        if (address - each.begin >= each.bytes + least) break;
        look(each, address - (each.begin + each.bytes));
    }
    return found;
}

void look_up_variables() { variables(); }

}  // namespace lab
