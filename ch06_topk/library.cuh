// What people would call instead: sort everything and take the first k; and, where the toolkit has
// it, cub::DeviceTopK. Only for nvcc.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <cub/version.cuh>
#if CUB_VERSION >= 300300 && __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#define TUTORIAL_HAS_DEVICE_TOPK 1
#endif

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_buffer.hpp"
#include "job.cuh"

namespace topk {

/// Our stages put up to kMaxK keys in order, and so must a row beside them; more they need not.
inline bool sorts_top(unsigned k) { return k <= kMaxK; }

inline std::vector<tutorial::RowInfo> library_rows(unsigned k, bool distinct, bool index) {
    using tutorial::RowKind;
    std::vector<tutorial::RowInfo> rows = {
        {"cub_sort", distinct ? "cub::DeviceRadixSort, unique, take" : "cub::DeviceRadixSort, take",
         RowKind::library}};
#if defined(TUTORIAL_HAS_DEVICE_TOPK)
    // Of equal keys it takes any, so it has no row where indices are asked for.
    if (!distinct && !index) {
        rows.push_back(
            {"cub_topk",
             sorts_top(k) ? "cub::DeviceTopK, sort of the k" : "cub::DeviceTopK, unsorted",
             RowKind::library});
    }
#else
    static_cast<void>(k);
    static_cast<void>(index);
#endif
    return rows;
}

/// Ranks of floats: where NaN or -0 are among them, cub would order them in another way than this
/// chapter does.
static __global__ void ranks_kernel(const float* keys, unsigned n, unsigned flip, unsigned* ranks) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        ranks[i] = Order<float>::rank(keys[i], flip);
    }
}

static __global__ void iota_kernel(unsigned* indices, unsigned n) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        indices[i] = static_cast<unsigned>(i);
    }
}

static __global__ void say_count_kernel(unsigned count, unsigned* to) { *to = count; }

/// The first k of the words to the answer; `available`: how many there are, or nullptr for
/// all n. One block, or several, where *result.count is 0 before. Word: the key itself, or its
/// rank.
template <class Key, class Word>
__global__ void take_kernel(const Word* words, const unsigned* indices, const unsigned* available,
                            unsigned n, unsigned k, unsigned flip, Result<Key> result) {
    const unsigned there = min(k, available != nullptr ? *available : n);
    unsigned mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < there;
         i += gridDim.x * blockDim.x) {
        Key key;
        if constexpr (std::is_same_v<Key, Word>) {
            key = words[i];
        } else {
            if (!Order<Key>::is_value(words[i])) continue;  // NaN
            key = Order<Key>::key(words[i], flip);
        }
        result.keys[i] = key;
        if (result.indices != nullptr) result.indices[i] = indices[i];
        ++mine;
    }
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();  // the count is cleared
    atomicAdd(&count, mine);
    __syncthreads();  // all keys are counted
    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *result.count = count;
    } else {
        atomicAdd(result.count, count);
    }
}

/// The library rows of one job.
class LibraryRows {
  public:
    virtual ~LibraryRows() = default;
    virtual void run(const std::string& row) = 0;
};

/// The same with their memory. Word: what is sorted, the key itself or its rank.
template <class Key, class Word>
class Library : public LibraryRows {
  public:
    static constexpr bool kRanks = !std::is_same_v<Key, Word>;

