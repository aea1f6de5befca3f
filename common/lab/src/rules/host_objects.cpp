#include "host_objects.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "emulator/for_observers.hpp"
#include "program.hpp"

namespace lab {
namespace {

/// Whether a word may be the address of a function or of a table of virtual functions.
bool may_be_code(std::uintptr_t value) {
    return is_program_image(value) && !is_program_data(value);
}

/// Whether a word that the host gets from the device may be the address of a function. In
/// WebAssembly that is the function's number; any other small number looks like it.
bool may_be_function(std::uintptr_t value) {
#if defined(__wasm__)
    return emulator::symbol_table().functions.count(value) != 0;
#else
    return may_be_code(value);
#endif
}

}  // namespace

void HostObjects::copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, bool to_device,
                         bool from_device, std::uint32_t epoch) {
    constexpr std::size_t kWord = sizeof(std::uintptr_t);
    std::vector<std::pair<std::uintptr_t, std::uint32_t>> brought;
    for (std::uintptr_t at = (to + kWord - 1) / kWord * kWord; at + kWord <= to + bytes;
         at += kWord) {
        std::uintptr_t value = 0;
        std::memcpy(&value, reinterpret_cast<const void*>(at), kWord);
        if (!to_device) {
            if (may_be_function(value)) of_device_.insert(value);
        } else if (!may_be_code(value)) {
            continue;
        } else if (from_device) {
            if (const auto before = epoch_of(at - to + from)) brought.emplace_back(at, *before);
        } else if (of_device_.count(value) == 0) {
            brought.emplace_back(at, epoch);
        }
    }
    if (!to_device) return;
    words_.erase(words_.lower_bound(to), words_.lower_bound(to + bytes));
    for (const auto& each : brought) words_.insert_or_assign(each.first, each.second);
}

}  // namespace lab
