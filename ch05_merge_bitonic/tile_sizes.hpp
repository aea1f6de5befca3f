// What stages of fastest/ take from the stages in main.cu: the sizes of their tiles, and functions
// that are declared here and defined there, with the stage that each belongs to.
#pragma once

#include <cuda_runtime.h>

namespace sorting {

// ---- Merge sort ------------------------------------------------------------------------------

constexpr unsigned kMergeThreads = 256;
constexpr unsigned kTileKeys = 17;  // keys per thread: odd, for a warp to write to all banks
constexpr unsigned kTile = kMergeThreads * kTileKeys;

/// Of merge_tiles. Sorts tile[0..count), count <= kTile, in shared memory; all threads of a block
/// of kMergeThreads must call it.
template <class SortKey>
__device__ void sort_shared_tile(SortKey* tile, unsigned count);

/// Of merge_tiles. Sorts tiles of kTile keys, a block of kMergeThreads each. The tiles may stay
/// where they are.
template <class SortKey>
__global__ void merge_tiles_kernel(const SortKey* from, SortKey* to, unsigned n);

// ---- Bitonic sort ----------------------------------------------------------------------------

constexpr unsigned kBitonicThreads = 256;
constexpr unsigned kBitonicTile = 2048;

/// The least power of two that is at least n.
constexpr unsigned power_of_two(unsigned n) {
    unsigned power = 1;
    while (power < n) power *= 2;
    return power;
}

/// Of bitonic_shared. In all tiles of kBitonicTile keys: levels first_i … last_i, from distance j
/// of the first of them.
template <class SortKey>
void bitonic_in_tiles(SortKey* keys, unsigned n, unsigned first_i, unsigned last_i, unsigned j);

}  // namespace sorting
