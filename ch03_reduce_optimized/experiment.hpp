// This chapter as the harness sees it: the memory that its launchers share, how deep their
// additions go, and a table of stages with the libraries' sums as its last rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_code.cuh"
#include "../common/harness/library_sum.cuh"
#include "../common/harness/sum_experiment.hpp"

namespace tutorial {

/// The number of blocks; one if there are no items, so that the 0 is written.
inline unsigned blocks_for(std::size_t n, std::size_t items_per_block) {
    return static_cast<unsigned>(std::max<std::size_t>(1, divide_up(n, items_per_block)));
}

/// A block's sum, and a flag above it: see pack() in main.cu.
using StatusWord = unsigned long long;

/// Device memory for a sum of n items that the launchers share. A launch leaves ticket and words 0,
/// as it found them, so they are cleared only once. Only one launch at a time may use it.
struct Workspace {
    static constexpr std::size_t kItemsPerBlock = 512;  ///< at least, in every stage

    explicit Workspace(std::size_t n)
        : partial{DeviceBuffer<float>(partials(n)), DeviceBuffer<float>(partials(n))},
          ticket(1),
          words(partials(n)) {
        ticket.fill_bytes(0);
        words.fill_bytes(0);
    }

    /// No stage has more blocks.
    static std::size_t partials(std::size_t n) { return blocks_for(n, kItemsPerBlock); }

    static std::size_t bytes(std::size_t n) {
        return partials(n) * (2 * sizeof(float) + sizeof(StatusWord)) + sizeof(unsigned);
    }

    DeviceBuffer<float> partial[2];  ///< partial sums: a launch reads one and writes the other
    DeviceBuffer<unsigned> ticket;
    DeviceBuffer<StatusWord> words;
};

/// How a stage adds: the launcher, which stores the sum of d_items[0..n) in *d_sum; and the depth
/// of its additions.
struct ReduceStage {
    void (*launch)(const float* d_items, std::size_t n, float* d_sum, Workspace& work);
    double (*depth)(std::size_t n);
};

// ---- Depth -----------------------------------------------------------------------------------
// The largest number of additions that an item goes through. The bound on the error of a sum of
// floats grows with that number: see ../common/harness/sum_reference.hpp.

constexpr double kTreeDepth = 9;        // 512 threads that add in a tree
constexpr double kVectorDepth = 2;      // a vector whose four items are added in pairs
constexpr double kWarpsDepth = 5 + 15;  // shuffles in 16 warps; thread 0 adds their sums

/// Several launches, each of which leaves one sum for every `items_per_block` items; an item goes
/// through `per_launch` additions in each.
inline double depth_in_launches(std::size_t n, std::size_t items_per_block, double per_launch) {
    double depth = per_launch;
    for (; n > items_per_block; n = divide_up(n, items_per_block)) depth += per_launch;
    return depth;
}

/// One launch: a thread adds vectors in `per_thread` additions, its block the threads' sums; then
/// `collectors` threads of one block share the sums of all `blocks`.
inline double depth_in_one_launch(std::size_t per_thread, std::size_t blocks,
                                  std::size_t collectors) {
    return kVectorDepth + static_cast<double>(per_thread) + kWarpsDepth +
           static_cast<double>(divide_up(blocks, collectors)) + kWarpsDepth;
}

// ---- The experiment --------------------------------------------------------------------------

/// Runs and checks a table of stages, with the libraries' sums as its last rows.
class OptimizedExperiment : public SumExperiment {
  public:
    OptimizedExperiment(const Options& options, const std::vector<Stage<ReduceStage>>& table)
        : SumExperiment(options), table_(table) {}

    std::vector<RowInfo> rows() const override {
        std::vector<RowInfo> rows = rows_of(table_);
#if defined(__CUDACC__)
        rows.push_back(cub_row());
        rows.push_back(thrust_row());
#endif
        return rows;
    }

  protected:
    std::size_t scratch_bytes(std::size_t n) const override {
        return Workspace::bytes(n) + kLibraryBytes;
    }

    void allocate(std::size_t n) override {
        work_ = std::make_unique<Workspace>(n);
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

    /// A library does not say in what order it adds: this is the bound for any order at all.
    double depth(std::size_t row) const override {
        return row < table_.size() ? table_[row].launch.depth(n()) : static_cast<double>(n());
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
    bool is_on_host_ = false;  ///< where the last run left its sum
    float on_host_ = 0.0f;
    DeviceBuffer<float> d_sum_;
    DeviceBuffer<unsigned char> d_library_;
    std::unique_ptr<Workspace> work_;
};

}  // namespace tutorial
