#include "explain_chapter.hpp"

#include <cuda_runtime.h>

#include <string>
#include <utility>

#include "common/harness/cuda_check.hpp"
#include "common/harness/fmt.hpp"
#include "common/harness/runner.hpp"
#include "common/harness/text.hpp"
#include "explain.hpp"
#include "lab/lab.hpp"

namespace lab {

using tutorial::Experiment;
using tutorial::format_size;
using tutorial::reason_to_skip;
using tutorial::RowInfo;
using tutorial::RowKind;
using tutorial::RunInfo;
using tutorial::StatusLine;
using tutorial::Verdict;

namespace {

/// Runs one row under the lab and checks it.
Verdict count_row(Experiment& experiment, std::size_t index, Report& report) {
    try {
        experiment.reset(0);
        CUDA_CHECK(cudaDeviceSynchronize());
        report = count([&] { experiment.run(index, 0); }, [&] { experiment.reset(0); });
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
        return experiment.check(index, 0);
    } catch (const std::exception& error) {
        return {false, error.what()};
    }
}

ExplainedStage explained(const RunInfo& run, const RowInfo& row, const std::string& skipped,
                         const Verdict& verdict, Report report) {
    const bool ran = skipped.empty();
    return {row.name,
            row.idea,
            !ran         ? "skipped"
            : verdict.ok ? "ok"
                         : "wrong",
            !ran         ? skipped
            : verdict.ok ? ""
                         : verdict.message,
            run.bytes_needed,
            std::move(report)};
}

void print_stage(const RunInfo& run, const RowInfo& row, const std::string& skipped,
                 const Verdict& verdict, const Report& report, std::FILE* out) {
    fmt::print(out, "\n{}: {}\n", row.name, row.idea);
    if (!skipped.empty()) {
        fmt::print(out, "  skipped: {}\n", skipped);
        return;
    }
    fmt::print(out, "{}", explain_text(report, run.bytes_needed));
    if (!verdict.ok) fmt::print(out, "  WRONG: {}\n", verdict.message);
}

}  // namespace

bool explain_rows(Experiment& experiment, const std::vector<std::size_t>& selected,
                  const RunInfo& run, std::FILE* out, StatusLine& status) {
    const std::vector<RowInfo> rows = experiment.rows();
    const bool as_json = run.options.json;
    ExplainedRun told{run.chapter,
                      run.options.n,
                      run.options.input,
                      run.options.seed,
                      run.options.order,
                      run.chapter_options,
                      {}};
    if (!as_json) {
        fmt::print(out,
                   "{}: {}\nn = {} {}s, input {}, seed {}{}{}: what each line does to memory\n",
                   run.chapter, run.title, format_size(run.options.n), run.item, run.options.input,
                   run.options.seed, run.chapter_options.empty() ? "" : ", ", run.chapter_options);
    }
    bool all_right = true;
    bool first = true;
    for (const std::size_t index : selected) {
        const RowInfo& row = rows[index];
        if (row.kind != RowKind::stage) continue;
        const std::string skipped = reason_to_skip(row, run.options.n, run.item);
        Verdict verdict;
        Report report;
        if (skipped.empty()) {
            status.show(fmt::format("{}: counting ...", row.name));
            verdict = count_row(experiment, index, report);
            all_right = all_right && verdict.ok;
        }
        status.clear();
        if (as_json) {
            told.stages.push_back(explained(run, row, skipped, verdict, std::move(report)));
        } else {
            print_stage(run, row, skipped, verdict, report, out);
        }
        std::fflush(out);
        first = false;
    }
    if (as_json) {
        fmt::print(out, "{}\n", explain_json(told));
    } else if (!first) {
        fmt::print(out, "\n{}", explain_legend());
    }
    return all_right;
}

bool find_faults(Experiment& experiment, const std::vector<std::size_t>& selected,
                 const RunInfo& run, std::FILE* out, StatusLine& status) {
    const std::vector<RowInfo> rows = experiment.rows();
    fmt::print(out, "{}: {}\nn = {} {}s, input {}, seed {}, threads in {} order: faults\n\n",
               run.chapter, run.title, format_size(run.options.n), run.item, run.options.input,
               run.options.seed, run.options.order);
    bool all_right = true;
    std::string notice;
    for (const std::size_t index : selected) {
        const RowInfo& row = rows[index];
        if (row.kind != RowKind::stage) continue;
        const std::string skipped = reason_to_skip(row, run.options.n, run.item);
        if (!skipped.empty()) {
            fmt::print(out, "{}: skipped: {}\n", row.name, skipped);
            continue;
        }
        status.show(fmt::format("{}: looking for faults ...", row.name));
        Verdict verdict;
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

}  // namespace lab
