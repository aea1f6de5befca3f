// This chapter as the harness sees it: the numbers whose squares are added; a table of stages, each
// of which leaves sums that the host adds; and what is computed from the device's clocks that some
// stages read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../common/harness/ceilings.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_clock.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/text.hpp"
#include "../common/harness/verify.hpp"

namespace tutorial {

// ---- The numbers, by --values ----------------------------------------------------------------

/// Holds any sum of squares below 2^64: 2^31 items of up to 92681, or three of INT_MIN. The type
/// that atomicAdd takes, which std::uint64_t is not.
using Sum = unsigned long long;

/// An int can hold the squares of -46340..46340, and no others.
constexpr int kWideMax = 46340;

/// Any int, scaled to low, low + 1, ..., low + count - 1, so that the order stays.
inline int scaled(int key, int low, std::int64_t count) {
    const std::int64_t from_zero = static_cast<std::int64_t>(key) + (std::int64_t{1} << 31);
    return static_cast<int>(low + ((from_zero * count) >> 32));
}

/// `values`: "digits", 0..9 as in the article; "wide", -46340..46340; "full", any int.
inline int item_of(int key, const std::string& values) {
    if (values == "digits") return scaled(key, 0, 10);
    if (values == "wide") return scaled(key, -kWideMax, 2 * kWideMax + 1);
    return key;
}

inline std::vector<int> make_items(const Options& options, const std::string& values) {
    std::vector<int> items = make_input<int>(options.input, options.n, options.seed);
    for (int& item : items) item = item_of(item, values);
    return items;
}

// ---- The device's clocks, and the article's figures next to today's -----------------------

/// One stage's blocks, by the device's clocks, in one run.
struct StageClocks {
    std::string stage;
    unsigned sums_left = 0;  ///< sums that the host has to add
    std::vector<BlockTime> blocks;
};

/// The row of that name, or nullptr if it was not timed.
inline const RowResult* timed_row(const std::vector<RowResult>& results, const std::string& name) {
    for (const RowResult& result : results) {
        if (result.row.name == name && result.cold_seconds > 0.0) return &result;
    }
    return nullptr;
}

/// False after a run with --once, or if every row was wrong: there is nothing to compare.
inline bool any_timed(const std::vector<RowResult>& results) {
    return std::any_of(results.begin(), results.end(),
                       [](const RowResult& result) { return result.cold_seconds > 0.0; });
}

/// What each stage's blocks read from the device's clocks, next to the time between two events.
inline std::string clock_table(const std::vector<StageClocks>& clocks,
                               const std::vector<RowResult>& results) {
    std::vector<std::vector<std::string>> table = {{"stage", "blocks", "sums left", "longest block",
                                                    "that is", "across blocks", "device clock",
                                                    "events"}};
    for (const StageClocks& stage : clocks) {
        const RowResult* row = timed_row(results, stage.stage);
        if (row == nullptr || stage.blocks.empty()) continue;
        long long longest = 0;
        BlockTime whole = stage.blocks.front();
        for (const BlockTime& block : stage.blocks) {
            longest = std::max(longest, block.end_cycles - block.start_cycles);
            whole.start_cycles = std::min(whole.start_cycles, block.start_cycles);
            whole.end_cycles = std::max(whole.end_cycles, block.end_cycles);
            whole.start_ns = std::min(whole.start_ns, block.start_ns);
            whole.end_ns = std::max(whole.end_ns, block.end_ns);
        }
        // Long runs are timed cold only.
        const std::string events = row->hot_seconds > 0.0
                                       ? format_time(row->hot_seconds)
                                       : format_time(row->cold_seconds) + " (cold)";
        table.push_back({stage.stage, std::to_string(stage.blocks.size()),
                         std::to_string(stage.sums_left), std::to_string(longest),
                         format_time(static_cast<double>(longest) / device_info().sm_clock_hz),
                         std::to_string(whole.end_cycles - whole.start_cycles),
                         format_time(1e-9 * static_cast<double>(whole.end_ns - whole.start_ns)),
                         events});
    }
    return "By the device's own clocks (one warm run), next to the events (hot)\n" +
           text_table(table) +
           "longest block: cycles from its start to its end, by its multiprocessor's counter\n"
           "that is: at the multiprocessors' highest clock\n"
           "across blocks: cycles from the first start to the last end, which means nothing if\n"
           "the blocks ran on several multiprocessors: their counters do not start together\n"
           "device clock: from the first start to the last end, by the clock that all share\n";
}

/// The figures of the article from which this chapter grew (2014, GeForce G 103M, 2^20 ints), next
/// to today's. `bytes`: read by a run.
inline std::string article_table(const std::vector<RowResult>& results, std::size_t bytes) {
    const auto ratio = [&](const char* slow, const char* fast) -> std::string {
        const RowResult* before = timed_row(results, slow);
        const RowResult* after = timed_row(results, fast);
        if (before == nullptr || after == nullptr) return "-";
        return format_number(before->cold_seconds / after->cold_seconds) + "x";
    };
    const auto rate = [&](const char* name) -> std::string {
        const RowResult* row = timed_row(results, name);
        if (row == nullptr) return "-";
        return format_number(static_cast<double>(bytes) / row->cold_seconds / 1e9);
    };
    return "The article's figures next to today's\n" +
           text_table({
               {"", "GeForce G 103M", "here"},
               {"one_thread to chunked", "36x", ratio("one_thread", "chunked")},
               {"chunked to interleaved", "13x", ratio("chunked", "interleaved")},
               {"one_thread to interleaved", "493x", ratio("one_thread", "interleaved")},
               {"interleaved, GB/s", "4.01", rate("interleaved")},
               {"best, GB/s", "-", rate("best")},
               {"the memory's limit, GB/s", "4.58",
                format_number(ceilings().read_bytes_per_second / 1e9)},
           });
}

// ---- The experiment --------------------------------------------------------------------------

/// Two words to which all blocks add, 0 between launches: `low` adds the low half of each block's
/// sum, `high` the high half, and both count the blocks.
struct GridAccumulator {
    Sum low;
    unsigned char padding[128 - sizeof(Sum)];  // keeps the two in different cache lines
    Sum high;
};

/// One launch, which leaves `sums` sums for the host to add. A launcher takes what its stage needs:
/// the times of its blocks, or words that count them (those of SquareSumParts), or neither.
struct ReduceStage {
    using Timed = void (*)(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times);
    using Plain = void (*)(const int* d_items, std::size_t n, Sum* d_sums);
    using Counted = void (*)(const int* d_items, std::size_t n, Sum* d_sums,
                             GridAccumulator* d_accumulators);

