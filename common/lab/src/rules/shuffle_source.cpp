#include <algorithm>

#include "rules.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

/// A lane of the running block, by the number of its thread.
Party lane(const Execution& run, int number, std::string what, emulator::Site where) {
    const std::uint64_t block = run.worker->block->index;
    return party_at(source_place(where),
                    fmt::format("lane {} of warp {}, block {},", number % 32, number / 32, block),
                    std::move(what), static_cast<std::int64_t>(block), number);
}

/// The calling lane.
Party lane(const Execution& run, std::string what, emulator::Site where) {
    return lane(run, run.worker->thread->number, std::move(what), where);
}

/// The first shuffle on a line.
struct ShuffleText {
    std::string name, group;  ///< "__shfl_sync"; "shfl", of a group
    std::vector<std::string> arguments;
    bool is_direct() const { return name == "__shfl_sync" || name == "shfl"; }
    std::string argument(std::size_t position) const {
        return position < arguments.size() ? arguments[position] : "";
    }
};
ShuffleText shuffle_text(const SourcePlace& at) {
    const std::string code = code_line(at.path, at.line);
    std::size_t end = code.find("shfl");
    if (end == std::string::npos) return {};
    while (end < code.size() && is_word(code[end])) ++end;
    ShuffleText made;
    made.name = name_before(code, end);
    const std::size_t begin = end - made.name.size();
    if (begin > 0 && code[begin - 1] == '.') made.group = name_before(code, begin - 1);
    made.arguments = call_arguments(at.path, at.line, made.name);
    return made;
}

/// __ffs() counts from 1: where the number of the source lane comes from it unchanged. Empty: it
/// does not.
std::string count_from_one(const SourcePlace& at, const std::string& source) {
    int line = at.line;
    const std::string text = computation(at.path, at.line, source, &line);
    const std::size_t call = text.find("__ffs");
    const std::size_t open = text.find('(', call);
    if (call != 0 || open == std::string::npos || after_bracket(text, open) != text.size())
        return {};
    if (line == at.line) {
        return fmt::format(" __ffs() counts\nfrom 1: the first lane of a mask is {} - 1.", text);
    }
    // Where another line has subtracted 1, the variable must stay as it is.
    constexpr int kLines = 20;
    for (int other = line + 1; other < at.line + kLines; ++other) {
        const std::string code = without_blanks(code_line(at.path, other));
        const std::size_t found = find_word(code, source);
        if (code.find("__global__") != std::string::npos) break;
        if (found == std::string::npos || code.compare(found + source.size(), 2, "-1") != 0)
            continue;
        return fmt::format(
            " {} gets its\nvalue in line {}, but __ffs() counts from 1, and line {} subtracts 1: "
            "use {} - 1 in line {} too.",
            source, line, other, source, at.line);
    }
    return fmt::format(
        " {} gets its\nvalue in line {}, but __ffs() counts from 1: subtract 1 there, {} - 1.",
        source, line, text);
}

/// The branch, or the return, that keeps lanes from a line, or from what calls its function; 0:
/// there is none.
int branch_to(const std::string& file, int line) {
    int branch = std::max(branch_around(file, line), exit_before(file, line));
    for (const int each : calls_of_function(file, line)) {
        if (branch == 0) branch = std::max(branch_around(file, each), exit_before(file, each));
    }
    return branch;
}

/// "for (int d = n / 2; d > 0; d /= 2) sum += group.shfl_down(sum, d);"
bool adds_by_halves(const SourcePlace& at) {
    const std::string code = without_blanks(code_line(at.path, at.line));
    const std::string head = without_blanks(code_line(at.path, loop_around(at.path, at.line)));
    const bool is_sum =
        code.find("shfl_down") != std::string::npos && code.find("+=") != std::string::npos &&
        code.find('?') == std::string::npos && code.find("if(") == std::string::npos;
    if (!is_sum || branch_around(at.path, at.line) > loop_around(at.path, at.line)) return false;
    return head.find("/=2") != std::string::npos || head.find(">>=1") != std::string::npos ||
           head.find("/2)") != std::string::npos || head.find(">>1)") != std::string::npos;
}

