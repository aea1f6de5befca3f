// Bitonic sort, from one block to several steps a pass. All of it works in place.
//
// The network (Batcher, 1968) has log2(n) levels; level i makes sorted runs of i words, i = 2, 4,
// 8… from sorted runs of i / 2, by steps of distance j. The first step compares each word of the
// lower run with its mirror image in the upper run: partner = position ^ (i - 1). It leaves two
// bitonic halves, which half-cleaners of distance j = i / 4 … 1 sort: partner = position ^ j. The
// lesser word always goes to the lower position. So words past the end, were there any, would be
// the greatest and never move: n need not be a power of two, one just leaves out comparisons that
// have no partner.
#pragma once

#include "merge.cuh"
#include "network.cuh"

namespace tutorial {

constexpr unsigned kBitonicThreads = 256;

/// The least power of two that is at least n.
constexpr std::size_t power_of_two(std::size_t n) {
    std::size_t power = 1;
    while (power < n) power *= 2;
    return power;
}

/// The lower position of pair number `pair` among positions that differ in bit `distance`, a power
/// of two.
__host__ __device__ inline unsigned lower_of_pair(unsigned pair, unsigned distance) {
    return 2 * pair - (pair & (distance - 1));
}

/// One comparison of level i: that of pair number `pair`, at distance j; j == i / 2 is the level's
/// first step. Nothing where the partner would be past the end.
template <class Word>
__device__ void bitonic_compare(Word* words, unsigned n, unsigned pair, unsigned i, unsigned j) {
    const unsigned lower = lower_of_pair(pair, j);
    const unsigned upper = j == i / 2 ? lower ^ (i - 1) : lower ^ j;
    if (upper < n) compare_exchange(words[lower], words[upper]);
}

// ---- One block -------------------------------------------------------------------------------

constexpr unsigned kBitonicBlock = 4096;

// bitonic_block: one block sorts all words in shared memory, a barrier between the steps.
// Removes: the n half-steps of the odd-even sort; log2(n) (log2(n) + 1) / 2 steps are left.
// Remains: one multiprocessor, and no more words than its shared memory holds.
template <class Word>
__global__ void bitonic_block_kernel(Word* words, unsigned n) {
    __shared__ Word tile[kBitonicBlock];
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x) tile[k] = words[k];
    __syncthreads();  // loaded by other threads than will compare them
    for (unsigned i = 2; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            for (unsigned pair = threadIdx.x; lower_of_pair(pair, j) < n; pair += blockDim.x) {
                bitonic_compare(tile, n, pair, i, j);
            }
            __syncthreads();  // between the steps, and before the words are stored
        }
    }
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x) words[k] = tile[k];
}

template <class Word>
void bitonic_block(Job<Word> job) {
    const unsigned n = static_cast<unsigned>(job.n);
    pack(job);
    if (n > 1) bitonic_block_kernel<<<1, 1024>>>(job.words, n);
    CUDA_CHECK_LAUNCH();
    unpack(job, job.words);
}

// ---- Many blocks -----------------------------------------------------------------------------

// bitonic_global: a launch for each i and j, a thread for each pair.
// Removes: the limit of one block.
// Remains: every step reads and writes all words in global memory.
template <class Word>
__global__ void bitonic_global_kernel(Word* words, unsigned n, unsigned i, unsigned j) {
    bitonic_compare(words, n, blockIdx.x * blockDim.x + threadIdx.x, i, j);
}

template <class Word>
void bitonic_step(const Job<Word>& job, unsigned i, unsigned j) {
    const unsigned pairs = static_cast<unsigned>(power_of_two(job.n) / 2);
    bitonic_global_kernel<<<divide_up(pairs, kBitonicThreads), kBitonicThreads>>>(
        job.words, static_cast<unsigned>(job.n), i, j);
    CUDA_CHECK_LAUNCH();
}

template <class Word>
void bitonic_global(Job<Word> job) {
    pack(job);
    for (std::size_t i = 2; i < 2 * job.n; i *= 2) {
        for (std::size_t j = i / 2; j > 0; j /= 2) {
            bitonic_step(job, static_cast<unsigned>(i), static_cast<unsigned>(j));
        }
    }
    unpack(job, job.words);
}

// ---- Steps fused in shared memory ------------------------------------------------------------

constexpr unsigned kBitonicTile = 2048;

// bitonic_shared: all steps of distance below the tile are done in shared memory, in one launch:
// levels first_i … last_i, from distance j of the first of them.
// Removes: the sweeps over global memory of these steps, which are most of all.
// Remains: a sweep for every step of greater distance; a barrier and two shared reads a step.
template <class Word>
__global__ void bitonic_shared_kernel(Word* words, unsigned n, unsigned first_i, unsigned last_i,
                                      unsigned j) {
    __shared__ Word tile[kBitonicTile];
    const unsigned begin = blockIdx.x * kBitonicTile;
    const unsigned count = min(kBitonicTile, n - begin);
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) tile[k] = words[begin + k];
    __syncthreads();  // loaded by other threads than will compare them
    for (unsigned i = first_i; i <= last_i; i *= 2) {
        for (; j > 0; j /= 2) {
            for (unsigned pair = threadIdx.x; lower_of_pair(pair, j) < count; pair += blockDim.x) {
                bitonic_compare(tile, count, pair, i, j);
            }
            __syncthreads();  // between the steps, and before the words are stored
        }
        j = i;
    }
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) words[begin + k] = tile[k];
}

