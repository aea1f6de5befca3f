// Sorting on several GPUs: each sorts its share as main.cu does; splitters cut every sorted share
// into a piece for each GPU; the pieces are exchanged in rounds, and a round that has come is
// merged while the next one travels. The result stays distributed: rank 0 holds the first keys, the
// last rank the last ones.
//
// You will learn: to choose splitters that no input can fool, to hide merges behind messages, and
// why sorting needs every key to travel once.
//
// Source: sorting by regular sampling (Shi, Schaeffer, "Parallel sorting by regular sampling",
// Journal of Parallel and Distributed Computing 14, 1992). Ties are broken by rank and position, so
// that equal keys are cut as evenly as others. A value is its key's place in the input, so the sort
// is stable over all GPUs.
//
//   ./tutorial run ch05 --gpus 2            (without GPUs: two processes of the emulator)
//   mpirun -n 2 build/cuda/bin/ch05_merge_bitonic_multi_gpu_cuda --n 2^29 --estimate
#include <atomic>
#include <cmath>

#include "../common/harness/chapter.hpp"
#include "../common/harness/multi_gpu/multi_gpu.hpp"

#include "../common/harness/multi_gpu/nccl_check.hpp"
#include "../common/harness/multi_gpu/part_input.hpp"
#include "../common/harness/multi_gpu/registered_buffer.hpp"

#define main one_gpu_main
#include "main.cu"
#undef main

namespace {

using namespace tutorial;
using namespace sorting;

// ---- Where the shares are cut ----------------------------------------------------------------

/// What a rank receives comes in up to so many rounds: one is merged while the next one travels.
constexpr unsigned kMaxRounds = 8;

/// A round of fewer bytes takes hardly longer than its messages' latency and its launches.
constexpr double kRoundBytes = 16e6;

/// Messages begin at multiples of so many items, 16 bytes: the widest copy a thread can make. From
/// any other address each item travels alone, and a message takes twice as long.
constexpr unsigned kAligned = 4;

constexpr std::size_t aligned_up(std::size_t items) {
    return (items + kAligned - 1) / kAligned * kAligned;
}

/// Of every rank's share for each other rank. More make parts more even, and take longer to gather.
constexpr unsigned kSamplesPerPair = 256;

/// A key of a sorted share as all ranks compare it: by order, then rank, then position. Those that
/// are missing, since their share is shorter than the longest one, come last.
struct Sample {
    unsigned missing;
    int order;
    unsigned rank, position;
};

__device__ bool operator<(const Sample& a, const Sample& b) {
    if (a.missing != b.missing) return a.missing < b.missing;
    if (a.order != b.order) return a.order < b.order;
    return a.rank != b.rank ? a.rank < b.rank : a.position < b.position;
}

/// How many of items[0..count), sorted, come before the first one for which `is_before` is false.
template <class T, class IsBefore>
__device__ unsigned count_before(const T* items, unsigned count, const IsBefore& is_before) {
    unsigned low = 0;
    unsigned high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (is_before(items[middle])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The keys at positions every - 1, 2 * every - 1, ... of the sorted share.
__global__ void sample_share_kernel(const int* keys, unsigned n, unsigned rank, unsigned every,
                                    unsigned count, Sample* samples) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const std::size_t position = (i + std::size_t{1}) * every - 1;
    const bool there = position < n;
    samples[i] = {there ? 0u : 1u, there ? keys[position] : 0, rank,
                  static_cast<unsigned>(position)};
}

/// splitters[p]: of the samples of all ranks, `each` of every one, the one before which wanted[p] -
/// 1 others come; none where wanted[p] is 0.
__global__ void choose_splitters_kernel(const Sample* samples, unsigned each, unsigned ranks,
                                        const unsigned* wanted, unsigned count, Sample* splitters) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ranks * each) return;
    const Sample mine = samples[i];
    unsigned before = 0;
    for (unsigned rank = 0; rank < ranks; ++rank) {
        before += count_before(samples + rank * each, each,
                               [&](const Sample& other) { return other < mine; });
    }
    for (unsigned p = 0; p < count; ++p) {
        if (wanted[p] == before + 1) splitters[p] = mine;
    }
}

