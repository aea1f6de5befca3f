// What chapters show with the lab: --explain runs each stage once, checks it and shows it line by
// line; the table's counts.
//
// With --json the output is one JSON object:
//   schema     "tutorial-explain-1"
//   chapter, n, input, seed, order, options    as in the table's head
//   stages     an array, in the order of the table; each has
//     stage, idea     the row's
//     check           "ok", "wrong" or "skipped"
//     message         what was wrong, or why it was skipped; else ""
//     bytes_needed    bytes that one run must move at least; 0: the chapter has no such number
//     kernels         an array, see common/lab/README.md
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

#include "common/harness/analysis.hpp"
#include "lab/lab.hpp"

namespace lab {

/// The harness's analysis in a program that only counts; chapter_lab.cpp adds the search for
/// faults.
class ChapterCounts : public tutorial::Analysis {
  public:
    void count(const std::function<void()>& run, const std::function<void()>& reset) override;
    void add_to(tutorial::Counts& counts) const override;
    bool finds_faults() const override { return false; }
    void begin(const tutorial::Options&) override {}
    bool show(tutorial::Experiment& experiment, const std::vector<std::size_t>& selected,
              const tutorial::RunInfo& run, std::FILE* out, tutorial::StatusLine& status) override;

  private:
    Report report_;
};

}  // namespace lab
