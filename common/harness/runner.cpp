#include "runner.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "analysis.hpp"
#include "cuda_check.hpp"
#include "fmt.hpp"
#include "text.hpp"
#include "timer.hpp"

namespace tutorial {
namespace {

/// Runs shorter than this are also timed back to back.
constexpr double kHotBelowSeconds = 1e-3;

/// Host rows are there for comparison: about a second for each is enough.
constexpr SampleRule kHostRule = {5, 0.25, 1, 0.01, 0.0, 1.0};

/// How many runs in a row make one hot sample: about 2 ms, so that the two events around them do
/// not matter, but few enough for the device's queue.
int hot_runs(const Experiment& experiment, double cold_seconds) {
    const int slots = std::max(1, experiment.slots());
    if (!experiment.keeps_input()) return slots;
    constexpr double kBatchSeconds = 2e-3;
    const int runs =
        static_cast<int>(std::clamp(std::ceil(kBatchSeconds / cold_seconds), 10.0, 200.0));
    return (runs + slots - 1) / slots * slots;
}

class Runner {
  public:
    Runner(Experiment& experiment, const RunInfo& run, StatusLine& status)
        : experiment_(experiment), rows_(experiment.rows()), run_(run), status_(status) {}

    /// Checks and times one row. What goes wrong is in the result's verdict; `device_lost` if no
    /// further row can run after it.
    RowResult measure(std::size_t index) {
        RowResult result;
        result.row = rows_[index];
        result.skipped = reason_to_skip(result.row, run_.options.n, run_.item);
        if (!result.skipped.empty()) return result;
        try {
            if (result.row.kind == RowKind::host) {
                measure_host(index, result);
            } else {
                measure_device(index, result);
            }
        } catch (const CudaError& error) {
            result.verdict = {false, error.what()};
            // An error of the launch is gone once it is read; one of the kernel stays for good.
            static_cast<void>(cudaGetLastError());
            device_lost = cudaDeviceSynchronize() != cudaSuccess;
        } catch (const std::exception& error) {
            result.verdict = {false, error.what()};
        }
        if (!result.verdict.ok) forget_times(result);
        return result;
    }

    bool device_lost = false;

  private:
    static void forget_times(RowResult& result) {
        result.cold_seconds = result.cold_minimum = 0.0;
        result.hot_seconds = result.copies_seconds = 0.0;
        result.samples = 0;
        result.cold_spread = result.hot_spread = Spread();
        result.stopped_by_time = false;
    }

    static void note_cold(const Samples& samples, double tick_seconds, RowResult& result) {
        result.cold_seconds = samples.median();
        result.cold_minimum = samples.minimum();
        result.cold_spread = samples.spread(tick_seconds);
        result.samples = static_cast<int>(samples.count());
        result.stopped_by_time = samples.stopped_by_time;
    }

    void show(const RowResult& result, const char* what) {
        status_.show(fmt::format("{}: {} ...", result.row.name, what));
    }

    /// False: the result is wrong, and the verdict says `when` that was found.
    bool check(std::size_t index, int slot, RowResult& result, const char* when) {
        result.verdict = experiment_.check(index, slot);
        if (!result.verdict.ok && *when != '\0') {
            result.verdict.message = fmt::format("{}: {}", when, result.verdict.message);
        }
        return result.verdict.ok;
    }

    void measure_host(std::size_t index, RowResult& result) {
        show(result, run_.device.is_emulator ? "checking" : "checking and timing");
        const auto sample = [&] {
            experiment_.reset(0);
            const double before = steady_seconds();
            experiment_.run(index, 0);
            return steady_seconds() - before;
        };
        const double first = sample();
        if (!check(index, 0, result, "")) return;
        if (run_.device.is_emulator || run_.options.once) return;
        Samples samples;
        if (first >= kHostRule.long_sample_seconds) {
            samples.add(first);  // long enough to need neither a warm-up nor more samples
        } else {
            samples = take_samples(sample, kHostRule);
            if (!check(index, 0, result, "after timing")) return;
        }
        note_cold(samples, 0.0, result);
    }

    void measure_device(std::size_t index, RowResult& result) {
        show(result, "checking");
        experiment_.reset(0);
        CUDA_CHECK(cudaDeviceSynchronize());
        reset_counts();
        if (analysis() != nullptr) {
            analysis()->count([&] { experiment_.run(index, 0); },
                              [&] {
                                  experiment_.reset(0);
                                  reset_counts();
                              });
        } else {
            start_profiler();
            experiment_.run(index, 0);
        }
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
        stop_profiler();
        result.counts = read_counts();
        if (analysis() != nullptr) analysis()->add_to(result.counts);
        if (!check(index, 0, result, "")) return;
        if (run_.device.is_emulator || run_.options.once) return;
        if (timer_ == nullptr) timer_ = std::make_unique<GpuTimer>();
        if (!time_cold(index, result)) return;
        if (!time_hot(index, result)) return;
        time_copies(index, result);
    }

    // Each of these returns false if a result was found wrong.