/// How many keys of this rank's sorted share come up to each splitter, itself included; and up to
/// the end.
__global__ void cut_share_kernel(const int* keys, unsigned n, unsigned rank,
                                 const Sample* splitters, const unsigned* wanted, unsigned count,
                                 unsigned* cuts) {
    const unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p > count) return;
    if (p == count || wanted[p] == 0) {
        cuts[p] = p == count ? n : 0;
        return;
    }
    const Sample splitter = splitters[p];
    if (rank == splitter.rank) {
        cuts[p] = splitter.position + 1;
    } else {  // our equal keys come first, or last
        const bool ties = rank < splitter.rank;
        cuts[p] = count_before(keys, n, [&](int key) {
            return key < splitter.order || (ties && key == splitter.order);
        });
    }
}

// ---- Two pieces become one -------------------------------------------------------------------

using MergeShape = Shape<int, 32, 4>;

/// A thread a window: where it begins in the first run.
__global__ void window_cuts_kernel(const int* from, Runs runs, unsigned count, unsigned* cuts) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned total = runs.count_a + runs.count_b;
    cuts[i] = merge_path_cut(from + runs.a, runs.count_a, from + runs.b, runs.count_b,
                             min(i * MergeShape::kWindow, total));
}

/// Keys alone: a warp merges its window in registers. Equal keys cannot be told apart, so their
/// order is of no matter.
__global__ void __launch_bounds__(MergeShape::kThreads)
    merge_keys_kernel(const int* from, Runs runs, const unsigned* cuts, int* to) {
    using S = MergeShape;
    int* const tile = shared_tile<int>();
    const unsigned total = runs.count_a + runs.count_b;
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned window = blockIdx.x * S::kWarps + warp;
    const unsigned first = window * S::kWindow;
    if (first >= total) return;
    const unsigned begin_a = cuts[window];
    int key[S::kKeys];
    load_cut_window<LinearLayout>(key, from, runs, first, min(S::kWindow, total - first), begin_a,
                                  cuts[window + 1] - begin_a);
    clean_window(key, tile, warp * S::kWindow);
    to_striped(key, tile, warp * S::kWindow);
    store_window(key, to, first + threadIdx.x % kWarpSize, total);
}

constexpr unsigned kPairTile = kMergeThreads * kPathKeys;

/// Keys with values, stable: as merge_path, with the values beside the keys.
__global__ void merge_values_kernel(const int* from, const std::uint32_t* from_values, Runs runs,
                                    int* to, std::uint32_t* to_values) {
    __shared__ int keys[kPairTile];
    __shared__ std::uint32_t values[kPairTile];
    __shared__ unsigned cuts[2];
    const unsigned total = runs.count_a + runs.count_b;
    const unsigned out = blockIdx.x * kPairTile;
    const unsigned count = min(kPairTile, total - out);
    if (threadIdx.x % kWarpSize == 0 && threadIdx.x < 2 * kWarpSize) {
        const unsigned which = threadIdx.x / kWarpSize;
        cuts[which] = merge_path_cut(from + runs.a, runs.count_a, from + runs.b, runs.count_b,
                                     out + which * count);
    }
    __syncthreads();  // two threads have searched for all
    const unsigned count_a = cuts[1] - cuts[0];
    const unsigned count_b = count - count_a;
    const unsigned begin_a = runs.a + cuts[0];
    const unsigned begin_b = runs.b + (out - cuts[0]);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const unsigned at = i < count_a ? begin_a + i : begin_b + (i - count_a);
        keys[i] = from[at];
        values[i] = from_values[at];
    }
    __syncthreads();  // loaded by other threads than will merge
    const unsigned diagonal = min(threadIdx.x * kPathKeys, count);
    unsigned a = merge_path_cut(keys, count_a, keys + count_a, count_b, diagonal);
    unsigned b = diagonal - a;
    for (unsigned i = 0; i < kPathKeys && diagonal + i < count; ++i) {
        const bool take_a = a < count_a && (b >= count_b || !(keys[count_a + b] < keys[a]));
        const unsigned at = take_a ? a++ : count_a + b++;
        to[out + diagonal + i] = keys[at];
        to_values[out + diagonal + i] = values[at];
    }
}