std::string outside_advice(const SourcePlace& at) {
    const ShuffleText shuffle = shuffle_text(at);
    const bool has_mask = shuffle.group.empty();
    const std::string source = shuffle.argument(has_mask ? 2 : 1);
    if (shuffle.is_direct()) {
        std::string from_one = count_from_one(at, source);
        if (!from_one.empty()) return from_one;
        int defined = 0;
        const bool is_variable =
            source == last_name(source) && !definition(at.path, at.line, source, &defined).empty();
        return fmt::format(
            " Name all lanes that give or take a value,\nand let all of them reach the call; or "
            "let a lane of the mask have the value, such as the first:\n__ffs(mask) - 1{}.",
            is_variable && defined >= function_around(at.path, at.line).line
                ? fmt::format(", in line {}, where {} gets its value", defined, source)
                : "");
    }
    const std::string neutral =
        "lanes without\nan item give a value that changes nothing, such as 0 in a sum.";
    int made = 0;
    const std::string mask =
        has_mask ? computation(at.path, at.line, shuffle.argument(0), &made) : std::string();
    if (mask.find("__activemask") != std::string::npos) {
        const int branch = branch_to(at.path, at.line);
        return fmt::format(
            " __activemask()\nin line {} names only the lanes that happen to be there{}.\nLet the "
            "whole warp make the call, with the mask 0xffffffff{}; {}",
            made, branch != 0 ? fmt::format(", and line {} keeps others out", branch) : "",
            branch != 0 ? ", before that line" : "", neutral);
    }
    return " Name all lanes that give or take a value,\nand let all of them reach the call; " +
           neutral;
}

constexpr const char* kWholeWarps =
    "\nLaunch whole warps, begin with a step of 16, and let lanes without an item give a value "
    "that "
    "changes nothing,\nsuch as 0 in a sum.";

/// Whether the group of a shuffle may have any number of lanes.
bool is_any_size(const SourcePlace& at, const std::string& group) {
    int line = 0;
    const std::string made = computation(at.path, at.line, group, &line);
    for (const char* const each : {"coalesced_threads", "labeled_partition", "binary_partition"}) {
        if (made.find(each) != std::string::npos) return true;
    }
    return type_of(at.path, at.line, group).type.find("coalesced_group") != std::string::npos;
}

}  // namespace

void ShuffleSource::report(int asking, int source, unsigned mask, emulator::Site where) {
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(where), {"shuffle", 0});
    const SourcePlace place = source_place(where);
    if (findings_.is_known(key) || is_used_in_branches(place.path, place.line, "shfl")) return;
    const emulator::Worker& worker = *emulator::this_worker;
    run_.worker = &worker;
    const int warp = worker.thread->number / 32;
    const unsigned lanes = worker.block->warps[static_cast<std::size_t>(warp)].lanes;
    const bool exists = (lanes >> source & 1u) != 0;
    Finding made = finding(run_, Fault::backend, "shuffle_from_outside", "shuffle from outside",
                           lane(run_, warp * 32 + asking,
                                fmt::format("asks for the value of lane {},", source), where));
    made.evidence =
        (exists ? fmt::format("Lane {} is not among those of the mask (0x{:08x})", source, mask)
                : fmt::format("The warp has only {} lanes", __builtin_popcount(lanes))) +
        ", so what it gets is undefined.";
    const bool are_halves = (__builtin_popcount(lanes) & (__builtin_popcount(lanes) - 1)) == 0;
    made.advice = exists       ? outside_advice(place)
                  : are_halves ? " Begin with a step\nof half as many lanes as there are, or "
                                 "launch whole warps."
                               : kWholeWarps;
    findings_.add(key, std::move(made));
}

