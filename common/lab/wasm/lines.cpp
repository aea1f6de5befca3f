// In place of ../src/lines.cpp. The browser lab knows from the compiler's debug information where
// each numbered call is (emulator/wasm/numbered_calls.hpp), and has written that to the file
// /places (docs/site/page_lab/places.mjs), for each call:
//     @, or @f for the hook of a store of a float or a double
//     LINE FILE FUNCTION    a line for each place, innermost first; between them tabs
#include "lines.hpp"
#include "emulator/for_observers.hpp"

#include <cstdlib>
#include <fstream>

#include "program.hpp"

namespace lab {
namespace {

struct Call {
    std::vector<Place> places;
    bool stores_float = false;
};

const std::vector<Call>& calls() {
    static const auto* const all = [] {
        auto* const made = new std::vector<Call>;
        std::ifstream file("/places");
        for (std::string line; std::getline(file, line);) {
            if (line[0] == '@') {
                made->emplace_back().stores_float = line == "@f";
                continue;
            }
            const std::size_t one = line.find('\t'), two = line.find('\t', one + 1);
            made->back().places.push_back({line.substr(one + 1, two - one - 1),
                                           std::atoi(line.c_str()), line.substr(two + 1)});
        }
        return made;
    }();
    return *all;
}

/// Null if there is none. `pc` is a little before four times the number of a call, from 1.
const Call* call_at(std::uintptr_t pc) {
    return pc / 4 < calls().size() ? &calls()[pc / 4] : nullptr;
}

/// Calls `visit` with each line of /symbols of this kind.
template <class Visit>
void for_symbols(const std::string& wanted, Visit visit) {
    std::ifstream file("/symbols");
    std::string kind, name;
    std::uintptr_t address = 0;
    for (std::size_t bytes = 0; file >> kind >> address >> bytes >> name;) {
        if (kind == wanted) visit(name, address, bytes);
    }
}

/// The browser lab compiles the user's files, and no others, in this folder.
bool is_users(const std::string& file) { return file.rfind("/src/", 0) == 0; }

template <class T>
bool is_in(const T& variable, std::uintptr_t address) {
    return address - reinterpret_cast<std::uintptr_t>(&variable) < sizeof(T);
}

}  // namespace

bool is_emulator_variable(std::uintptr_t address) {
    return is_in(threadIdx, address) || is_in(blockIdx, address) || is_in(blockDim, address) ||
           is_in(gridDim, address) || is_in(emulator::identifying, address) ||
           is_in(emulator::current_counts, address);
}

void each_variable(
    const std::function<void(const std::string&, std::uintptr_t, std::size_t)>& visit) {
    for_symbols("D", visit);
}

std::vector<std::pair<std::uintptr_t, std::uintptr_t>> constant_ranges() {
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> found;
    for_symbols("C", [&](const std::string&, std::uintptr_t begin, std::size_t bytes) {
        found.emplace_back(begin, begin + bytes);
    });
    return found;
}

std::vector<Place> places_of(std::uintptr_t pc) {
    const Call* const call = call_at(pc);
    return call != nullptr ? call->places : std::vector<Place>();
}

bool stores_float(std::uintptr_t pc) {
    const Call* const call = call_at(pc);
    return call != nullptr && call->stores_float;
}

Place user_place(std::uintptr_t pc) {
    const Call* const call = call_at(pc);
    if (call == nullptr) return {};
    for (const Place& place : call->places) {
        if (place.line > 0 && is_users(place.file)) return place;
    }
    return {};
}

}  // namespace lab
