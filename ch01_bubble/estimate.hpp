// What counting predicts for a stage, before it is measured; and the two side by side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/text.hpp"

namespace bubble {

/// Min and max operations that a multiprocessor does in a clock (CUDA C++ Programming Guide,
/// arithmetic instructions, compute capability 7.0 and later).
constexpr double kMinMaxPerClock = 64.0;

/// What a many-block stage does, by counting.
struct Work {
    std::string stage;
    double launches;    ///< of kernels
    double blocks;      ///< of a launch
    double half_steps;  ///< of a launch, one after the other
    double block_keys;  ///< keys that a block compares in a half-step
};

/// The model: a block's half-step is one min and one max for every two keys, at the rate of one
/// multiprocessor; blocks are dealt out evenly, and the multiprocessor with the most of them sets
/// the time. It leaves out launches, barriers, shuffles and memory, and that some stages compute
/// some maxima on another pipe: what is measured beside it shows what they are worth.
inline double predicted_seconds(const Work& work, const tutorial::DeviceInfo& device) {
    const double blocks_of_one = std::ceil(work.blocks / device.sm_count);
    const double operations = work.launches * work.half_steps * blocks_of_one * work.block_keys;
    return operations / (kMinMaxPerClock * device.sm_clock_hz);
}

/// What was measured of a stage, as text; empty where nothing was.
inline std::string measured_text(const tutorial::RowResult& result, double predicted) {
    char text[80] = "";
    const double measured = result.hot_seconds > 0.0 ? result.hot_seconds : result.cold_seconds;
    if (result.counts.counted) {
        std::snprintf(text, sizeof text, "%12llu launches",
                      static_cast<unsigned long long>(result.counts.launches));
    } else if (measured > 0.0) {
        std::snprintf(text, sizeof text, "%12s %13.2f", tutorial::format_time(measured).c_str(),
                      measured / predicted);
    }
    return text;
}

/// A line for each stage of `work`; beside it what was measured, where `results` has it.
inline std::string estimate_text(std::size_t n, const std::vector<Work>& work,
                                 const std::vector<tutorial::RowResult>& results) {
    const tutorial::DeviceInfo& device = tutorial::device_info();
    const bool cpu = device.is_emulator;
    char line[200];
    std::snprintf(line, sizeof line,
                  "Estimate: %zu keys on %d multiprocessors, %g min/max a clock on each%s\n", n,
                  device.sm_count, kMinMaxPerClock,
                  cpu ? " (a CPU has no such rate: counts, no times)" : "");
    std::string text = line;
    const char* measured = cpu ? "     counted" : "    measured  of predicted";
    std::snprintf(line, sizeof line, "  %-10s %9s %7s %20s %12s%s\n", "stage", "launches", "blocks",
                  "half-steps a launch", "predicted", results.empty() ? "" : measured);
    text += line;
    for (const Work& stage : work) {
        const double predicted = cpu ? 0.0 : predicted_seconds(stage, device);
        std::snprintf(line, sizeof line, "  %-10s %9.0f %7.0f %20.0f %12s", stage.stage.c_str(),
                      stage.launches, stage.blocks, stage.half_steps,
                      cpu ? "-" : tutorial::format_time(predicted).c_str());
        text += line;
        for (const tutorial::RowResult& result : results) {
            if (result.row.name == stage.stage) text += measured_text(result, predicted);
        }
        text += '\n';
    }
    return text;
}

}  // namespace bubble
