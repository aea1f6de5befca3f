// An experiment on sums of floats: what chapters 2 and 3 have in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "device_buffer.hpp"
#include "interface.hpp"
#include "sum_reference.hpp"

namespace tutorial {

/// Makes the input and its reference, and checks each row twice: on the input, whose sum must be
/// within the error bound of the row's own order of addition; and on whole numbers, whose sum must
/// be exact, so that one lost or doubled item shows. Notes each row's error for a table at the end.
class SumExperiment : public Experiment {
  public:
    explicit SumExperiment(const Options& options) : n_(options.n) {}

    std::size_t device_bytes(const Options& options) const final;
    void prepare(const Options& options) final;
    bool keeps_input() const final { return true; }
    void reset(int) final { forget(); }
    void run(std::size_t row, int) final { sum(row, input()); }
    Verdict check(std::size_t row, int) final;
    std::size_t bytes_needed() const final { return n_ * sizeof(float); }
    Ceiling ceiling() const final;
    std::string after(const std::vector<RowResult>& results) const final;

  protected:
    /// The items to add, on both sides.
    struct Input {
        const float* d_items;
        const float* items;
        std::size_t n;
    };

    /// Device memory in bytes that allocate() asks for.
    virtual std::size_t scratch_bytes(std::size_t n) const = 0;

    /// Whatever the rows need besides the items. Called once, by prepare().
    virtual void allocate(std::size_t n) = 0;

    /// Overwrites everything that may hold a result with NaN.
    virtual void forget() = 0;

    /// Does the work of rows()[row]: device rows enqueue it and do not wait.
    virtual void sum(std::size_t row, const Input& input) = 0;

    /// Waits for the sum that the last call of sum() leaves, and returns it.
    virtual float fetch() = 0;

    /// The largest number of additions that an item goes through in this row; the error bound
    /// depends on it. For an unknown order n is right: no order needs more.
    virtual double depth(std::size_t row) const = 0;

    std::size_t n() const { return n_; }
    Input input() const { return {d_items_.data(), items_.data(), n_}; }

    /// Copies the items to the device once more, for rows that are timed with their copies.
    void upload() { d_items_.upload(items_); }

  private:
    void note(std::size_t row, float actual);

    std::size_t n_;
    std::vector<float> items_;
    SumReference reference_;
    WholeNumbers whole_;
    std::vector<SumError> errors_;
    DeviceBuffer<float> d_items_;
    DeviceBuffer<float> d_whole_;
};

}  // namespace tutorial
