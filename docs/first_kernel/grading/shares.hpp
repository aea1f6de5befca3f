// Do all threads do their share of the work? For graders of the warm-ups.
#pragma once

#include "../../../common/grading/lib/grading.hpp"

#if GRADING_HAS_LAB

/// Fails if only a few threads do what all of them should: `items` items of `bytes` bytes each are
/// loaded from global memory, and as many results are stored there, by at least `threads` threads.
inline void check_shares(grading::Counts& check, const lab::Report& report, double bytes,
                         double items, double loads_each, double stores_each, double threads) {
    const char* const think =
        "Only a few threads do nearly all the work. Share it among all threads.";
    check.shares(report,
                 {lab::Space::global, lab::Operation::load, bytes, loads_each, items, threads},
                 think);
    check.shares(report,
                 {lab::Space::global, lab::Operation::store, bytes, stores_each, items, threads},
                 think);
}

#endif
