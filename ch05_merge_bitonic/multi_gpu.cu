// Sorting on several GPUs: a sample of all keys says where to cut, the same for all; each GPU moves
// its share into buckets, and sends each other GPU its buckets, in rounds. What a round has
// delivered is cut further and sorted while the next one travels. The result stays distributed:
// rank 0 holds the first keys, the last rank the last ones.
//
// You will learn: to cut before keys travel, so that what arrives needs no merge; to hide messages
// behind work; and why sorting needs every key to travel once.
//
// The passes and the sort of the buckets are those of sample_best on one GPU, whatever happens in
// between. Equal keys may go to any of the buckets next to their splitters, so they are cut as
// evenly as others. A value is its key's place in the input, and equal keys are sorted by their
// values, so the sort is stable over all GPUs.
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

/// A rank receives its keys in at most this many rounds: one is sorted while the next one travels.
constexpr unsigned kMaxRounds = 4;

/// A round of fewer bytes would take hardly longer than its messages' latency and its launches.
constexpr double kRoundBytes = 16e6;

/// Messages begin at multiples of this many keys, 16 bytes or more: the widest copy that a thread
/// can make. From any other address each key is copied alone, and a message takes twice as long.
constexpr unsigned kAligned = 4;

constexpr std::size_t aligned_up(std::size_t keys) {
    return (keys + kAligned - 1) / kAligned * kAligned;
}

/// A stream other than the default one, which destroys itself: for messages next to kernels.
class Stream {
  public:
    /// Of the highest priority: a message's few blocks must not wait for all blocks of a kernel.
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

    /// After all that is enqueued in `stream` now.
    void record(cudaStream_t stream) { CUDA_CHECK(cudaEventRecord(event_, stream)); }
    /// What is enqueued in `stream` from now on waits for it.
    void hold(cudaStream_t stream) { CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0)); }

  private:
    cudaEvent_t event_ = nullptr;
};

template <class SortKey>
class MultiGpuSort : public MultiGpuExperiment {
  public:
    /// `rounds`: of the exchange; 0: as many as pay off.
    MultiGpuSort(const MultiGpuOptions& options, std::size_t rounds, Ranks& ranks)
        : options_(options),
          ranks_(ranks),
          ranks_count_(static_cast<unsigned>(ranks.size())),
          me_(static_cast<unsigned>(ranks.rank())),
          share_(share_of(options.n, ranks.rank(), ranks.size())),
          given_rounds_(static_cast<unsigned>(rounds)) {}

    std::size_t device_bytes() const override {
        const std::size_t room = room_for_keys();
        const std::size_t arrays = kHasValue<SortKey> ? 4 : 2;  // keys, values, packed, spare
        return share_.count * kKeyBytes + (arrays * room + places_for(room)) * sizeof(SortKey) +
               2 * places_for(room) + scratch_bytes_bound<SortKey>(share_.count) +
               (std::size_t{64} << 20);
    }

    void prepare() override {
        const std::vector<std::uint32_t> keys =
            bits_of_keys(make_part<int>(options_.input, options_.n, options_.seed, share_));
        std::vector<std::uint32_t> values(kHasValue<SortKey> ? share_.count : 0);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<std::uint32_t>(share_.begin + i);
        }
        in_checksum_ = checksum(keys, values);
        d_input_ = DeviceBuffer<std::uint32_t>(keys.size());
        d_input_.upload(keys);
        d_input_values_ = DeviceBuffer<std::uint32_t>(values.size());
        d_input_values_.upload(values);

