// Which words of device memory hold an address of the host's code or of its tables of virtual
// functions: objects and function pointers made by the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "emulator/for_observers.hpp"

namespace lab {

class HostObjects {
  public:
    /// Records a copy. `from_device`, `to_device`: which sides are device memory.
    void copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, bool to_device,
                bool from_device, std::uint32_t epoch);
    /// The host makes an object with virtual functions here, in memory that both sides use.
    void made(std::uintptr_t address, std::uint32_t epoch) { words_[address] = epoch; }

    /// Whether the host has got this address from the device (cudaMemcpyFromSymbol).
    bool is_of_device(std::uintptr_t value) const { return of_device_.count(value) != 0; }

    bool is_empty() const { return words_.empty(); }
    /// The epoch of the copy that brought the word here, or in which the host made it; none: it
    /// does not come from the host.
    std::optional<std::uint32_t> epoch_of(std::uintptr_t address) const {
        const auto found = words_.find(address);
        return found == words_.end() ? std::nullopt : std::make_optional(found->second);
    }

  private:
    std::map<std::uintptr_t, std::uint32_t> words_;
    std::set<std::uintptr_t> of_device_;  ///< addresses that the host has got from the device
};

/// For text that says where used memory was freed, in `file`: why, if a destructor has done it;
/// else empty.
std::string explain_owner(const std::string& said, const std::string& file, emulator::Site launch);

/// Whether a destructor in this file frees memory, so that a copy of its object would free it too.
bool has_freeing_destructor(const std::string& file);

}  // namespace lab
