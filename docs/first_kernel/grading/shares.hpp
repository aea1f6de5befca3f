// Do all threads do their share of the work? For graders of the warm-ups.
#pragma once

#include "../../../common/grading/lib/grading.hpp"

#if GRADING_HAS_LAB

#include <algorithm>
#include <cstdint>

/// Steps of the thread with most of them, by those of the average thread: 1 where all do the same.
inline double busiest_thread(const lab::Report& report) {
    std::uint64_t longest = 0, steps = 0, threads = 0;
    for (const lab::KernelReport& kernel : report.kernels) {
        longest = std::max(longest, kernel.longest_thread);
        steps += kernel.lane_steps;
        threads += kernel.threads;
    }
    return steps == 0 ? 0.0 : static_cast<double>(longest * threads) / static_cast<double>(steps);
}

/// Fails where few threads do what all of them should.
inline void check_shares(grading::Counts& check, const lab::Report& report, double most = 2.0) {
    check.at_most("steps of the busiest thread, by those of the average thread",
                  busiest_thread(report), most,
                  "Few threads do nearly all of the work, and the others wait for them. Share it.");
}

#endif