        with_cuts([&](Cuts cuts, auto, auto) { cuts_ = cuts; });
        const std::size_t sampled = cuts_.sampled();
        is_cut_ = ranks_count_ > 1 && options_.n >= sampled;
        each_ = cuts_.ways / ranks_count_;
        rounds_ = std::min(rounds_of(static_cast<double>(options_.n), ranks_.size()), each_);
        room_ = std::max(room_for_keys(), is_cut_ ? sampled : options_.n);
        const std::size_t places = places_for(room_);
        d_keys_ = DeviceBuffer<std::uint32_t>(room_);
        d_values_ = DeviceBuffer<std::uint32_t>(kHasValue<SortKey> ? room_ : 0);
        d_packed_ = DeviceBuffer<SortKey>(kHasValue<SortKey> ? room_ : 0);
        d_spare_ = DeviceBuffer<SortKey>(room_);
        d_moved_ = std::make_unique<RegisteredBuffer<SortKey>>(places, ranks_);
        d_begins_ = DeviceBuffer<unsigned>(std::size_t{ranks_count_} * (cuts_.ways + 1));
        d_plan_ = DeviceBuffer<unsigned>((3 * std::size_t{ranks_count_} + 1) * each_ + 2 * rounds_);
        d_scratch_ = DeviceBuffer<unsigned char>(
            std::max({bucket_sort_bytes<SortKey>(share_.count),
                      is_cut_ ? bucket_sort_bytes<SortKey>(places, cuts_)
                              : bucket_sort_bytes<SortKey>(options_.n)}));
        if (is_cut_) {
            sort_ = std::make_unique<SampleSort<SortKey>>(
                params(d_keys_.data(), d_values_.data(), share_.count), cuts_, d_moved_->data(),
                places);
        }
    }

    void share_facts(const Links&) override { all_checksum_ = ranks_.sum(in_checksum_); }

    void reset() override {
        d_keys_.fill_bytes(0xa5);
        d_values_.fill_bytes(0xa5);
        CUDA_CHECK(cudaMemsetAsync(d_moved_->data(), 0xa5, d_moved_->bytes()));
        copy(d_input_.data(), d_keys_.data(), share_.count);
        copy(d_input_values_.data(), d_values_.data(), d_input_values_.size());
        received_ = 0;
    }

    void run_alone() override {
        if (share_.count == 0) return;
        sample_best(params(d_keys_.data(), d_values_.data(), share_.count));
    }
    double items_alone() const override { return static_cast<double>(share_.count); }

    Verdict check_alone() override {
        return sorted(download(d_keys_, share_.count), download(d_values_, share_.count),
                      in_checksum_);
    }

    void run() override {
        received_ = share_.count;
        if (ranks_count_ == 1) return run_alone();
        if (!is_cut_) return sort_everywhere();
        with_cuts([&](Cuts, auto pass, auto bucket) {
            cut_exchange_sort<decltype(pass), decltype(bucket)>();
        });
    }

    Verdict check() override {
        const std::vector<std::uint32_t> keys = download(d_keys_, received_);
        const std::vector<std::uint32_t> values = download(d_values_, received_);
        Verdict verdict = sorted(keys, values, 0);
        // All keys are there, once each: their number and their checksum are those of the input.
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
            ends = {ordered_item(keys, values, 0), ordered_item(keys, values, received_ - 1)};
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
               "; keys per rank at the end: " + std::to_string(*least) + " to " +
               std::to_string(*most) + "\n";
    }

    Prediction predict(const Links& links, int ranks, double n, double alone) const override {
        // A pass and the sort of the buckets take about as long. What comes after the first pass
        // hides messages, except those of the first round.
        const double share = n / ranks;
        const double step =
            alone * share / std::max(items_alone(), 1.0) / (passes_for(items_alone(), 1) + 1);
        if (ranks == 1) return {step * (passes_for(n, 1) + 1), 0.0};
        const double later = step * passes_for(n, 2);
        const double sort = step + later;
        const double others = (ranks - 1.0) / ranks;
        // Each rank sorts the sample of all shares.
        const double samples = static_cast<double>(cuts_.sampled()) /
                               std::max(static_cast<double>(options_.n), 1.0) * n * others;
        const double bandwidth = std::max(links.bandwidth, 1.0);
        const double travel = share * others * kKeyBytes / bandwidth;
        const unsigned rounds = rounds_of(n, ranks);
        const double hidden = std::min(travel, later) * (1.0 - 2.0 / (rounds * (rounds + 1)));
        // A pass reads or writes each key three times, the sort of the buckets twice. The messages'
        // reads and writes of travelling keys share the memory with the work that hides them.
        const double slowed = step * 2 / 2.5 * others * hidden / std::max(travel, 1e-12);
        // Sample and counts go round a ring; a round's messages to all ranks go at once.
        const double latency = (2.0 * (ranks - 1) + rounds) * links.latency;
        return {sort * (1.0 + samples / share) + slowed,
                latency + samples * kKeyBytes / bandwidth + travel - hidden};
    }

  private:
    static constexpr std::size_t kKeyBytes = sizeof(SortKey);

    /// As sample_best() for this many keys; each rank has the same number of buckets.
    template <class Sort>
    void with_cuts(const Sort& sort) const {
        sorting::with_cuts<SortKey>(options_.n, sort, ranks_count_);
    }

    /// Passes that this many keys take, on one GPU or (2) on several.
    static unsigned passes_for(double n, unsigned gpus) {
        unsigned passes = 1;
        sorting::with_cuts<SortKey>(
            static_cast<std::size_t>(n), [&](Cuts cuts, auto, auto) { passes = cuts.passes; },
            gpus);
        return passes;
    }

    /// The number of rounds that pays off, or was asked for.
    unsigned rounds_of(double n, int ranks) const {
        if (given_rounds_ > 0) return given_rounds_;
        const double travels = n / ranks * kKeyBytes * (ranks - 1) / ranks;  // to one rank
        const double rounds = std::floor(travels / kRoundBytes);
        return static_cast<unsigned>(std::clamp(rounds, 1.0, double{kMaxRounds}));
    }

    /// Keys that a rank may hold at the end. About one key in 300 is sampled, so what the splitters
    /// give to a rank is off by more than 20 times the root of its share in one case out of three,
    /// and by more than six times that in less than one in a billion.
    std::size_t room_for_keys() const {
        const std::size_t share = share_of(options_.n, 0, ranks_.size()).count;
        return share + static_cast<std::size_t>(128 * std::sqrt(static_cast<double>(share)));
    }

    /// The share as the first pass leaves it, and after it the keys received. A message has a few
    /// extra keys at either end.
    std::size_t places_for(std::size_t room) const {
        if (ranks_count_ == 1) return 0;
        return inbox() + room + std::size_t{2} * ranks_count_ * kMaxRounds * kAligned;
    }
    std::size_t inbox() const { return aligned_up(share_.count); }

    static std::uint64_t item(const std::vector<std::uint32_t>& keys,
                              const std::vector<std::uint32_t>& values, std::size_t i) {
        return std::uint64_t{keys[i]} << 32 | (kHasValue<SortKey> ? values[i] : 0);
    }
    /// The same in ascending order.
    static std::uint64_t ordered_item(const std::vector<std::uint32_t>& keys,
                                      const std::vector<std::uint32_t>& values, std::size_t i) {
        return item(keys, values, i) ^ std::uint64_t{1} << 63;
    }
    static std::uint64_t checksum(const std::vector<std::uint32_t>& keys,
                                  const std::vector<std::uint32_t>& values) {
        return multiset_checksum(keys.size(), [&](std::size_t i) { return item(keys, values, i); });
    }

    /// Ascending keys, and values of equal keys ascending; the checksum if one is given.
    Verdict sorted(const std::vector<std::uint32_t>& keys, const std::vector<std::uint32_t>& values,
                   std::uint64_t expected) {
        const std::size_t count = keys.size();
        std::atomic<std::size_t> wrong{count};
        in_parallel(count, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) {
                if (ordered_item(keys, values, i) < ordered_item(keys, values, i - 1)) {
                    wrong = i;
                    return;
                }
            }
        });
        if (wrong < count) {
            return {false, "item " + std::to_string(wrong) + " of this rank comes before item " +
                               std::to_string(wrong - 1)};
        }
        out_checksum_ = checksum(keys, values);
        if (expected != 0 && out_checksum_ != expected) {
            return {false, "the keys that came out are not those that went in"};
        }
        return {true, ""};
    }

    SortParams<SortKey> params(std::uint32_t* keys, std::uint32_t* values, std::size_t n) {
        auto* const packed =
            kHasValue<SortKey> ? d_packed_.data() : reinterpret_cast<SortKey*>(keys);
        return {keys, values, n, KeyType::signed_int, packed, d_spare_.data(), d_scratch_.data()};
    }

    /// The first `count` items; none of an empty array.
    static std::vector<std::uint32_t> download(const DeviceBuffer<std::uint32_t>& from,
                                               std::size_t count) {
        std::vector<std::uint32_t> items(std::min(count, from.size()));
        if (items.empty()) return items;
        CUDA_CHECK(cudaMemcpy(items.data(), from.data(), items.size() * sizeof(items[0]),
                              cudaMemcpyDeviceToHost));
        return items;
    }

    static void copy(const std::uint32_t* from, std::uint32_t* to, std::size_t count) {
        if (count == 0) return;
        CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyDeviceToDevice));
    }

    /// Fewer keys than a sample would have: each rank gets all of them, sorts them and keeps a
    /// share.
    void sort_everywhere() {
        const std::size_t n = options_.n;
        if (n == 0) return;
        std::uint32_t* const keys = reinterpret_cast<std::uint32_t*>(d_moved_->data());
        std::uint32_t* const values = kHasValue<SortKey> ? keys + aligned_up(n) : nullptr;
        NCCL_CHECK(ncclGroupStart());
        for (int root = 0; root < ranks_.size(); ++root) {
            const Share part = share_of(n, root, ranks_.size());
            const auto broadcast = [&](const std::uint32_t* from, std::uint32_t* to) {
                NCCL_CHECK(ncclBroadcast(from, to + part.begin, part.count, ncclUint32, root,
                                         ranks_.comm(), nullptr));
            };
            if (part.count == 0) continue;
            broadcast(d_keys_.data(), keys);
            if (kHasValue<SortKey>) broadcast(d_values_.data(), values);
        }
        NCCL_CHECK(ncclGroupEnd());
        sample_best(params(keys, values, n));
        copy(keys + share_.begin, d_keys_.data(), share_.count);
        if (kHasValue<SortKey>) copy(values + share_.begin, d_values_.data(), share_.count);
    }

    // cut, exchange, sort: as sample_best, but a rank receives its first-pass buckets from all
    // ranks before the second pass.
    // Removes: the limit of one GPU's memory; all merges, since buckets are cut before they travel.
    // Remains: each key travels once, except those that are already in their place.
    template <class P, class S>
    void cut_exchange_sort() {
        const Arrays sample = sort_->take_sample(me_, ranks_count_);
        const std::size_t sampled = cuts_.sampled() / ranks_count_;
        gather(sample.keys + me_ * sampled, sample.keys, sampled, nullptr);
        if (kHasValue<SortKey>) {
            gather(sample.values + me_ * sampled, sample.values, sampled, nullptr);
        }
        sort_->template choose_splitters<P>();
        const unsigned* const begins = sort_->template count_first<P>();
        counted_.record(nullptr);
        sort_->template move_first<P>();
        moved_.record(nullptr);
        // Meanwhile all ranks, and their hosts, learn how many keys travel.
        counted_.hold(messages_.get());
        gather(begins, d_begins_.data(), cuts_.ways + 1, messages_.get());
        begins_.resize(d_begins_.size());
        CUDA_CHECK(cudaMemcpyAsync(begins_.data(), d_begins_.data(), d_begins_.bytes(),
                                   cudaMemcpyDeviceToHost, messages_.get()));
        CUDA_CHECK(cudaStreamSynchronize(messages_.get()));
        require_room();

        moved_.hold(messages_.get());
        std::vector<unsigned> plan;
        std::vector<Part> parts;
        std::size_t slot = inbox();
        received_ = 0;
        for (unsigned round = 0; round < rounds_; ++round) {
            const std::vector<unsigned> arrived = exchange(round, slot);
            has_come_[round].record(messages_.get());
            parts.push_back(part_of(round, arrived, P::kTile, plan));
        }
        CUDA_CHECK(cudaMemcpyAsync(d_plan_.data(), plan.data(), plan.size() * sizeof(unsigned),
                                   cudaMemcpyHostToDevice));
        for (unsigned round = 0; round < rounds_; ++round) {
            has_come_[round].hold(nullptr);
            sort_->template sort_part<P, S>(parts[round]);
        }
    }

    void gather(const std::uint32_t* mine, std::uint32_t* all, std::size_t count,
                cudaStream_t stream) {
        NCCL_CHECK(ncclAllGather(mine, all, count, ncclUint32, ranks_.comm(), stream));
    }

    /// Where in the moved share of `rank` the first pass's bucket begins.
    unsigned begin_of(unsigned rank, unsigned bucket) const {
        return begins_[rank * (cuts_.ways + 1) + bucket];
    }

    /// The first bucket that goes to `rank` in this round. Keys travel faster than they are sorted,
    /// so each round may be longer than the previous one, and the first, for which all wait, is
    /// short.
    unsigned first_bucket(unsigned rank, unsigned round) const {
        const unsigned longer = each_ * round * (round + 1) / (rounds_ * (rounds_ + 1));
        return rank * each_ + std::max(round, longer);
    }

    /// All ranks find the same error, and end together.
    void require_room() const {
        for (unsigned to = 0; to < ranks_count_; ++to) {
            std::size_t keys = 0;
            for (unsigned from = 0; from < ranks_count_; ++from) {
                keys += begin_of(from, (to + 1) * each_) - begin_of(from, to * each_);
            }
            if (keys > room_) {
                throw std::runtime_error("the sample misleads: rank " + std::to_string(to) +
                                         " would hold " + std::to_string(keys) +
                                         " keys, and has room for " + std::to_string(room_));
            }
        }
    }

    /// Starts a round's messages. Returns for each rank where in d_moved_ its keys will lie; this
    /// rank's own keys stay where they are. What arrives is stored from `slot` on; `slot` becomes
    /// the next free place.
    std::vector<unsigned> exchange(unsigned round, std::size_t& slot) {
        std::vector<unsigned> arrived;
        NCCL_CHECK(ncclGroupStart());
        for (unsigned other = 0; other < ranks_count_; ++other) {
            const Message goes = message(me_, other, round), comes = message(other, me_, round);
            if (other == me_) {
                arrived.push_back(begin_of(me_, first_bucket(me_, round)));
                continue;
            }
            const int peer = static_cast<int>(other);
            if (goes.count > 0) {
                NCCL_CHECK(ncclSend(d_moved_->data() + goes.begin, goes.count, kNcclType, peer,
                                    ranks_.comm(), messages_.get()));
            }
            if (comes.count > 0) {
                NCCL_CHECK(ncclRecv(d_moved_->data() + slot, comes.count, kNcclType, peer,
                                    ranks_.comm(), messages_.get()));
            }
            arrived.push_back(static_cast<unsigned>(slot) + comes.before);
            slot += comes.count;
        }
        NCCL_CHECK(ncclGroupEnd());
        return arrived;
    }

    static constexpr ncclDataType_t kNcclType = kHasValue<SortKey> ? ncclInt64 : ncclInt32;

    /// Keys of a rank's d_moved_; the first `before` are not wanted.
    struct Message {
        std::size_t begin, count;
        unsigned before;
    };

    /// What goes to rank `to` in this round, with as many extra keys at either end as it takes to
    /// begin and end at multiples of kAligned: keys of another bucket, or of the gap after the
    /// share.
    Message message(unsigned from, unsigned to, unsigned round) const {
        const unsigned begin = begin_of(from, first_bucket(to, round));
        const unsigned end = begin_of(from, first_bucket(to, round + 1));
        const unsigned before = begin % kAligned;
        if (begin == end) return {begin, 0, 0};
        return {begin - before, aligned_up(end) - (begin - before), before};
    }

    /// What a round delivers, as pieces of its buckets: one from each rank, for the second pass in
    /// tiles of `tile` keys. What the device needs to know is added to `plan`.
    Part part_of(unsigned round, const std::vector<unsigned>& arrived, unsigned tile,
                 std::vector<unsigned>& plan) {
        const unsigned first = first_bucket(me_, round), last = first_bucket(me_, round + 1);
        std::vector<unsigned> begin, end, first_tile = {0}, to = {static_cast<unsigned>(received_)};
        for (unsigned rank = 0; rank < ranks_count_; ++rank) {
            const unsigned shift = arrived[rank] - begin_of(rank, first);
            for (unsigned bucket = first; bucket < last; ++bucket) {
                begin.push_back(begin_of(rank, bucket) + shift);
                end.push_back(begin_of(rank, bucket + 1) + shift);
                // A tile begins at a multiple of four keys, up to three before the piece.
                const unsigned keys = end.back() - begin.back() + 3;
                first_tile.push_back(first_tile.back() + divide_up(keys, tile));
            }
        }
        for (unsigned bucket = 0; bucket < last - first; ++bucket) {
            unsigned keys = 0;
            for (std::size_t piece = bucket; piece < begin.size(); piece += last - first) {
                keys += end[piece] - begin[piece];
            }
            to.push_back(to.back() + keys);
        }
        const unsigned keys = to.back() - to.front();
        received_ += keys;
        const auto on_device = [&](const std::vector<unsigned>& numbers) {
            const unsigned* const there = d_plan_.data() + plan.size();
            plan.insert(plan.end(), numbers.begin(), numbers.end());
            return there;
        };
        const auto pieces = static_cast<unsigned>(begin.size());
        return {first,
                last - first,
                keys,
                {pieces, on_device(begin), on_device(end), on_device(first_tile)},
                on_device(to)};
    }

    MultiGpuOptions options_;
    Ranks& ranks_;
    unsigned ranks_count_, me_;
    Share share_;
    unsigned given_rounds_, rounds_ = 1;
    Cuts cuts_ = {};
    unsigned each_ = 0;     ///< the first pass's buckets for each rank
    bool is_cut_ = false;   ///< there are enough keys for a sample
    std::size_t room_ = 0;  ///< for keys at the end
    std::size_t received_ = 0;
    std::uint64_t in_checksum_ = 0, out_checksum_ = 0, all_checksum_ = 0;
    std::vector<unsigned> begins_;  ///< of all ranks' buckets
    Stream messages_;
    Event counted_, moved_, has_come_[kMaxRounds];
    DeviceBuffer<std::uint32_t> d_input_, d_input_values_;
    DeviceBuffer<std::uint32_t> d_keys_, d_values_;  ///< the share, and at the end the result
    DeviceBuffer<SortKey> d_packed_, d_spare_;
    std::unique_ptr<RegisteredBuffer<SortKey>> d_moved_;
    DeviceBuffer<unsigned> d_begins_, d_plan_;
    DeviceBuffer<unsigned char> d_scratch_;
    std::unique_ptr<SampleSort<SortKey>> sort_;
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
        .number("--rounds", "rounds of the exchange; 0: as many as pay off", rounds, 0, kMaxRounds)
        .run(argc, argv,
             [&](const MultiGpuOptions& options,
                 Ranks& ranks) -> std::unique_ptr<MultiGpuExperiment> {
                 const std::size_t share = share_of(options.n, 0, ranks.size()).count;
                 if (share > kMaxKeys) {
                     throw UsageError("--n is " + std::to_string(options.n) + " for " +
                                      std::to_string(ranks.size()) + " ranks; each sorts at most " +
                                      std::to_string(kMaxKeys));
                 }
                 if (ranks.size() > static_cast<int>(kMaxWays)) {
                     throw UsageError("there are " + std::to_string(ranks.size()) +
                                      " ranks; keys are cut for at most " +
                                      std::to_string(kMaxWays));
                 }
                 if (values) {
                     return std::make_unique<MultiGpuSort<KeyValue>>(options, rounds, ranks);
                 }
                 return std::make_unique<MultiGpuSort<int>>(options, rounds, ranks);
             });
}
