// Merging, as several stages of main.cu do it: where a key belongs in the other run, and where a
// piece of a merge begins.
#pragma once

#include <cuda_runtime.h>

#include <utility>

namespace sorting {

/// Afterwards `low` is not greater than `high`.
template <class SortKey>
__device__ void compare_exchange(SortKey& low, SortKey& high) {
    const SortKey least = min(low, high);
    high = max(low, high);
    low = least;
}

/// How many of run[0..count) come before `key`, with or without keys that are equal to it.
template <bool kWithEqual, class SortKey>
__host__ __device__ unsigned rank_in(const SortKey* run, unsigned count, SortKey key) {
    unsigned low = 0, high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool before = kWithEqual ? !(key < run[middle]) : run[middle] < key;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The index of key i when from[begin..middle) and from[middle..end) are merged: its own index in
/// its run, and its rank in the other. Equal keys keep their order: those of the first run come
/// first.
template <class SortKey>
__device__ unsigned merged_index(const SortKey* from, unsigned begin, unsigned middle, unsigned end,
                                 unsigned i) {
    const SortKey key = from[i];
    if (i < middle) return i + rank_in<false>(from + middle, end - middle, key);
    return begin + (i - middle) + rank_in<true>(from + begin, middle - begin, key);
}

/// How many of the first `diagonal` keys of the merge of a[0..count_a) and b[0..count_b) come from
/// a: where the merge path crosses that diagonal (Odeh, Green, Mwassi, Shmueli, Birk, 2012).
template <class SortKey>
__host__ __device__ unsigned merge_path_cut(const SortKey* a, unsigned count_a, const SortKey* b,
                                            unsigned count_b, unsigned diagonal) {
    unsigned low = diagonal < count_b ? 0 : diagonal - count_b;
    unsigned high = diagonal < count_a ? diagonal : count_a;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (b[diagonal - 1 - middle] < a[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// A thread merges kKeys keys of a and b serially, from `diagonal` on, or fewer at the end.
template <unsigned kKeys, class SortKey>
__device__ void merge_serially(SortKey (&merged)[kKeys], const SortKey* a, unsigned count_a,
                               const SortKey* b, unsigned count_b, unsigned diagonal) {
    unsigned i = merge_path_cut(a, count_a, b, count_b, diagonal);
    unsigned j = diagonal - i;
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
        const bool take_a = i < count_a && (j >= count_b || !(b[j] < a[i]));
        if (diagonal + k < count_a + count_b) merged[k] = take_a ? a[i++] : b[j++];
    }
}

/// The buffer that merges of runs of `run` keys read first, and the other one; chosen so that the
/// last level writes `keys`.
template <class SortKey>
std::pair<SortKey*, SortKey*> first_buffers(SortKey* keys, SortKey* spare, unsigned n,
                                            unsigned run) {
    bool odd = false;
    for (; run < n; run *= 2) odd = !odd;
    return odd ? std::pair(spare, keys) : std::pair(keys, spare);
}

}  // namespace sorting
