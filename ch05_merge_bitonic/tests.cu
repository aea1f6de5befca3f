// Tests of chapter 5: every row of its table, over sizes and inputs that have broken such code; and
// the parts of sample_best, in shapes small enough to have many tiles on a CPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "../common/harness/backend.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/known_devices.hpp"
#include "../common/harness/sort_in_parts.hpp"
#include "../common/harness/verify.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

using namespace tutorial;
using namespace sorting;

constexpr std::size_t kFence = 64;  // items before and after the stage's own, which must not change

std::vector<std::uint32_t> fenced(const std::vector<std::uint32_t>& items) {
    std::vector<std::uint32_t> all(items.size() + 2 * kFence, 0x5a5a5a5au);
    std::copy(items.begin(), items.end(), all.begin() + kFence);
    return all;
}

/// Keys, with values for KeyValue, and the result of the host.
template <class SortKey, class Key>
struct Problem {
    explicit Problem(const std::vector<Key>& keys)
        : Problem(keys, ascending_values(kHasValue<SortKey> ? keys.size() : 0)) {}

    Problem(const std::vector<Key>& keys, std::vector<std::uint32_t> values)
        : n(keys.size()),
          plain(is_plain(keys)),
          values(std::move(values)),
          bits(bits_of_keys(keys)),
          sorted_values(this->values),
          sorted_keys(keys) {
        if constexpr (kHasValue<SortKey>) {
            sort_pairs(sorted_keys, sorted_values);
        } else {
            sorted_keys = sorted_copy(keys);
        }
        sorted_keys = keys_of_bits<Key>(fenced(bits_of_keys(sorted_keys)));
        sorted_values = fenced(sorted_values);
    }

    /// Runs `launch` on the device, on a copy of the keys and values that is fenced on both sides.
    /// `offset`: how many items after an address that is a multiple of 256 they begin.
    template <class Run>
    Verdict device_sorts(const Run& launch, std::size_t offset = 0) const {
        const auto shifted = [&](std::vector<std::uint32_t> items) {
            items.insert(items.begin(), offset, 0x5a5a5a5au);
            return items;
        };
        const auto shifted_back = [&](std::vector<std::uint32_t> items) {
            items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(offset));
            return items;
        };
        DeviceBuffer<std::uint32_t> d_keys(offset + n + 2 * kFence);
        DeviceBuffer<std::uint32_t> d_values(offset + values.size() + 2 * kFence);
        d_keys.upload(shifted(fenced(bits)));
        d_values.upload(shifted(fenced(values)));
        Workspace<SortKey> work(n);
        work.packed.fill_bytes(0xa5);
        work.spare.fill_bytes(0xa5);
        work.scratch.fill_bytes(0xa5);
        SortParams<SortKey> params = work.params(
            d_keys.data() + offset + kFence, d_values.data() + offset + kFence, n, kTypeOf<Key>);
        params.plain = plain;
        launch(params);
        CUDA_CHECK(cudaDeviceSynchronize());
        return verify_sorted(sorted_keys, sorted_values, shifted_back(d_keys.download()),
                             shifted_back(d_values.download()));
    }

    Verdict host_sorts(Launch<SortKey> launch) const {
        std::vector<std::uint32_t> h_keys = fenced(bits);
        std::vector<std::uint32_t> h_values = fenced(values);
        launch({h_keys.data() + kFence, h_values.data() + kFence, n, kTypeOf<Key>, nullptr, nullptr,
                nullptr});
        return verify_sorted(sorted_keys, sorted_values, h_keys, h_values);
    }

    std::size_t n;
    bool plain;  ///< the libraries may sort the keys as they are
    std::vector<std::uint32_t> values, bits, sorted_values;
    std::vector<Key> sorted_keys;
};

/// Every row of the table that takes that many keys, except those in `without`.
template <class SortKey, class Key>
void check_rows(const std::vector<Key>& keys, const std::string& kind,
                const std::vector<std::string>& without = {}) {
    const Problem<SortKey, Key> problem(keys);
    for (const Stage<Launch<SortKey>>& row : stages<SortKey>()) {
        if (keys.size() > row.limits.max_n) continue;
        if (std::count(without.begin(), without.end(), row.name) > 0) continue;
        CAPTURE(row.name);
        CAPTURE(keys.size());
        CAPTURE(kind);
        CAPTURE(kHasValue<SortKey>);
        const Verdict verdict = row.kind == RowKind::host ? problem.host_sorts(row.launch)
                                                          : problem.device_sorts(row.launch);
        CHECK_MESSAGE(verdict.ok, verdict.message);
    }
}

template <class Key>
void check_both(std::size_t n, const std::string& kind, std::uint64_t seed,
                const std::vector<std::string>& without = {}) {
    const std::vector<Key> keys = make_input<Key>(kind, n, seed);
    check_rows<int>(keys, kind, without);
    check_rows<KeyValue>(keys, kind, without);
}

