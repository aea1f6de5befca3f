// This chapter as the harness sees it: sorts of keys, alone or with a value each, from a table of
// stages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "../common/harness/ceilings.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/sort_in_parts.hpp"
#include "../common/harness/verify.hpp"
#include "keys.hpp"

namespace sorting {

// ---- Memory ----------------------------------------------------------------------------------

/// Scratch memory of every stage in bytes: starts of pieces or tiles, samples, or what a library
/// asks for. main.cu, which has the stages, says how much.
template <class SortKey>
std::size_t scratch_bytes(std::size_t n);

/// At least as much, and computed without a device.
template <class SortKey>
std::size_t scratch_bytes_bound(std::size_t n) {
    return n * (kHasValue<SortKey> ? 9 : 5) + (std::size_t{32} << 20);
}

/// The device's memory for a sort of n keys; several sorts may share everything except keys and
/// values.
template <class SortKey>
struct Workspace {
    explicit Workspace(std::size_t n)
        : packed(kHasValue<SortKey> ? n : 0), spare(n), scratch(scratch_bytes<SortKey>(n)) {}

    SortParams<SortKey> params(std::uint32_t* keys, std::uint32_t* values, std::size_t n,
                               KeyType type) {
        SortParams<SortKey> params = {keys,         values,         n,    type, nullptr,
                                      spare.data(), scratch.data(), false};
        params.packed = kHasValue<SortKey> ? packed.data() : reinterpret_cast<SortKey*>(keys);
        return params;
    }

    static std::size_t bytes(std::size_t n) {
        return n * (kHasValue<SortKey> ? 2 : 1) * sizeof(SortKey) + scratch_bytes_bound<SortKey>(n);
    }

    DeviceBuffer<SortKey> packed, spare;
    DeviceBuffer<unsigned char> scratch;
};

// ---- Keys and values, and how they are checked -----------------------------------------------

template <class Key>
std::vector<std::uint32_t> bits_of_keys(const std::vector<Key>& keys) {
    std::vector<std::uint32_t> bits(keys.size());
    if (!keys.empty()) std::memcpy(bits.data(), keys.data(), keys.size() * sizeof(Key));
    return bits;
}

template <class Key>
std::vector<Key> keys_of_bits(const std::vector<std::uint32_t>& bits) {
    std::vector<Key> keys(bits.size());
    if (!bits.empty()) std::memcpy(keys.data(), bits.data(), bits.size() * sizeof(Key));
    return keys;
}

/// Ascending values, so that a stable sort, such as the libraries', has the same result.
inline std::vector<std::uint32_t> ascending_values(std::size_t n) {
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(3 * i + 1);
    return values;
}

/// The keys as any correct sort leaves them.
template <class Key>
std::vector<Key> sorted_keys(std::vector<Key> keys) {
    sort_in_parts(keys, [](Key a, Key b) { return ordered_int(a) < ordered_int(b); });
    return keys;
}

/// Sorts keys with their values, by the keys and then by the values.
template <class Key>
void sort_pairs(std::vector<Key>& keys, std::vector<std::uint32_t>& values) {
    std::vector<KeyValue> pairs(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        pairs[i] = make_sort_key<KeyValue>(ordered_int(keys[i]), values[i]);
    }
    sort_in_parts(pairs, std::less<KeyValue>());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = key_from_ordered_int<Key>(ordered_int_in(pairs[i]));
        values[i] = static_cast<std::uint32_t>(pairs[i]);
    }
}

/// Correct, or the first wrong key or value.
template <class Key>
Verdict verify_sorted(const std::vector<Key>& keys, const std::vector<std::uint32_t>& values,
                      const std::vector<std::uint32_t>& actual_bits,
                      const std::vector<std::uint32_t>& actual_values) {
    const bool same = keys.size() == actual_bits.size() && values == actual_values &&
                      (keys.empty() || std::memcmp(keys.data(), actual_bits.data(),
                                                   keys.size() * sizeof(Key)) == 0);
    if (same) return {true, {}};  // at once: for 2^28 keys the search below would take seconds
    Verdict verdict = verify_equal(keys, keys_of_bits<Key>(actual_bits));
    if (!verdict.ok) return verdict;
    verdict = verify_equal(values, actual_values);
    if (!verdict.ok) verdict.message = "keys right, values: " + verdict.message;
    return verdict;
}

