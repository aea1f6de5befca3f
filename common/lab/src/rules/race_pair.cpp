#include "race_pair.hpp"

#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_words.hpp"

namespace lab {

namespace {

/// Whether the statement on the line goes on in the next one, by the operator or the comma between:
/// of a loop or a branch only behind its condition.
bool goes_on(const std::string& file, int line) {
    const std::string code = trimmed(code_line(file, line));
    const std::string next = trimmed(code_line(file, line + 1));
    if (code.empty() || next.empty() || code.front() == '#') return false;
    for (const char* const word : {"if", "for", "while", "switch"}) {
        const std::size_t at = find_word(code, word);
        if (at == std::string::npos) continue;
        const std::size_t open = code.find('(', at);
        if (open == std::string::npos || after_bracket(code, open) >= code.size()) return false;
    }
    const bool is_open = std::string("+-*/%&|^?,=<(").find(code.back()) != std::string::npos;
    const bool is_behind = next.size() > 1 && next[1] == ' ' &&
                           std::string("+-*/%&|^?:").find(next.front()) != std::string::npos;
    return (is_open && code.find("++", code.size() - 2) == std::string::npos) || is_behind;
}

/// The place; of a statement over several lines that also has the other place, at the first of the
/// two.
Place in_statement(Place place, const Place& other) {
    if (place.file != other.file || place.line <= other.line) return place;
    for (int line = other.line; line < place.line; ++line) {
        if (!goes_on(place.file, line)) return place;
    }
    place.line = other.line;
    return place;
}

}  // namespace

Race::Race(const SeenPairs& seen)
    : pair(seen.pair),
      both_write(seen.both_write),
      across_warps(seen.across_warps),
      warp(seen.warp),
      here(in_statement(place_of(pair.after.site), place_of(pair.before.site))),
      there(in_statement(place_of(pair.before.site), place_of(pair.after.site))),
      kernel_here(
          in_statement(kernel_place_of(pair.after.site), kernel_place_of(pair.before.site))),
      kernel_there(
          in_statement(kernel_place_of(pair.before.site), kernel_place_of(pair.after.site))),
      is_one_file(here.file == there.file),
      is_one_function(is_one_file && here.function == there.function),
      is_one_line(is_one_file && here.line == there.line),
      low(std::min(here.line, there.line)),
      high(std::max(here.line, there.line)),
      kernel_low(std::min(kernel_here.line, kernel_there.line)),
      kernel_high(std::max(kernel_here.line, kernel_there.line)) {}

bool share_loop(const Place& one, const Place& other) {
    return one.file == other.file &&
           is_in_loop(one.file, std::min(one.line, other.line), std::max(one.line, other.line));
}

void put(Finding& finding, const std::string& file, int line, Spot spot) {
    finding.cure_place = {file, line};
    finding.spot = spot;
}

void put_in_loop(Finding& finding, const Place& one, const Place& other) {
    const auto [low, high] = std::minmax(one.line, other.line);
    const int end = end_of_loop(one.file, low, high),
              begin = line_in_loop(one.file, low, high, {""});
    const bool is_bare = bare_around(one.file, end, begin - 1) == begin;
    put(finding, one.file, end, end == high || is_bare ? Spot::after : Spot::before);
}

std::string array_of(const Finding& finding) {
    constexpr char kOn[] = ", on ";
    const std::size_t at = finding.title.rfind(kOn);
    if (at == std::string::npos) return {};
    const std::string item = finding.title.substr(at + sizeof kOn - 1);
    return item.substr(0, item.find('['));
}

int barrier_of_rounds(const Race& race) {
    const auto operates = [](const Place& place) {
        return is_operation(source_line(place.file, place.line));
    };
    if (!share_loop(race.kernel_here, race.kernel_there)) return 0;
    if (operates(race.here) || operates(race.there)) return 0;
    return barrier_in_loop(race.kernel_here.file, race.kernel_low, race.kernel_high);
}

int lacks_in_some_rounds(const Race& race) {
    if (!race.pair.same_block || !share_loop(race.kernel_here, race.kernel_there)) return 0;
    return barrier_of_some_rounds(race.kernel_here.file, race.kernel_low, race.kernel_high);
}

int loop_of_rounds(const Race& race) {
    const Place& place = race.kernel_here;
    const RacePair& pair = race.pair;
    if (!pair.same_block || pair.before.is_atomic || pair.after.is_atomic) return 0;
    if (!share_loop(place, race.kernel_there)) return 0;
    const int low = race.kernel_low, high = race.kernel_high;
    if (line_in_loop(place.file, low, high, {"__sync", "sync()"}) != 0) return 0;
    const int loop = line_in_loop(place.file, low, high, {""});
    if (is_in_branch(place.file, loop)) return 0;  // no barrier of the block can be in it
    // A loop over a thread's own items begins with its number.
    const auto is_own = [&](const std::string& expression) {
        return is_computed_from(place.file, loop, expression, "threadIdx") ||
               is_computed_from(place.file, loop, expression, "thread_rank");
    };
    const std::vector<Assignment> first = assignments(place.file, loop);
    for (const Assignment& each : first) {
        if (is_own(each.value)) return 0;
    }
    const std::string condition = condition_of(source_line(place.file, loop));
    if (first.empty() && is_own(condition)) return 0;
    // What several threads add to one place takes atomic operations.
    if (race.is_one_function && race.here.line == place.line) {
        const std::string code = without_blanks(code_line(place.file, place.line));
        const std::size_t close = code.rfind(']', code.find('='));
        const std::size_t open = code.find('[');
        if (close == std::string::npos || open > close) return 0;
        if (is_shared_place(place.file, place.line, "x" + code.substr(open, close - open + 1)))
            return 0;
    }
    return loop;
}

}  // namespace lab