    Library(const Job<Key>& job, bool index) : job_(job), index_(index) {
        const std::size_t n = job.n;
        sorted_ = tutorial::DeviceBuffer<Word>(n);
        if (kRanks) ranks_ = tutorial::DeviceBuffer<Word>(n);
        if (job.distinct) unique_ = tutorial::DeviceBuffer<Word>(n);
        if (index) {
            iota_ = tutorial::DeviceBuffer<unsigned>(n);
            indices_ = tutorial::DeviceBuffer<unsigned>(n);
            if (job.distinct) unique_indices_ = tutorial::DeviceBuffer<unsigned>(n);
        }
        available_ = tutorial::DeviceBuffer<unsigned>(1);
        if (index) {  // once: no sort changes what it reads
            iota_kernel<<<kGrid, kBlock>>>(iota_.data(), job_.n);
            CUDA_CHECK_LAUNCH();
        }
        std::size_t needed = 0;
        needed = std::max(needed, sort(nullptr, 0));
        if (job.distinct) needed = std::max(needed, unique(nullptr, 0));
#if defined(TUTORIAL_HAS_DEVICE_TOPK)
        if (!is_direct()) top_ = tutorial::DeviceBuffer<Word>(job.k);
        needed = std::max(needed, top_k(nullptr, 0));
        if (sorts_top(job.k)) {
            sorted_top_ = tutorial::DeviceBuffer<Word>(job.k);
            needed = std::max(needed, sort_top(nullptr, 0));
        }
#endif
        scratch_ = tutorial::DeviceBuffer<unsigned char>(needed);
    }

    void run(const std::string& row) override {
        if (row == "cub_sort") {
            run_sort();
            return;
        }
#if defined(TUTORIAL_HAS_DEVICE_TOPK)
        make_inputs();
        top_k(scratch_.data(), scratch_.size());
        if (sorts_top(job_.k)) sort_top(scratch_.data(), scratch_.size());
        if (!is_direct()) {
            take(sorts_top(job_.k) ? sorted_top_.data() : top_.data(), nullptr, nullptr);
        } else {
            say_count_kernel<<<1, 1>>>(std::min(job_.k, job_.n), job_.result.count);
            CUDA_CHECK_LAUNCH();
        }
#endif
    }

  private:
    static constexpr unsigned kGrid = 1024;
    static constexpr unsigned kBlock = 256;

    const Word* words() const {
        if constexpr (kRanks)
            return ranks_.data();
        else
            return job_.keys;
    }
    /// Ranks are made so that the largest is wanted.
    bool descending() const { return kRanks || job_.flip == Order<Key>::flip(true); }

    void run_sort() {
        make_inputs();
        sort(scratch_.data(), scratch_.size());
        if (job_.distinct) {
            unique(scratch_.data(), scratch_.size());
            take(unique_.data(), unique_indices_.data(), available_.data());
        } else {
            take(sorted_.data(), indices_.data(), nullptr);
        }
    }

    void make_inputs() {
        if constexpr (kRanks) {
            ranks_kernel<<<kGrid, kBlock>>>(job_.keys, job_.n, job_.flip, ranks_.data());
            CUDA_CHECK_LAUNCH();
        }
    }

    void take(const Word* words, const unsigned* indices, const unsigned* available) {
        const unsigned blocks = std::min(kGrid, (std::min(job_.k, job_.n) - 1) / (4 * kBlock) + 1);
        if (blocks > 1) CUDA_CHECK(cudaMemsetAsync(job_.result.count, 0, sizeof(unsigned)));
        take_kernel<<<blocks, kBlock>>>(words, indices, available, job_.n, job_.k, job_.flip,
                                        job_.result);
        CUDA_CHECK_LAUNCH();
    }

    /// Sorts, or, without scratch memory, says how much of it is needed.
    std::size_t sort(void* scratch, std::size_t bytes) {
        using cub::DeviceRadixSort;
        const Word* const from = words();
        const unsigned n = job_.n;
        if (index_) {
            CUDA_CHECK(descending()
                           ? DeviceRadixSort::SortPairsDescending(scratch, bytes, from,
                                                                  sorted_.data(), iota_.data(),
                                                                  indices_.data(), n)
                           : DeviceRadixSort::SortPairs(scratch, bytes, from, sorted_.data(),
                                                        iota_.data(), indices_.data(), n));
        } else {
            CUDA_CHECK(
                descending()
                    ? DeviceRadixSort::SortKeysDescending(scratch, bytes, from, sorted_.data(), n)
                    : DeviceRadixSort::SortKeys(scratch, bytes, from, sorted_.data(), n));
        }
        return bytes;
    }

