// This chapter as the harness sees it: sorts in place, from a table of stages; and the times that
// counting predicts for them (--estimate).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/text.hpp"
#include "../common/harness/verify.hpp"

namespace tutorial {

/// Sorts `n` keys in place: a function of the keys alone, or one that also needs scratch memory on
/// the device. For the host's rows `keys` is host memory.
template <class Key>
struct Launch {
    using InPlace = void (*)(Key* keys, unsigned n);
    using WithScratch = void (*)(Key* keys, unsigned n, void* scratch);

    std::variant<InPlace, WithScratch> sort;

    /// `scratch`: scratch_bytes(n) of device memory.
    void operator()(Key* keys, unsigned n, void* scratch) const {
        if (const InPlace* in_place = std::get_if<InPlace>(&sort)) {
            (*in_place)(keys, n);
        } else {
            std::get<WithScratch>(sort)(keys, n, scratch);
        }
    }
};

// ---- What counting predicts for a stage, before it is measured ---------------------------------

/// Min and max operations of a multiprocessor per clock cycle (CUDA C++ Programming Guide,
/// arithmetic instructions, compute capability 7.0 and later).
constexpr double kMinMaxPerClock = 64.0;

/// The work of a many-block stage, by counting.
struct StageWork {
    std::string stage;
    double launches;    ///< of kernels
    double blocks;      ///< of a launch
    double half_steps;  ///< per launch, one after the other
    double block_keys;  ///< keys that a block compares in a half-step
};

/// The model: a block's half-step is one min and one max for every two keys, at the rate of one
/// multiprocessor; blocks are distributed evenly, and the multiprocessor with the most of them sets
/// the time. It ignores launches, barriers, shuffles and memory, and that some stages compute some
/// maxima on another pipe: the measured times next to it show what these are worth.
inline double predicted_seconds(const StageWork& work, const DeviceInfo& device) {
    const double blocks_of_one = std::ceil(work.blocks / device.sm_count);
    const double operations = work.launches * work.half_steps * blocks_of_one * work.block_keys;
    return operations / (kMinMaxPerClock * device.sm_clock_hz);
}

/// A stage's measured time, as text; empty if there is none.
inline std::string measured_text(const RowResult& result, double predicted) {
    char text[80] = "";
    const double measured = result.hot_seconds > 0.0 ? result.hot_seconds : result.cold_seconds;
    if (result.counts.counted) {
        std::snprintf(text, sizeof text, "%12llu launches",
                      static_cast<unsigned long long>(result.counts.launches));
    } else if (measured > 0.0) {
        std::snprintf(text, sizeof text, "%12s %13.2f", format_time(measured).c_str(),
                      measured / predicted);
    }
    return text;
}

/// A line for each stage of `work`, with its measured time if `results` has one.
inline std::string estimate_text(std::size_t n, const std::vector<StageWork>& work,
                                 const std::vector<RowResult>& results) {
    const DeviceInfo& device = device_info();
    const bool cpu = device.is_emulator;
    char line[200];
    std::snprintf(line, sizeof line,
                  "Estimate: %zu keys on %d multiprocessors, %g min/max per clock on each%s\n", n,
                  device.sm_count, kMinMaxPerClock,
                  cpu ? " (a CPU has no such rate: counts, no times)" : "");
    std::string text = line;
    const char* measured = cpu ? "     counted" : "    measured  of predicted";
    std::snprintf(line, sizeof line, "  %-10s %9s %7s %20s %12s%s\n", "stage", "launches", "blocks",
                  "half-steps per launch", "predicted", results.empty() ? "" : measured);
    text += line;
    for (const StageWork& stage : work) {
        const double predicted = cpu ? 0.0 : predicted_seconds(stage, device);
        std::snprintf(line, sizeof line, "  %-10s %9.0f %7.0f %20.0f %12s", stage.stage.c_str(),
                      stage.launches, stage.blocks, stage.half_steps,
                      cpu ? "-" : format_time(predicted).c_str());
        text += line;
        for (const RowResult& result : results) {
            if (result.row.name == stage.stage) text += measured_text(result, predicted);
        }
        text += '\n';
    }
    return text;
}

// ---- The experiment ----------------------------------------------------------------------------

template <class Key>
class BubbleSort : public Experiment {
  public:
    using ScratchBytes = std::size_t (*)(std::size_t n);
    using CountWork = std::vector<StageWork> (*)(unsigned n, int multiprocessors);

    /// `count_work`: for the estimate, of the many-block stages; `estimate`: whether to print it.
    BubbleSort(const std::vector<Stage<Launch<Key>>>& stages, ScratchBytes scratch_bytes,
               CountWork count_work, bool estimate)
        : stages_(stages),
          scratch_bytes_(scratch_bytes),
          count_work_(count_work),
          estimate_(estimate) {}

    std::vector<RowInfo> rows() const override { return rows_of(stages_); }

    std::size_t device_bytes(const Options& options) const override {
        const std::size_t copies = 1 + slots_for(options.n);
        return copies * options.n * sizeof(Key) + scratch_bytes_(options.n);
    }

    void prepare(const Options& options) override {
        input_ = make_input<Key>(options.input, options.n, options.seed);
        expected_ = sorted_copy(input_);
        d_input_ = DeviceBuffer<Key>(options.n);
        d_input_.upload(input_);
        d_keys_.clear();
        for (int slot = 0; slot < slots_for(options.n); ++slot) d_keys_.emplace_back(options.n);
        d_scratch_ = DeviceBuffer<char>(scratch_bytes_(options.n));
    }

    int slots() const override { return static_cast<int>(d_keys_.size()); }

    void reset(int slot) override {
        d_keys_[slot].copy_from(d_input_);
        h_keys_ = input_;
    }

    void run(std::size_t row, int slot) override {
        Key* keys = on_host(row) ? h_keys_.data() : d_keys_[slot].data();
        stages_[row].launch(keys, static_cast<unsigned>(input_.size()), d_scratch_.data());
    }

    Verdict check(std::size_t row, int slot) override {
        return verify_equal(expected_, on_host(row) ? h_keys_ : d_keys_[slot].download());
    }

    std::size_t bytes_needed() const override { return 0; }  // keys per second instead

    /// n half-steps, each with a min and a max for every two keys. Stages that compute some maxima
    /// on another pipe can get below it: TwoPipes in main.cu.
    Ceiling ceiling() const override {
        const DeviceInfo& device = device_info();
        const double n = static_cast<double>(input_.size());
        const double rate = kMinMaxPerClock * device.sm_count * device.sm_clock_hz;
        return {"min/max rate", n * n / rate};
    }

    std::string before() const override { return after({}); }

    std::string after(const std::vector<RowResult>& results) const override {
        if (!estimate_) return "";
        const unsigned n = static_cast<unsigned>(input_.size());
        return estimate_text(n, count_work_(n, device_info().sm_count), results);
    }

  private:
    /// A sort in place is run once per copy of the input: several if a run is short.
    static int slots_for(std::size_t n) { return n <= (std::size_t{1} << 14) ? 16 : 1; }

    bool on_host(std::size_t row) const { return stages_[row].kind == RowKind::host; }

    const std::vector<Stage<Launch<Key>>>& stages_;
    ScratchBytes scratch_bytes_;
    CountWork count_work_;
    bool estimate_;
    std::vector<Key> input_, expected_, h_keys_;
    DeviceBuffer<Key> d_input_;
    std::vector<DeviceBuffer<Key>> d_keys_;
    DeviceBuffer<char> d_scratch_;
};

}  // namespace tutorial