void ShuffleSource::report_beyond(emulator::ShuffleBeyond how, unsigned asked, unsigned size,
                                  emulator::Site where) {
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(where), {"shuffle", 0});
    if (findings_.is_known(key)) return;
    run_.worker = emulator::this_worker;
    const Execution& run = run_;
    const bool is_uneven = how == emulator::ShuffleBeyond::uneven_group;
    const SourcePlace place = source_place(where);
    const std::string code = code_line(place.path, place.line);
    // Its own value changes no maximum.
    bool is_extreme = false;
    for (const char* const each : {"max(", "maxf(", "min(", "minf("}) {
        is_extreme = is_extreme || code.find(each) < code.find("shfl");
    }
    if (is_uneven && !adds_by_halves(place)) return;
    if (how == emulator::ShuffleBeyond::distance &&
        (is_extreme || is_used_in_branches(place.path, place.line, "shfl"))) {
        return;
    }
    const bool is_distance = how == emulator::ShuffleBeyond::distance || is_uneven;
    Finding made = finding(
        run, Fault::backend, "shuffle_beyond", "shuffle beyond its group",
        lane(run,
             is_distance
                 ? fmt::format("asks for a value {} lanes away, in a group of {},", asked, size)
                 : fmt::format("asks for the value of rank {}, in a group of {},", asked, size),
             where));
    cure(made, Cure::none, made.parties.front().at, "");
    if (is_distance) {
        made.evidence =
            is_uneven ? "A sum by halves needs a group of 2, 4, 8, 16 or 32: of others it leaves "
                        "lanes out, or counts\nthem twice."
                      : "No lane is that far away: each gets its own value, and a sum counts it "
                        "twice.";
        made.advice = fmt::format(" Begin with half\nthe size of the group, {}.", size / 2);
        const SourcePlace& at = made.parties.front().at;
        const ShuffleText shuffle = shuffle_text(at);
        const std::string& group = shuffle.group;
        if (group.empty() && shuffle.name.rfind("__", 0) == 0) {
            if (is_uneven) made.advice = kWholeWarps;
        } else if ((size & (size - 1)) != 0 || is_any_size(at, group)) {
            const bool goes_up = shuffle.name == "shfl_up";
            const std::string name = group.empty() ? "group" : group;
            made.advice = fmt::format(
                "\nA coalesced group may have any number of lanes: {}add what a lane gets only if\n"
                "{}.thread_rank() {} {}; or call cg::{}({}, value, cg::plus<T>()).",
                goes_up ? "" : "begin with 16, and ", name, goes_up ? ">=" : "+",
                goes_up ? shuffle.argument(1)
                        : fmt::format("{} < {}.size()", shuffle.argument(1), name),
                goes_up ? "inclusive_scan" : "reduce", name);
        }
        findings_.add(key, std::move(made));
        return;
    }
    const bool wraps = how == emulator::ShuffleBeyond::tile_rank;
    made.is_note = wraps;
    if (wraps) made.title = "note: " + made.title;
    made.evidence =
        fmt::format("Its ranks are 0 to {}, {}", size - 1,
                    wraps ? fmt::format("and {} wraps around to {}.", asked, asked % size)
                          : "so what it gets is undefined.");
    made.advice =
        "\nA rank is a place in the group, thread_rank(), and not that of a thread in its block.";
    findings_.add(key, std::move(made));
}

void ShuffleSource::report_mask(unsigned lanes, unsigned all, emulator::Site where) {
    const FindingList::Key key =
        FindingList::key_of(Fault::backend, source_place(where), {"active mask", 0});
    const SourcePlace place = source_place(where);
    // If the others have already returned, nothing else could be done.
    if (findings_.is_known(key) || !is_in_branch(place.path, place.line)) return;
    run_.worker = emulator::this_worker;
    const Execution& run = run_;
    Finding made = finding(
        run, Fault::backend, "diverged_mask", "__activemask() in a branch",
        lane(run, fmt::format("gets the mask 0x{:08x}, of lanes 0x{:08x},", lanes, all), where));
    made.is_note = true;
    made.title = "note: " + made.title;
    made.evidence =
        "It names the lanes that happen to run together, which on a GPU may be any of those that "
        "reach this line.";
    cure(made, Cure::none, made.parties.front().at,
         "\nIf all of them are to take part, let them agree on a mask before the branch, with "
         "__ballot_sync\nof its condition.");
    findings_.add(key, std::move(made));
}

}  // namespace lab
