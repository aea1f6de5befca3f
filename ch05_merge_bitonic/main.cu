// Merge sort and bitonic sort of N keys, alone or with a value each: the chapter's way from the
// odd-even sort of n half-steps to a merge sort beside the library's.
//
// Keys are ints, unsigned ints or floats (-0 before +0, NaN last). A key with a value is sorted
// stably. N is any number.
//
// You will learn: the work and the steps of an algorithm, the three regimes of merging, the merge
// path, sorting networks, and how few sweeps over the memory a sort can do with.
//
//   nvcc -std=c++17 -O3 -arch=native -I. ch05_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch05
//   cmake --build build/cuda --target ch05_merge_bitonic    (or build/cpu, where there is no GPU)
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "../common/harness/backend.hpp"
#include "../common/harness/ceilings.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/verify.hpp"
#include "bitonic.cuh"
#include "bitonic_best.cuh"
#include "merge.cuh"
#include "merge_best.cuh"
#include "words.cuh"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#endif

namespace {

using namespace tutorial;

// ---- The host's version ----------------------------------------------------------------------

/// A key's order, and its value.
struct Item {
    int order;
    std::uint32_t value;
};

inline bool comes_before(const Item& a, const Item& b) { return a.order < b.order; }

/// The reference: the standard library's stable sort.
template <class Word>
void host(Job<Word> job) {
    std::vector<Item> items(job.n);
    for (std::size_t i = 0; i < job.n; ++i) {
        items[i] = {order_of_bits(job.keys[i], job.type), kHasValue<Word> ? job.values[i] : 0};
    }
    std::stable_sort(items.begin(), items.end(), comes_before);
    for (std::size_t i = 0; i < job.n; ++i) {
        job.keys[i] = bits_of_order(items[i].order, job.type);
        if (kHasValue<Word>) job.values[i] = items[i].value;
    }
}

// ---- Where we start --------------------------------------------------------------------------

// odd_even: the odd-even sort of chapter 1, a launch per half-step.
// Removes: nothing; it is what the other stages are compared with.
// Remains: n half-steps, each of which reads and writes all words in global memory.
template <class Word>
__global__ void odd_even_kernel(Word* words, unsigned n, unsigned first) {
    const unsigned i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) compare_exchange(words[i], words[i + 1]);
}

constexpr std::size_t kOddEvenMaxKeys = std::size_t{1} << 16;
constexpr unsigned kOddEvenThreads = 256;

template <class Word>
void odd_even(Job<Word> job) {
    pack(job);
    const unsigned n = static_cast<unsigned>(job.n);
    const unsigned blocks = divide_up(n / 2, kOddEvenThreads);
    for (unsigned step = 0; blocks > 0 && step < n; ++step) {
        odd_even_kernel<<<blocks, kOddEvenThreads>>>(job.words, n, step % 2);
        CUDA_CHECK_LAUNCH();
    }
    unpack(job, job.words);
}

// ---- The libraries ---------------------------------------------------------------------------

#if defined(__CUDACC__)
__global__ void to_orders_kernel(std::uint32_t* keys, unsigned n, KeyType type, bool back) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    keys[i] = back ? bits_of_order(static_cast<int>(keys[i]), type)
                   : static_cast<std::uint32_t>(order_of_bits(keys[i], type));
}

/// Calls sort(ints) on the keys' orders, in place. The libraries' own order of floats is another:
/// cub's radix sort puts NaN with a sign first, and a merge sort with `<` cannot sort NaN at all.
template <class Word, class Sort>
void sort_orders(const Job<Word>& job, const Sort& sort) {
    if (job.n == 0) return;
    const unsigned blocks = divide_up(job.n, kPackThreads);
    const auto convert = [&](bool back) {
        if (job.type == KeyType::signed_int) return;
        to_orders_kernel<<<blocks, kPackThreads>>>(job.keys, static_cast<unsigned>(job.n), job.type,
                                                   back);
        CUDA_CHECK_LAUNCH();
    };
    convert(false);
    sort(reinterpret_cast<int*>(job.keys));
    convert(true);
}

