// Device code that several chapters share: words that blocks exchange while a kernel runs, and
// tiles that a block reads with 16-byte loads.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cuda/atomic>

namespace tutorial {

constexpr unsigned kWarpSize = 32;
constexpr unsigned kFullMask = 0xffffffffu;  ///< all lanes of a warp, for __shfl_*_sync and votes

/// The number of parts of `part` items that hold n items; n + part must fit the type.
template <class Integer>
__host__ __device__ constexpr Integer divide_up(Integer n, Integer part) {
    return (n + part - 1) / part;
}

// ---- Words that other blocks write -------------------------------------------------------------

/// The word's present value, from the L2 cache: other blocks may write it at the same time. It
/// orders no other access. T has 4 or 8 bytes.
template <class T>
__device__ T load_relaxed(T* word) {
    return cuda::atomic_ref<T, cuda::thread_scope_device>(*word).load(cuda::memory_order_relaxed);
}

/// Writes the word at once, so that a reader sees all of it or nothing. It orders no other access.
template <class T>
__device__ void store_relaxed(T* word, T value) {
    cuda::atomic_ref<T, cuda::thread_scope_device>(*word).store(value, cuda::memory_order_relaxed);
}

/// Fetches the word's cache line: the value is dropped, so no thread waits for it.
template <class T>
__device__ void prefetch(const volatile T* word) {
    static_cast<void>(*word);
}

/// For the body of a loop that polls a word. The emulator runs other threads here. A GPU runs them
/// anyway, and its shortest sleep takes longer than the trip to the word.
__device__ inline void spin_yield() {
#if !defined(__CUDACC__)
    __nanosleep(0);
#endif
}

// ---- Tiles of 16-byte vectors ------------------------------------------------------------------

/// Reads a vector. kStreaming: its line need not stay in the cache, because nothing reads it again
/// before it would be evicted.
template <bool kStreaming, class Vector>
__device__ Vector load_vector(const Vector* from) {
    if constexpr (kStreaming) return __ldcs(from);
    return *from;
}

/// Reads this thread's kReads vectors of a tile of kThreads * kReads, a block apart. All loads are
/// issued before the first value is used; past `count` vectors the values are zeros. All threads of
/// a block of kThreads threads must call it.
template <unsigned kThreads, bool kStreaming, unsigned kReads, class Vector>
__device__ void load_tile(const Vector* vectors, unsigned count, unsigned tile,
                          Vector (&values)[kReads]) {
    const unsigned first = tile * (kThreads * kReads) + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) {
        const unsigned i = first + k * kThreads;
        values[k] = i < count ? load_vector<kStreaming>(vectors + i) : Vector{};
    }
}

constexpr unsigned kMaxReads = 8;  ///< vectors per thread of a large tile

/// How many vectors of a tile each thread reads: 1, 2, 4 or kMaxReads. With only a few vectors
/// there are enough blocks for the multiprocessors to share the work, and no more, because each
/// block costs a word at the end. With many, tiles are so large that two blocks keep a
/// multiprocessor's memory busy, and so small that all multiprocessors finish at about the same
/// time.
inline unsigned reads_per_thread(std::size_t vectors, unsigned threads) {
    constexpr std::size_t kBlocksToSpread = 32;
    constexpr std::size_t kBlocksForLargeTiles = 128;
    const auto blocks = [&](unsigned reads) {
        return divide_up<std::size_t>(vectors, std::size_t{threads} * reads);
    };
    unsigned reads = 1;
    while (reads < kMaxReads / 2 && blocks(reads) > kBlocksToSpread) reads *= 2;
    return blocks(reads) > kBlocksForLargeTiles ? kMaxReads : reads;
}

}  // namespace tutorial