    /// The first of each run of equal keys; the sort is stable, so it has the lowest index.
    std::size_t unique(void* scratch, std::size_t bytes) {
        using cub::DeviceSelect;
        if (index_) {
            CUDA_CHECK(DeviceSelect::UniqueByKey(scratch, bytes, sorted_.data(), indices_.data(),
                                                 unique_.data(), unique_indices_.data(),
                                                 available_.data(), job_.n));
        } else {
            CUDA_CHECK(DeviceSelect::Unique(scratch, bytes, sorted_.data(), unique_.data(),
                                            available_.data(), job_.n));
        }
        return bytes;
    }

#if defined(TUTORIAL_HAS_DEVICE_TOPK)
    /// The library writes the answer itself.
    bool is_direct() const { return !kRanks && !sorts_top(job_.k); }

    Word* top() {
        if constexpr (!kRanks) {
            if (is_direct()) return job_.result.keys;
        }
        return top_.data();
    }

    std::size_t top_k(void* scratch, std::size_t bytes) {
        namespace execution = cuda::execution;
        const auto any = execution::require(execution::determinism::not_guaranteed,
                                            execution::output_ordering::unsorted);
        const auto environment = cuda::std::execution::env{any};
        CUDA_CHECK(descending() ? cub::DeviceTopK::MaxKeys(scratch, bytes, words(), top(), job_.n,
                                                           job_.k, environment)
                                : cub::DeviceTopK::MinKeys(scratch, bytes, words(), top(), job_.n,
                                                           job_.k, environment));
        return bytes;
    }

    std::size_t sort_top(void* scratch, std::size_t bytes) {
        using cub::DeviceRadixSort;
        const Word* const from = top_.data();
        Word* const to = sorted_top_.data();
        const unsigned count = std::min(job_.k, job_.n);
        CUDA_CHECK(descending()
                       ? DeviceRadixSort::SortKeysDescending(scratch, bytes, from, to, count)
                       : DeviceRadixSort::SortKeys(scratch, bytes, from, to, count));
        return bytes;
    }
#endif

    Job<Key> job_;
    bool index_;
    tutorial::DeviceBuffer<Word> sorted_;
    tutorial::DeviceBuffer<Word> ranks_;
    tutorial::DeviceBuffer<Word> unique_;
    tutorial::DeviceBuffer<unsigned> iota_;
    tutorial::DeviceBuffer<unsigned> indices_;
    tutorial::DeviceBuffer<unsigned> unique_indices_;
    tutorial::DeviceBuffer<unsigned> available_;
    tutorial::DeviceBuffer<Word> top_;
    tutorial::DeviceBuffer<Word> sorted_top_;
    tutorial::DeviceBuffer<unsigned char> scratch_;
};

/// Device memory that they take for n keys, about.
template <class Key>
std::size_t library_bytes(std::size_t n, bool index, bool distinct) {
    const std::size_t words = 2 + (std::is_same_v<Key, float> ? 1 : 0) + (distinct ? 1 : 0);
    const std::size_t indices = index ? 3 + (distinct ? 1 : 0) : 0;
    return n * sizeof(Key) * (words + indices) + (std::size_t{64} << 20);
}

/// `plain`: the library orders these keys as this chapter does (is_plain() of key_order.hpp). Else
/// they are sorted as ranks, which takes another sweep.
template <class Key>
std::unique_ptr<LibraryRows> make_library(const Job<Key>& job, bool index, bool plain) {
    if constexpr (std::is_same_v<Key, float>) {
        if (!plain) return std::make_unique<Library<Key, unsigned>>(job, index);
    }
    return std::make_unique<Library<Key, Key>>(job, index);
}

}  // namespace topk
