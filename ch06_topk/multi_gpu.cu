// The k largest keys on several GPUs: each finds the k best of its share as main.cu does, an
// all-gather brings all candidates to all GPUs, and each picks the k best of them.
//
// You will learn: why so little needs to be sent (k keys from each GPU include the k best of all),
// and how indices stay right although no GPU knows the whole input.
//
//   ./tutorial run ch06 --gpus 2            (without GPUs: two processes of the emulator)
//   mpirun -n 2 build/cuda/bin/ch06_topk_multi_gpu_cuda --n 2^31 --k 20 --estimate
#include "../common/harness/chapter.hpp"
#include "../common/harness/multi_gpu/multi_gpu.hpp"

#include "../common/harness/multi_gpu/nccl_check.hpp"
#include "../common/harness/multi_gpu/part_input.hpp"

#define main one_gpu_main
#include "main.cu"
#undef main

namespace {

constexpr unsigned kSelectThreads = 1024;

/// The share's k best, as KeyIndexes whose index is the key's place in the whole input; 0 if the
/// share has fewer.
template <class Key>
__global__ void global_candidates_kernel(TopKResult<Key> found, unsigned k, unsigned order_mask,
                                         unsigned begin, KeyIndex* candidates) {
    const unsigned count = *found.count;
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) {
        const bool there = i < count;
        candidates[i] =
            there ? key_index_of(found.keys[i], begin + found.indices[i], order_mask) : KeyIndex{0};
    }
}

// select: one block counts for each candidate how many others are better: that is its place.
// Removes: a sort of at most k candidates from each GPU.
// Remains: (GPUs * k)^2 comparisons; with 1,024 keys from each of 8 GPUs about 100 us.
template <class Key>
__global__ void __launch_bounds__(kSelectThreads)
    select_kernel(KeyIndex* candidates, unsigned count, unsigned k, unsigned order_mask,
                  bool distinct, TopKResult<Key> result) {
    __shared__ unsigned found;
    if (threadIdx.x == 0) found = 0;
    if (distinct) {
        // Of equal values the one with the lowest index stays: the largest KeyIndex. Marked first
        // and cleared later: the others must still see a candidate that will go.
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
            bool gone = false;
            for (unsigned j = 0; j < count; ++j) {
                gone = gone || (radix_key_of(candidates[j]) == radix_key_of(candidates[i]) &&
                                candidates[j] > candidates[i]);
            }
            candidates[count + i] = gone ? KeyIndex{0} : candidates[i];
        }
        candidates += count;
    }
    __syncthreads();  // all are marked, and nothing is found yet
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const KeyIndex mine = candidates[i];
        if (mine == 0) continue;
        unsigned place = 0;
        for (unsigned j = 0; j < count; ++j) place += candidates[j] > mine ? 1 : 0;
        if (place >= k) continue;
        result.keys[place] = KeyOrder<Key>::key(radix_key_of(mine), order_mask);
        result.indices[place] = index_of(mine);
        atomicAdd(&found, 1u);
    }
    __syncthreads();  // all candidates of the answer are counted
    if (threadIdx.x == 0) *result.count = found;
}

template <class Key>
class MultiGpuTopK : public MultiGpuExperiment {
  public:
    MultiGpuTopK(const MultiGpuOptions& options, const Question& question, Ranks& ranks)
        : options_(options),
          question_(question),
          ranks_(ranks),
          k_(static_cast<unsigned>(question.k)),
          order_mask_(KeyOrder<Key>::order_mask(!question.smallest)),
          share_(share_of(options.n, ranks.rank(), ranks.size())) {}

    std::size_t device_bytes() const override {
        return share_.count * sizeof(Key) + sizes().all() * sizeof(KeyIndex) +
               (3 * static_cast<std::size_t>(ranks_.size()) * k_ + 1024) * sizeof(KeyIndex);
    }

    void prepare() override {
        const std::vector<Key> keys =
            make_part<Key>(options_.input, options_.n, options_.seed, share_);
        share_best_ = reference<Key>(keys, k_, order_mask_, question_.distinct);
        d_keys_ = DeviceBuffer<Key>(share_.count);
        d_keys_.upload(keys);
        d_list_ = DeviceBuffer<KeyIndex>(sizes().list);
        d_next_list_ = DeviceBuffer<KeyIndex>(sizes().list);
        // Once: every launch leaves these as it found them.
        d_summaries_ = DeviceBuffer<KeyIndex>(sizes().summaries);
        d_summaries_.fill_bytes(0);
        d_control_ = DeviceBuffer<Control>(1);
        d_control_.fill_bytes(0);
        d_found_ = DeviceBuffer<Key>(k_);
        d_found_indices_ = DeviceBuffer<unsigned>(k_);
        d_result_ = DeviceBuffer<Key>(k_);
        d_indices_ = DeviceBuffer<unsigned>(k_);
        d_counts_ = DeviceBuffer<unsigned>(2);
        d_mine_ = DeviceBuffer<KeyIndex>(k_);
        d_all_ = DeviceBuffer<KeyIndex>(2 * static_cast<std::size_t>(ranks_.size()) * k_);
    }

    void share_facts(const Links&) override {
        // The k best of all are among the k best of the shares, on the host as on the GPUs.
        std::vector<KeyIndex> mine = share_best_;
        for (KeyIndex& item : mine) {
            item = make_key_index(radix_key_of(item),
                                  static_cast<unsigned>(share_.begin) + index_of(item));
        }
        expected_ = ranks_.gather_all(mine);
        std::sort(expected_.begin(), expected_.end(), std::greater<>());
        const auto same = [](KeyIndex a, KeyIndex b) { return radix_key_of(a) == radix_key_of(b); };
        if (question_.distinct) {
            expected_.erase(std::unique(expected_.begin(), expected_.end(), same), expected_.end());
        }
        if (expected_.size() > k_) expected_.resize(k_);
    }

