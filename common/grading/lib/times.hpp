// Compares a learner's time on a GPU with that of another kernel.
#pragma once

#include <functional>
#include <string>

#include "answers.hpp"

namespace grading {

/// The phase that measures. Only on a GPU: in other builds it passes without being run.
class Times : public Checks {
  public:
    using Checks::Checks;

    /// Fails with the reason `time` unless the learner's time is at most `ratio` times the other's.
    /// Cold times (see harness/timer.hpp), alternating, the best median of each; a learner who
    /// misses the bar is measured three times. `other_name`: "the chapter's stage `sequential`";
    /// `reset` restores the inputs of both.
    void at_most_times(const std::string& other_name, const std::function<void()>& other,
                       const std::function<void()>& learners, double ratio,
                       const std::function<void()>& reset = {});
};

}  // namespace grading
