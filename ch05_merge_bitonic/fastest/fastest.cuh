// The fastest versions, merge_best, bitonic_best and sample_best: kernels that are longer than a
// story bears. They build on the ladder, so main.cu includes this header behind it.
//
//   pack.cuh                  keys of all types are packed, and unpacked
//   shapes.cuh                which shapes of blocks a device gets
//   windows.cuh               keys in a thread's registers, a warp's window, a block's tile
//   tiles.cuh                 a block sorts a tile
//   merge_in_one_launch.cuh   few keys: tiles, and all levels above them, in one launch
//   four_runs.cuh             many keys: where four runs are cut, sweep after sweep
//   bulk_copy.cuh             copies that go on while a block does other things
//   merge_keys.cuh            a sweep of keys
//   merge_pairs.cuh           tiles and sweeps of keys with values
//   merge_best.cuh            merge_best: which of these, at which n
//   bitonic_best.cuh          bitonic_best
//   sample_buckets.cuh        where to cut, a pass into buckets, the sort of a bucket
//   sample_in_one_launch.cuh  the same in one launch, for few keys
//   sample_best.cuh           sample_best: which of the two, at which n
#pragma once

#include "bitonic_best.cuh"
#include "merge_best.cuh"
#include "pack.cuh"
#include "sample_best.cuh"
