#include "race_pair.hpp"

#include "source_blocks.hpp"
#include "source_calls.hpp"

namespace lab {

Race::Race(const SeenPairs& seen)
    : pair(seen.pair),
      both_write(seen.both_write),
      across_warps(seen.across_warps),
      warp(seen.warp),
      here(place_of(pair.after.site)),
      there(place_of(pair.before.site)),
      kernel_here(kernel_place_of(pair.after.site)),
      kernel_there(kernel_place_of(pair.before.site)),
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
    const int end = end_of_loop(one.file, low, high);
    put(finding, one.file, end, end == high ? Spot::after : Spot::before);
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

}  // namespace lab
