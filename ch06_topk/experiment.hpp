// This chapter as the harness sees it: a question about n keys, asked of every row of the table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../common/harness/ceilings.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/key_order.hpp"
#include "../common/harness/sort_in_parts.hpp"
#include "../common/harness/text.hpp"
#include "../common/harness/verify.hpp"
#include "topk.hpp"
#if defined(__CUDACC__)
#include "library.cuh"
#endif

namespace topk {

/// What the options ask for.
struct Question {
    std::size_t k = 20;
    bool distinct = false;
    bool smallest = false;
    bool index = false;
    std::string type = "int";
    std::string adversarial = "none";
};

/// The names that --adversarial takes:
///   none        --input decides
///   ascending   every key is larger than all before
///   descending  the largest come first
///   runs        ascending runs of 2^20 keys
///   repeats     ascending, each value a thousand times
///   top         the 20 largest values a million times each (in small data: in one key of ten),
///               mixed into random ones
///   giant       ascending, but every 16th key is one value larger than all
///   giants      the same, but another value, larger than all before, every 2^16 keys
inline const std::vector<std::string>& adversarial_kinds() {
    static const std::vector<std::string> kinds = {"none",    "ascending", "descending", "runs",
                                                   "repeats", "top",       "giant",      "giants"};
    return kinds;
}

/// n keys in such an order; for float these integers, rounded to float.
template <class Key>
std::vector<Key> adversarial_input(const std::string& kind, std::size_t n, std::uint64_t seed) {
    enum { none, ascending, descending, runs, repeats, top, giant, giants };
    const std::vector<std::string>& kinds = adversarial_kinds();
    const auto which = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    constexpr std::int64_t kHigh = 2000000000;
    const auto size = static_cast<std::int64_t>(n);
    const auto value = [&](std::int64_t i) -> std::int64_t {
        const bool sixteenth = i % 16 == 5;
        switch (which) {
            case ascending:
                return i - size / 2;
            case descending:
                return size / 2 - i;
            case runs:
                return i % (1 << 20) * 1024 + (i >> 20) - (1 << 29);
            case repeats:
                return i / 1000;
            case top: {
                const auto bits = tutorial::random_bits(seed, static_cast<std::uint64_t>(i));
                const std::uint64_t in = n > 200000000 ? n : 10 * 20000000ull;
                if ((bits >> 32) % in < 20000000) return kHigh + static_cast<int>(bits % 20);
                return static_cast<std::int64_t>(bits & 0x3FFFFFFF);
            }
            case giant:
                return sixteenth ? kHigh : i / 4;
            case giants:
                return sixteenth ? 1100000000 + (i >> 16) : i / 4;
            default:
                throw tutorial::UsageError("no adversarial input is named '" + kind + "'");
        }
    };
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<Key>(value(static_cast<std::int64_t>(i)));
    }
    return keys;
}

/// The k best, best first; all keys if there are fewer. Distinct: every value once, with its lowest
/// index.
template <class Key>
std::vector<KeyIndex> reference(const std::vector<Key>& keys, unsigned k, unsigned order_mask,
                                bool distinct) {
    std::vector<KeyIndex> best;
    KeyIndex threshold = 0;  // anything below is not among the k best
    const auto keep_best = [&] {
        tutorial::sort_in_parts(best, std::greater<>());
        const auto same = [](KeyIndex a, KeyIndex b) { return radix_key_of(a) == radix_key_of(b); };
        if (distinct) best.erase(std::unique(best.begin(), best.end(), same), best.end());
        if (best.size() > k) best.resize(k);
        if (best.size() == k && k > 0) threshold = best.back();
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const KeyIndex item = key_index_of(keys[i], static_cast<unsigned>(i), order_mask);
        if (item == 0 || item < threshold) continue;
        best.push_back(item);
        if (best.size() >= std::size_t{2} * k + 1000) keep_best();
    }
    keep_best();
    return best;
}

/// Puts `item` into the descending list top[0..k) if it belongs there; the last one falls out.
/// 0 is an empty place. Distinct: of equal values the one with the lower index stays. Returns
/// whether the list has changed.
inline bool insert_on_host(KeyIndex* top, unsigned k, KeyIndex item, bool distinct) {
    if (item <= top[k - 1]) return false;
    unsigned at = k - 1;  // what is here is overwritten
    for (unsigned i = 0; distinct && i < k && top[i] != 0; ++i) {
        if (radix_key_of(top[i]) != radix_key_of(item)) continue;
        if (top[i] >= item) return false;
        at = i;
    }
    for (; at > 0 && top[at - 1] < item; --at) top[at] = top[at - 1];
    top[at] = item;
    return true;
}

/// The grid of the stage `threshold`; after() counts the keys that pass in it.
struct ThresholdGrid {
    unsigned (*blocks)(std::size_t n);
    unsigned threads;
};

