// What is made of the clocks that the kernels read, and the article's figures beside today's.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../common/harness/ceilings.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/device_clock.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/text.hpp"

namespace tutorial {

/// One stage's blocks, by the device's clocks, in one run.
struct StageClocks {
    std::string stage;
    unsigned sums_left = 0;  ///< sums that the host has to add
    std::vector<BlockTime> blocks;
};

/// The row of that name, or nullptr where it was not timed.
inline const RowResult* timed_row(const std::vector<RowResult>& results, const std::string& name) {
    for (const RowResult& result : results) {
        if (result.row.name == name && result.cold_seconds > 0.0) return &result;
    }
    return nullptr;
}

/// False after a run with --once, or where everything was wrong: there is nothing to compare.
inline bool any_timed(const std::vector<RowResult>& results) {
    return std::any_of(results.begin(), results.end(),
                       [](const RowResult& result) { return result.cold_seconds > 0.0; });
}

/// What each stage's blocks read from the device's clocks, beside the time between two events.
inline std::string clock_table(const std::vector<StageClocks>& clocks,
                               const std::vector<RowResult>& results) {
    std::vector<std::vector<std::string>> table = {{"stage", "blocks", "sums left", "longest block",
                                                    "that is", "across blocks", "device clock",
                                                    "events"}};
    for (const StageClocks& stage : clocks) {
        const RowResult* row = timed_row(results, stage.stage);
        if (row == nullptr || stage.blocks.empty()) continue;
        long long longest = 0;
        BlockTime whole = stage.blocks.front();
        for (const BlockTime& block : stage.blocks) {
            longest = std::max(longest, block.end_cycles - block.start_cycles);
            whole.start_cycles = std::min(whole.start_cycles, block.start_cycles);
            whole.end_cycles = std::max(whole.end_cycles, block.end_cycles);
            whole.start_ns = std::min(whole.start_ns, block.start_ns);
            whole.end_ns = std::max(whole.end_ns, block.end_ns);
        }
        // Long runs are timed cold only.
        const std::string events = row->hot_seconds > 0.0
                                       ? format_time(row->hot_seconds)
                                       : format_time(row->cold_seconds) + " (cold)";
        table.push_back({stage.stage, std::to_string(stage.blocks.size()),
                         std::to_string(stage.sums_left), std::to_string(longest),
                         format_time(static_cast<double>(longest) / device_info().sm_clock_hz),
                         std::to_string(whole.end_cycles - whole.start_cycles),
                         format_time(1e-9 * static_cast<double>(whole.end_ns - whole.start_ns)),
                         events});
    }
    return "By the device's own clocks (one warm run), beside the events (hot)\n" +
           text_table(table) +
           "longest block: cycles from its start to its end, by its multiprocessor's counter\n"
           "that is: at the multiprocessors' highest clock\n"
           "across blocks: cycles from the first start to the last end, which means nothing where\n"
           "the blocks ran on several multiprocessors: their counters do not start together\n"
           "device clock: from the first start to the last end, by the clock that all share\n";
}

/// The figures of the article that this chapter grows out of (2014, GeForce G 103M, 2^20 ints),
/// beside today's. `bytes`: what a run reads.
inline std::string article_table(const std::vector<RowResult>& results, std::size_t bytes) {
    const auto ratio = [&](const char* slow, const char* fast) -> std::string {
        const RowResult* before = timed_row(results, slow);
        const RowResult* after = timed_row(results, fast);
        if (before == nullptr || after == nullptr) return "-";
        return format_number(before->cold_seconds / after->cold_seconds) + "x";
    };
    const auto rate = [&](const char* name) -> std::string {
        const RowResult* row = timed_row(results, name);
        if (row == nullptr) return "-";
        return format_number(static_cast<double>(bytes) / row->cold_seconds / 1e9);
    };
    return "The article's figures beside today's\n" +
           text_table({
               {"", "GeForce G 103M", "here"},
               {"one_thread to chunked", "36x", ratio("one_thread", "chunked")},
               {"chunked to interleaved", "13x", ratio("chunked", "interleaved")},
               {"one_thread to interleaved", "493x", ratio("one_thread", "interleaved")},
               {"interleaved, GB/s", "4.01", rate("interleaved")},
               {"best, GB/s", "-", rate("best")},
               {"the memory's limit, GB/s", "4.58",
                format_number(ceilings().read_bytes_per_second / 1e9)},
           });
}

}  // namespace tutorial
