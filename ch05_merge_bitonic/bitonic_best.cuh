// bitonic_best, the record among the bitonic sorts: the whole network between registers. Windows
// and their ways through shared memory are those of merge_best.
#pragma once

#include "merge_best.cuh"
#include "shapes.hpp"
#include "words.cuh"

namespace sorting {

/// Half-cleaners of distance from `most` down to 1 between the registers of a thread.
template <int kKeys, class Word>
__device__ void clean_registers_below(Word (&word)[kKeys], unsigned most) {
#pragma unroll
    for (unsigned distance = kKeys / 2; distance > 0; distance /= 2) {
        if (distance <= most) {
#pragma unroll
            for (unsigned i = 0; i < kKeys; ++i) {
                if ((i & distance) == 0) compare_exchange(word[i], word[i + distance]);
            }
        }
    }
}

/// Half-cleaners of all distances below the tile; words before them a block's threads apart in the
/// registers, those of distance up to most * S::kThreads are still to be done. Blocked afterwards.
template <class S>
__device__ void clean_tile(typename S::Word (&word)[S::kKeys], typename S::Word* tile,
                           unsigned most) {
    using Word = typename S::Word;
    static_assert(S::kThreads <= S::kWindow, "a window takes over where registers end");
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    clean_registers_below(word, most);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i)
        tile[place<Word>(i * S::kThreads + threadIdx.x)] = word[i];
    __syncthreads();  // written by other warps than will read
    load_striped(word, tile, out);
    clean_window(word, tile, out);
}

// bitonic_best: a tile's steps are done in registers, in three parts: words a block's threads
// apart, words a warp apart, neighbours; shared memory only carries words from part to part.
// Removes: all barriers but two a level, and all shared reads and writes but four a word and level.
// Remains: log2(n) (log2(n) + 1) / 2 steps, where merge_best has log2(n) levels of ten.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    bitonic_best_kernel(typename S::Word* words, unsigned n, bool sort) {
    using Word = typename S::Word;
    Word* tile = shared_tile<Word>();
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const unsigned begin = blockIdx.x * S::kTile;
    Word word[S::kKeys];
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = begin + i * S::kThreads + threadIdx.x;
        word[i] = at < n ? words[at] : kLast<Word>;
    }
    if (sort) {
        sort_warp(word, tile, out);
#pragma unroll 1
        for (unsigned run = S::kWindow; run < S::kTile; run *= 2) {
            store_blocked(word, tile, out);
            __syncthreads();  // the windows are written before others read them
#pragma unroll
            for (unsigned i = 0; i < S::kKeys; ++i) {
                const unsigned at = i * S::kThreads + threadIdx.x;
                word[i] = tile[place<Word>((at & run) == 0 ? at : at ^ (run - 1))];
            }
            __syncthreads();  // all have read before the tile is written again
            clean_tile<S>(word, tile, run / S::kThreads);
        }
    } else {
        clean_tile<S>(word, tile, S::kKeys);
    }
    to_striped(word, tile, out);
#pragma unroll
    for (unsigned i = 0; i < S::kKeys; ++i) {
        const unsigned at = begin + out + i * kWarpSize + threadIdx.x % kWarpSize;
        if (at < n) words[at] = word[i];
    }
}

/// Sorts tiles of this shape; then, for each level i above them, passes(i, tile) does the steps of
/// distance `tile` and more, and the tiles do the rest.
template <class S, class Passes>
void bitonic_with_shape(const Job<typename S::Word>& job, const Passes& passes) {
    const unsigned n = static_cast<unsigned>(job.n);
    if (n == 0) return;
    pack(job);
    const unsigned tiles = divide_up(n, S::kTile);
    allow_shared(bitonic_best_kernel<S>, S::kBytes);
    bitonic_best_kernel<S><<<tiles, S::kThreads, S::kBytes>>>(job.words, n, true);
    CUDA_CHECK_LAUNCH();
    for (std::size_t i = 2 * S::kTile; i < 2 * job.n; i *= 2) {
        passes(static_cast<unsigned>(i), S::kTile);
        bitonic_best_kernel<S><<<tiles, S::kThreads, S::kBytes>>>(job.words, n, false);
        CUDA_CHECK_LAUNCH();
    }
    unpack(job, job.words);
}

/// In the shape that is best for so many words; passes: as above.
template <class Word, class Passes>
void bitonic_best_with(const Job<Word>& job, const Passes& passes) {
    using Small = Shape<Word, 8, 8>;
    if (job.n <= Small::kTile) return bitonic_with_shape<Small>(job, passes);
    with_shapes<Word>(tutorial::device_info(), [&](auto shapes) {
        using Shapes = decltype(shapes);
        if (job.n <= (std::size_t{1} << 20)) {
            bitonic_with_shape<typename Shapes::BitonicMiddle>(job, passes);
        } else {
            bitonic_with_shape<typename Shapes::BitonicLarge>(job, passes);
        }
    });
}

}  // namespace sorting
