#include "explain_chapter.hpp"

#include <cuda_runtime.h>

#include <algorithm>
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

/// Explains the selected stages of a prepared experiment; host and library rows run no kernels of
/// the chapter and are left out. True: all results were right.
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

}  // namespace

void ChapterCounts::count(const std::function<void()>& run, const std::function<void()>& reset) {
    report_ = lab::count(run, reset);
}

void ChapterCounts::add_to(tutorial::Counts& counts) const {
    const Traffic global = report_.total(Space::global);
    const Traffic shared = report_.total(Space::shared);
    counts.has_traffic = true;
    counts.global_requests = global.requests;
    counts.sectors = global.sectors;
    counts.least_sectors = global.least_sectors;
    counts.longest_queue = std::max(global.longest_queue, shared.longest_queue);
    counts.shared_requests = shared.requests;
    counts.wavefronts = shared.wavefronts;
    counts.least_wavefronts = shared.least_wavefronts;
    for (const KernelReport& kernel : report_.kernels) {
        counts.steps += kernel.steps;
        counts.lane_steps += kernel.lane_steps;
    }
}

bool ChapterCounts::show(Experiment& experiment, const std::vector<std::size_t>& selected,
                         const RunInfo& run, std::FILE* out, StatusLine& status) {
    return explain_rows(experiment, selected, run, out, status);
}

namespace {

[[maybe_unused]] const bool is_installed = [] {
    if (tutorial::analysis() == nullptr) tutorial::analysis() = new ChapterCounts;
    return true;
}();

}  // namespace

}  // namespace lab