    void reset() override {
        for (DeviceBuffer<unsigned>* each : {&d_found_indices_, &d_indices_, &d_counts_}) {
            each->fill_bytes(0xa5);
        }
        d_found_.fill_bytes(0xa5);
        d_result_.fill_bytes(0xa5);
        d_mine_.fill_bytes(0xa5);
        d_all_.fill_bytes(0xa5);
    }

    void run_alone() override {
        if (k_ == 0) return;
        if (share_.count == 0) {
            CUDA_CHECK(cudaMemsetAsync(d_counts_.data(), 0, sizeof(unsigned)));
            return;
        }
        best(TopKParams<Key>{
            d_keys_.data(),
            static_cast<unsigned>(share_.count),
            k_,
            order_mask_,
            question_.distinct,
            {d_list_.data(), d_next_list_.data(), d_summaries_.data(), d_control_.data()},
            found()});
    }
    double items_alone() const override { return static_cast<double>(share_.count); }

    Verdict check_alone() override { return compare(share_best_, d_found_, d_found_indices_, 0); }

    // gather: each GPU's k best go to all the others, and each GPU picks the k best of all.
    // Removes: all but k keys of each share from what is sent.
    // Remains: one all-gather and two short launches, about as long as reading 100 MB.
    void run() override {
        run_alone();
        if (k_ == 0) return;
        const unsigned count = static_cast<unsigned>(ranks_.size()) * k_;
        global_candidates_kernel<<<1, kSelectThreads>>>(
            found(), k_, order_mask_, static_cast<unsigned>(share_.begin), d_mine_.data());
        CUDA_CHECK_LAUNCH();
        NCCL_CHECK(
            ncclAllGather(d_mine_.data(), d_all_.data(), k_, ncclUint64, ranks_.comm(), nullptr));
        const TopKResult<Key> result = {d_result_.data(), d_indices_.data(), d_counts_.data() + 1};
        select_kernel<<<1, kSelectThreads>>>(d_all_.data(), count, k_, order_mask_,
                                             question_.distinct, result);
        CUDA_CHECK_LAUNCH();
    }

    Verdict check() override { return compare(expected_, d_result_, d_indices_, 1); }

    Prediction predict(const Links& links, int ranks, double n, double alone) const override {
        // A ring: ranks - 1 steps, k KeyIndexes each.
        const double share = n / ranks;
        const double step = links.message_seconds(static_cast<double>(k_) * sizeof(KeyIndex));
        return {alone * share / std::max(items_alone(), 1.0), (ranks - 1) * step};
    }

  private:
    ScratchSizes sizes() const { return scratch_sizes(std::max(k_, 1u), share_.count); }

    TopKResult<Key> found() { return {d_found_.data(), d_found_indices_.data(), d_counts_.data()}; }

    /// The number of entries, each key and each index must be as expected.
    Verdict compare(const std::vector<KeyIndex>& expected, const DeviceBuffer<Key>& d_keys,
                    const DeviceBuffer<unsigned>& d_indices, std::size_t which) const {
        if (k_ == 0) return {true, ""};
        const std::size_t count = d_counts_.download()[which];
        if (count != expected.size()) {
            return {false, std::to_string(count) + " keys found, " +
                               std::to_string(expected.size()) + " expected"};
        }
        std::vector<Key> keys = d_keys.download(), expected_keys;
        std::vector<unsigned> indices = d_indices.download(), expected_indices;
        keys.resize(count);
        indices.resize(count);
        for (const KeyIndex item : expected) {
            expected_keys.push_back(KeyOrder<Key>::key(radix_key_of(item), order_mask_));
            expected_indices.push_back(index_of(item));
        }
        const Verdict verdict = verify_equal(expected_keys, keys);
        return verdict.ok ? verify_equal(expected_indices, indices) : verdict;
    }

    MultiGpuOptions options_;
    Question question_;
    Ranks& ranks_;
    unsigned k_, order_mask_;
    Share share_;
    std::vector<KeyIndex> share_best_, expected_;
    DeviceBuffer<Key> d_keys_, d_found_, d_result_;
    DeviceBuffer<KeyIndex> d_list_, d_next_list_, d_summaries_, d_mine_, d_all_;
    DeviceBuffer<Control> d_control_;
    DeviceBuffer<unsigned> d_found_indices_, d_indices_, d_counts_;
};

}  // namespace

int main(int argc, char** argv) {
    Question question;
    question.index = true;
    return MultiGpu("ch06_multi_gpu", "the k largest of N keys, on several GPUs", "key")
        .one_gpu("best")
        .sizes(std::size_t{1} << 30, std::size_t{1} << 19, kMaxN, std::size_t{1} << 22)
        .number("--k", "how many keys", question.k, 0, kMaxK)
        .flag("--distinct", "every value once; otherwise duplicates count", question.distinct)
        .flag("--smallest", "the smallest instead of the largest", question.smallest)
        .choice("--type", "type of the keys", {"int", "float"}, question.type)
        .run(argc, argv,
             [&](const MultiGpuOptions& options,
                 Ranks& ranks) -> std::unique_ptr<MultiGpuExperiment> {
                 if (question.type == "float") {
                     return std::make_unique<MultiGpuTopK<float>>(options, question, ranks);
                 }
                 return std::make_unique<MultiGpuTopK<int>>(options, question, ranks);
             });
}
