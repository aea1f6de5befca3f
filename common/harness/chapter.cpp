// Read from the top: the command line, then one run in its order: inputs, rows, report, exit code.
#include "chapter.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "analysis.hpp"
#include "command_line.hpp"
#include "cuda_check.hpp"
#include "fmt.hpp"
#include "output.hpp"
#include "report.hpp"
#include "runner.hpp"
#include "text.hpp"
#include "timer.hpp"

namespace tutorial {

namespace {

constexpr int kExitRight = 0;
constexpr int kExitWrong = 1;
constexpr int kExitUsage = 2;
constexpr int kExitResource = 3;

/// CUDA's errors that mean that this GPU cannot be used, rather than that a program is wrong.
bool means_no_usable_gpu(cudaError_t code) {
    return code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ||
           code == cudaErrorNoKernelImageForDevice || code == cudaErrorMemoryAllocation ||
           code == cudaErrorDevicesUnavailable || code == cudaErrorSystemDriverMismatch;
}

void print_list(const std::vector<RowInfo>& rows, std::FILE* out) {
    std::size_t width = 0;
    for (const RowInfo& row : rows) width = std::max(width, row.name.size());
    for (const RowInfo& row : rows) {
        fmt::print(out, "{:<{}}  {:<7}  {}\n", row.name, width, kind_text(row.kind), row.idea);
    }
}

/// Indices of the rows named, in table order; all rows if none is named.
std::vector<std::size_t> select(const std::vector<RowInfo>& rows,
                                const std::vector<std::string>& names) {
    const auto is_named = [&](const RowInfo& row) {
        return names.empty() || std::find(names.begin(), names.end(), row.name) != names.end();
    };
    for (const std::string& name : names) {
        const bool known = std::any_of(rows.begin(), rows.end(),
                                       [&](const RowInfo& row) { return row.name == name; });
        if (known) continue;
        std::vector<std::string> known_names;
        known_names.reserve(rows.size());
        for (const RowInfo& row : rows) known_names.push_back(row.name);
        const std::string like = most_like(name, known_names);
        throw UsageError(fmt::format("--stage: there is no stage '{}'{}; there are {}", name,
                                     like.empty() ? "" : " (did you mean " + like + "?)",
                                     fmt::join(known_names, ", ")));
    }
    std::vector<std::size_t> selected;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (is_named(rows[i])) selected.push_back(i);
    }
    return selected;
}

void require_device_memory(const Options& options, const DeviceInfo& device, std::size_t needed) {
    if (!device.is_emulator) needed += GpuTimer::flush_bytes();
    if (needed <= device.free_bytes) return;
    throw ResourceError(fmt::format("n = {} needs {} of device memory; {} has {}, {} of it free",
                                    options.n, format_bytes(needed), device.name,
                                    format_bytes(device.memory_bytes),
                                    format_bytes(device.free_bytes)));
}

/// Everything that comes before the first row: memory, ceilings, input, reference.
void prepare(Experiment& experiment, RunInfo& run, StatusLine& status) {
    const Options& options = run.options;
    require_device_memory(options, run.device, experiment.device_bytes(options));
    set_thread_order(options.order, options.seed);
    const bool timed = !run.device.is_emulator && !options.once;
    if (timed) {
        status.show("measuring the memory ceilings ...");
        run.ceilings = ceilings();
    }
    status.show("making the input and the reference ...");
    experiment.prepare(options);
    run.bytes_needed = experiment.bytes_needed();
    run.times_copies = experiment.times_copies();
    if (timed) run.ceiling = experiment.ceiling();
}

/// The stream on which a line may be rewritten repeatedly; null if there is none.
std::FILE* terminal_of(std::FILE* out, std::FILE* err) {
    if (isatty(fileno(err))) return err;
    return isatty(fileno(out)) ? out : nullptr;
}

}  // namespace

struct Chapter::Impl {
    CommandLine line;

    // In the order in which a run goes through them.
    int run(int argc, const char* const* argv, const MakeExperiment& make, std::FILE* out,
            std::FILE* err) const;
    int run_batch(int argc, const char* const* argv, const std::string& file,
                  const MakeExperiment& make, std::FILE* out, std::FILE* err) const;
    void require_analysis(const Options& options) const;
    RunInfo run_info(const Options& options) const;
    int run_selected(Experiment& experiment, const std::vector<std::size_t>& selected, RunInfo& run,
                     std::FILE* out, std::FILE* err) const;
    int exit_code(const RunOutcome& outcome, const Report& report, std::FILE* err) const;
    int nothing_was_run(std::FILE* err) const;
};

// ---- What main() says about its chapter --------------------------------------------------------