// ---- The sort --------------------------------------------------------------------------------

/// A stream that is not the default one, and destroys itself: for messages beside merges.
class Stream {
  public:
    /// Of the highest priority: a message's few blocks must not wait for all blocks of a merge.
    Stream() {
        int least = 0, greatest = 0;
        CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
    }
    ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    cudaStream_t get() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

/// A point in a stream, at which another one waits.
class Event {
  public:
    Event() { CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    /// Behind all that is enqueued in `stream` now.
    void record(cudaStream_t stream) { CUDA_CHECK(cudaEventRecord(event_, stream)); }
    /// What is enqueued in `stream` from now on waits for it.
    void hold(cudaStream_t stream) { CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0)); }

  private:
    cudaEvent_t event_ = nullptr;
};

/// Items [begin, begin + count) of an array.
struct Piece {
    unsigned begin, count;
};

template <class SortKey>
class MultiGpuSort : public MultiGpuExperiment {
  public:
    /// `rounds`: of the exchange; 0: as many as are worth it.
    MultiGpuSort(const MultiGpuOptions& options, std::size_t rounds, Ranks& ranks)
        : options_(options),
          ranks_(ranks),
          ranks_count_(static_cast<unsigned>(ranks.size())),
          share_(share_of(options.n, ranks.rank(), ranks.size())),
          given_rounds_(static_cast<unsigned>(rounds)),
          rounds_(rounds_of(static_cast<double>(options.n), ranks.size())),
          parts_(ranks_count_ * rounds_),
          samples_each_(kSamplesPerPair * ranks_count_) {
        const std::size_t most = share_of(options.n, 0, ranks.size()).count;
        every_ = static_cast<unsigned>(
            std::max<std::size_t>(1, (most + samples_each_ - 1) / samples_each_));
        // Up to the k-th sample come k * every_ keys, or up to every_ more of each rank.
        max_received_ = most + std::size_t{2} * ranks_count_ * every_ + 1;
        // What comes lies behind the share; a message may hold some items more at either end.
        inbox_ = aligned_up(share_.count);
        inbox_items_ = max_received_ + std::size_t{2} * parts_ * kAligned;
    }

    std::size_t device_bytes() const override {
        const std::size_t each = kHasValue<SortKey> ? 8 : 4;
        return (2 * share_.count + inbox_items_ + 2 * max_received_) * each +
               Workspace<SortKey>::bytes(share_.count) + (std::size_t{64} << 20);
    }

    void prepare() override {
        const std::vector<int> keys =
            make_part<int>(options_.input, options_.n, options_.seed, share_);
        in_checksum_ = multiset_checksum(share_.count, [&](std::size_t i) {
            return checked_item(static_cast<std::uint32_t>(keys[i]), value_of(i));
        });
        d_input_ = DeviceBuffer<int>(share_.count);
        d_input_.upload(keys);
        // One array, so that a merge may read the share's own piece and one that has come.
        d_keys_ = std::make_unique<RegisteredBuffer<int>>(inbox_ + inbox_items_, ranks_);
        for (DeviceBuffer<int>& each : d_merged_) each = DeviceBuffer<int>(max_received_);
        work_ = std::make_unique<Workspace<SortKey>>(share_.count);
        if (kHasValue<SortKey>) {
            std::vector<std::uint32_t> values(share_.count);
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(i);
            d_input_values_ = DeviceBuffer<std::uint32_t>(share_.count);
            d_input_values_.upload(values);
            d_values_ =
                std::make_unique<RegisteredBuffer<std::uint32_t>>(inbox_ + inbox_items_, ranks_);
            for (auto& each : d_merged_values_) {
                each = DeviceBuffer<std::uint32_t>(max_received_);
            }
        }
        const std::size_t ranks = ranks_count_;
        d_samples_ = DeviceBuffer<Sample>(samples_each_ * (ranks + 1));
        d_splitters_ = DeviceBuffer<Sample>(parts_);
        d_wanted_ = DeviceBuffer<unsigned>(parts_);
        d_wanted_.upload(wanted_samples());
        d_cuts_ = DeviceBuffer<unsigned>(parts_ * (ranks + 1));
        d_window_cuts_ = DeviceBuffer<unsigned>(max_received_ / MergeShape::kWindow + 3);
    }

