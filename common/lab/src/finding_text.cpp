// A finding in words, and as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "json_text.hpp"
#include "lab/lab.hpp"
#include "lines.hpp"
#include "places.hpp"

namespace lab {
namespace {

std::string party_text(const Party& party) {
    std::string text = fmt::format("\n  {} {}{}{}", party.who, party.what,
                                   party.is_call ? ", from " : " at ", at_line(party.at));
    if (party.call.is_known()) {
        text += party.call.path == party.at.path ? fmt::format(", from line {}", party.call.line)
                                                 : fmt::format(", from {}", at_line(party.call));
    }
    text += "\n" + quote(party.at);
    if (party.call.is_known()) text += "\n" + quote(party.call);
    return text;
}

Json place_json(const SourcePlace& place) {
    if (!place.is_known()) return nullptr;
    return {{"file", file_name(place.path)},
            {"line", place.line},
            {"source", source_line(place.path, place.line)}};
}

Json party_json(const Party& party) {
    Json made{{"who", party.who}, {"what", party.what}, {"at", place_json(party.at)}};
    if (party.call.is_known()) made.add("call", place_json(party.call));
    if (party.thread >= 0) {
        made.add("block", party.block);
        made.add("thread", party.thread);
    }
    return made;
}

}  // namespace

const char* code(Fault fault) {
    constexpr const char* kCodes[] = {"race",    "out_of_bounds", "misaligned",   "read_only",
                                      "escaped", "uninitialised", "host_pointer", "device_pointer",
                                      "overlap", "unused",        "backend",      "leak"};
    return kCodes[static_cast<int>(fault)];
}

const char* code(Cure cure) {
    constexpr const char* kCodes[] = {
        "none",         "block_barrier",  "warp_barrier",  "group_barrier", "fence",
        "device_fence", "device_scope",   "atomic_update", "atomic_access", "host_sets",
        "own_items",    "other_half",     "copy_offset",   "copy_pitch",    "end_kernel",
        "other_array",  "test_index",     "test_lower",    "wide_index",    "plain_load",
        "initialise",   "allocate_bytes", "launch_shape",  "launch_bytes",  "larger_array",
        "block_index",  "swapped_index",  "own_copy",      "byte_pitch",    "copy_bytes",
        "one_array",    "synchronise",    "free_memory"};
    return kCodes[static_cast<int>(cure)];
}

const char* code(Spot spot) {
    constexpr const char* kCodes[] = {"at", "before", "after", "within"};
    return kCodes[static_cast<int>(spot)];
}

std::string text(const Finding& finding) {
    std::string text = finding.title;
    for (const Party& each : finding.parties) text += party_text(each);
    if (!finding.evidence.empty()) text += "\n" + finding.evidence;
    if (!finding.advice.empty()) text += finding.advice;
    if (finding.times > 1) {
        text += fmt::format("\nThe same lines did this {} times.", finding.times);
    }
    return text;
}

std::string json(const std::vector<Finding>& findings) {
    Json made = Json::array();
    for (const Finding& each : findings) {
        Json parties = Json::array();
        for (const Party& party : each.parties) parties.push_back(party_json(party));
        const std::size_t begin = each.advice.find_first_not_of(":.\n ");
        made.push_back(
            Json{{"kind", each.code},
                 {"is_note", each.is_note},
                 {"kernel", each.kernel},
                 {"file", each.file},
                 {"line", each.line},
                 {"parties", parties},
                 {"evidence", each.evidence},
                 {"item", each.item},
                 {"items", each.items},
                 {"cure",
                  {{"code", code(each.cure)},
                   {"spot", code(each.spot)},
                   {"place", place_json(each.cure_place)},
                   {"text", begin == std::string::npos ? "" : each.advice.substr(begin)}}},
                 {"times", each.times},
                 {"text", text(each)}});
    }
    return made.text();
}

std::size_t count_faults(const std::vector<Finding>& findings) {
    return static_cast<std::size_t>(std::count_if(
        findings.begin(), findings.end(), [](const Finding& each) { return !each.is_note; }));
}

}  // namespace lab
