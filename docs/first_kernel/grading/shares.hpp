// Do all threads do their share of the work? For graders of the warm-ups.
#pragma once

#include "../../../common/grading/lib/grading.hpp"

#if GRADING_HAS_LAB

/// Fails where few threads do what all of them should.
inline void check_shares(grading::Counts& check, const lab::Report& report, double most = 2.0) {
    check.at_most("steps of the busiest thread, divided by those of the average thread",
                  grading::busiest_thread(report), most,
                  "Few threads do nearly all of the work, and the others wait for them. Share it.");
}

#endif