struct Less {
    __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

/// With scratch == nullptr: sets `bytes` to what it takes, and does nothing else.
template <class Word>
void cub_merge_call(const Job<Word>& job, void* scratch, std::size_t& bytes, int* keys) {
    const int n = static_cast<int>(job.n);
    if constexpr (kHasValue<Word>) {
        CUDA_CHECK(
            cub::DeviceMergeSort::StableSortPairs(scratch, bytes, keys, job.values, n, Less{}));
    } else {
        CUDA_CHECK(cub::DeviceMergeSort::SortKeys(scratch, bytes, keys, n, Less{}));
    }
}

template <class Word>
void cub_merge(Job<Word> job) {
    sort_orders(job, [&](int* keys) {
        std::size_t bytes = 0;
        cub_merge_call(job, nullptr, bytes, keys);
        cub_merge_call(job, job.scratch, bytes, keys);
    });
}

template <class Word>
void cub_radix_call(const Job<Word>& job, void* scratch, std::size_t& bytes,
                    cub::DoubleBuffer<int>& keys, cub::DoubleBuffer<std::uint32_t>& values) {
    const int n = static_cast<int>(job.n);
    if constexpr (kHasValue<Word>) {
        CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, n));
    } else {
        CUDA_CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, n));
    }
}

template <class T>
void copy_if_elsewhere(const T* from, T* to, std::size_t n) {
    if (from == to) return;
    CUDA_CHECK(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice));
}

template <class Word>
void cub_radix(Job<Word> job) {
    sort_orders(job, [&](int* ints) {
        cub::DoubleBuffer<int> keys(ints, reinterpret_cast<int*>(job.spare));
        cub::DoubleBuffer<std::uint32_t> values(job.values, job.old_values);
        std::size_t bytes = 0;
        cub_radix_call(job, nullptr, bytes, keys, values);
        cub_radix_call(job, job.scratch, bytes, keys, values);
        copy_if_elsewhere(keys.Current(), ints, job.n);
        if (kHasValue<Word>) copy_if_elsewhere(values.Current(), job.values, job.n);
    });
}

template <class Word>
void thrust_sort(Job<Word> job) {
    sort_orders(job, [&](int* keys) {
        if constexpr (kHasValue<Word>) {
            thrust::stable_sort_by_key(thrust::device, keys, keys + job.n, job.values);
        } else {
            thrust::sort(thrust::device, keys, keys + job.n);
        }
    });
}

/// What the libraries ask for, in bytes.
template <class Word>
std::size_t library_bytes(std::size_t n) {
    Job<Word> job = {};
    job.n = n;
    std::size_t merge = 0, radix = 0;
    cub::DoubleBuffer<int> keys;
    cub::DoubleBuffer<std::uint32_t> values;
    cub_merge_call(job, nullptr, merge, nullptr);
    cub_radix_call(job, nullptr, radix, keys, values);
    return std::max(merge, radix);
}
#else
template <class Word>
std::size_t library_bytes(std::size_t) {
    return 0;
}
#endif

/// Scratch memory of every stage: where pieces or tiles begin, or what a library asks for.
template <class Word>
std::size_t scratch_bytes(std::size_t n) {
    const std::size_t cuts = n / 32 + 4096;
    return std::max(cuts, library_bytes<Word>(n));
}

/// No less, and computed without a device.
template <class Word>
std::size_t scratch_bytes_bound(std::size_t n) {
    return n * (kHasValue<Word> ? 9 : 5) + (std::size_t{32} << 20);
}

// ---- The table -------------------------------------------------------------------------------

template <class Word>
using Launch = void (*)(Job<Word>);

