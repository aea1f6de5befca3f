// Puts the lab into a chapter's program: it installs itself as the harness's analysis. --faults and
// --trace look for faults in each stage.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/harness/analysis.hpp"
#include "common/harness/cuda_check.hpp"
#include "common/harness/fmt.hpp"
#include "common/harness/runner.hpp"
#include "common/harness/text.hpp"
#include "explain_chapter.hpp"
#include "lab/lab.hpp"

namespace lab {
namespace {

using tutorial::Experiment;
using tutorial::RunInfo;
using tutorial::StatusLine;

/// After start_fault_detection(): runs and checks the selected stages, and shows their faults.
/// True: there are none, and all results were right.
bool find_faults(Experiment& experiment, const std::vector<std::size_t>& selected,
                 const RunInfo& run, std::FILE* out, StatusLine& status) {
    const std::vector<tutorial::RowInfo> rows = experiment.rows();
    fmt::print(out, "{}: {}\nn = {} {}s, input {}, seed {}, threads in {} order: faults\n\n",
               run.chapter, run.title, tutorial::format_size(run.options.n), run.item,
               run.options.input, run.options.seed, run.options.order);
    bool all_right = true;
    std::string notice;
    for (const std::size_t index : selected) {
        const tutorial::RowInfo& row = rows[index];
        if (row.kind != tutorial::RowKind::stage) continue;
        const std::string skipped = tutorial::reason_to_skip(row, run.options.n, run.item);
        if (!skipped.empty()) {
            fmt::print(out, "{}: skipped: {}\n", row.name, skipped);
            continue;
        }
        status.show(fmt::format("{}: looking for faults ...", row.name));
        tutorial::Verdict verdict;
        try {
            experiment.reset(0);
            if (!run.options.trace.empty()) start_trace(run.options.trace);
            experiment.run(index, 0);
            if (!run.options.trace.empty()) stop_trace();
            CUDA_CHECK_LAUNCH();
            CUDA_CHECK(cudaDeviceSynchronize());
            verdict = experiment.check(index, 0);
        } catch (const TraceError& error) {  // not a fault of the stage
            throw tutorial::ResourceError(error.what());
        } catch (const std::exception& error) {
            verdict = {false, error.what()};
        }
        const std::vector<Finding> found = take_findings(&notice);
        status.clear();
        const bool is_clean = count_faults(found) == 0;
        all_right = all_right && verdict.ok && is_clean;
        fmt::print(out, "{}: {}{}\n", row.name, is_clean ? "no fault found" : "",
                   verdict.ok ? "" : " WRONG: " + verdict.message);
        for (const Finding& each : found) fmt::print(out, "\n{}\n", text(each));
        if (!found.empty()) fmt::print(out, "\n");
        std::fflush(out);
    }
    if (!notice.empty()) fmt::print(out, "\n{}\n", notice);
    return all_right;
}

class ChapterLab : public ChapterCounts {
  public:
    bool finds_faults() const override { return true; }
    void begin(const tutorial::Options&) override { start_fault_detection(); }

    bool show(Experiment& experiment, const std::vector<std::size_t>& selected, const RunInfo& run,
              std::FILE* out, StatusLine& status) override {
        return run.options.explain && !run.options.faults && run.options.trace.empty()
                   ? ChapterCounts::show(experiment, selected, run, out, status)
                   : find_faults(experiment, selected, run, out, status);
    }
};

[[maybe_unused]] const bool is_installed = [] {
    tutorial::analysis() = new ChapterLab;
    return true;
}();

}  // namespace
}  // namespace lab
