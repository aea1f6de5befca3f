// Exercise 5.7: splitters                                                       (fill in the blank)
//
// Task: Complete find_cuts(): the cuts of b's splitters are missing, and every splitter's number is
// wrong.
// Given: Many blocks merge two long sorted runs, a and b. Keys 0, 64, 128, ... of each run are its
// splitters. For each splitter, find_cuts() computes where it cuts the two runs, and its number in
// the merged order of all splitters. Then merge_pieces() merges one piece per block. The cuts of
// a's splitters are correct.
// Required: Among equal keys, those of a come first.
// Read: ../README.md, "`merge_split`"
// Check: ./tutorial check ch05/ex7     Stuck? Add --hint
#include <cuda_runtime.h>

#include <cstddef>

#include "../../common/harness/cuda_check.hpp"

constexpr unsigned kEvery = 64;

__host__ __device__ unsigned splitters(unsigned keys) { return (keys + kEvery - 1) / kEvery; }

/// How many of the sorted keys run[0 .. count) are less than `key`; with_equal: or equal to it.
__device__ unsigned rank(const int* run, unsigned count, int key, bool with_equal) {
    unsigned low = 0, high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const bool before = with_equal ? run[middle] <= key : run[middle] < key;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// cuts[k]: how many keys of a (.x) and of b (.y) come before splitter k of the merge.
__global__ void find_cuts_kernel(const int* a, unsigned n_a, const int* b, unsigned n_b,
                                 uint2* cuts) {
    const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;  // first those of a, then those of b
    if (s >= splitters(n_a) + splitters(n_b)) return;
    // TODO (about 9 lines): the cut, and its number: how many splitters of a and of b come before
    // this one.
    uint2 cut;
    if (s < splitters(n_a)) {
        cut.x = s * kEvery;
        cut.y = rank(b, n_b, a[cut.x], false);
    } else {
        cut.y = (s - splitters(n_a)) * kEvery;
        cut.x = rank(a, n_a, b[cut.y], true);
    }
    const unsigned number = splitters(cut.x) + splitters(cut.y);
    // END
    cuts[number] = cut;
}

/// Block k merges what lies between cut k and the next: at most kEvery keys of either run.
__global__ void merge_pieces_kernel(const int* a, unsigned n_a, const int* b, unsigned n_b,
                                    const uint2* cuts, int* merged) {
    const uint2 cut = cuts[blockIdx.x];
    const uint2 end = blockIdx.x + 1 < gridDim.x ? cuts[blockIdx.x + 1] : make_uint2(n_a, n_b);
    const int *piece_a = a + cut.x, *piece_b = b + cut.y;
    const unsigned from_a = end.x - cut.x, from_b = end.y - cut.y, t = threadIdx.x;
    int* to = merged + cut.x + cut.y;
    if (t < from_a) to[t + rank(piece_b, from_b, piece_a[t], false)] = piece_a[t];
    if (t < from_b) to[t + rank(piece_a, from_a, piece_b[t], true)] = piece_b[t];
}

/// d_cuts: room for one cut per splitter.
void find_cuts(const int* d_a, std::size_t n_a, const int* d_b, std::size_t n_b, uint2* d_cuts) {
    const unsigned a = static_cast<unsigned>(n_a), b = static_cast<unsigned>(n_b);
    if (a + b == 0) return;
    const unsigned count = splitters(a) + splitters(b);
    find_cuts_kernel<<<(count + 127) / 128, 128>>>(d_a, a, d_b, b, d_cuts);
    CUDA_CHECK_LAUNCH();
}

void merge_pieces(const int* d_a, std::size_t n_a, const int* d_b, std::size_t n_b,
                  const uint2* d_cuts, int* d_merged) {
    const unsigned a = static_cast<unsigned>(n_a), b = static_cast<unsigned>(n_b);
    if (a + b == 0) return;
    merge_pieces_kernel<<<splitters(a) + splitters(b), kEvery>>>(d_a, a, d_b, b, d_cuts, d_merged);
    CUDA_CHECK_LAUNCH();
}