    std::variant<Timed, Plain, Counted> launcher;
    unsigned sums;
    unsigned (*timed_blocks)() = nullptr;  ///< how many blocks read the device's clocks; or none

    /// `d_times`: nullptr if no clocks are wanted.
    void launch(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times,
                GridAccumulator* d_accumulators) const {
        if (const Timed* timed = std::get_if<Timed>(&launcher)) {
            (*timed)(d_items, n, d_sums, d_times);
        } else if (const Counted* counted = std::get_if<Counted>(&launcher)) {
            (*counted)(d_items, n, d_sums, d_accumulators);
        } else {
            std::get<Plain>(launcher)(d_items, n, d_sums);
        }
    }
};

/// A library's sum, as a row. `launch` enqueues *d_sum = the sum of the squares of d_items[0..n).
struct LibrarySum {
    RowInfo row;
    std::size_t scratch_bytes;
    void (*launch)(const int* d_items, std::size_t n, Sum* d_sum,
                   DeviceBuffer<unsigned char>& d_scratch);
};

/// What main.cu, or ablations.cu, provides.
struct SquareSumParts {
    const std::vector<Stage<ReduceStage>>& stages;
    Sum (*host_sum)(const std::vector<int>& items);
    unsigned max_sums;          ///< left by a stage
    unsigned max_timed;         ///< blocks that read the clocks
    std::size_t accumulators;   ///< that a launch needs at most
    const LibrarySum* library;  ///< nullptr if there is none
};

class SquareSumExperiment : public Experiment {
  public:
    SquareSumExperiment(const Options& options, SquareSumParts parts, std::string values,
                        bool show_device)
        : parts_(parts), n_(options.n), values_(std::move(values)), show_device_(show_device) {}

    std::vector<RowInfo> rows() const override {
        std::vector<RowInfo> rows = rows_of(parts_.stages);
        rows.push_back({"host", "one addition after the other, on the host", RowKind::host});
        if (parts_.library != nullptr) rows.push_back(parts_.library->row);
        return rows;
    }