Chapter::Chapter(std::string name, std::string title, std::string item)
    : impl_(std::make_unique<Impl>()) {
    impl_->line.program = std::move(name);
    impl_->line.title = std::move(title);
    impl_->line.item = std::move(item);
    impl_->line.max_n = SIZE_MAX;
}

Chapter::~Chapter() = default;

Chapter& Chapter::sizes(std::size_t gpu_default, std::size_t cpu_default, std::size_t gpu_max,
                        std::size_t cpu_max) {
    CommandLine& line = impl_->line;
    line.default_n = on_emulator() ? cpu_default : gpu_default;
    line.max_n = on_emulator() ? cpu_max : gpu_max;
    line.why_max_n = on_emulator() && cpu_max < gpu_max
                         ? fmt::format(
                               "the emulator runs the threads one by one, so more would "
                               "take too long (a GPU takes up to {})",
                               format_size(gpu_max))
                         : "the chapter's kernels and tests go no further";
    return *this;
}

Chapter& Chapter::flag(const std::string& option, const std::string& help, bool& value) {
    impl_->line.extra.push_back({option, help, &value});
    return *this;
}

Chapter& Chapter::choice(const std::string& option, const std::string& help,
                         const std::vector<std::string>& choices, std::string& value) {
    impl_->line.extra.push_back({option, help, nullptr, &value, choices});
    return *this;
}

Chapter& Chapter::number(const std::string& option, const std::string& help, std::size_t& value,
                         std::size_t least, std::size_t most) {
    impl_->line.extra.push_back({option, help, nullptr, nullptr, {}, &value, least, most});
    return *this;
}

int Chapter::main(int argc, char** argv, const MakeExperiment& make) {
    keep_standard_streams();
    return main(argc, argv, make, stdout, stderr);
}

int Chapter::main(int argc, const char* const* argv, const MakeExperiment& make, std::FILE* out,
                  std::FILE* err) {
    const auto fail = [&](const char* what, int exit_code) {
        std::fflush(out);
        std::fprintf(err, "%s: %s\n", impl_->line.program.c_str(), what);
        return exit_code;
    };
    try {
        const int exit_code = impl_->run(argc, argv, make, out, err);
        finish_output(out);
        return exit_code;
    } catch (const UsageError& error) {
        return fail(error.what(), kExitUsage);
    } catch (const ResourceError& error) {
        return fail(error.what(), kExitResource);
    } catch (const CudaError& error) {
        return fail(error.what(), means_no_usable_gpu(error.code()) ? kExitResource : kExitWrong);
    } catch (const std::system_error& error) {
        // {fmt}'s, if it could not write; otherwise a resource that the system refused.
        const std::string why = error.code().message();
        return fail(std::ferror(out) != 0 ? ("standard output cannot be written: " + why).c_str()
                                          : error.what(),
                    kExitResource);
    } catch (const std::bad_alloc&) {
        return fail("there is not enough host memory for this n", kExitResource);
    } catch (const std::exception& error) {
        return fail(error.what(), kExitWrong);
    }
}

// ---- One run -----------------------------------------------------------------------------------

int Chapter::Impl::run(int argc, const char* const* argv, const MakeExperiment& make,
                       std::FILE* out, std::FILE* err) const {
    const ChapterValues defaults(line.extra);
    const ParsedLine parsed = parse_command_line(line, argc, argv);
    if (!parsed.help.empty()) {
        fmt::print(out, "{}", parsed.help);
        return kExitRight;
    }
    const Options& options = parsed.options;
    if (!options.batch.empty()) {
        defaults.put_back();
        return run_batch(argc, argv, options.batch, make, out, err);
    }
    require_analysis(options);
    if (options.faults || !options.trace.empty()) analysis()->begin(options);
    const std::unique_ptr<Experiment> experiment = make(options);
    const std::vector<RowInfo> rows = experiment->rows();
    const std::vector<std::size_t> selected = select(rows, options.stages);
    if (options.list) {
        print_list(rows, out);
        return kExitRight;
    }
    RunInfo run = run_info(options);
    return run_selected(*experiment, selected, run, out, err);
}

/// One process for many runs: the device is set up, and the memory's ceilings are measured, once.
/// The rest of the command line goes before each line's own words. Ends at the first run that
/// fails.
int Chapter::Impl::run_batch(int argc, const char* const* argv, const std::string& file,
                             const MakeExperiment& make, std::FILE* out, std::FILE* err) const {
    std::vector<std::string> common;
    for (int i = 0; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--batch") {
            ++i;  // and its value
        } else if (word.rfind("--batch=", 0) != 0) {
            common.push_back(word);
        }
    }
    const ChapterValues defaults(line.extra);
    for (const std::vector<std::string>& own : read_batch(file)) {
        std::vector<std::string> words = common;
        words.insert(words.end(), own.begin(), own.end());
        std::vector<const char*> pointers;
        pointers.reserve(words.size());
        for (const std::string& word : words) pointers.push_back(word.c_str());
        fmt::print(out, "\n== {} {}\n", line.program, fmt::join(own, " "));
        std::fflush(out);
        const int code = run(static_cast<int>(pointers.size()), pointers.data(), make, out, err);
        defaults.put_back();
        if (code != kExitRight) return code;
    }
    return kExitRight;
}

