#include "rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lines.hpp"
#include "source_calls.hpp"
#include "source_words.hpp"

/// Defined by programs whose local variables begin with a pattern: lab/memory_calls.hpp.
extern "C" __attribute__((weak)) const char lab_fills_variables;

namespace lab {

namespace {

/// What g++ fills local variables with: -ftrivial-auto-var-init=pattern.
constexpr std::uint32_t kUnset = 0xfefefefeu;

/// Whether the program was compiled this way; otherwise such a word is a value like any other.
bool are_variables_filled() { return &lab_fills_variables != nullptr; }

/// Whether a word may be an unset local variable, or one to which a little was added.
bool is_unset(std::uint32_t word) {
    constexpr std::uint32_t kAround = 1024;
    return word - kUnset + kAround < 2 * kAround;
}

/// Whether that is so for each word of a value.
bool is_unset(std::uintptr_t address, std::uint32_t bytes) {
    if (bytes < 4 || bytes > 16 || bytes % 4 != 0) return false;
    const auto word = [&](std::uint32_t i) {
        std::uint32_t value = 0;
        std::memcpy(&value, reinterpret_cast<const std::uint32_t*>(address) + i, sizeof value);
        return value;
    };
    // In a double only the upper word stays the same if something is added.
    if (bytes == 8) return word(1) == kUnset;
    for (std::uint32_t i = 0; i < bytes / 4; ++i) {
        if (!is_unset(word(i))) return false;
    }
    return true;
}

bool is_pattern(std::uintptr_t address) {
    return std::memcmp(reinterpret_cast<const void*>(address), &kUnset, sizeof kUnset) == 0;
}

/// Whether no member of a structure was set; some may well be left as they are.
bool is_unset_struct(std::uintptr_t address, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes / sizeof kUnset; ++i) {
        if (!is_pattern(address + i * sizeof kUnset)) return false;
    }
    return bytes >= sizeof kUnset && bytes % sizeof kUnset == 0;
}

/// Whether a number may be an unset variable that was multiplied or divided by a small whole
/// number.
template <class T>
bool is_multiple_of_unset(std::uintptr_t address) {
    constexpr double kMost = 4096, kTolerance = 1e-6;
    T value = 0, unset = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    std::memset(&unset, kUnset & 0xff, sizeof unset);
    const double ratio = static_cast<double>(unset) / static_cast<double>(value);
    const double whole = std::round(ratio);
    return std::abs(static_cast<double>(value) / static_cast<double>(unset) - 2) < kTolerance ||
           (whole >= 1 && whole <= kMost && std::abs(ratio - whole) < kTolerance * whole);
}

/// The same, after a look at the uppermost bits, which hardly any number shares.
bool may_come_from_unset(std::uintptr_t address, std::uint32_t bytes) {
    if (bytes != sizeof(float) && bytes != sizeof(double)) return false;
    std::uint32_t upper = 0;
    std::memcpy(&upper, reinterpret_cast<const void*>(address + bytes - sizeof upper),
                sizeof upper);
    if (upper < 0xf8000000u || upper >= 0xff800000u) return false;
    return bytes == sizeof(float) ? is_multiple_of_unset<float>(address)
                                  : is_multiple_of_unset<double>(address);
}

/// Whether a file computes masks of lanes: that of a condition such as i % 8 != 0 is the pattern.
bool has_lane_masks(const std::string& file) {
    const std::string code = code_lines(file, 1, line_count(file));
    for (const char* const word : {"ballot", "activemask", "coalesced_", "_partition", "match_"}) {
        if (code.find(word) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

/// Whether the value of 4 bytes looks unset by chance: of the words that a place has read or stored
/// hardly any do. One of two million random words is near the pattern, one of four billion is it.
bool UnsetVariable::is_chance(const Access& access) {
    constexpr std::uint32_t kFew = 8192;
    if (access.site >= words_.size()) words_.resize(access.site + 1u);
    Words& words = words_[access.site];
    ++words.all;
    if (access.bytes != sizeof kUnset || !is_unset(access.address, access.bytes)) return false;
    ++words.near;
    return !is_pattern(access.address) && words.all / kFew >= words.near;
}

void UnsetVariable::check_load(const Access& access) {
    if (!are_variables_filled() || !is_unset(access.address, access.bytes)) return;
    // The first load of an unset variable finds the pattern itself; a mask of lanes may be near it.
    if (access.bytes == sizeof kUnset && !is_pattern(access.address)) return;
    Access made = access;
    made.site = run_.users_site(access.site);
    report(made, false);
}

void UnsetVariable::check_store(const Access& access) {
    const Kind kind = site(access.site).kind;
    if (!are_variables_filled()) return;
    if (kind == Kind::write_some) {
        if (is_unset_struct(access.address, access.bytes)) report(access, true);
        return;
    }
    if ((kind != Kind::write && kind != Kind::atomic) || is_chance(access)) return;
    if (is_unset(access.address, access.bytes)) {
        report(access, true);
    } else if (may_come_from_unset(access.address, access.bytes)) {
        const Place here = place_of(access.site);
        const std::string code = code_line(here.file, here.line);
        const std::vector<UnsetText> all = variables_without_value(here.file, here.line);
        if (std::any_of(all.begin(), all.end(), [&](const UnsetText& each) {
                return (each.type == "float" || each.type == "double") &&
                       find_word(code, each.name) != std::string::npos;
            })) {
            report(access, true);
        }
    }
}

void UnsetVariable::report(const Access& access, bool is_store) {
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (findings_.is_known(key) || masks_.count(key) != 0) return;
    const SourcePlace at = source_place(place_of(access.site));
    const std::vector<UnsetText> all = variables_without_value(at.path, at.line);
    if (access.bytes == sizeof kUnset && all.empty() && has_lane_masks(at.path)) {
        masks_.insert(key);
        return;
    }
    Finding made =
        finding(run_, Fault::uninitialised, "uninitialised", "uninitialised variable",
                party(run_, access,
                      is_store ? "stores the value of a local variable that was never set,"
                               : "reads a local variable that was never set,"));
    made.parties.front().call = {};
    made.evidence = is_store ? "The variable, or what it was computed from, has no initial value:"
                             : "A local variable holds an arbitrary value until it is set:";
    cure(made, Cure::initialise, made.parties.front().at,
         is_store ? " give it one where it is declared." : " give it a value where it is declared.",
         Spot::before);
    for (const LocalArray& each : run_.thread->arrays) {
        if (access.address - each.begin >= each.bytes) continue;
        const std::size_t item = (access.address - each.begin) / access.bytes;
        made.evidence =
            fmt::format("That is item {} of {}, which is declared without a value at {}:{}:", item,
                        each.name, file_name(each.site.file), each.site.line);
        made.advice = " use only the items that\nwere set, or give all of them a value there.";
        findings_.add(key, std::move(made));
        return;
    }
    constexpr std::size_t kFew = 3;
    if (!all.empty() && all.size() <= kFew) {
        std::string names;
        for (const UnsetText& each : all) {
            names += fmt::format("{}{} (line {})", names.empty() ? "" : ", ", each.name, each.line);
        }
        made.evidence = fmt::format("Declared without a value: {}.", names);
        made.advice =
            "\nGive each a value there, such as 0 for a sum, {} for an array, the first item for a "
            "smallest one; or on every\npath from there.";
    }
    findings_.add(key, std::move(made));
}

}  // namespace lab