/// How many of n different keys in random order are among the k best so far, if the threshold is
/// read once per batch of keys. The i-th key is among them with probability min(1, k / i), so that
/// without batches the sum is about k (1 + ln(n / k)). With them, each batch of b keys after the
/// first adds b times k / (keys before it).
inline double expected_passes(double n, double k, double batch) {
    if (batch <= 1) return n <= k ? n : k * (1.0 + std::log(n / k));
    double passes = 0;
    for (double before = 0; before < n; before += batch) {
        const double here = std::min(batch, n - before);
        passes += before <= k ? here : here * k / before;
    }
    return passes;
}

template <class Key>
class TopKExperiment : public tutorial::Experiment {
  public:
    using Stages = std::vector<tutorial::Stage<TopK<Key>>>;

    TopKExperiment(const tutorial::Options& options, Question question, const Stages& stages,
                   ScratchSizes (*scratch_sizes)(unsigned k, std::size_t n),
                   const ThresholdGrid& threshold_grid)
        : n_(options.n),
          question_(std::move(question)),
          scratch_sizes_(scratch_sizes),
          threshold_grid_(threshold_grid),
          k_(static_cast<unsigned>(question_.k)),
          order_mask_(KeyOrder<Key>::order_mask(!question_.smallest)) {
        if (question_.distinct && k_ > kMaxK) {
            throw tutorial::UsageError("--k: with --distinct at most " + std::to_string(kMaxK) +
                                       ", not " + std::to_string(k_));
        }
        for (const tutorial::Stage<TopK<Key>>& stage : stages) {
            const std::string refused =
                stage.launch.refuses(k_, question_.distinct, question_.smallest, question_.index);
            if (refused.empty()) {
                rows_.push_back({stage, stage.launch.launch, stage.launch.is_plain});
                continue;
            }
            ++omitted_;
            const std::vector<std::string>& wanted = options.stages;
            if (std::find(wanted.begin(), wanted.end(), stage.name) != wanted.end()) {
                throw tutorial::UsageError("--stage: " + stage.name + " takes " + refused);
            }
        }
        rows_.push_back({sort_row(), nullptr});
        if (k_ <= kMaxK) {  // it may shift up to k items for each key
            rows_.push_back(
                {{"host_insert", "the article's list, on the host", tutorial::RowKind::host},
                 nullptr});
        }
#if defined(__CUDACC__)
        for (const tutorial::RowInfo& row : library_rows(k_, question_.distinct, question_.index)) {
            rows_.push_back({row, nullptr});
        }
#endif
    }

    std::vector<tutorial::RowInfo> rows() const override { return {rows_.begin(), rows_.end()}; }

    std::size_t device_bytes(const tutorial::Options& options) const override {
        const ScratchSizes sizes = scratch_sizes();
        std::size_t bytes = options.n * sizeof(Key) + sizes.all() * sizeof(KeyIndex) +
                            places() * (sizeof(Key) + sizeof(unsigned));
#if defined(__CUDACC__)
        if (wants_library(options)) {
            bytes += library_bytes<Key>(options.n, question_.index, question_.distinct);
        }
#endif
        return bytes;
    }

    void prepare(const tutorial::Options& options) override {
        keys_ = question_.adversarial == "none"
                    ? tutorial::make_input<Key>(options.input, n_, options.seed)
                    : adversarial_input<Key>(question_.adversarial, n_, options.seed);
        expected_ = reference(keys_, k_, order_mask_, question_.distinct);
        in_data_order_ = expected_;
        if (k_ > kMaxK) {
            tutorial::sort_in_parts(
                in_data_order_, [](KeyIndex a, KeyIndex b) { return index_of(a) < index_of(b); });
        }
        d_keys_ = tutorial::DeviceBuffer<Key>(n_);
        d_keys_.upload(keys_);
        const ScratchSizes sizes = scratch_sizes();
        d_list_ = tutorial::DeviceBuffer<KeyIndex>(sizes.list);
        d_next_list_ = tutorial::DeviceBuffer<KeyIndex>(sizes.list);
        // Once: every launch leaves these as it found them.
        d_summaries_ = tutorial::DeviceBuffer<KeyIndex>(sizes.summaries);
        d_summaries_.fill_bytes(0);
        d_control_ = tutorial::DeviceBuffer<Control>(1);
        d_control_.fill_bytes(0);
        d_result_ = tutorial::DeviceBuffer<Key>(places());
        d_indices_ = tutorial::DeviceBuffer<unsigned>(question_.index ? places() : 0);
        d_count_ = tutorial::DeviceBuffer<unsigned>(1);
#if defined(__CUDACC__)
        if (wants_library(options) && n_ > 0 && k_ > 0) {
            library_ = make_library<Key>(params(), question_.index, tutorial::is_plain(keys_));
        }
#endif
    }