/// Sorts the tiles; then, for each level above them, above(i) does the steps of distance
/// kBitonicTile and more, and the tiles do the rest.
template <class Word, class Above>
void bitonic_tiles(const Job<Word>& job, const Above& above) {
    const unsigned n = static_cast<unsigned>(job.n);
    pack(job);
    const unsigned tiles = divide_up(n, kBitonicTile);
    if (n > 1) {
        bitonic_shared_kernel<<<tiles, kBitonicTile / 2>>>(job.words, n, 2u, kBitonicTile, 1u);
        CUDA_CHECK_LAUNCH();
    }
    for (std::size_t wide = 2 * kBitonicTile; wide < 2 * job.n; wide *= 2) {
        const unsigned i = static_cast<unsigned>(wide);
        above(i);
        bitonic_shared_kernel<<<tiles, kBitonicTile / 2>>>(job.words, n, i, i, kBitonicTile / 2);
        CUDA_CHECK_LAUNCH();
    }
    unpack(job, job.words);
}

template <class Word>
void bitonic_shared(Job<Word> job) {
    bitonic_tiles(job, [&](unsigned i) {
        for (unsigned j = i / 2; j >= kBitonicTile; j /= 2) bitonic_step(job, i, j);
    });
}

// ---- Several steps a pass --------------------------------------------------------------------

// bitonic_registers: a thread loads the 2^s words that s steps of a level compare with one another,
// does these steps in registers, and stores the words.
// Removes: s - 1 of s sweeps over global memory.
// Remains: the steps in shared memory, with a barrier each; a sweep for every s steps.
template <class Word, int kSteps>
__global__ void bitonic_registers_kernel(Word* words, unsigned n, unsigned i, unsigned least_j) {
    constexpr unsigned kWords = 1u << kSteps;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned low = thread & (least_j - 1);
    const unsigned begin = (thread - low) * kWords;
    // In a level's first step the upper half is the mirror image of the lower one.
    const unsigned upper_low = least_j * kWords == i ? least_j - 1 - low : low;
    Word word[kWords];
#pragma unroll
    for (unsigned k = 0; k < kWords; ++k) {
        const unsigned at = begin + k * least_j + (k < kWords / 2 ? low : upper_low);
        word[k] = at < n ? words[at] : kLast<Word>;
    }
    if (least_j * kWords == i) {
#pragma unroll
        for (unsigned k = 0; k < kWords / 2; ++k) compare_exchange(word[k], word[kWords - 1 - k]);
    } else {
#pragma unroll
        for (unsigned k = 0; k < kWords / 2; ++k) compare_exchange(word[k], word[k + kWords / 2]);
    }
#pragma unroll
    for (unsigned distance = kWords / 4; distance > 0; distance /= 2) {
#pragma unroll
        for (unsigned k = 0; k < kWords; ++k) {
            if ((k & distance) == 0) compare_exchange(word[k], word[k + distance]);
        }
    }
#pragma unroll
    for (unsigned k = 0; k < kWords; ++k) {
        const unsigned at = begin + k * least_j + (k < kWords / 2 ? low : upper_low);
        if (at < n) words[at] = word[k];
    }
}

template <int kSteps, class Word>
void bitonic_steps(const Job<Word>& job, unsigned i, unsigned least_j) {
    const std::size_t threads = power_of_two(job.n) >> kSteps;
    bitonic_registers_kernel<Word, kSteps>
        <<<divide_up(threads, kBitonicThreads),
           static_cast<unsigned>(std::min<std::size_t>(threads, kBitonicThreads))>>>(
            job.words, static_cast<unsigned>(job.n), i, least_j);
    CUDA_CHECK_LAUNCH();
}

/// The steps of level i whose distance is at least `tile`, at most kMost of them in a pass, and as
/// evenly as can be.
template <int kMost, class Word>
void bitonic_passes(const Job<Word>& job, unsigned i, unsigned tile) {
    int left = 0;
    for (unsigned j = i / 2; j >= tile; j /= 2) ++left;
    for (unsigned above = i; left > 0;) {
        const int passes = (left + kMost - 1) / kMost;
        const int steps = (left + passes - 1) / passes;
        above >>= steps;
        switch (steps) {
            case 1:
                bitonic_steps<1>(job, i, above);
                break;
            case 2:
                bitonic_steps<2>(job, i, above);
                break;
            case 3:
                bitonic_steps<3>(job, i, above);
                break;
            case 4:
                if constexpr (kMost >= 4) bitonic_steps<4>(job, i, above);
                break;
            default:
                if constexpr (kMost >= 5) bitonic_steps<5>(job, i, above);
                break;
        }
        left -= steps;
    }
}

template <class Word>
void bitonic_registers(Job<Word> job) {
    bitonic_tiles(job, [&](unsigned i) { bitonic_passes<3>(job, i, kBitonicTile); });
}

}  // namespace tutorial
