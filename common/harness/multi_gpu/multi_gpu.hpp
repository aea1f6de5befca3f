// A chapter on several GPUs, as the harness sees it: an experiment of which each rank has a share.
//
// A chapter's multi_gpu.cu builds a MultiGpu, adds its own options, and passes a function that
// makes the MultiGpuExperiment. Options, order of work, timing, verification, table, CSV and exit
// code are the harness's job; it also makes all ranks fail together.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../options.hpp"
#include "../verify.hpp"
#include "links.hpp"
#include "ranks.hpp"

namespace tutorial {

struct MultiGpuOptions {
    std::size_t n = 0;             ///< --n: items of all ranks together
    std::string input = "random";  ///< --input: one of part_input_kinds()
    std::uint64_t seed = 1;        ///< --seed
    std::string csv;               ///< --csv FILE: one line per row, written by rank 0
    bool same_total = false;       ///< --same-total: one more row, one GPU with all n items
    bool estimate = false;         ///< --estimate: the model before the run, and next to the result
    int samples = 15;              ///< --samples: timed runs of each row
};

/// One problem, cut over the ranks. The harness calls, on all ranks together: device_bytes(),
/// prepare(), share_facts(), then for each of the two rows reset(), run…(), check….
class MultiGpuExperiment {
  public:
    virtual ~MultiGpuExperiment() = default;

    /// Device memory in bytes that this rank's prepare() asks for. Touches no device.
    virtual std::size_t device_bytes() const = 0;

    /// Makes this rank's share of the input and what its check needs; allocates device memory.
    /// Sends nothing, so that a rank may throw here and all ranks learn why.
    virtual void prepare() = 0;

    /// What the ranks must tell each other about their shares, such as the sum of all. After
    /// prepare().
    virtual void share_facts(const Links& links) { static_cast<void>(links); }

    /// Restores the input and fills the output with a sentinel. Not timed.
    virtual void reset() = 0;

    /// The chapter's fastest version for one GPU, on this rank's share or more: what the run of all
    /// ranks is compared with. Every rank runs it, and sends nothing. Enqueues on the default
    /// stream. `items_alone()`: how many items that is.
    virtual void run_alone() = 0;
    virtual double items_alone() const = 0;
    virtual Verdict check_alone() = 0;

    /// All ranks together. What the default stream does next comes after all of it.
    virtual void run() = 0;

    /// Is the whole result right? All ranks call it; each returns what it found in its share.
    virtual Verdict check() = 0;

    /// The model for this many ranks with n items in all; `alone`: measured seconds of run_alone().
    virtual Prediction predict(const Links& links, int ranks, double n, double alone) const = 0;

    /// More that is worth a line below the table; printed by rank 0. All ranks call it.
    virtual std::string note() { return {}; }
};

using MakeMultiGpuExperiment =
    std::function<std::unique_ptr<MultiGpuExperiment>(const MultiGpuOptions&, Ranks&)>;

/// A chapter's name, sizes and own options.
class MultiGpu {
  public:
    /// `name`: e.g. "ch05_multi_gpu"; `title`: one line; `item`: what n counts.
    MultiGpu(std::string name, std::string title, std::string item);
    ~MultiGpu();

    /// The defaults are for each rank, or with same_n_on_more_gpus() for all of them; the maximum
    /// is for all.
    MultiGpu& sizes(std::size_t gpu_default, std::size_t cpu_default, std::size_t gpu_max,
                    std::size_t cpu_max);
    MultiGpu& flag(const std::string& option, const std::string& help, bool& value);
    MultiGpu& choice(const std::string& option, const std::string& help,
                     const std::vector<std::string>& choices, std::string& value);
    MultiGpu& number(const std::string& option, const std::string& help, std::size_t& value,
                     std::size_t least, std::size_t most);
    /// The row of the chapter's table that run_alone() is: its fastest version for one GPU.
    MultiGpu& one_gpu(const std::string& stage);
    /// True: the model keeps n when it predicts more GPUs; otherwise each GPU keeps its share.
    MultiGpu& same_n_on_more_gpus(bool value);

    /// Exit code, the same on all ranks: 0 all right; 1 a wrong result, a CUDA or NCCL error, a
    /// rank that died, or a CSV that could not be written; 2 a wrong option, or ranks whose options
    /// differ; 3 no usable GPU or too little memory. Rank 0 prints; never throws.
    int run(int argc, char** argv, const MakeMultiGpuExperiment& make);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tutorial
