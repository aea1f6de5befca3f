// The lab as the harness sees it. A program that is built with the lab (chNN_lab) sets it before
// main() begins; in all others there is none.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "chapter.hpp"

namespace tutorial {

class Lab {
  public:
    virtual ~Lab() = default;

    /// Runs `run` and counts what the lines of its kernels do to memory. May do so several times,
    /// with `reset` in between.
    virtual void count(const std::function<void()>& run, const std::function<void()>& reset) = 0;

    /// From now on looks for faults in all that runs, instead of counting.
    virtual void watch_faults() = 0;

    /// The same, and writes what threads do to a file. Throws where that cannot be written.
    virtual void start_trace(const std::string& file) = 0;
    virtual void stop_trace() = 0;

    /// What was found since, or since the last call: one text for each; and what was not looked at.
    virtual std::vector<std::string> take_faults(std::string* notice) = 0;

    /// Adds what was counted last to a row's counts.
    virtual void add_to(Counts& counts) const = 0;

    /// What was counted last, line by line, for people.
    virtual std::string text(std::size_t bytes_needed) const = 0;

    /// The same as the value of "kernels" in the JSON of --explain --json.
    virtual std::string json() const = 0;
};

/// The lab, or nullptr.
Lab* lab();
void set_lab(Lab* lab);

}  // namespace tutorial
