// What the launchers of this chapter are given, and the experiment that runs a table of them, with
// the libraries' sums as its last rows.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/library_sum.cuh"
#include "../common/harness/sum_experiment.hpp"

namespace tutorial {

/// Device memory that the launchers share: two arrays of partial sums, to be used in turns; and a
/// ticket and words that are 0 between launches.
struct Workspace {
    Workspace(std::size_t partials, std::size_t word_count)
        : partial{DeviceBuffer<float>(partials), DeviceBuffer<float>(partials)},
          ticket(1),
          words(word_count) {
        // Zeroed once: every launch leaves them as it found them.
        ticket.fill_bytes(0);
        words.fill_bytes(0);
    }

    static std::size_t bytes(std::size_t partials, std::size_t word_count) {
        return 2 * partials * sizeof(float) + sizeof(unsigned) +
               word_count * sizeof(unsigned long long);
    }

    DeviceBuffer<float> partial[2];
    DeviceBuffer<unsigned> ticket;
    DeviceBuffer<unsigned long long> words;
};

/// How a stage adds: the launcher, which leaves the sum of d_items[0..n) in *d_sum; and how many
/// additions an item goes through at most, for the bound on the result's error.
struct ReduceStage {
    void (*launch)(const float* d_items, std::size_t n, float* d_sum, Workspace& work);
    double (*depth)(std::size_t n);
};

class OptimizedExperiment : public SumExperiment {
  public:
    /// `partials`, `words`: how many of each the table's launchers need for options.n items.
    OptimizedExperiment(const Options& options, const std::vector<Stage<ReduceStage>>& table,
                        std::size_t partials, std::size_t words)
        : SumExperiment(options), table_(table), partials_(partials), words_(words) {}

    std::vector<RowInfo> rows() const override {
        std::vector<RowInfo> rows = rows_of(table_);
#if defined(__CUDACC__)
        rows.push_back(cub_row());
        rows.push_back(thrust_row());
#endif
        return rows;
    }

  protected:
    std::size_t scratch_bytes(std::size_t) const override {
        return Workspace::bytes(partials_, words_) + kLibraryBytes;
    }

    void allocate(std::size_t) override {
        work_ = std::make_unique<Workspace>(partials_, words_);
        d_sum_ = DeviceBuffer<float>(1);
        d_library_ = DeviceBuffer<unsigned char>(kLibraryBytes);
    }

    void forget() override {
        is_on_host_ = false;
        d_sum_.fill_bytes(0xff);  // NaN
        for (DeviceBuffer<float>& partial : work_->partial) partial.fill_bytes(0xff);
    }

    void sum(std::size_t row, const Input& input) override {
        if (row < table_.size()) {
            table_[row].launch.launch(input.d_items, input.n, d_sum_.data(), *work_);
        } else {
            library_sum(row - table_.size(), input);
        }
    }

    float fetch() override { return is_on_host_ ? on_host_ : d_sum_.download()[0]; }

    /// A library does not say in what order it adds: the bound of any order at all.
    double depth(std::size_t row) const override {
        if (row < table_.size()) return table_[row].launch.depth(n());
        return static_cast<double>(n());
    }

  private:
#if defined(__CUDACC__)
    void library_sum(std::size_t which, const Input& input) {
        if (which == 0) {
            cub_sum(input.d_items, input.n, d_sum_.data(), d_library_);
            return;
        }
        on_host_ = thrust_sum(input.d_items, input.n);
        is_on_host_ = true;
    }
#else
    void library_sum(std::size_t, const Input&) {}
#endif

    const std::vector<Stage<ReduceStage>>& table_;
    std::size_t partials_;
    std::size_t words_;
    bool is_on_host_ = false;  ///< where the last run left its sum
    float on_host_ = 0.0f;
    DeviceBuffer<float> d_sum_;
    DeviceBuffer<unsigned char> d_library_;
    std::unique_ptr<Workspace> work_;
};

}  // namespace tutorial