    bool time_cold(std::size_t index, RowResult& result) {
        show(result, "timing, cold");
        const Samples samples =
            timer_->cold([&] { experiment_.reset(0); }, [&] { experiment_.run(index, 0); });
        note_cold(samples, event_tick_seconds(), result);
        return check(index, 0, result, "after timing");
    }

    bool time_hot(std::size_t index, RowResult& result) {
        if (result.cold_seconds >= kHotBelowSeconds) return true;
        show(result, "timing, hot");
        const int slots = std::max(1, experiment_.slots());
        const int runs = hot_runs(experiment_, result.cold_seconds);
        const Samples samples = timer_->hot(
            runs,
            [&] {
                for (int slot = 0; slot < slots; ++slot) experiment_.reset(slot);
            },
            [&](int run) { experiment_.run(index, run % slots); });
        result.hot_seconds = samples.median();
        result.hot_spread = samples.spread(event_tick_seconds() / runs);
        for (int slot = 0; slot < slots; ++slot) {
            if (!check(index, slot, result, "after runs back to back")) return false;
        }
        return true;
    }

    bool time_copies(std::size_t index, RowResult& result) {
        if (!experiment_.times_copies()) return true;
        show(result, "timing, with copies");
        experiment_.reset(0);
        if (!experiment_.run_with_copies(index, 0)) return true;
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
        if (!check(index, 0, result, "with copies")) return false;
        const Samples samples = timer_->with_copies([&] { experiment_.reset(0); },
                                                    [&] { experiment_.run_with_copies(index, 0); });
        result.copies_seconds = samples.median();
        return check(index, 0, result, "with copies, after timing");
    }

    Experiment& experiment_;
    const std::vector<RowInfo> rows_;
    const RunInfo& run_;
    StatusLine& status_;
    std::unique_ptr<GpuTimer> timer_;  ///< made when the first row needs it
};

/// The first row of this kind that has a time.
const RowResult* first_timed(const std::vector<RowResult>& results, RowKind kind) {
    for (const RowResult& result : results) {
        if (result.row.kind == kind && result.cold_seconds > 0.0) return &result;
    }
    return nullptr;
}

}  // namespace

std::string reason_to_skip(const RowInfo& row, std::size_t n, const std::string& item) {
    // What the lab does in a minute, on a laptop.
    constexpr double kCountedComparisons = 60 * 7e6;
    const double counted_n = std::floor(std::sqrt(2 * kCountedComparisons));
    if (on_emulator() && !row.limits.needs_gpu.empty()) {
        return fmt::format("needs a GPU: {}", row.limits.needs_gpu);
    }
    if (n > row.limits.max_n) {
        return fmt::format("takes at most {} {}s{}{}", row.limits.max_n, item,
                           row.limits.why.empty() ? "" : ": ", row.limits.why);
    }
    if (row.limits.is_quadratic && analysis() != nullptr && static_cast<double>(n) > counted_n) {
        return fmt::format(
            "takes at most {:.0f} {}s in the lab: with more, counting the n * n / 2 comparisons "
            "takes longer than a minute",
            counted_n, item);
    }
    return {};
}

RunOutcome run_rows(Experiment& experiment, const std::vector<std::size_t>& selected,
                    const RunInfo& run, Report& report, StatusLine& status, std::FILE* err) {
    const std::vector<RowInfo> rows = experiment.rows();
    Runner runner(experiment, run, status);

    // The library's row is the table's last, but "x library" of the rows above needs its time: it
    // is measured first.
    std::vector<RowResult> measured(rows.size());
    std::vector<bool> done(rows.size(), false);
    const RowResult* library = nullptr;
    const auto measure = [&](std::size_t index) {
        if (done[index] || runner.device_lost) return;
        measured[index] = runner.measure(index);
        done[index] = true;
    };
    if (!run.device.is_emulator) {
        for (const std::size_t index : selected) {
            if (rows[index].kind != RowKind::library || library != nullptr) continue;
            measure(index);
            if (measured[index].cold_seconds > 0.0) library = &measured[index];
        }
    }

    RunOutcome outcome;
    const RowResult* first = nullptr;
    for (const std::size_t index : selected) {
        measure(index);
        // After a lost device only what was measured before can still be shown.
        if (!done[index]) continue;
        const RowResult& result = measured[index];
        if (first == nullptr && result.row.kind == RowKind::stage && result.cold_seconds > 0.0) {
            first = &result;
        }
        status.clear();
        report.row(result, first, library);
        if (result.skipped.empty() && !result.verdict.ok) {
            fmt::print(err, "{}: stage {}: {}\n", run.chapter, result.row.name,
                       result.verdict.message);
            std::fflush(err);
        }
        outcome.results.push_back(result);
        if (runner.device_lost && outcome.lost_after.empty()) outcome.lost_after = result.row.name;
    }
    outcome.not_run = selected.size() - outcome.results.size();
    return outcome;
}

const RowResult* first_stage(const std::vector<RowResult>& results) {
    return first_timed(results, RowKind::stage);
}

const RowResult* first_library(const std::vector<RowResult>& results) {
    return first_timed(results, RowKind::library);
}

}  // namespace tutorial