    bool keeps_input() const override { return true; }

    void reset(int) override {
        d_result_.fill_bytes(0xA5);
        d_indices_.fill_bytes(0xA5);
        d_count_.fill_bytes(0xA5);
        on_host_.clear();
        host_ran_ = false;
    }

    void run(std::size_t row, int) override {
        const Row& info = rows_[row];
        if (info.kind == tutorial::RowKind::host) {
            host_ran_ = true;
            on_host_ = info.name == "host_insert" ? host_insert() : host_sort();
            return;
        }
        if (k_ == 0 || n_ == 0) {
            CUDA_CHECK(cudaMemsetAsync(d_count_.data(), 0, sizeof(unsigned)));  // nothing to find
            return;
        }
        if (info.launch != nullptr) info.launch(params());
#if defined(__CUDACC__)
        if (info.kind == tutorial::RowKind::library) library_->run(info.name);
#endif
    }

    tutorial::Verdict check(std::size_t row, int) override {
        if (host_ran_) return tutorial::verify_equal<KeyIndex>(expected_, on_host_);
        const auto all = static_cast<unsigned>(places());
        const unsigned count = rows_[row].is_plain ? all : d_count_.download()[0];
        if (count != expected_.size()) {
            return {false, std::to_string(count) + " keys found, expected " +
                               std::to_string(expected_.size())};
        }
        std::vector<Key> keys = d_result_.download();
        keys.resize(count);
        std::vector<Key> expected_keys;
        std::vector<unsigned> expected_indices;
        const bool sorts = rows_[row].kind == tutorial::RowKind::library;
        if (sorts && k_ > kMaxK && rows_[row].name == "cub_topk") sort_best_first(keys);
        for (const KeyIndex item : sorts ? expected_ : in_data_order_) {
            expected_keys.push_back(KeyOrder<Key>::key(radix_key_of(item), order_mask_));
            expected_indices.push_back(index_of(item));
        }
        const tutorial::Verdict verdict = tutorial::verify_equal(expected_keys, keys);
        if (!verdict.ok || !question_.index) return verdict;
        std::vector<unsigned> indices = d_indices_.download();
        indices.resize(count);
        tutorial::Verdict of_indices = tutorial::verify_equal(expected_indices, indices);
        if (!of_indices.ok) of_indices.message = "indices: " + of_indices.message;
        return of_indices;
    }

    std::size_t bytes_needed() const override { return n_ * sizeof(Key); }

    tutorial::Ceiling ceiling() const override { return tutorial::read_ceiling(bytes_needed()); }

    std::string before() const override {
        std::string text =
            "The " + std::to_string(k_) + (question_.smallest ? " smallest " : " largest ") +
            (question_.distinct ? "different keys" : "keys, duplicates counted") +
            (question_.index ? ", each with its index (of equal keys the lowest)" : "") + ".\n";
        if (expected_.size() < k_) {
            text += "There are only " + std::to_string(expected_.size()) +
                    (question_.distinct ? " different ones" : "") + ": the result has no more.\n";
        }
        if (k_ > kMaxK) {
            text += "They come in the order of the data; up to k = " + std::to_string(kMaxK) +
                    " the best is first.\n";
        }
        if (omitted_ > 0) text += "Stages that do not support these options are left out.\n";
        return text;
    }

    /// How many keys passed, next to how many would in random order.
    std::string after(const std::vector<tutorial::RowResult>& results) const override {
        std::vector<std::vector<std::string>> table = {{"keys that pass", "counted", "expected"}};
        const auto line = [&](const char* what, double counted, double expected) {
            table.push_back({what, std::to_string(std::llround(counted)),
                             std::to_string(std::llround(expected))});
        };
        const double n = static_cast<double>(n_);
        for (const tutorial::RowResult& result : results) {
            if (!result.verdict.ok || k_ == 0) continue;
            if (result.row.name == "host_insert") {
                line("host_insert, key by key", static_cast<double>(insertions_),
                     expected_passes(n, k_, 1));
            }
            // One atomic operation for each key that passes: the emulator counts them.
            if (result.row.name == "threshold" && result.counts.counted) {
                const double blocks = threshold_grid_.blocks(n_);
                const double batch = threshold_grid_.threads;
                double expected = blocks * expected_passes(n / blocks, k_, batch);
                if (blocks > 1) expected += expected_passes(blocks * k_, k_, batch);
                line("threshold, a block's keys at once",
                     static_cast<double>(result.counts.atomics), expected);
            }
        }
        if (table.size() == 1) return "";
        return tutorial::text_table(table) +
               "Expected: for different keys in random order; key by key, k (1 + ln(n / k)).\n";
    }

