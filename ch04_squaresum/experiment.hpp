// This chapter as the harness sees it: a table of stages, each of which leaves sums that the host
// adds, and the device's clocks that some of them read.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../common/harness/ceilings.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_clock.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/verify.hpp"
#include "clocks.hpp"
#include "library.cuh"
#include "values.hpp"

namespace tutorial {

/// One launch, which leaves `sums` sums for the host to add. `d_scratch`: SquareSumParts'.
struct ReduceStage {
    void (*launch)(const int* d_items, std::size_t n, Sum* d_sums, BlockTime* d_times,
                   void* d_scratch);
    unsigned sums;
    unsigned (*timed_blocks)();  ///< how many blocks read the device's clocks
};

/// What main.cu says of its stages.
struct SquareSumParts {
    const std::vector<Stage<ReduceStage>>& stages;
    Sum (*host_sum)(const std::vector<int>& items);
    unsigned most_sums;         ///< that a stage leaves
    unsigned most_timed;        ///< blocks that read the clocks
    std::size_t scratch_bytes;  ///< 0 in every byte between launches
    LibrarySum library;         ///< nullptr where there is none
};

class SquareSumExperiment : public Experiment {
  public:
    SquareSumExperiment(const Options& options, SquareSumParts parts, std::string values,
                        bool show_device)
        : parts_(parts), n_(options.n), values_(std::move(values)), show_device_(show_device) {}

    std::vector<RowInfo> rows() const override {
        std::vector<RowInfo> rows = rows_of(parts_.stages);
        rows.push_back({"host", "one addition after the other, on the host", RowKind::host});
#if defined(__CUDACC__)
        rows.push_back(cub_row());
#endif
        return rows;
    }

    std::size_t device_bytes(const Options& options) const override {
        return options.n * sizeof(int) + parts_.most_sums * sizeof(Sum) + parts_.scratch_bytes +
               parts_.most_timed * sizeof(BlockTime) + kLibraryBytes;
    }

    void prepare(const Options& options) override {
        items_ = make_items(options, values_);
        expected_ = parts_.host_sum(items_);
        clocks_.resize(parts_.stages.size());
        d_items_ = DeviceBuffer<int>(n_);
        d_items_.upload(items_);
        d_sums_ = DeviceBuffer<Sum>(parts_.most_sums);
        d_times_ = DeviceBuffer<BlockTime>(parts_.most_timed);
        d_scratch_ = DeviceBuffer<unsigned char>(parts_.scratch_bytes);
        d_scratch_.fill_bytes(0);  // once: every launch leaves it as it found it
        d_library_ = DeviceBuffer<unsigned char>(kLibraryBytes);
    }

    bool keeps_input() const override { return true; }

    void reset(int) override {
        d_sums_.fill_bytes(0xff);
        left_ = 0;
        on_host_ = ~Sum{0};
    }

    void run(std::size_t row, int) override {
        if (row < parts_.stages.size()) {
            add(row, nullptr);
        } else if (row == parts_.stages.size()) {
            on_host_ = parts_.host_sum(items_);
        } else {
#if defined(__CUDACC__)
            parts_.library(d_items_.data(), n_, d_sums_.data(), d_library_);
            left_ = 1;
#endif
        }
    }

    Verdict check(std::size_t row, int) override {
        const Verdict verdict = verify_equal<Sum>({expected_}, {fetch()});
        if (!verdict.ok || row >= parts_.stages.size()) return verdict;
        const unsigned timed = parts_.stages[row].launch.timed_blocks();
        if (timed == 0) return verdict;
        // Once more with the device's clocks: the timed kernel must be right too.
        reset(0);
        d_times_.fill_bytes(0);
        add(row, d_times_.data());
        std::vector<BlockTime> times = d_times_.download();
        times.resize(timed);
        clocks_[row] = {parts_.stages[row].name, parts_.stages[row].launch.sums, times};
        return verify_equal<Sum>({expected_}, {fetch()});
    }

    std::size_t bytes_needed() const override { return n_ * sizeof(int); }

    Ceiling ceiling() const override { return read_ceiling(bytes_needed()); }

    std::string before() const override { return show_device_ ? device_table() : ""; }

    std::string after(const std::vector<RowResult>& results) const override {
        if (device_info().is_emulator) {
            return "The device's clocks are not shown: kernels run on the host here, and their "
                   "times say nothing of a GPU.\n";
        }
        if (!any_timed(results)) return {};
        return clock_table(clocks_, results) + "\n" + article_table(results, bytes_needed());
    }

  private:
    void add(std::size_t row, BlockTime* d_times) {
        const ReduceStage& adder = parts_.stages[row].launch;
        adder.launch(d_items_.data(), n_, d_sums_.data(), d_times, d_scratch_.data());
        left_ = adder.sums;
    }

    /// What the last run left, added up.
    Sum fetch() const {
        if (left_ == 0) return on_host_;
        const std::vector<Sum> sums = d_sums_.download();
        Sum sum = 0;
        for (unsigned i = 0; i < left_; ++i) sum += sums[i];
        return sum;
    }

    SquareSumParts parts_;
    std::size_t n_;
    std::string values_;
    bool show_device_;
    std::vector<int> items_;
    Sum expected_ = 0;
    Sum on_host_ = 0;
    unsigned left_ = 0;  ///< sums that the last run left on the device; 0: it is on the host
    std::vector<StageClocks> clocks_;  ///< of each stage, by its last check
    DeviceBuffer<int> d_items_;
    DeviceBuffer<Sum> d_sums_;
    DeviceBuffer<BlockTime> d_times_;
    DeviceBuffer<unsigned char> d_scratch_;
    DeviceBuffer<unsigned char> d_library_;
};

}  // namespace tutorial