    void share_facts(const Links&) override {
        all_checksum_ = ranks_.sum(in_checksum_);
        if (ranks_count_ == 1 || on_emulator()) return;
        // What a merge takes, for the model: of the two halves of a share of zeros, which is
        // sorted.
        const auto n = static_cast<unsigned>(share_.count);
        level_seconds_ =
            time_together(
                ranks_, 5, [] {},
                [&] {
                    merge_two(d_keys_->data(), values_at(), {0, n / 2}, {n / 2, n - n / 2}, 0, 0);
                })
                .median;
    }

    void reset() override {
        if (share_.count > 0) {
            CUDA_CHECK(cudaMemcpyAsync(d_keys_->data(), d_input_.data(), d_input_.bytes(),
                                       cudaMemcpyDeviceToDevice));
            if (kHasValue<SortKey>) {
                CUDA_CHECK(cudaMemcpyAsync(values_at(), d_input_values_.data(),
                                           d_input_values_.bytes(), cudaMemcpyDeviceToDevice));
            }
        }
        for (DeviceBuffer<int>& each : d_merged_) each.fill_bytes(0xa5);
        received_ = 0;
    }

    void run_alone() override {
        if (share_.count > 0) sample_best(params());
    }
    double items_alone() const override { return static_cast<double>(share_.count); }

    Verdict check_alone() override {
        return sorted(
            download(d_keys_->data(), share_.count),
            kHasValue<SortKey> ? download(values_at(), share_.count) : std::vector<std::uint32_t>(),
            share_.count, in_checksum_);
    }

    // exchange: every rank's piece of every sorted share goes to it, in rounds; a round that has
    // come is merged while the next one travels. Removes: the limit of one GPU's memory; half of
    // the comparisons for each GPU. Remains: each key travels once, but for those that are in their
    // place; log2(ranks) merges more.
    void run() override {
        run_alone();
        if (ranks_count_ == 1) return copy_share();
        choose_cuts();  // waits for the device: messages may begin
        std::vector<std::vector<Piece>> pieces;
        std::size_t slot = inbox_;
        for (unsigned round = 0; round < rounds_; ++round) {
            pieces.push_back(exchange(round, slot));
            has_come_[round].record(messages_.get());
        }
        received_ = 0;
        for (unsigned round = 0; round < rounds_; ++round) {
            has_come_[round].hold(nullptr);
            received_ += merge(pieces[round], received_);
        }
    }

