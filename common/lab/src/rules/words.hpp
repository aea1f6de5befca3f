// Findings in words: what did it, and to what.
#pragma once

#include <fmt/format.h>

#include <string>

#include "lab/lab.hpp"
#include "order/execution.hpp"
#include "places.hpp"
#include "variables.hpp"

namespace lab {

/// The evidence of an uninitialised read of which nothing else is known.
constexpr const char* kNothingWritten =
    "Nothing has been written there yet: is it the item you meant?";

/// What an address is, in words: "sums[33]", "item 4 of the allocation of ...".
struct Target {
    std::string name;                   ///< of the array
    std::string item;                   ///< with an index
    std::string declaration;            ///< with its size and its place in the source
    std::size_t offset = 0, bytes = 0;  ///< of the address, and of the array
};
/// "tile[8][0]": the item that a static shared array or the dynamic one has at an offset.
std::string item_of(const emulator::SharedRegion& region, std::size_t within, std::uint32_t bytes);

/// `address`: in the variable, or beside it.
Target target(const Variable& variable, std::uintptr_t address, std::uint32_t bytes);
Target target(const LocalArray& array, std::uintptr_t address, std::uint32_t bytes);
Target target(Execution& run, std::uintptr_t address, std::uint32_t bytes);

/// A thread of the running block.
std::string who(const Execution& run, int thread);
Party party(const Execution& run, const Access& access, std::string what);
/// Who did what where; of a kernel's thread also its block and its number.
Party party_at(const SourcePlace& at, std::string who, std::string what, std::int64_t block = -1,
               std::int64_t thread = -1);
/// A call of the host: a kernel's launch, a copy.
Party call(std::string who, std::string what, emulator::Site site);
/// A line of the host.
Party host(SiteId id, std::string what);

std::string bytes_text(std::size_t bytes);
/// "item 3", "items 3 to 7".
std::string items_text(std::size_t first, std::size_t last);
const char* does(bool stores);

/// "in" the running kernel.
Finding finding(const Execution& run, Fault fault, const char* code, const std::string& title,
                Party party);
void cure(Finding& made, Cure how, const SourcePlace& place, std::string words,
          Spot spot = Spot::at);

}  // namespace lab