  private:
    /// Sorts keys that a stage may leave in any order.
    void sort_best_first(std::vector<Key>& keys) const {
        tutorial::sort_in_parts(keys, [&](Key a, Key b) {
            return KeyOrder<Key>::radix_key(a, order_mask_) >
                   KeyOrder<Key>::radix_key(b, order_mask_);
        });
    }

    /// For at most kMaxK: a stage that takes a larger k keeps no list of what it finds.
    ScratchSizes scratch_sizes() const {
        return scratch_sizes_(std::min(std::max(k_, 1u), kMaxK), n_);
    }

    /// Of the answer: it has no more entries than there are keys.
    std::size_t places() const { return std::min<std::size_t>(k_, n_); }

    struct Row : tutorial::RowInfo {
        void (*launch)(const TopKParams<Key>& params);
        bool is_plain = false;
    };

    tutorial::RowInfo sort_row() const {
        if (!question_.distinct) {
            return {"host_partial_sort",
                    "std::partial_sort of all items",
                    tutorial::RowKind::host,
                    {std::size_t{1} << 28, "it would need 8 bytes of the host's memory per key"}};
        }
        return {"host_sort",
                "std::sort and std::unique",
                tutorial::RowKind::host,
                {std::size_t{1} << 26, "the host would sort for many seconds"}};
    }

    /// Library rows need several times the memory of the keys: allocated only if they are run.
    static bool wants_library(const tutorial::Options& options) {
        const auto is_library = [](const std::string& name) { return name.rfind("cub_", 0) == 0; };
        return options.stages.empty() ||
               std::any_of(options.stages.begin(), options.stages.end(), is_library);
    }

    TopKParams<Key> params() {
        return {d_keys_.data(),
                static_cast<unsigned>(n_),
                k_,
                order_mask_,
                question_.distinct,
                {d_list_.data(), d_next_list_.data(), d_summaries_.data(), d_control_.data()},
                {d_result_.data(), question_.index ? d_indices_.data() : nullptr, d_count_.data()}};
    }

    std::vector<KeyIndex> host_sort() const {
        std::vector<KeyIndex> items(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            items[i] = key_index_of(keys_[i], static_cast<unsigned>(i), order_mask_);
        }
        items.erase(std::remove(items.begin(), items.end(), KeyIndex{0}), items.end());
        if (!question_.distinct) {
            const std::size_t count = std::min<std::size_t>(k_, items.size());
            std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count),
                              items.end(), std::greater<>());
            items.resize(count);
            return items;
        }
        std::sort(items.begin(), items.end(), std::greater<>());
        const auto same = [](KeyIndex a, KeyIndex b) { return radix_key_of(a) == radix_key_of(b); };
        items.erase(std::unique(items.begin(), items.end(), same), items.end());
        items.resize(std::min<std::size_t>(k_, items.size()));
        return items;
    }

    std::vector<KeyIndex> host_insert() {
        std::vector<KeyIndex> top(k_, 0);
        insertions_ = 0;
        for (std::size_t i = 0; i < n_ && k_ > 0; ++i) {
            const KeyIndex item = key_index_of(keys_[i], static_cast<unsigned>(i), order_mask_);
            insertions_ += insert_on_host(top.data(), k_, item, question_.distinct) ? 1 : 0;
        }
        top.erase(std::find(top.begin(), top.end(), KeyIndex{0}), top.end());
        return top;
    }

    std::size_t n_;
    Question question_;
    ScratchSizes (*scratch_sizes_)(unsigned k, std::size_t n);
    ThresholdGrid threshold_grid_;
    unsigned k_;
    unsigned order_mask_;
    std::vector<Row> rows_;
    std::vector<Key> keys_;
    std::vector<KeyIndex> expected_;       ///< the best first
    std::vector<KeyIndex> in_data_order_;  ///< the same, as stages write it if k > kMaxK
    int omitted_ = 0;                      ///< stages that do not support this question
    std::vector<KeyIndex> on_host_;
    bool host_ran_ = false;
    std::size_t insertions_ = 0;
    tutorial::DeviceBuffer<Key> d_keys_;
    tutorial::DeviceBuffer<KeyIndex> d_list_;
    tutorial::DeviceBuffer<KeyIndex> d_next_list_;
    tutorial::DeviceBuffer<KeyIndex> d_summaries_;
    tutorial::DeviceBuffer<Control> d_control_;
    tutorial::DeviceBuffer<Key> d_result_;
    tutorial::DeviceBuffer<unsigned> d_indices_;
    tutorial::DeviceBuffer<unsigned> d_count_;
#if defined(__CUDACC__)
    std::unique_ptr<LibraryRows> library_;
#endif
};

}  // namespace topk