    Verdict check() override {
        std::vector<int> keys = d_merged_[0].download();
        std::vector<std::uint32_t> values = d_merged_values_[0].download();
        keys.resize(received_);
        if (kHasValue<SortKey>) values.resize(received_);
        Verdict verdict = sorted(keys, values, received_, 0);
        // All keys are there, and once: their number and their checksum are those of the input.
        const std::uint64_t count = ranks_.sum(received_);
        const std::uint64_t checksum = ranks_.sum(out_checksum_);
        if (verdict.ok && count != options_.n) {
            verdict = {false, std::to_string(count) + " keys came out, " +
                                  std::to_string(options_.n) + " went in"};
        }
        if (verdict.ok && checksum != all_checksum_) {
            verdict = {false, "the keys that came out are not those that went in"};
        }
        // No rank's first item comes before the last one of a rank before it.
        std::vector<std::uint64_t> ends;
        if (received_ > 0) {
            ends = {ordered_item(keys.front(), kHasValue<SortKey> ? values.front() : 0),
                    ordered_item(keys.back(), kHasValue<SortKey> ? values.back() : 0)};
        }
        const std::vector<std::uint64_t> all = ranks_.gather_all(ends);
        if (verdict.ok && !std::is_sorted(all.begin(), all.end())) {
            verdict = {false, "a rank holds keys that belong to a rank before it"};
        }
        return verdict;
    }

    std::string note() override {
        const std::vector<std::uint64_t> held = ranks_.gather(received_);
        const auto [least, most] = std::minmax_element(held.begin(), held.end());
        if (ranks_count_ == 1) return "";
        return "rounds: " + std::to_string(rounds_) +
               "; keys a rank holds at the end: " + std::to_string(*least) + " to " +
               std::to_string(*most) + "\n";
    }

    Prediction predict(const Links& links, int ranks, double n, double alone) const override {
        // A level of merges for each doubling of the ranks; of every share all but one piece
        // travels, while all rounds but the last are merged.
        const double share = n / ranks;
        const double part_of_mine = share / std::max(items_alone(), 1.0);
        const double sort = alone * part_of_mine;
        if (ranks == 1) return {sort, 0.0};
        const double merges =
            std::ceil(std::log2(static_cast<double>(ranks))) * level_seconds_ * part_of_mine;
        const unsigned rounds = rounds_of(n, ranks);
        const double travel =
            share * kItemBytes * (ranks - 1) / ranks / std::max(links.bandwidth, 1.0);
        const double hidden = merges * (rounds - 1) / rounds;
        // Samples and cuts go round a ring; a round's messages to all ranks go at once.
        const double latency = (2.0 * (ranks - 1) + rounds) * links.latency;
        return {sort + merges / rounds, latency + std::max(travel, hidden)};
    }

  private:
    static constexpr double kItemBytes = kHasValue<SortKey> ? 8.0 : 4.0;

    /// So many rounds are worth it, or were asked for.
    unsigned rounds_of(double n, int ranks) const {
        if (given_rounds_ > 0) return given_rounds_;
        const double travels = n / ranks * kItemBytes * (ranks - 1) / ranks;  // to one rank
        const double rounds = std::floor(travels / kRoundBytes);
        return static_cast<unsigned>(std::clamp(rounds, 1.0, double{kMaxRounds}));
    }

    /// The value of the share's i-th key: its place in the whole input, so that a stable sort is
    /// one that leaves the values of equal keys ascending.
    std::uint32_t value_of(std::size_t i) const {
        return kHasValue<SortKey> ? static_cast<std::uint32_t>(share_.begin + i) : 0;
    }

    static std::uint64_t checked_item(std::uint32_t key, std::uint32_t value) {
        return std::uint64_t{key} << 32 | value;
    }
    static std::uint64_t ordered_item(int key, std::uint32_t value) {
        return checked_item(static_cast<std::uint32_t>(key) ^ 0x80000000u, value);
    }

