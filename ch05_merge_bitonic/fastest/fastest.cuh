// The fastest versions, sample_best and bitonic_best: kernels that are longer than a story bears.
// They build on the ladder, so main.cu includes this header behind it.
//
//   pack.cuh                  keys of all types are packed, and unpacked
//   shapes.cuh                which shapes of blocks a device gets
//   windows.cuh               keys in a thread's registers, a warp's window, a block's tile
//   tiles.cuh                 a block sorts a tile
//   bitonic_best.cuh          bitonic_best
//   interpolation.cuh         the same, where keys lie evenly
//   sort_and_merge.cuh        tiles, and merges of tiles: of a bucket, or of few keys in one launch
//   sample_buckets.cuh        where to cut, a pass into buckets
//   sample_best.cuh           sample_best: which of these, at which n
#pragma once

#include "bitonic_best.cuh"
#include "pack.cuh"
#include "sample_best.cuh"
