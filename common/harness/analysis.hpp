// What a program may add to the harness: an analysis that watches stages run instead of timing
// them. The lab is one (common/lab/): linked into chNN_lab, and into chNN_count without the search
// for faults, it installs itself before main() begins. Every other program has none. What a program
// lacks of --explain, --faults and --trace is refused.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

#include "interface.hpp"
#include "report.hpp"

namespace tutorial {

class Analysis {
  public:
    virtual ~Analysis() = default;

    /// Runs `run` and counts what its kernels do to memory. May do so several times, with `reset`
    /// in between.
    virtual void count(const std::function<void()>& run, const std::function<void()>& reset) = 0;

    /// Adds what was counted last to a row's counts.
    virtual void add_to(Counts& counts) const = 0;

    /// Whether the program was linked with the search for faults.
    virtual bool finds_faults() const = 0;

    /// Called before the experiment is made, if the options ask for --faults or --trace.
    virtual void begin(const Options& options) = 0;

    /// Takes the place of the table: runs the selected rows of a prepared experiment and prints
    /// what the options ask for. True: every result was right, and no fault was found.
    virtual bool show(Experiment& experiment, const std::vector<std::size_t>& selected,
                      const RunInfo& run, std::FILE* out, StatusLine& status) = 0;
};

/// The analysis of this program, or nullptr. Assigned before main() begins, if at all.
inline Analysis*& analysis() {
    static Analysis* installed = nullptr;
    return installed;
}

}  // namespace tutorial