    /// Ascending keys, and values of equal keys ascending; the checksum where one is given.
    Verdict sorted(const std::vector<int>& keys, const std::vector<std::uint32_t>& values,
                   std::size_t count, std::uint64_t checksum) {
        const auto item = [&](std::size_t i) {
            return ordered_item(keys[i], kHasValue<SortKey> ? values[i] : 0);
        };
        std::atomic<std::size_t> wrong{count};
        in_parallel(count, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) {
                if (item(i) < item(i - 1)) {
                    wrong = i;
                    return;
                }
            }
        });
        if (wrong < count) {
            return {false, "item " + std::to_string(wrong) + " of this rank comes before item " +
                               std::to_string(wrong - 1)};
        }
        out_checksum_ = multiset_checksum(count, [&](std::size_t i) {
            return checked_item(static_cast<std::uint32_t>(keys[i]),
                                kHasValue<SortKey> ? values[i] : 0);
        });
        if (checksum != 0 && out_checksum_ != checksum) {
            return {false, "the keys that came out are not those that went in"};
        }
        return {true, ""};
    }

    /// One GPU: the sorted share is the result.
    void copy_share() {
        received_ = share_.count;
        copy(d_keys_->data(), d_merged_[0].data(), received_);
        if (kHasValue<SortKey>) copy(values_at(), d_merged_values_[0].data(), received_);
    }

    SortParams<SortKey> params() {
        return work_->params(reinterpret_cast<std::uint32_t*>(d_keys_->data()), values_at(),
                             share_.count, KeyType::signed_int);
    }

    std::uint32_t* values_at() { return d_values_ ? d_values_->data() : nullptr; }

    template <class T>
    static std::vector<T> download(const T* from, std::size_t count) {
        std::vector<T> items(count);
        if (count > 0) {
            CUDA_CHECK(cudaMemcpy(items.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
        }
        return items;
    }

    template <class T>
    static void copy(const T* from, T* to, std::size_t count) {
        if (count == 0) return;
        CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice));
    }

    /// For each part but the last how many samples come up to its end, the splitter.
    std::vector<unsigned> wanted_samples() const {
        std::size_t samples = 0;
        for (int q = 0; q < ranks_.size(); ++q) {
            samples += share_of(options_.n, q, ranks_.size()).count / every_;
        }
        std::vector<unsigned> wanted(parts_);
        for (unsigned part = 1; part < parts_; ++part) {
            const std::size_t keys =
                options_.n / parts_ * part + options_.n % parts_ * part / parts_;
            wanted[part - 1] = static_cast<unsigned>(std::min(keys / every_, samples));
        }
        return wanted;
    }

    /// Fills cut_: cut_[q][p] keys of rank q's sorted share come before part p. Waits for the
    /// device: how many bytes to send is the host's to know.
    void choose_cuts() {
        const auto n = static_cast<unsigned>(share_.count);
        const unsigned threads = 256;
        Sample* const mine = d_samples_.data() + samples_each_ * ranks_count_;
        sample_share_kernel<<<divide_up(samples_each_, threads), threads>>>(
            d_keys_->data(), n, me(), every_, samples_each_, mine);
        CUDA_CHECK_LAUNCH();
        NCCL_CHECK(ncclAllGather(mine, d_samples_.data(), samples_each_ * sizeof(Sample), ncclChar,
                                 ranks_.comm(), nullptr));
        choose_splitters_kernel<<<divide_up(samples_each_ * ranks_count_, threads), threads>>>(
            d_samples_.data(), samples_each_, ranks_count_, d_wanted_.data(), parts_ - 1,
            d_splitters_.data());
        CUDA_CHECK_LAUNCH();
        unsigned* const my_cuts = d_cuts_.data() + std::size_t{parts_} * ranks_count_;
        cut_share_kernel<<<divide_up(parts_, threads), threads>>>(
            d_keys_->data(), n, me(), d_splitters_.data(), d_wanted_.data(), parts_ - 1, my_cuts);
        CUDA_CHECK_LAUNCH();
        NCCL_CHECK(
            ncclAllGather(my_cuts, d_cuts_.data(), parts_, ncclUint32, ranks_.comm(), nullptr));
        const std::vector<unsigned> cuts = d_cuts_.download();
        cut_.assign(ranks_count_, std::vector<unsigned>(1, 0));
        for (unsigned q = 0; q < ranks_count_; ++q) {
            for (unsigned p = 0; p < parts_; ++p) {
                cut_[q].push_back(cuts[std::size_t{q} * parts_ + p]);
            }
        }
    }

    unsigned me() const { return static_cast<unsigned>(ranks_.rank()); }

    /// What of the sorted share of `from` goes to rank `to` in this round.
    Piece piece_of(unsigned from, unsigned to, unsigned round) const {
        const unsigned part = to * rounds_ + round;
        return {cut_[from][part], cut_[from][part + 1] - cut_[from][part]};
    }

    /// Starts a round's messages; returns its pieces, in the order of their ranks. What comes is
    /// put at item `slot` and behind; `slot` becomes the next free one.
    std::vector<Piece> exchange(unsigned round, std::size_t& slot) {
        std::vector<Piece> pieces;
        NCCL_CHECK(ncclGroupStart());
        for (unsigned other = 0; other < ranks_count_; ++other) {
            Piece comes = piece_of(other, me(), round);
            if (other != me()) {
                const Piece goes = piece_of(me(), other, round);
                const Piece frame_goes = aligned(goes), frame_comes = aligned(comes);
                if (slot + frame_comes.count > inbox_ + inbox_items_) {
                    throw std::logic_error("a rank gets more keys than regular sampling allows");
                }
                const Piece lands = {static_cast<unsigned>(slot), frame_comes.count};
                send_and_receive(d_keys_->data(), frame_goes, lands, static_cast<int>(other));
                if (kHasValue<SortKey>) {
                    send_and_receive(values_at(), frame_goes, lands, static_cast<int>(other));
                }
                comes.begin = lands.begin + (comes.begin - frame_comes.begin);
                slot += frame_comes.count;
            }
            pieces.push_back(comes);
        }
        NCCL_CHECK(ncclGroupEnd());
        return pieces;
    }

    /// The piece with what it takes more at either end to begin and end at multiples of kAligned:
    /// keys of a neighbouring piece, or of the gap behind the share. Nobody reads these.
    static Piece aligned(Piece piece) {
        if (piece.count == 0) return piece;
        const unsigned before = piece.begin % kAligned;
        return {piece.begin - before, static_cast<unsigned>(aligned_up(before + piece.count))};
    }

    template <class T>
    void send_and_receive(T* items, Piece goes, Piece comes, int other) {
        if (goes.count > 0) {
            NCCL_CHECK(ncclSend(items + goes.begin, goes.count, ncclUint32, other, ranks_.comm(),
                                messages_.get()));
        }
        if (comes.count > 0) {
            NCCL_CHECK(ncclRecv(items + comes.begin, comes.count, ncclUint32, other, ranks_.comm(),
                                messages_.get()));
        }
    }

    /// Merges a round's pieces, neighbours first, so that equal keys stay in the order of their
    /// ranks; the result goes to d_merged_[0] from `at` on. Returns how many keys that is.
    std::size_t merge(std::vector<Piece> pieces, std::size_t at) {
        std::size_t total = 0;
        for (const Piece& piece : pieces) total += piece.count;
        if (at + total > max_received_) {
            throw std::logic_error("a rank gets more keys than regular sampling allows");
        }
        int levels = 0;
        while ((std::size_t{1} << levels) < pieces.size()) ++levels;
        const int* from = d_keys_->data();
        const std::uint32_t* from_values = values_at();
        for (; levels > 0; --levels) {
            // Back and forth, so that the last level writes to d_merged_[0].
            const int target = (levels - 1) % 2;
            unsigned to = static_cast<unsigned>(at);
            std::vector<Piece> merged;
            for (std::size_t i = 0; i < pieces.size(); i += 2) {
                const Piece second = i + 1 < pieces.size() ? pieces[i + 1] : Piece{0, 0};
                merge_two(from, from_values, pieces[i], second, target, to);
                merged.push_back({to, pieces[i].count + second.count});
                to += merged.back().count;
            }
            pieces = merged;
            from = d_merged_[target].data();
            from_values = d_merged_values_[target].data();
        }
        return total;
    }

    void merge_two(const int* from, const std::uint32_t* from_values, Piece a, Piece b, int target,
                   unsigned to) {
        const std::size_t total = std::size_t{a.count} + b.count;
        if (total == 0) return;
        const Runs runs = {a.begin, a.count, b.begin, b.count};
        int* const merged = d_merged_[target].data() + to;
        if (kHasValue<SortKey>) {
            merge_values_kernel<<<divide_up<std::size_t>(total, kPairTile), kMergeThreads>>>(
                from, from_values, runs, merged, d_merged_values_[target].data() + to);
        } else {
            const unsigned cuts =
                static_cast<unsigned>(divide_up<std::size_t>(total, MergeShape::kWindow)) + 1;
            window_cuts_kernel<<<divide_up(cuts, kMergeThreads), kMergeThreads>>>(
                from, runs, cuts, d_window_cuts_.data());
            CUDA_CHECK_LAUNCH();
            allow_shared(merge_keys_kernel, MergeShape::kBytes);
            merge_keys_kernel<<<divide_up<std::size_t>(total, MergeShape::kTile),
                                MergeShape::kThreads, MergeShape::kBytes>>>(
                from, runs, d_window_cuts_.data(), merged);
        }
        CUDA_CHECK_LAUNCH();
    }

    MultiGpuOptions options_;
    Ranks& ranks_;
    unsigned ranks_count_;
    Share share_;
    unsigned given_rounds_, rounds_;
    unsigned parts_;         ///< of all keys: rounds_ for each rank
    unsigned samples_each_;  ///< of every rank
    unsigned every_ = 1;     ///< so many keys a sample
    std::size_t max_received_ = 0;
    std::size_t inbox_ = 0, inbox_items_ = 0;  ///< of d_keys_: what comes from other ranks
    std::size_t received_ = 0;
    double level_seconds_ = 0.0;  ///< of a merge of two runs to one of the share's length
    std::uint64_t in_checksum_ = 0, out_checksum_ = 0, all_checksum_ = 0;
    std::vector<std::vector<unsigned>> cut_;
    Stream messages_;
    Event has_come_[kMaxRounds];  ///< what a round receives
    DeviceBuffer<int> d_input_;
    DeviceBuffer<std::uint32_t> d_input_values_;
    std::unique_ptr<RegisteredBuffer<int>> d_keys_;
    std::unique_ptr<RegisteredBuffer<std::uint32_t>> d_values_;
    DeviceBuffer<int> d_merged_[2];
    DeviceBuffer<std::uint32_t> d_merged_values_[2];
    DeviceBuffer<Sample> d_samples_, d_splitters_;
    DeviceBuffer<unsigned> d_wanted_, d_cuts_, d_window_cuts_;
    std::unique_ptr<Workspace<SortKey>> work_;
};

}  // namespace

int main(int argc, char** argv) {
    bool values = false;
    std::size_t rounds = 0;
    return MultiGpu("ch05_multi_gpu", "N ints sorted across GPUs; the result stays distributed",
                    "key")
        .one_gpu("sample_best")
        .sizes(std::size_t{1} << 28, std::size_t{1} << 15, std::size_t{1} << 32,
               std::size_t{1} << 20)
        .flag("--values", "a value with each key: its place in the input; stable", values)
        .number("--rounds", "of the exchange; 0: as many as are worth it", rounds, 0, kMaxRounds)
        .run(argc, argv,
             [&](const MultiGpuOptions& options,
                 Ranks& ranks) -> std::unique_ptr<MultiGpuExperiment> {
                 const std::size_t share = share_of(options.n, 0, ranks.size()).count;
                 if (share > kMaxKeys) {
                     throw UsageError("--n is " + std::to_string(options.n) + " for " +
                                      std::to_string(ranks.size()) + " ranks; each sorts at most " +
                                      std::to_string(kMaxKeys));
                 }
                 if (values) {
                     return std::make_unique<MultiGpuSort<KeyValue>>(options, rounds, ranks);
                 }
                 return std::make_unique<MultiGpuSort<int>>(options, rounds, ranks);
             });
}
