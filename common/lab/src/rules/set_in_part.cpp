#include "rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lines.hpp"
#include "places.hpp"
#include "source_words.hpp"
#include "spaces.hpp"

namespace lab {

void SetInPart::copied(const emulator::Copy& copy, const Watched* target) {
    constexpr std::size_t kMaxParts = 256;
    if (target == nullptr || target->kind != emulator::MemoryKind::symbol) return;
    const std::uintptr_t begin = target->begin;
    const auto [at, fresh] = variables_.try_emplace(begin);
    Variable& variable = at->second;
    const std::size_t first = reinterpret_cast<std::uintptr_t>(copy.to) - begin;
    const std::size_t last = std::min(first + copy.bytes, target->bytes);
    if (fresh) {
        const auto* const known = variable_at(begin);
        if (known != nullptr) variable.name = known->name;
        variable.is_set.assign(target->bytes, false);
        variable.is_constant = is_constant(begin);
        const auto* const bytes = reinterpret_cast<const unsigned char*>(begin);
        for (std::size_t i = 0; i < target->bytes; ++i) {
            const bool is_here = first <= i && i < last;
            variable.has_initial_values =
                variable.has_initial_values || (!is_here && bytes[i] != 0);
        }
        low_ = low_ == 0 ? begin : std::min(low_, begin);
        high_ = std::max(high_, begin + target->bytes);
    }
    Part part{copy.call, copy.site, first, copy.bytes, false};
    for (std::size_t i = first; i < last; ++i) {
        part.overlaps = part.overlaps || variable.is_set[i];
        variable.is_set[i] = true;
    }
    if (variable.parts.size() < kMaxParts) variable.parts.push_back(std::move(part));
}

/// A copy whose offset would be that of `item` if it counted items.
const SetInPart::Part* SetInPart::offset_in_items(const Variable& variable,
                                                  std::size_t item) const {
    for (const Part& each : variable.parts) {
        const std::size_t meant = each.begin * item;
        if (item > 1 && each.begin != 0 && each.overlaps &&
            meant + each.bytes <= variable.is_set.size()) {
            return &each;
        }
    }
    return nullptr;
}

/// Whether an index outside another array has led into this variable.
static bool is_missed(const Access& access, const std::string& name, const OutOfBounds& bounds) {
    const Place here = place_of(access.site);
    return bounds.has_index_in(here.line) &&
           find_word(source_line(here.file, here.line), name) == std::string::npos;
}

void SetInPart::check_never_set(const Access& access, const lab::Variable& variable,
                                const OutOfBounds& bounds) {
    if (!looked_at_.insert(variable.begin).second) return;
    // A single value may well be 0 on purpose.
    const auto* const bytes = reinterpret_cast<const unsigned char*>(variable.begin);
    const bool has_values =
        std::any_of(bytes, bytes + variable.bytes, [](unsigned char each) { return each != 0; });
    if (variable.bytes <= access.bytes || has_values) return;
    // A copy that failed is the cause.
    const std::vector<Finding>& all = findings_.all();
    if (std::any_of(all.begin(), all.end(),
                    [](const Finding& each) { return each.fault == Fault::backend; })) {
        return;
    }
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (findings_.is_known(key) || is_missed(access, variable.name, bounds)) return;
    Finding made = finding(run_, Fault::uninitialised, "never_set", "never set",
                           party(run_, access, fmt::format("reads {}", variable.name)));
    made.title += ", " + variable.name;
    made.evidence = "No copy has set that __constant__ variable, and all of it is 0.";
    cure(made, Cure::initialise, made.parties.front().at,
         " Copy its values with\ncudaMemcpyToSymbol before the launch, or give it values where it "
         "is declared.");
    findings_.add(key, std::move(made));
}

void SetInPart::check(const Access& access, const OutOfBounds& bounds) {
    auto after = variables_.upper_bound(access.address);
    if (after == variables_.begin()) return;
    const auto& [begin, variable] = *std::prev(after);
    const std::size_t offset = access.address - begin;
    if (variable.has_initial_values || offset + access.bytes > variable.is_set.size()) return;
    const auto first = variable.is_set.begin() + static_cast<std::ptrdiff_t>(offset);
    if (std::find(first, first + access.bytes, true) != first + access.bytes) return;
    const Part* const shifted = offset_in_items(variable, access.bytes);
    if (shifted == nullptr && !variable.is_constant) return;
    const Part& part = shifted != nullptr ? *shifted : variable.parts.back();
    const std::size_t all = variable.is_set.size(), item = access.bytes;
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (findings_.is_known(key) || is_missed(access, variable.name, bounds)) return;
    Finding made = finding(run_, Fault::uninitialised, "set_in_part", "set in part",
                           party(run_, access,
                                 all > item && offset % item == 0
                                     ? fmt::format("reads {}[{}]", variable.name, offset / item)
                                     : fmt::format("reads byte {} of {}", offset, variable.name)));
    made.title += ", " + variable.name;
    made.parties.push_back(call(
        part.call,
        fmt::format("sets bytes {} to {} of its {}", part.begin, part.begin + part.bytes - 1, all),
        part.site));
    put_places(made);
    made.evidence = "The host has not set that item, which is 0.";
    if (shifted != nullptr) {
        made.items = static_cast<std::int64_t>(item);
        cure(made, Cure::copy_offset, source_place(part.site),
             fmt::format(" The offset of a symbol is in bytes:\nthat of item {} is {} * {}.",
                         part.begin, part.begin, item));
        findings_.add(key, std::move(made));
        return;
    }
    made.item = static_cast<std::int64_t>(part.bytes);
    made.items = static_cast<std::int64_t>(all);
    cure(made, Cure::copy_bytes, source_place(part.site),
         part.bytes * item == all
             ? fmt::format(" {} is the number of items: the size is\nin bytes, {} * {}.",
                           part.bytes, part.bytes, item)
             : fmt::format(" Copy {}, or give\nthe variable its values where it is declared.",
                           variable.parts.size() == 1 && part.begin == 0
                               ? "all of it, sizeof(" + variable.name + ")"
                               : "all that the kernel reads"));
    findings_.add(key, std::move(made));
}

}  // namespace lab