    std::size_t device_bytes(const Options& options) const override {
        return options.n * sizeof(int) + parts_.max_sums * sizeof(Sum) +
               parts_.accumulators * sizeof(GridAccumulator) +
               parts_.max_timed * sizeof(BlockTime) + library_bytes();
    }

    void prepare(const Options& options) override {
        items_ = make_items(options, values_);
        expected_ = parts_.host_sum(items_);
        clocks_.resize(parts_.stages.size());
        d_items_ = DeviceBuffer<int>(n_);
        d_items_.upload(items_);
        d_sums_ = DeviceBuffer<Sum>(parts_.max_sums);
        d_times_ = DeviceBuffer<BlockTime>(parts_.max_timed);
        d_accumulators_ = DeviceBuffer<GridAccumulator>(parts_.accumulators);
        d_accumulators_.fill_bytes(0);  // once: every launch leaves it as it found it
        d_library_ = DeviceBuffer<unsigned char>(library_bytes());
    }

    bool keeps_input() const override { return true; }

    void reset(int) override {
        d_sums_.fill_bytes(0xff);
        sums_left_ = 0;
        host_sum_ = ~Sum{0};
    }

    void run(std::size_t row, int) override {
        if (row < parts_.stages.size()) {
            launch(row, nullptr);
        } else if (row == parts_.stages.size()) {
            host_sum_ = parts_.host_sum(items_);
        } else {
            parts_.library->launch(d_items_.data(), n_, d_sums_.data(), d_library_);
            sums_left_ = 1;
        }
    }

    Verdict check(std::size_t row, int) override {
        const Verdict verdict = verify_equal<Sum>({expected_}, {result()});
        if (!verdict.ok || row >= parts_.stages.size()) return verdict;
        const ReduceStage& stage = parts_.stages[row].launch;
        if (stage.timed_blocks == nullptr) return verdict;
        // Once more with the device's clocks: the timed kernel must be right as well.
        reset(0);
        d_times_.fill_bytes(0);
        launch(row, d_times_.data());
        std::vector<BlockTime> times = d_times_.download();
        times.resize(stage.timed_blocks());
        clocks_[row] = {parts_.stages[row].name, stage.sums, times};
        return verify_equal<Sum>({expected_}, {result()});
    }

    std::size_t bytes_needed() const override { return n_ * sizeof(int); }

    Ceiling ceiling() const override { return read_ceiling(bytes_needed()); }

    std::string before() const override { return show_device_ ? device_table() : ""; }

    std::string after(const std::vector<RowResult>& results) const override {
        if (device_info().is_emulator) {
            return "The device's clocks are not shown: kernels run on the host here, and their "
                   "times say nothing about a GPU.\n";
        }
        if (!any_timed(results)) return {};
        return clock_table(clocks_, results) + "\n" + article_table(results, bytes_needed());
    }

  private:
    std::size_t library_bytes() const {
        return parts_.library == nullptr ? 0 : parts_.library->scratch_bytes;
    }

    void launch(std::size_t row, BlockTime* d_times) {
        const ReduceStage& stage = parts_.stages[row].launch;
        stage.launch(d_items_.data(), n_, d_sums_.data(), d_times, d_accumulators_.data());
        sums_left_ = stage.sums;
    }

    /// The total of the sums that the last run left.
    Sum result() const {
        if (sums_left_ == 0) return host_sum_;
        const std::vector<Sum> sums = d_sums_.download();
        Sum sum = 0;
        for (unsigned i = 0; i < sums_left_; ++i) sum += sums[i];
        return sum;
    }

    SquareSumParts parts_;
    std::size_t n_;
    std::string values_;
    bool show_device_;
    std::vector<int> items_;
    Sum expected_ = 0;
    Sum host_sum_ = 0;
    unsigned sums_left_ = 0;           ///< by the last run, on the device; 0: it ran on the host
    std::vector<StageClocks> clocks_;  ///< of each stage, from its last check
    DeviceBuffer<int> d_items_;
    DeviceBuffer<Sum> d_sums_;
    DeviceBuffer<BlockTime> d_times_;
    DeviceBuffer<GridAccumulator> d_accumulators_;
    DeviceBuffer<unsigned char> d_library_;
};

}  // namespace tutorial
