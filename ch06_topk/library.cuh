// What people would call instead: sort everything and take the first k; and, if the toolkit has it,
// cub::DeviceTopK. Only for nvcc.
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

namespace topk {

/// Our stages put up to kMaxK keys in order, and so must a library's row; more is not necessary.
inline bool sorts_top(unsigned k) { return k <= kMaxK; }

inline std::vector<tutorial::RowInfo> library_rows(unsigned k, bool distinct, bool index) {
    using tutorial::RowKind;
    std::vector<tutorial::RowInfo> rows = {
        {"cub_sort", distinct ? "cub::DeviceRadixSort, unique, take" : "cub::DeviceRadixSort, take",
         RowKind::library}};
#if defined(TUTORIAL_HAS_DEVICE_TOPK)
    // Of equal keys it takes any, so it has no row if indices are asked for.
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

/// Radix keys of floats: with NaN or -0 among them, cub's order would differ from this chapter's.
static __global__ void radix_keys_kernel(const float* keys, unsigned n, unsigned order_mask,
                                         unsigned* radix_keys) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        radix_keys[i] = KeyOrder<float>::radix_key(keys[i], order_mask);
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

/// Copies the first k of the sorted keys to the answer; `available`: how many there are, or nullptr
/// for all n. One block; or several, if *result.count is 0 before. Word: the key itself, or its
/// radix key.
template <class Key, class SortKey>
__global__ void take_kernel(const SortKey* sort_keys, const unsigned* indices,
                            const unsigned* available, unsigned n, unsigned k, unsigned order_mask,
                            TopKResult<Key> result) {
    const unsigned there = min(k, available != nullptr ? *available : n);
    unsigned mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < there;
         i += gridDim.x * blockDim.x) {
        Key key;
        if constexpr (std::is_same_v<Key, SortKey>) {
            key = sort_keys[i];
        } else {
            if (!KeyOrder<Key>::is_value(sort_keys[i])) continue;  // NaN
            key = KeyOrder<Key>::key(sort_keys[i], order_mask);
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

/// The library rows of one problem.
class LibraryRows {
  public:
    virtual ~LibraryRows() = default;
    virtual void run(const std::string& row) = 0;
};

/// The same with their memory. SortKey: what is sorted, the key itself or its radix key.
template <class Key, class SortKey>
class Library : public LibraryRows {
  public:
    static constexpr bool kIsRadixKey = !std::is_same_v<Key, SortKey>;

    Library(const TopKParams<Key>& params, bool index) : params_(params), index_(index) {
        const std::size_t n = params.n;
        sorted_ = tutorial::DeviceBuffer<SortKey>(n);
        if (kIsRadixKey) radix_keys_ = tutorial::DeviceBuffer<SortKey>(n);
        if (params.distinct) unique_ = tutorial::DeviceBuffer<SortKey>(n);
        if (index) {
            iota_ = tutorial::DeviceBuffer<unsigned>(n);
            indices_ = tutorial::DeviceBuffer<unsigned>(n);
            if (params.distinct) unique_indices_ = tutorial::DeviceBuffer<unsigned>(n);
        }
        available_ = tutorial::DeviceBuffer<unsigned>(1);
        if (index) {  // once: no sort changes what it reads
            iota_kernel<<<kGrid, kBlock>>>(iota_.data(), params_.n);
            CUDA_CHECK_LAUNCH();
        }
        std::size_t needed = 0;
        needed = std::max(needed, sort(nullptr, 0));
        if (params.distinct) needed = std::max(needed, unique(nullptr, 0));
#if defined(TUTORIAL_HAS_DEVICE_TOPK)
        if (!is_direct()) top_ = tutorial::DeviceBuffer<SortKey>(params.k);
        needed = std::max(needed, top_k(nullptr, 0));
        if (sorts_top(params.k)) {
            sorted_top_ = tutorial::DeviceBuffer<SortKey>(params.k);
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
        if (sorts_top(params_.k)) sort_top(scratch_.data(), scratch_.size());
        if (!is_direct()) {
            take(sorts_top(params_.k) ? sorted_top_.data() : top_.data(), nullptr, nullptr);
        } else {
            say_count_kernel<<<1, 1>>>(std::min(params_.k, params_.n), params_.result.count);
            CUDA_CHECK_LAUNCH();
        }
#endif
    }

  private:
    static constexpr unsigned kGrid = 1024;
    static constexpr unsigned kBlock = 256;

    const SortKey* sort_keys() const {
        if constexpr (kIsRadixKey)
            return radix_keys_.data();
        else
            return params_.keys;
    }
    /// Of radix keys, the largest are always wanted.
    bool descending() const {
        return kIsRadixKey || params_.order_mask == KeyOrder<Key>::order_mask(true);
    }

    void run_sort() {
        make_inputs();
        sort(scratch_.data(), scratch_.size());
        if (params_.distinct) {
            unique(scratch_.data(), scratch_.size());
            take(unique_.data(), unique_indices_.data(), available_.data());
        } else {
            take(sorted_.data(), indices_.data(), nullptr);
        }
    }

    void make_inputs() {
        if constexpr (kIsRadixKey) {
            radix_keys_kernel<<<kGrid, kBlock>>>(params_.keys, params_.n, params_.order_mask,
                                                 radix_keys_.data());
            CUDA_CHECK_LAUNCH();
        }
    }

    void take(const SortKey* sort_keys, const unsigned* indices, const unsigned* available) {
        const unsigned blocks =
            std::min(kGrid, (std::min(params_.k, params_.n) - 1) / (4 * kBlock) + 1);
        if (blocks > 1) CUDA_CHECK(cudaMemsetAsync(params_.result.count, 0, sizeof(unsigned)));
        take_kernel<<<blocks, kBlock>>>(sort_keys, indices, available, params_.n, params_.k,
                                        params_.order_mask, params_.result);
        CUDA_CHECK_LAUNCH();
    }

    /// Sorts; or, without scratch memory, says how much of it is needed.
    std::size_t sort(void* scratch, std::size_t bytes) {
        using cub::DeviceRadixSort;
        const SortKey* const from = sort_keys();
        const unsigned n = params_.n;
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
                                                 available_.data(), params_.n));
        } else {
            CUDA_CHECK(DeviceSelect::Unique(scratch, bytes, sorted_.data(), unique_.data(),
                                            available_.data(), params_.n));
        }
        return bytes;
    }

#if defined(TUTORIAL_HAS_DEVICE_TOPK)
    /// The library writes the answer itself.
    bool is_direct() const { return !kIsRadixKey && !sorts_top(params_.k); }

    SortKey* top() {
        if constexpr (!kIsRadixKey) {
            if (is_direct()) return params_.result.keys;
        }
        return top_.data();
    }

    std::size_t top_k(void* scratch, std::size_t bytes) {
        namespace execution = cuda::execution;
        const auto any = execution::require(execution::determinism::not_guaranteed,
                                            execution::output_ordering::unsorted);
        const auto environment = cuda::std::execution::env{any};
        CUDA_CHECK(descending() ? cub::DeviceTopK::MaxKeys(scratch, bytes, sort_keys(), top(),
                                                           params_.n, params_.k, environment)
                                : cub::DeviceTopK::MinKeys(scratch, bytes, sort_keys(), top(),
                                                           params_.n, params_.k, environment));
        return bytes;
    }

    std::size_t sort_top(void* scratch, std::size_t bytes) {
        using cub::DeviceRadixSort;
        const SortKey* const from = top_.data();
        SortKey* const to = sorted_top_.data();
        const unsigned count = std::min(params_.k, params_.n);
        CUDA_CHECK(descending()
                       ? DeviceRadixSort::SortKeysDescending(scratch, bytes, from, to, count)
                       : DeviceRadixSort::SortKeys(scratch, bytes, from, to, count));
        return bytes;
    }
#endif

    TopKParams<Key> params_;
    bool index_;
    tutorial::DeviceBuffer<SortKey> sorted_;
    tutorial::DeviceBuffer<SortKey> radix_keys_;
    tutorial::DeviceBuffer<SortKey> unique_;
    tutorial::DeviceBuffer<unsigned> iota_;
    tutorial::DeviceBuffer<unsigned> indices_;
    tutorial::DeviceBuffer<unsigned> unique_indices_;
    tutorial::DeviceBuffer<unsigned> available_;
    tutorial::DeviceBuffer<SortKey> top_;
    tutorial::DeviceBuffer<SortKey> sorted_top_;
    tutorial::DeviceBuffer<unsigned char> scratch_;
};

/// About how much device memory they take for n keys.
template <class Key>
std::size_t library_bytes(std::size_t n, bool index, bool distinct) {
    const std::size_t arrays = 2 + (std::is_same_v<Key, float> ? 1 : 0) + (distinct ? 1 : 0);
    const std::size_t indices = index ? 3 + (distinct ? 1 : 0) : 0;
    return n * sizeof(Key) * (arrays + indices) + (std::size_t{64} << 20);
}

/// `plain`: the library orders these keys as this chapter does (is_plain() of key_order.hpp). Else
/// they are sorted as radix keys, which takes another sweep.
template <class Key>
std::unique_ptr<LibraryRows> make_library(const TopKParams<Key>& params, bool index, bool plain) {
    if constexpr (std::is_same_v<Key, float>) {
        if (!plain) return std::make_unique<Library<Key, unsigned>>(params, index);
    }
    return std::make_unique<Library<Key, Key>>(params, index);
}

}  // namespace topk