template <class Word>
const std::vector<Stage<Launch<Word>>>& stages() {
    static const std::vector<Stage<Launch<Word>>> table = {
        {{"host",
          "host: std::stable_sort",
          RowKind::host,
          {std::size_t{1} << 24, "more would take many seconds"}},
         host<Word>},
        {{"odd_even",
          "the odd-even sort of chapter 1: n half-steps",
          RowKind::stage,
          {kOddEvenMaxKeys, "n launches would take many seconds"}},
         odd_even<Word>},
        {{"merge_thread",
          "many tiny merges: one thread each",
          RowKind::stage,
          {kMergeThreadMaxKeys, "at last one thread merges all keys"}},
         merge_thread<Word>},
        {{"merge_rank",
          "fewer, larger merges: one block each, every key looks up its place",
          RowKind::stage,
          {kMergeRankMaxKeys, "at last one block merges all keys"}},
         merge_rank<Word>},
        {{"merge_split", "few huge merges: splitters cut them into pieces, a block each"},
         merge_split<Word>},
        {{"merge_path", "equal pieces, a serial merge of 8 keys a thread"}, merge_path<Word>},
        {{"merge_best", "four runs a sweep, a warp's window merged in registers"},
         merge_best<Word>},
        {{"bitonic_block",
          "one block, keys in shared memory",
          RowKind::stage,
          {kBitonicBlock, "one block holds no more in shared memory"}},
         bitonic_block<Word>},
        {{"bitonic_global", "a launch for each i and j"}, bitonic_global<Word>},
        {{"bitonic_shared", "steps of small distance fused in shared memory"},
         bitonic_shared<Word>},
        {{"bitonic_registers", "three steps of great distance a pass, in registers"},
         bitonic_registers<Word>},
        {{"bitonic_best", "all steps in registers, five a pass"}, bitonic_best<Word>},
#if defined(__CUDACC__)
        {{"cub_merge", "cub::DeviceMergeSort", RowKind::library}, cub_merge<Word>},
        {{"cub_radix", "cub::DeviceRadixSort, not a comparison sort", RowKind::library},
         cub_radix<Word>},
        {{"thrust", "thrust::sort: radix for ints; allocates its memory itself", RowKind::library},
         thrust_sort<Word>},
#endif
    };
    return table;
}

// ---- The experiment --------------------------------------------------------------------------

/// The device's memory for a job of n keys; several jobs may share all but keys and values.
template <class Word>
struct Workspace {
    explicit Workspace(std::size_t n)
        : words(kHasValue<Word> ? n : 0),
          spare(n),
          old_values(kHasValue<Word> ? n : 0),
          scratch(scratch_bytes<Word>(n)) {}

    Job<Word> job(std::uint32_t* keys, std::uint32_t* values, std::size_t n, KeyType type) {
        Job<Word> job = {keys,          values, n, type, nullptr, spare.data(), old_values.data(),
                         scratch.data()};
        job.words = kHasValue<Word> ? words.data() : reinterpret_cast<Word*>(keys);
        return job;
    }

    static std::size_t bytes(std::size_t n) {
        return n * (kHasValue<Word> ? 2 * sizeof(Word) + 4 : sizeof(Word)) +
               scratch_bytes_bound<Word>(n);
    }

    DeviceBuffer<Word> words, spare;
    DeviceBuffer<std::uint32_t> old_values;
    DeviceBuffer<unsigned char> scratch;
};

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

/// Values that are all different, in no order.
std::vector<std::uint32_t> distinct_values(std::size_t n) {
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i) * 2654435761u;
    return values;
}

/// std::stable_sort by `less`; many items in parts, by as many threads, and then merged in pairs.
/// One thread would take half a minute for 2^28 of them.
template <class T, class Less>
void sort_in_parts(std::vector<T>& items, const Less& less,
                   std::size_t part = std::size_t{1} << 24) {
    const std::size_t n = items.size();
    const auto at = [&](std::size_t i) {
        return items.begin() + static_cast<std::ptrdiff_t>(std::min(i, n));
    };
    const auto for_each = [&](std::size_t stride, const auto& work) {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < n; i += stride) threads.emplace_back([&, i] { work(i); });
        for (std::thread& thread : threads) thread.join();
    };
    if (n <= part) return std::stable_sort(items.begin(), items.end(), less);
    for_each(part, [&](std::size_t i) { std::stable_sort(at(i), at(i + part), less); });
    for (std::size_t run = part; run < n; run *= 2) {
        for_each(2 * run, [&](std::size_t i) {
            std::inplace_merge(at(i), at(i + run), at(i + 2 * run), less);
        });
    }
}

/// The keys as any right sort leaves them.
template <class Key>
std::vector<Key> sorted_keys(std::vector<Key> keys) {
    sort_in_parts(keys, [](Key a, Key b) { return order_of(a) < order_of(b); });
    return keys;
}

/// The values as a stable sort of the keys leaves them.
template <class Key>
std::vector<std::uint32_t> stable_values(const std::vector<Key>& keys,
                                         const std::vector<std::uint32_t>& values) {
    std::vector<Item> items(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) items[i] = {order_of(keys[i]), values[i]};
    sort_in_parts(items, comes_before);
    std::vector<std::uint32_t> sorted(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) sorted[i] = items[i].value;
    return sorted;
}