/// One launcher on every kind of input.
template <class SortKey, class Run>
void check_kinds(std::size_t n, const Run& launch) {
    for (const std::string& kind : input_kinds()) {
        CAPTURE(n);
        CAPTURE(kind);
        CAPTURE(kHasValue<SortKey>);
        const Problem<SortKey, float> problem(make_input<float>(kind, n, n));
        const Verdict verdict = problem.device_sorts(launch);
        CHECK_MESSAGE(verdict.ok, verdict.message);
    }
}

int run_chapter(std::vector<std::string> words) {
    words.insert(words.begin(), "ch05_merge_bitonic");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return chapter_main(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

TEST_CASE_TEMPLATE("every row sorts every kind of input at small sizes", Key, int, unsigned,
                   float) {
    for (const std::size_t n : {0, 1, 2, 3, 5, 31, 32, 33, 63, 65}) {
        for (const std::string& kind : input_kinds()) check_both<Key>(n, kind, n + 1);
    }
}

// Keys of each type become the same sort keys (pack.cuh) before they are sorted. At the small sizes
// above each type has every kind; from here on a CPU gives each kind one type, a GPU all of them.
template <class Key>
bool has_turn(std::size_t turn) {
    const std::size_t type = std::is_same_v<Key, int> ? 0 : std::is_same_v<Key, float> ? 1 : 2;
    return !on_emulator() || turn % 3 == type;
}

TEST_CASE_TEMPLATE("every row sorts at the edges of warps, windows and tiles", Key, int, unsigned,
                   float) {
    std::size_t turn = 0;
    for (const std::size_t n : {255, 256, 257, 511, 513, 1023, 1024, 1025, 2047, 2048, 2049}) {
        ++turn;  // so that a type does not get the same kind each time
        for (const char* kind : {"random", "reversed", "special"}) {
            if (has_turn<Key>(turn++)) check_both<Key>(n, kind, n);
        }
    }
}

TEST_CASE_TEMPLATE("every row but the slowest sorts every kind of input at a large odd size", Key,
                   int, unsigned, float) {
    const std::size_t n = on_emulator() ? 9001 : 100003;
    std::size_t turn = 0;
    for (const std::string& kind : input_kinds()) {
        if (has_turn<Key>(++turn)) check_both<Key>(n, kind, 7, {"odd_even"});
    }
}

// On a CPU it is skipped, not passed: sizes that a CPU can do are in the cases above and below.
TEST_CASE("many-block stages sort sizes that fill a GPU" * doctest::skip(on_emulator())) {
    for (const std::size_t n : {65537, 1000003}) {
        for (const char* kind : {"random", "sixteen", "organ_pipe", "special"}) {
            check_both<float>(n, kind, n, {"host", "odd_even", "merge_thread"});
        }
    }
    for (const char* kind : {"random", "sixteen"}) check_both<float>(8000009, kind, 1, {"host"});
}

TEST_CASE("many-block stages sort more than the L2 cache holds" * doctest::skip(on_emulator())) {
    // More than twice as much, with keys alone: every path that depends on it, on any GPU.
    const std::size_t n = device_info().l2_bytes / sizeof(int) * 2 + 100003;
    const std::vector<std::string> slow = {"host", "odd_even", "merge_thread", "merge_rank"};
    check_both<int>(n, "random", 1, slow);
    check_both<float>(n, "special", 2, slow);
    check_both<unsigned>(n, "sixteen", 3, slow);
}

TEST_CASE_TEMPLATE("merge_tiles and merge_windows sort at the edges of their tiles", SortKey, int,
                   KeyValue) {
    for (const std::size_t n : {std::size_t{kTile} - 1, std::size_t{kTile}, std::size_t{kTile} + 1,
                                std::size_t{2} * kTile + kWindow - 1, std::size_t{3} * kTile}) {
        check_kinds<SortKey>(n, packed<SortKey, merge_tiles<SortKey>>);
        check_kinds<SortKey>(n, packed<SortKey, merge_windows<SortKey>>);
        check_kinds<SortKey>(n, packed<SortKey, sample_sort<SortKey>>);
        check_kinds<SortKey>(n, packed<SortKey, kept_buckets<SortKey>>);
        check_kinds<SortKey>(n, register_buckets<SortKey>);
    }
}

TEST_CASE_TEMPLATE("sample_sort sorts keys that fool its sample", SortKey, int, KeyValue) {
    // All keys that are not in the sample come after its last splitter: one bucket of 2, 3 and 5
    // tiles, which take 1, 2 and 3 levels of merges.
    for (const unsigned n : {7001u, 12007u, 20011u}) {
        CAPTURE(n);
        const unsigned sampled = divide_up(n, kBucketKeys) * kSampledKeys;
        std::vector<int> keys = make_input<int>("random", n, n);
        for (int& key : keys) key |= 0x40000000;
        for (int& key : keys) key &= 0x7fffffff;
        for (unsigned i = 0; i < sampled; ++i) {
            keys[std::size_t{i} * n / sampled] = static_cast<int>(sampled - i);
        }
        const Problem<SortKey, int> problem(keys);
        for (const Launch<SortKey> sort : {Launch<SortKey>(packed<SortKey, sample_sort<SortKey>>),
                                           Launch<SortKey>(packed<SortKey, kept_buckets<SortKey>>),
                                           Launch<SortKey>(register_buckets<SortKey>)}) {
            const Verdict verdict = problem.device_sorts(sort);
            CHECK_MESSAGE(verdict.ok, verdict.message);
        }
    }
}

TEST_CASE("kept_buckets keeps the bucket in which each key ends") {
    const unsigned n = 20011;
    const std::vector<int> keys = make_input<int>("sixteen", n, 1);
    DeviceBuffer<int> d_keys(n), d_moved(n);
    d_keys.upload(keys);
    DeviceBuffer<unsigned char> scratch(sample_sort_bytes<int>(n));
    scratch.fill_bytes(0xa5);
    const SampledBuckets<int> in =
        move_to_kept_buckets(d_keys.data(), d_moved.data(), n, scratch.data());
    std::vector<unsigned> kept(n), ends(in.buckets);
    CUDA_CHECK(cudaMemcpy(kept.data(), in.kept, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CUDA_CHECK(
        cudaMemcpy(ends.data(), in.ends, ends.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    const std::vector<int> moved = d_moved.download();
    std::vector<std::pair<unsigned, int>> wanted, actual;
    for (unsigned i = 0; i < n; ++i) {
        wanted.emplace_back(kept[i], keys[i]);
        const auto bucket = std::upper_bound(ends.begin(), ends.end(), i) - ends.begin();
        actual.emplace_back(static_cast<unsigned>(bucket), moved[i]);
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(actual.begin(), actual.end());
    CHECK(actual == wanted);
}

TEST_CASE("sample_sort cuts any input into buckets that a tile holds, equal keys apart") {
    // Larger buckets are sorted too, but slowly: only their sizes prove that the sample was good.
    const unsigned n = 50021;
    const unsigned buckets = divide_up(n, kBucketKeys);
    for (const std::string& kind : input_kinds()) {
        CAPTURE(kind);
        DeviceBuffer<int> d_keys(n);
        d_keys.upload(make_input<int>(kind, n, 1));
        DeviceBuffer<int> d_spare(n);
        DeviceBuffer<unsigned char> scratch(sample_sort_bytes<int>(n));
        scratch.fill_bytes(0xa5);
        sample_sort(d_keys.data(), d_spare.data(), n, scratch.data());
        const std::size_t ends_at = std::size_t{2} * buckets * kSampledKeys * sizeof(int);
        std::vector<unsigned> ends(2 * buckets - 1);
        CUDA_CHECK(cudaMemcpy(ends.data(), scratch.data() + ends_at, ends.size() * sizeof(unsigned),
                              cudaMemcpyDeviceToHost));
        CHECK(ends.back() == n);
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const unsigned count = ends[i] - (i > 0 ? ends[i - 1] : 0);
            if (i % 2 == 0) CHECK(count <= kTile);
        }
        if (kind == "equal") CHECK(ends[1] - ends[0] == n);
    }
}

/// One block: sorts keys[0..n) by interpolation alone. *sorted: whether that sorted them; otherwise
/// they are in any order.
template <class S>
__global__ void __launch_bounds__(S::kThreads)
    interpolation_kernel(typename S::SortKey* keys, unsigned n, int* sorted) {
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned lane = threadIdx.x % kWarpSize;
    typename S::SortKey key[S::kKeys];
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = out + i * kWarpSize + lane;
        key[i] = at < n ? keys[at] : kLast<typename S::SortKey>;
    }
    const bool done = sort_by_interpolation<S>(key, n);
    if (threadIdx.x == 0) *sorted = done ? 1 : 0;
    store_window(key, keys, out, n);
}

template <class S>
void check_interpolation(std::vector<typename S::SortKey> keys, bool wanted) {
    using SortKey = typename S::SortKey;
    DeviceBuffer<SortKey> d_keys(keys.size());
    d_keys.upload(keys);
    DeviceBuffer<int> d_sorted(1);
    allow_shared(interpolation_kernel<S>, sizeof(Interpolation<S>));
    interpolation_kernel<S><<<1, S::kThreads, sizeof(Interpolation<S>)>>>(
        d_keys.data(), static_cast<unsigned>(keys.size()), d_sorted.data());
    CUDA_CHECK_LAUNCH();
    std::vector<SortKey> actual = d_keys.download();
    CAPTURE(keys.size());
    CHECK((d_sorted.download()[0] != 0) == wanted);
    if (!wanted) std::sort(actual.begin(), actual.end());  // all of them are there
    std::sort(keys.begin(), keys.end());
    CHECK(actual == keys);
}

TEST_CASE_TEMPLATE("keys that lie evenly are sorted by interpolation", S, Shape<int, 4, 4>,
                   Shape<int, 32, 4>, Shape<KeyValue, 16, 4>) {
    using SortKey = typename S::SortKey;
    const unsigned window = S::kWindow;
    const auto scattered = [](unsigned i) {  // in all bits
        const unsigned long long high = scrambled(i);
        return static_cast<SortKey>(sizeof(SortKey) == 4 ? high : high << 32 | scrambled(~i));
    };
    for (const unsigned n : {3u, 31u, window, window + 1, 2 * window - 3, S::kTile - 1, S::kTile}) {
        std::vector<SortKey> random(n), narrow(n), descending(n), with_last(n), clustered(n);
        for (unsigned i = 0; i < n; ++i) {
            random[i] = scattered(i);
            narrow[i] = static_cast<SortKey>(scrambled(i) % (4 * n)) - 100;
            descending[i] = static_cast<SortKey>(n - i) * 1000;
            with_last[i] = i % 30 == 0 ? kLast<SortKey> : scattered(i) / 2;
            // Eight bins, six of them empty: the others hold more keys than a chunk can put in
            // order.
            clustered[i] = static_cast<SortKey>(scrambled(i) % 100) +
                           (i % 8 == 0 ? SortKey{1} << 30 : SortKey{0});
        }
        check_interpolation<S>(random, true);
        check_interpolation<S>(narrow, true);
        check_interpolation<S>(descending, true);
        check_interpolation<S>(with_last, true);
        if (n >= window) check_interpolation<S>(clustered, false);
        check_interpolation<S>(std::vector<SortKey>(n, 7), true);
    }
    // Up to nine keys in a bin, in descending order, wherever the bin begins.
    std::vector<SortKey> bins;
    for (unsigned bin = 0; bins.size() + 9 <= S::kTile / 2; ++bin) {
        for (unsigned i = 0; i < 1 + bin % 9; ++i) {
            bins.push_back(static_cast<SortKey>(bin) * 65536 + 100 - static_cast<SortKey>(i));
        }
    }
    check_interpolation<S>(bins, true);
    check_interpolation<S>({kLast<SortKey>, 7, kLast<SortKey>, 7}, true);
    check_interpolation<S>({kLast<SortKey>, kLast<SortKey>}, true);
    check_interpolation<S>({kLast<SortKey> - 1, kFirst<SortKey>, kLast<SortKey>}, true);
}

/// With buckets of a tile of 512 keys, cut in tiles of 4096. Returns the keys of the largest
/// bucket.
template <class SortKey, class Steps = SampleBest>
unsigned sort_by(SortParams<SortKey> params, Cuts cuts) {
    DeviceBuffer<unsigned char> scratch(bucket_sort_bytes<SortKey>(params.n, cuts));
    scratch.fill_bytes(0xa5);
    params.scratch = scratch.data();
    const BucketSort<SortKey, Steps> sort(params, cuts);
    sort.template run<PassShape<SortKey, 256, 4, 1>, Shape<SortKey, 4, 4>>();
    CUDA_CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> begins(cuts.buckets() + 1);
    CUDA_CHECK(cudaMemcpy(begins.data(), sort.bucket_begins(), begins.size() * sizeof(unsigned),
                          cudaMemcpyDeviceToHost));
    unsigned largest = 0;
    for (std::size_t i = 1; i < begins.size(); ++i) {
        largest = std::max(largest, begins[i] - begins[i - 1]);
    }
    return largest;
}

template <class SortKey, unsigned kWays, unsigned kPasses = 2>
void sort_by_cuts(SortParams<SortKey> params) {
    sort_by(params, {kPasses, kWays});
}

TEST_CASE_TEMPLATE("sample_best sorts in buckets of every size", SortKey, int, KeyValue) {
    std::size_t turn = 0;
    for (const std::size_t n : {2048, 2049, 4097, 9001, 20011}) {
        check_kinds<SortKey>(n, sort_by_cuts<SortKey, 2>);  // larger than a tile
        const bool is_odd = ++turn % 2 != 0;                // a CPU tries them in turn
        if (!on_emulator() || is_odd) check_kinds<SortKey>(n, sort_by_cuts<SortKey, 5>);
        if (!on_emulator() || !is_odd) check_kinds<SortKey>(n, sort_by_cuts<SortKey, 8>);
    }
    check_kinds<SortKey>(70001, sort_by_cuts<SortKey, 16>);
}

template <class SortKey, class Steps>
void sort_by_steps(SortParams<SortKey> params) {
    sort_by<SortKey, Steps>(params, {2, 5});
}

TEST_CASE_TEMPLATE("the stages before sample_best sort in two passes, and by one block", SortKey,
                   int, KeyValue) {
    check_kinds<SortKey>(20011, sort_by_steps<SortKey, FewWays>);
    check_kinds<SortKey>(20011, sort_by_steps<SortKey, OrderedTiles>);
    check_kinds<SortKey>(20011, sort_by_steps<SortKey, ComputedPlaces>);
    const std::size_t block = FewWays::most_few<SortKey>();
    for (const std::size_t n : {block - 1, block, block + 1}) {
        check_kinds<SortKey>(n, few_ways<SortKey>);
        check_kinds<SortKey>(n, ordered_tiles<SortKey>);
        check_kinds<SortKey>(n, computed_places<SortKey>);
    }
}

TEST_CASE_TEMPLATE("sample_best sorts in three passes, and in four", SortKey, int, KeyValue) {
    check_kinds<SortKey>(9001, sort_by_cuts<SortKey, 2, 3>);  // larger than a tile
    check_kinds<SortKey>(20011, sort_by_cuts<SortKey, 5, 3>);
    check_kinds<SortKey>(20011, sort_by_cuts<SortKey, 3, 4>);
}

/// As on several GPUs, but with one: the sample is taken in two parts; the first pass's buckets are
/// cut further and sorted in three rounds; and each of them lies in two pieces.
template <class SortKey, unsigned kWays, unsigned kPasses>
void sort_in_rounds(SortParams<SortKey> params) {
    using TestPass = PassShape<SortKey, 256, 4, 1>;
    using Bucket = Shape<SortKey, 4, 4>;
    constexpr unsigned kRounds = 3;
    const Cuts cuts = {kPasses, kWays};
    DeviceBuffer<SortKey> moved(params.n);
    DeviceBuffer<unsigned char> scratch(bucket_sort_bytes<SortKey>(params.n, cuts));
    scratch.fill_bytes(0xa5);
    params.scratch = scratch.data();
    SampleSort<SortKey> sort(params, cuts, moved.data(), params.n);
    sort.take_sample(0, 2);
    sort.take_sample(1, 2);
    sort.template choose_splitters<TestPass>();
    const unsigned* const d_begins = sort.template count_first<TestPass>();
    sort.template move_first<TestPass>();
    std::vector<unsigned> begins(kWays + 1);
    CUDA_CHECK(cudaMemcpy(begins.data(), d_begins, begins.size() * sizeof(unsigned),
                          cudaMemcpyDeviceToHost));
    for (unsigned round = 0; round < kRounds; ++round) {
        const unsigned first = kWays * round / kRounds;
        const unsigned count = kWays * (round + 1) / kRounds - first;
        std::vector<unsigned> begin, end, first_tile = {0};
        for (unsigned piece = 0; piece < 2 * count; ++piece) {
            const unsigned bucket_begin = begins[first + piece % count];
            const unsigned bucket_end = begins[first + piece % count + 1];
            const unsigned cut = bucket_begin + (bucket_end - bucket_begin) / 3;
            begin.push_back(piece < count ? cut : bucket_begin);
            end.push_back(piece < count ? bucket_end : cut);
            const unsigned tiles = divide_up(end.back() - begin.back() + 3, TestPass::kTile);
            first_tile.push_back(first_tile.back() + tiles);
        }
        DeviceBuffer<unsigned> d_begin(2 * count), d_end(2 * count), d_first_tile(2 * count + 1);
        d_begin.upload(begin);
        d_end.upload(end);
        d_first_tile.upload(first_tile);
        const Part part = {first,
                           count,
                           begins[first + count] - begins[first],
                           {2 * count, d_begin.data(), d_end.data(), d_first_tile.data()},
                           d_begins + first};
        sort.template sort_part<TestPass, Bucket>(part);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
}

TEST_CASE_TEMPLATE("sample_best sorts in rounds, what lies in pieces", SortKey, int, KeyValue) {
    check_kinds<SortKey>(9001, sort_in_rounds<SortKey, 3, 2>);  // larger than a tile
    check_kinds<SortKey>(20011, sort_in_rounds<SortKey, 8, 2>);
    check_kinds<SortKey>(20011, sort_in_rounds<SortKey, 4, 3>);
}

TEST_CASE("sample_best cuts in as few passes as it can, for any number of keys") {
    CHECK(cuts_for(1, 16384).buckets() == 2);
    CHECK(cuts_for(std::size_t{1} << 20, 8192).passes == 1);
    CHECK(cuts_for(std::size_t{1} << 28, 16384).passes == 2);
    for (const std::size_t tile : {4096, 8192, 16384}) {
        for (const std::size_t n : {std::size_t{1} << 24, std::size_t{600000000}, kMaxKeys}) {
            const Cuts cuts = cuts_for(n, tile);
            CAPTURE(n);
            CAPTURE(tile);
            CHECK(cuts.passes <= 3);
            CHECK(cuts.ways <= kMaxWays);
            CHECK(cuts.buckets() * tile * 3 / 5 >= n);
        }
    }
    CHECK(cuts_for(kMaxKeys, 16384).passes == 3);
    for (const unsigned gpus : {2, 3, 8, 124, 248}) {
        const Cuts cuts = cuts_for(kMaxKeys, 16384, gpus);
        CHECK(cuts.ways % gpus == 0);
        CHECK(cuts.ways <= kMaxWays);
        CHECK(cuts.buckets() * std::size_t{16384} * 3 / 5 >= kMaxKeys);
    }
}

/// In the shapes for devices with a lot of shared memory, or with little.
template <class Shapes, class Pass, class SortKey>
void sort_in_shapes(SortParams<SortKey> params) {
    using Bucket = typename Shapes::Bucket;
    SampleSort<SortKey>(params, cuts_for(params.n, Bucket::kTile)).template run<Pass, Bucket>();
}

TEST_CASE_TEMPLATE("sample_best sorts in the shapes that it uses for most keys", SortKey, int,
                   KeyValue) {
    // Fewer keys than these shapes are meant for; on a GPU many tiles of each.
    const std::size_t n = on_emulator() ? 40009 : 3000017;
    using Roomy = RoomyShapes<SortKey>;
    using Tight = TightShapes<SortKey>;
    for (const char* kind : {"random", "sixteen", "sorted", "special"}) {
        CAPTURE(kind);
        const Problem<SortKey, float> problem(make_input<float>(kind, n, 1));
        for (const auto& sort : {sort_in_shapes<Roomy, typename Roomy::OnlyPass, SortKey>,
                                 sort_in_shapes<Roomy, typename Roomy::FewWays, SortKey>,
                                 sort_in_shapes<Roomy, typename Roomy::ManyWays, SortKey>,
                                 sort_in_shapes<Tight, typename Tight::OnlyPass, SortKey>,
                                 sort_in_shapes<Tight, typename Tight::FewWays, SortKey>}) {
            const Verdict verdict = problem.device_sorts(sort);
            CHECK_MESSAGE(verdict.ok, verdict.message);
        }
    }
}

TEST_CASE_TEMPLATE("sample_best sorts what it merges, and what it cuts in one pass or in two",
                   SortKey, int, KeyValue) {
    const std::size_t merged = kMaxMergedShare * static_cast<std::size_t>(device_info().sm_count);
    std::vector<std::size_t> sizes = {merged, merged + 1};
    if (!on_emulator()) {  // on either side of the size that takes another pass, or another tile
        for (const std::size_t tile : {8192, 16384}) {
            sizes.push_back(kMaxWays * (tile * 3 / 5));
            sizes.push_back(sizes.back() + 1);
        }
    }
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const Verdict verdict = Problem<SortKey, int>(make_input<int>("random", n, 1))
                                    .device_sorts(sample_best<SortKey>);
        CHECK_MESSAGE(verdict.ok, verdict.message);
    }
}

TEST_CASE_TEMPLATE("sample_best sorts keys that do not begin at a vector", SortKey, int, KeyValue) {
    const Problem<SortKey, float> problem(make_input<float>("random", 9001, 1));
    const Problem<SortKey, float> few(make_input<float>("random", 1030, 1));
    for (const std::size_t offset : {1, 2, 3}) {
        CAPTURE(offset);
        Verdict verdict = problem.device_sorts(sort_by_cuts<SortKey, 5>, offset);
        CHECK_MESSAGE(verdict.ok, verdict.message);
        verdict = problem.device_sorts(sample_best<SortKey>, offset);
        CHECK_MESSAGE(verdict.ok, verdict.message);
        verdict = few.device_sorts(sample_best<SortKey>, offset);
        CHECK_MESSAGE(verdict.ok, verdict.message);
    }
}

/// Keys in the largest bucket of sample_best, of ways * ways.
template <class SortKey>
unsigned largest_bucket(const std::vector<int>& keys, unsigned ways, unsigned seed = 0) {
    DeviceBuffer<std::uint32_t> d_keys(keys.size());
    d_keys.upload(bits_of_keys(keys));
    DeviceBuffer<std::uint32_t> d_values(kHasValue<SortKey> ? keys.size() : 0);
    d_values.fill_bytes(0);
    Workspace<SortKey> work(keys.size());
    SortParams<SortKey> params =
        work.params(d_keys.data(), d_values.data(), keys.size(), KeyType::signed_int);
    params.seed = seed;
    return sort_by(params, {2, ways});
}

TEST_CASE_TEMPLATE("a sample's splitters cut equal keys into buckets that a tile holds", SortKey,
                   int, KeyValue) {
    // Buckets larger than a tile are sorted too, but slowly; only their number proves that the
    // equal keys were spread.
    const std::size_t n = 20011;
    const unsigned ways = 8;
    for (const char* kind : {"equal", "two", "sixteen", "sorted", "random"}) {
        CAPTURE(kind);
        CHECK(largest_bucket<SortKey>(make_input<int>(kind, n, 1), ways) <= 2 * n / (ways * ways));
    }
}

TEST_CASE_TEMPLATE("keys chosen against the sample need to know its seed", SortKey, int, KeyValue) {
    // All keys that are not in the sample of seed 0 come after its last splitter.
    const unsigned n = 20011;
    const unsigned ways = 8;
    const unsigned sampled = ways * ways * kSampled;
    std::vector<int> keys = make_input<int>("random", n, 1);
    for (int& key : keys) key = (key | 0x40000000) & 0x7fffffff;
    const auto begin_of = [&](std::size_t part) { return part * n / sampled; };
    for (unsigned i = 0; i < sampled; ++i) {
        const std::uint64_t part = std::max<std::size_t>(begin_of(i + 1) - begin_of(i), 1);
        keys[begin_of(i) + (scrambled(i) * part >> 32)] = static_cast<int>(i);
    }
    CHECK(largest_bucket<SortKey>(keys, ways, 0) > n / 2);
    CHECK(largest_bucket<SortKey>(keys, ways, 12345) <= 2 * n / (ways * ways));
    const Problem<SortKey, int> problem(keys);
    const Verdict verdict = problem.device_sorts(sort_by_cuts<SortKey, 8>);
    CHECK_MESSAGE(verdict.ok, verdict.message);
}

/// Blocks of this shape, as they are launched: this many warps on a multiprocessor.
template <class S>
void check_fits(const DeviceInfo& device, std::size_t bytes = S::kBytes, unsigned warps = 1) {
    CAPTURE(S::kThreads);
    CAPTURE(bytes);
    CHECK(S::kThreads <= 1024);
    CHECK(bytes <= device.shared_per_block);
    CHECK(blocks_held(device, S::kThreads, bytes) * S::kThreads >= warps * kWarpSize);
}

template <class P>
void check_pass_fits(const DeviceInfo& device) {
    check_fits<P>(device, sizeof(MovedTile<typename P::SortKey, P::kTile>));
}

TEST_CASE_TEMPLATE("every device has shapes that fit, and enough warps of them", SortKey, int,
                   KeyValue) {
    std::vector<DeviceInfo> devices = known_devices();
    devices.push_back(device_info());
    for (const DeviceInfo& device : devices) {
        CAPTURE(device.name);
        // A program that is compiled only for newer devices has no shapes for older ones.
        if (!kMayBeTight && device.shared_per_sm < kRoomyBytes) continue;
        with_shapes<SortKey>(device, [&](auto shapes) {
            using Shapes = decltype(shapes);
            // Tiny and Small run one block at a time; in the others warps hide each other's waits.
            using Bucket = typename Shapes::Bucket;
            check_fits<typename Shapes::Tiny>(device);
            check_fits<typename Shapes::Small>(device);
            check_fits<Shape<SortKey, 8, 8>>(device);
            check_fits<Shape<SortKey, 16, 8>>(device, Shape<SortKey, 16, 8>::kBytes, 8);
            check_fits<typename Shapes::LargeBucket>(device, Shapes::LargeBucket::kBytes, 16);
            check_fits<Bucket>(device, sizeof(Interpolation<Bucket>), 16);
            check_pass_fits<typename Shapes::FewWays>(device);
            check_pass_fits<typename Shapes::ManyWays>(device);
            check_pass_fits<typename Shapes::OnlyPass>(device);
            // The shapes that follow one another as n grows never get smaller.
            CHECK(Shapes::Tiny::kTile < Shapes::Small::kTile);
            CHECK(Shapes::Small::kTile < Shapes::Bucket::kTile);
        });
    }
}

TEST_CASE_TEMPLATE("few keys are merged in one launch, in every shape", SortKey, int, KeyValue) {
    for (const std::size_t n : {513, 1024, 1025, 9001, 20011}) {
        check_kinds<SortKey>(n, merge_in_one_launch<Shape<SortKey, 4, 4>>);
    }
    check_kinds<SortKey>(9001, merge_in_one_launch<Shape<SortKey, 8, 4>>);
    check_kinds<SortKey>(9001, merge_in_one_launch<Shape<SortKey, 16, 4>>);
    for (const std::size_t n : {1025, 2049, 9001}) check_kinds<SortKey>(n, few_keys<SortKey>);
}

TEST_CASE_TEMPLATE("bitonic_best sorts in every shape, in many passes", SortKey, int, KeyValue) {
    for (const std::size_t n : {511, 512, 513, 9001, 33000}) {  // up to 7 levels above the tile
        check_kinds<SortKey>(n, bitonic_with_shape<Shape<SortKey, 4, 4>>);
    }
    check_kinds<SortKey>(9001, bitonic_with_shape<Shape<SortKey, 8, 8>>);
    check_kinds<SortKey>(9001, bitonic_with_shape<Shape<SortKey, 16, 4>>);
    if constexpr (!kHasValue<SortKey>)
        check_kinds<SortKey>(9001, bitonic_with_shape<Shape<SortKey, 32, 4>>);
}

TEST_CASE("the merge path's cut is where a stable merge is after so many keys") {
    for (const unsigned count_a : {0u, 1u, 7u, 64u}) {
        for (const unsigned count_b : {0u, 1u, 9u, 64u}) {
            const std::vector<int> a = sorted_copy(make_input<int>("sixteen", count_a, 1));
            const std::vector<int> b = sorted_copy(make_input<int>("sixteen", count_b, 1));
            unsigned from_a = 0;
            for (unsigned diagonal = 0; diagonal <= count_a + count_b; ++diagonal) {
                CHECK(merge_path_cut(a.data(), count_a, b.data(), count_b, diagonal) == from_a);
                const unsigned from_b = diagonal - from_a;
                if (from_b == count_b || (from_a < count_a && a[from_a] <= b[from_b])) ++from_a;
            }
        }
    }
}

TEST_CASE("sort keys keep the order of keys, and give back their bits") {
    const std::vector<float> keys = sorted_copy(make_input<float>("special", 4096, 3));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::uint32_t bits = bits_of_keys(keys)[i];
        const int order = ordered_int_of_bits(bits, KeyType::floating);
        CHECK(bits_of_ordered_int(order, KeyType::floating) == bits);
        CHECK(ordered_int_in(make_sort_key<KeyValue>(order, 0xffffffffu)) == order);
        CHECK(make_sort_key<KeyValue>(order, 7) < make_sort_key<KeyValue>(order, 8));
        if (i == 0) continue;
        const int before = ordered_int(keys[i - 1]);
        if (before < order)
            CHECK(make_sort_key<KeyValue>(before, 9) < make_sort_key<KeyValue>(order, 8));
    }
    for (const std::uint32_t bits : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
        for (const KeyType type : {KeyType::signed_int, KeyType::unsigned_int}) {
            CHECK(bits_of_ordered_int(ordered_int_of_bits(bits, type), type) == bits);
        }
    }
    CHECK(ordered_int_of_bits(0x80000000u, KeyType::signed_int) <
          ordered_int_of_bits(0, KeyType::signed_int));
    CHECK(ordered_int_of_bits(0, KeyType::unsigned_int) <
          ordered_int_of_bits(1, KeyType::unsigned_int));
}

TEST_CASE("the reference agrees with the harness's, and in parts with itself in one") {
    for (const std::string& kind : input_kinds()) {
        const std::vector<float> keys = make_input<float>(kind, 5000, 4);
        CHECK(verify_equal(sorted_copy(keys), sorted_keys(keys)).ok);
    }
    for (const std::size_t n : {999, 1000, 1001, 3005, 4000}) {
        std::vector<KeyValue> items(n);
        for (std::size_t i = 0; i < n; ++i) {
            items[i] = make_sort_key<KeyValue>(static_cast<int>(i * 7919 % 64),
                                               static_cast<std::uint32_t>(i));
        }
        std::vector<KeyValue> expected = items;
        const auto by_key = [](KeyValue a, KeyValue b) {
            return ordered_int_in(a) < ordered_int_in(b);
        };
        std::stable_sort(expected.begin(), expected.end(), by_key);
        tutorial::sort_in_parts(items, by_key, 1000);
        CHECK(items == expected);
    }
}

TEST_CASE("a wrong value with right keys is found") {
    const std::vector<int> keys = {1, 1, 2};
    const std::vector<std::uint32_t> values = {5, 6, 7};
    CHECK(verify_sorted(keys, values, bits_of_keys(keys), values).ok);
    CHECK_FALSE(verify_sorted(keys, values, bits_of_keys(keys), {6, 5, 7}).ok);
    CHECK_FALSE(verify_sorted(keys, values, bits_of_keys(std::vector<int>{1, 2, 2}), values).ok);
}

TEST_CASE("pairs are sorted by their keys, then by their values") {
    std::vector<int> sorted = {2, 1, 1};
    std::vector<std::uint32_t> sorted_values = {9, 0xffffffffu, 7};
    sort_pairs(sorted, sorted_values);
    CHECK(sorted == std::vector<int>{1, 1, 2});
    CHECK(sorted_values == std::vector<std::uint32_t>{7, 0xffffffffu, 9});
    // Unsorted, or equal. The libraries leave equal keys in their order.
    for (const std::size_t n : {1500, 20000}) {
        std::vector<std::uint32_t> values = bits_of_keys(make_input<unsigned>("random", n, 9));
        for (const char* kind : {"random", "sixteen", "equal"}) {
            for (const bool few_values : {false, true}) {
                for (std::uint32_t& value : values) value = few_values ? value % 3 : value;
                const Problem<KeyValue, float> problem(make_input<float>(kind, n, 8), values);
                for (const Stage<Launch<KeyValue>>& row : stages<KeyValue>()) {
                    if (row.kind != RowKind::stage || n > row.limits.max_n) continue;
                    // n launches of n / 2 threads, which the first n has tested in several blocks
                    if (n > 1500 && row.name == "odd_even") continue;
                    CAPTURE(row.name);
                    const Verdict verdict = problem.device_sorts(row.launch);
                    CHECK_MESSAGE(verdict.ok, verdict.message);
                }
            }
        }
    }
}

TEST_CASE("the sorts do not depend on the order in which threads run") {
    if (!on_emulator()) return;
    for (const char* order : {"reverse", "shuffle"}) {
        set_thread_order(order, 5);
        check_both<int>(5000, "random", 2, {"odd_even"});
        check_both<int>(1500, "sixteen", 2);
    }
    set_thread_order("forward", 0);
}

TEST_CASE("the chapter's own options") {
    for (const std::vector<std::string>& own : std::vector<std::vector<std::string>>{
             {}, {"--type", "float", "--input", "special", "--values"}, {"--type", "unsigned"}}) {
        std::vector<std::string> words = {"--n", "300", "--stage", "merge_path", "sample_best"};
        words.insert(words.end(), own.begin(), own.end());
        CHECK(run_chapter(words) == 0);
    }
    CHECK(run_chapter({"--n", "0", "--stage", "host", "sample_best", "bitonic_best"}) == 0);
    CHECK(run_chapter({"--list"}) == 0);
    CHECK(run_chapter({"--type", "double"}) == 2);
    CHECK(run_chapter({"--values=maybe"}) == 2);
    CHECK(run_chapter({"--n", "2^31"}) == 2);
    CHECK(run_chapter({"--n", "8192", "--stage", "bitonic_block"}) == 2);  // above its limit
}
