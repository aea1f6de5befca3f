// The sum of squares on several GPUs: each adds up its share as main.cu does; then one all-reduce
// of 8 bytes adds the shares' sums. Exact, like the sum of one GPU: integers may be added in any
// order.
//
// You will learn: what the smallest collective costs, and from which n on a second GPU pays off.
//
//   ./tutorial run ch04 --gpus 2            (without GPUs: two processes of the emulator)
//   mpirun -n 2 build/cuda/bin/ch04_squaresum_multi_gpu_cuda --n 2^31 --estimate
#include <cmath>

#include "../common/harness/chapter.hpp"
#include "../common/harness/multi_gpu/multi_gpu.hpp"

#include "../common/harness/multi_gpu/nccl_check.hpp"
#include "../common/harness/multi_gpu/part_input.hpp"

#define main one_gpu_main
#include "main.cu"
#undef main

namespace {

// all_reduce: one collective adds the sums of all GPUs; all GPUs know the result.
// Removes: the limits of one GPU's memory and of its bandwidth.
// Remains: a message of 8 bytes takes as long as reading tens of megabytes; a smaller share is
// faster on one GPU.
void all_reduce(Sum* d_sum, const Ranks& ranks) {
    NCCL_CHECK(ncclAllReduce(d_sum, d_sum, 1, ncclUint64, ncclSum, ranks.comm(), nullptr));
}

class MultiGpuSquareSum : public MultiGpuExperiment {
  public:
    MultiGpuSquareSum(const MultiGpuOptions& options, std::string values, Ranks& ranks)
        : options_(options), values_(std::move(values)), ranks_(ranks) {
        share_ = share_of(options.n, ranks.rank(), ranks.size());
    }

    std::size_t device_bytes() const override { return share_.count * sizeof(int) + (1u << 20); }

    void prepare() override {
        std::vector<int> items = make_part<int>(options_.input, options_.n, options_.seed, share_);
        in_parallel(items.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) items[i] = item_of(items[i], values_);
        });
        share_sum_ = host_sum(items);
        d_items_ = DeviceBuffer<int>(share_.count);
        d_items_.upload(items);
        d_sum_ = DeviceBuffer<Sum>(1);
        d_accumulator_ = DeviceBuffer<GridAccumulator>(1);
        d_accumulator_.fill_bytes(0);  // once: every launch leaves it as it found it
    }

    void share_facts(const Links&) override {
        // The exact result, computed without the GPUs, to compare with. 128 bits show an overflow.
        unsigned __int128 all = 0;
        for (const std::uint64_t sum : ranks_.gather(share_sum_)) all += sum;
        expected_ = static_cast<Sum>(all);
        if (all >> 64 != 0) {
            throw UsageError(
                "the squares of this input add up to 2^64 or more, which 64 bits cannot hold: use "
                "smaller --values or a smaller --n");
        }
    }

    void reset() override { d_sum_.fill_bytes(0xff); }

    void run_alone() override {
        best(d_items_.data(), share_.count, d_sum_.data(), d_accumulator_.data());
    }
    double items_alone() const override { return static_cast<double>(share_.count); }
    Verdict check_alone() override { return verify_equal<Sum>({share_sum_}, d_sum_.download()); }

    void run() override {
        run_alone();
        all_reduce(d_sum_.data(), ranks_);
    }
    Verdict check() override { return verify_equal<Sum>({expected_}, d_sum_.download()); }

    Prediction predict(const Links& links, int ranks, double n, double alone) const override {
        // A tree of log2(ranks) steps up and down; the time for the ranks at hand was measured.
        const auto depth = [](int of) { return std::ceil(std::log2(static_cast<double>(of))); };
        const double steps = depth(ranks) / std::max(depth(ranks_.size()), 1.0);
        const double share = n / ranks;
        return {alone * share / std::max(items_alone(), 1.0), steps * links.reduce_latency};
    }

  private:
    MultiGpuOptions options_;
    std::string values_;
    Ranks& ranks_;
    Share share_;
    Sum share_sum_ = 0, expected_ = 0;
    DeviceBuffer<int> d_items_;
    DeviceBuffer<Sum> d_sum_;
    DeviceBuffer<GridAccumulator> d_accumulator_;
};

}  // namespace

int main(int argc, char** argv) {
    std::string values = "digits";
    return MultiGpu("ch04_multi_gpu", "the sum of the squares of N ints, on several GPUs", "int")
        .one_gpu("best")
        .sizes(std::size_t{1} << 30, std::size_t{1} << 19, std::size_t{1} << 36,
               std::size_t{1} << 24)
        .choice("--values", "digits: 0..9, wide: -46340..46340, full: every int",
                {"digits", "wide", "full"}, values)
        .run(argc, argv, [&](const MultiGpuOptions& options, Ranks& ranks) {
            return std::make_unique<MultiGpuSquareSum>(options, values, ranks);
        });
}