void Chapter::Impl::require_analysis(const Options& options) const {
    const char* const asked = options.explain          ? "--explain"
                              : options.faults         ? "--faults"
                              : !options.trace.empty() ? "--trace"
                                                       : nullptr;
    if (asked != nullptr && analysis() == nullptr) {
        throw UsageError(
            fmt::format("{}: this program was built without the lab; use ./tutorial explain {}",
                        asked, line.program));
    }
    const char* const search = options.faults          ? "--faults"
                               : options.trace.empty() ? nullptr
                                                       : "--trace";
    if (search != nullptr && !analysis()->finds_faults()) {
        throw UsageError(fmt::format("{}: this program only counts; use ./tutorial explain {} {}",
                                     search, line.program, search));
    }
    if (!options.trace.empty() && options.stages.size() != 1) {
        throw UsageError("--trace needs one stage: add --stage NAME");
    }
    if (options.json && !options.explain) throw UsageError("--json goes with --explain");
    if (!options.csv.empty() && asked != nullptr) {
        throw UsageError(fmt::format(
            "--csv stores the rows of a run, and {} has none; --explain --json prints its numbers",
            asked));
    }
}

RunInfo Chapter::Impl::run_info(const Options& options) const {
    RunInfo run;
    run.chapter = line.program;
    run.title = line.title;
    run.item = line.item;
    run.chapter_options = chapter_options_text(line.extra);
    run.options = options;
    run.date = utc_date();
    run.has_traffic = analysis() != nullptr;
    return run;
}

int Chapter::Impl::run_selected(Experiment& experiment, const std::vector<std::size_t>& selected,
                                RunInfo& run, std::FILE* out, std::FILE* err) const {
    // Whatever can be refused is refused before any work is done.
    const Options& options = run.options;
    std::optional<CsvFile> csv;
    if (!options.csv.empty()) csv.emplace(options.csv, csv_header());
    run.device = device_info();
    const std::vector<RowInfo> rows = experiment.rows();
    const bool all_skipped = std::all_of(selected.begin(), selected.end(), [&](std::size_t index) {
        return !reason_to_skip(rows[index], options.n, line.item).empty();
    });

    StatusLine status(terminal_of(out, err));
    if (!all_skipped) prepare(experiment, run, status);
    status.clear();

    if (options.explain || options.faults || !options.trace.empty()) {
        const bool all_right = analysis()->show(experiment, selected, run, out, status);
        if (all_skipped) return nothing_was_run(err);
        return all_right ? kExitRight : kExitWrong;
    }
    Report report(run, out, csv ? &*csv : nullptr);
    report.begin(rows, all_skipped ? std::string() : experiment.before());
    const RunOutcome outcome = run_rows(experiment, selected, run, report, status, err);
    const std::vector<RowResult>& results = outcome.results;
    report.end(
        results, first_stage(results), first_library(results),
        all_skipped || !outcome.lost_after.empty() ? std::string() : experiment.after(results));
    if (all_skipped && report.csv_error().empty()) return nothing_was_run(err);
    return exit_code(outcome, report, err);
}

int Chapter::Impl::nothing_was_run(std::FILE* err) const {
    fmt::print(err, "{}: nothing was run: every stage asked for was skipped\n", line.program);
    return kExitUsage;
}

int Chapter::Impl::exit_code(const RunOutcome& outcome, const Report& report,
                             std::FILE* err) const {
    if (!report.csv_error().empty()) {
        fmt::print(err, "{}: {}\n", line.program, report.csv_error());
        return kExitResource;
    }
    if (!outcome.lost_after.empty()) {
        const std::string rest =
            outcome.not_run == 0
                ? std::string()
                : fmt::format("; rows after it that were not run: {}", outcome.not_run);
        fmt::print(err, "{}: stage {} left the device unusable{}\n", line.program,
                   outcome.lost_after, rest);
        return kExitWrong;
    }
    const bool all_right = std::all_of(
        outcome.results.begin(), outcome.results.end(),
        [](const RowResult& result) { return !result.skipped.empty() || result.verdict.ok; });
    return all_right ? kExitRight : kExitWrong;
}

}  // namespace tutorial