/// Right, or the first wrong key or value.
template <class Key>
Verdict verify_sorted(const std::vector<Key>& keys, const std::vector<std::uint32_t>& values,
                      const std::vector<std::uint32_t>& actual_bits,
                      const std::vector<std::uint32_t>& actual_values) {
    Verdict verdict = verify_equal(keys, keys_of_bits<Key>(actual_bits));
    if (!verdict.ok) return verdict;
    verdict = verify_equal(values, actual_values);
    if (!verdict.ok) verdict.message = "keys right, values: " + verdict.message;
    return verdict;
}

template <class Key, class Word>
class SortExperiment : public Experiment {
  public:
    std::vector<RowInfo> rows() const override { return rows_of(stages<Word>()); }

    std::size_t device_bytes(const Options& options) const override {
        const std::size_t arrays = kHasValue<Word> ? 2 : 1;
        return (1 + slots_for(options.n)) * arrays * options.n * sizeof(std::uint32_t) +
               Workspace<Word>::bytes(options.n);
    }

    void prepare(const Options& options) override {
        const std::size_t n = options.n;
        const std::size_t n_values = kHasValue<Word> ? n : 0;
        const std::vector<Key> input = make_input<Key>(options.input, n, options.seed);
        const std::vector<std::uint32_t> values = distinct_values(n_values);
        expected_keys_ = sorted_keys(input);
        if (kHasValue<Word>) expected_values_ = stable_values(input, values);
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
        work_ = std::make_unique<Workspace<Word>>(n);
    }

    int slots() const override { return static_cast<int>(d_keys_.size()); }

    void reset(int slot) override {
        d_keys_[slot].copy_from(d_input_);
        d_values_[slot].copy_from(d_input_values_);
        // What the row before left there would be the right answer.
        work_->words.fill_bytes(0xa5);
        work_->spare.fill_bytes(0xa5);
        work_->old_values.fill_bytes(0xa5);
    }

    void run(std::size_t row, int slot) override {
        const Stage<Launch<Word>>& stage = stages<Word>()[row];
        const std::size_t n = input_bits_.size();
        if (stage.kind == RowKind::host) {
            h_keys_ = input_bits_;
            h_values_ = input_values_;
            stage.launch({h_keys_.data(), h_values_.data(), n, kTypeOf<Key>, nullptr, nullptr,
                          nullptr, nullptr});
        } else {
            stage.launch(work_->job(d_keys_[slot].data(), d_values_[slot].data(), n, kTypeOf<Key>));
        }
    }

    Verdict check(std::size_t row, int slot) override {
        const bool on_host = stages<Word>()[row].kind == RowKind::host;
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
    /// A sort in place is run once per copy of the input: several, where a run is short.
    static int slots_for(std::size_t n) { return n <= (std::size_t{1} << 20) ? 16 : 1; }

    std::vector<Key> expected_keys_;
    std::vector<std::uint32_t> expected_values_, input_bits_, input_values_, h_keys_, h_values_;
    DeviceBuffer<std::uint32_t> d_input_, d_input_values_;
    std::vector<DeviceBuffer<std::uint32_t>> d_keys_, d_values_;
    std::unique_ptr<Workspace<Word>> work_;
};

template <class Key>
std::unique_ptr<Experiment> make_experiment(bool values) {
    if (values) return std::make_unique<SortExperiment<Key, PairWord>>();
    return std::make_unique<SortExperiment<Key, KeyWord>>();
}

}  // namespace

int main(int argc, char** argv) {
    std::string type = "int";
    bool values = false;
    Chapter chapter("ch05_merge_bitonic", "merge sort and bitonic sort", "key");
    chapter.sizes(std::size_t{1} << 24, 4000, kMostKeys, std::size_t{1} << 18)
        .choice("--type", "type of the keys", {"int", "unsigned", "float"}, type)
        .flag("--values", "sort a 32-bit value with each key, stably", values);
    return chapter.run(argc, argv, [&](const Options&) {
        if (type == "float") return make_experiment<float>(values);
        if (type == "unsigned") return make_experiment<unsigned>(values);
        return make_experiment<int>(values);
    });
}
