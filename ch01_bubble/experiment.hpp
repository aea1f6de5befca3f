// This chapter as the harness sees it: sorts in place, from a table of stages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/verify.hpp"
#include "estimate.hpp"

namespace bubble {

/// What a stage works on: `n` keys to be sorted in place, and scratch memory. Device memory; for
/// the host's rows `keys` is host memory.
template <class Key>
struct Job {
    Key* keys;
    unsigned n;
    void* scratch;
};

template <class Key>
using Launch = void (*)(Job<Key>);

/// What main.cu says of its stages.
template <class Key>
struct Parts {
    const std::vector<tutorial::Stage<Launch<Key>>>& stages;
    std::size_t (*scratch_bytes)(std::size_t n);
    std::vector<Work> (*work)(unsigned n, int multiprocessors);  ///< of the many-block stages
};

template <class Key>
class BubbleSort : public tutorial::Experiment {
  public:
    BubbleSort(const Parts<Key>& parts, bool estimate) : parts_(parts), estimate_(estimate) {}

    std::vector<tutorial::RowInfo> rows() const override {
        return tutorial::rows_of(parts_.stages);
    }

    std::size_t device_bytes(const tutorial::Options& options) const override {
        const std::size_t copies = 1 + slots_for(options.n);
        return copies * options.n * sizeof(Key) + parts_.scratch_bytes(options.n);
    }

    void prepare(const tutorial::Options& options) override {
        input_ = tutorial::make_input<Key>(options.input, options.n, options.seed);
        expected_ = tutorial::sorted_copy(input_);
        d_input_ = tutorial::DeviceBuffer<Key>(options.n);
        d_input_.upload(input_);
        d_keys_.clear();
        for (int slot = 0; slot < slots_for(options.n); ++slot) d_keys_.emplace_back(options.n);
        d_scratch_ = tutorial::DeviceBuffer<char>(parts_.scratch_bytes(options.n));
    }

    int slots() const override { return static_cast<int>(d_keys_.size()); }

    void reset(int slot) override {
        d_keys_[slot].copy_from(d_input_);
        h_keys_ = input_;
    }

    void run(std::size_t row, int slot) override {
        Key* keys = on_host(row) ? h_keys_.data() : d_keys_[slot].data();
        parts_.stages[row].launch({keys, static_cast<unsigned>(input_.size()), d_scratch_.data()});
    }

    tutorial::Verdict check(std::size_t row, int slot) override {
        return tutorial::verify_equal(expected_, on_host(row) ? h_keys_ : d_keys_[slot].download());
    }

    std::size_t bytes_needed() const override { return 0; }  // keys per second instead

    /// n half-steps, each with a min and a max for every two keys. Stages that compute some maxima
    /// on another pipe can get below it: two_half_steps() in main.cu.
    tutorial::Ceiling ceiling() const override {
        const tutorial::DeviceInfo& device = tutorial::device_info();
        const double n = static_cast<double>(input_.size());
        const double rate = kMinMaxPerClock * device.sm_count * device.sm_clock_hz;
        return {"min/max rate", n * n / rate};
    }

    std::string before() const override { return after({}); }

    std::string after(const std::vector<tutorial::RowResult>& results) const override {
        if (!estimate_) return "";
        const unsigned n = static_cast<unsigned>(input_.size());
        return estimate_text(n, parts_.work(n, tutorial::device_info().sm_count), results);
    }

  private:
    /// A sort in place is run once per copy of the input: several, where a run is short.
    static int slots_for(std::size_t n) { return n <= (std::size_t{1} << 14) ? 16 : 1; }

    bool on_host(std::size_t row) const {
        return parts_.stages[row].kind == tutorial::RowKind::host;
    }

    Parts<Key> parts_;
    bool estimate_;
    std::vector<Key> input_, expected_, h_keys_;
    tutorial::DeviceBuffer<Key> d_input_;
    std::vector<tutorial::DeviceBuffer<Key>> d_keys_;
    tutorial::DeviceBuffer<char> d_scratch_;
};

}  // namespace bubble
