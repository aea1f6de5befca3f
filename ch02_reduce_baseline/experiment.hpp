// This chapter as the harness sees it: a table of stages, each of which leaves partial sums, and
// what adds those.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/library_sum.cuh"
#include "../common/harness/sum_experiment.hpp"

namespace tutorial {

/// One launch, which turns n items into partials(n) sums.
struct ReduceStage {
    void (*launch)(const float* d_items, std::size_t n, float* d_partial);
    unsigned (*partials)(std::size_t n);
    double (*depth)(std::size_t n);  ///< most additions that an item goes through
};

/// What adds the partial sums: the host, as in the article, or the same kernel, launched again.
enum class Finish { host, launch };

/// Partial sums on the device: where and how many.
struct Partials {
    float* d_sums;
    std::size_t count;
};

/// The largest number of additions that an item goes through. The bound on the result's error
/// depends on it.
inline double total_depth(const ReduceStage& stage, Finish finish, std::size_t n) {
    double additions = stage.depth(n);
    std::size_t count = stage.partials(n);
    for (; finish == Finish::launch && count > 1; count = stage.partials(count)) {
        additions += stage.depth(count);
    }
    return additions + static_cast<double>(count - 1);  // the host's, one after the other
}

/// The functions of main.cu that the experiment calls.
struct BaselineParts {
    const std::vector<Stage<ReduceStage>>& stages;
    Partials (*reduce)(const ReduceStage& stage, Finish finish, const float* d_items, std::size_t n,
                       float* const (&d_scratch)[2]);
    float (*host_sum)(const float* items, std::size_t n);
    unsigned (*max_partials)(std::size_t n);
};

class BaselineExperiment : public SumExperiment {
  public:
    BaselineExperiment(const Options& options, BaselineParts parts, Finish finish)
        : SumExperiment(options), parts_(parts), finish_(finish) {}

    std::vector<RowInfo> rows() const override {
        std::vector<RowInfo> rows = rows_of(parts_.stages);
        rows.push_back({"host", "one addition after the other, on the host", RowKind::host});
#if defined(__CUDACC__)
        rows.push_back(thrust_row());
        rows.push_back(cub_row());
#endif
        return rows;
    }

    bool times_copies() const override { return true; }

    /// What the article timed: copy the items to the device, add, copy the result back.
    bool run_with_copies(std::size_t row, int) override {
        if (row == parts_.stages.size()) return false;
        upload();
        sum(row, input());
        on_host_ = fetch();
        partials_ = {nullptr, 0};
        return true;
    }

  protected:
    std::size_t scratch_bytes(std::size_t n) const override {
        return 2 * parts_.max_partials(n) * sizeof(float) + kLibraryBytes;
    }

    void allocate(std::size_t n) override {
        for (DeviceBuffer<float>& scratch : d_scratch_) {
            scratch = DeviceBuffer<float>(parts_.max_partials(n));
        }
        d_library_ = DeviceBuffer<unsigned char>(kLibraryBytes);
    }

    void forget() override {
        for (DeviceBuffer<float>& scratch : d_scratch_) scratch.fill_bytes(0xff);  // NaN
        partials_ = {nullptr, 0};
        on_host_ = std::numeric_limits<float>::quiet_NaN();
    }

    void sum(std::size_t row, const Input& input) override {
        const std::size_t host = parts_.stages.size();
        if (row < host) {
            partials_ = parts_.reduce(parts_.stages[row].launch, finish_, input.d_items, input.n,
                                      {d_scratch_[0].data(), d_scratch_[1].data()});
        } else if (row == host) {
            on_host_ = parts_.host_sum(input.items, input.n);
        } else {
#if defined(__CUDACC__)
            if (row == host + 1) {
                on_host_ = thrust_sum(input.d_items, input.n);
            } else {
                cub_sum(input.d_items, input.n, d_scratch_[0].data(), d_library_);
                partials_ = {d_scratch_[0].data(), 1};
            }
#endif
        }
    }

    /// The sum that the last run left: on the host, or in partial sums that the host adds.
    float fetch() override {
        if (partials_.count == 0) return on_host_;
        std::vector<float> sums(partials_.count);
        CUDA_CHECK(cudaMemcpy(sums.data(), partials_.d_sums, sums.size() * sizeof(float),
                              cudaMemcpyDeviceToHost));
        return parts_.host_sum(sums.data(), sums.size());
    }

    /// A library does not say in what order it adds: this is the bound for any order at all.
    double depth(std::size_t row) const override {
        if (row >= parts_.stages.size()) return static_cast<double>(n());
        return total_depth(parts_.stages[row].launch, finish_, n());
    }

  private:
    BaselineParts parts_;
    Finish finish_;
    float on_host_ = 0.0f;
    Partials partials_ = {nullptr, 0};
    DeviceBuffer<float> d_scratch_[2];
    DeviceBuffer<unsigned char> d_library_;
};

}  // namespace tutorial