/// The reference: the standard library's sort.
template <class SortKey>
void host(SortParams<SortKey> params) {
    std::vector<SortKey> sorted(params.n);
    for (std::size_t i = 0; i < params.n; ++i) {
        sorted[i] = make_sort_key<SortKey>(ordered_int_of_bits(params.keys[i], params.type),
                                           kHasValue<SortKey> ? params.values[i] : 0);
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < params.n; ++i) {
        params.keys[i] = bits_of_ordered_int(ordered_int_in(sorted[i]), params.type);
        if (kHasValue<SortKey>) params.values[i] = static_cast<std::uint32_t>(sorted[i]);
    }
}

// ---- The experiment --------------------------------------------------------------------------

template <class Key, class SortKey>
class SortExperiment : public Experiment {
  public:
    using Stages = std::vector<Stage<Launch<SortKey>>>;
    explicit SortExperiment(const Stages& stages) : stages_(stages) {}

    std::vector<RowInfo> rows() const override { return rows_of(stages_); }

    std::size_t device_bytes(const Options& options) const override {
        const std::size_t arrays = kHasValue<SortKey> ? 2 : 1;
        return (1 + slots_for(options.n)) * arrays * options.n * sizeof(std::uint32_t) +
               Workspace<SortKey>::bytes(options.n);
    }

    void prepare(const Options& options) override {
        const std::size_t n = options.n;
        const std::size_t n_values = kHasValue<SortKey> ? n : 0;
        const std::vector<Key> input = make_input<Key>(options.input, n, options.seed);
        const std::vector<std::uint32_t> values = ascending_values(n_values);
        plain_ = is_plain(input);
        if constexpr (kHasValue<SortKey>) {
            expected_keys_ = input;
            expected_values_ = values;
            sort_pairs(expected_keys_, expected_values_);
        } else {
            expected_keys_ = sorted_keys(input);
        }
        input_bits_ = bits_of_keys(input);
        input_values_ = values;
        d_input_ = DeviceBuffer<std::uint32_t>(n);
        d_input_.upload(input_bits_);
        d_input_values_ = DeviceBuffer<std::uint32_t>(n_values);
        d_input_values_.upload(values);
        d_keys_.clear();
        d_values_.clear();
        for (int slot = 0; slot < slots_for(n); ++slot) {
            d_keys_.emplace_back(n);
            d_values_.emplace_back(n_values);
        }
        work_ = std::make_unique<Workspace<SortKey>>(n);
    }

    int slots() const override { return static_cast<int>(d_keys_.size()); }

    void reset(int slot) override {
        d_keys_[slot].copy_from(d_input_);
        d_values_[slot].copy_from(d_input_values_);
        // Otherwise the previous row's answer, which is right, would still be there.
        work_->packed.fill_bytes(0xa5);
        work_->spare.fill_bytes(0xa5);
    }

    void run(std::size_t row, int slot) override {
        const Stage<Launch<SortKey>>& stage = stages_[row];
        const std::size_t n = input_bits_.size();
        if (stage.kind == RowKind::host) {
            h_keys_ = input_bits_;
            h_values_ = input_values_;
            stage.launch({h_keys_.data(), h_values_.data(), n, kTypeOf<Key>, nullptr, nullptr,
                          nullptr, plain_});
        } else {
            SortParams<SortKey> params =
                work_->params(d_keys_[slot].data(), d_values_[slot].data(), n, kTypeOf<Key>);
            params.plain = plain_;
            stage.launch(params);
        }
    }

    Verdict check(std::size_t row, int slot) override {
        const bool on_host = stages_[row].kind == RowKind::host;
        return verify_sorted(expected_keys_, expected_values_,
                             on_host ? h_keys_ : d_keys_[slot].download(),
                             on_host ? h_values_ : d_values_[slot].download());
    }

    std::size_t bytes_needed() const override { return 0; }  // keys per second instead

    /// Every key and value is read and written at least once.
    Ceiling ceiling() const override {
        const double bytes = 2.0 * static_cast<double>(d_input_.bytes() + d_input_values_.bytes());
        return {"copy bandwidth", bytes / ceilings().copy_bytes_per_second};
    }

  private:
    /// A sort in place is run once per copy of the input: several if a run is short.
    static int slots_for(std::size_t n) { return n <= (std::size_t{1} << 20) ? 16 : 1; }

    const Stages& stages_;
    bool plain_ = false;
    std::vector<Key> expected_keys_;
    std::vector<std::uint32_t> expected_values_, input_bits_, input_values_, h_keys_, h_values_;
    DeviceBuffer<std::uint32_t> d_input_, d_input_values_;
    std::vector<DeviceBuffer<std::uint32_t>> d_keys_, d_values_;
    std::unique_ptr<Workspace<SortKey>> work_;
};

}  // namespace sorting
