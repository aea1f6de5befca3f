// The stages after those of main.cu, a file for each, numbered as in the table; each replaces one
// part of the stage before it. main.cu includes this header.
//
//   10_bitonic_registers.cuh  three steps of great distance per pass, in registers
//   11_merge_windows.cuh      a warp merges 512 keys by half-cleaners
//   12_sample_sort.cuh        splitters cut keys into buckets, a block sorts each
//   13_kept_buckets.cuh       each key's bucket is found once, and kept
//   14_bitonic_best.cuh       bitonic sort: the steps within a tile also in registers
//   15_register_buckets.cuh   sample sort: a block sorts a bucket in registers
//   16_few_ways.cuh           passes of up to 248 ways, splitters and counts on chip
//   17_ordered_tiles.cuh      a tile is put in order on chip before it is stored
//   18_computed_places.cuh    a key's place in its bucket is computed
//   19_sample_best.cuh        small inputs in one launch
//
// What they share:
//
//   pack.cuh                  keys of all types are packed, and unpacked
//   shapes.cuh                which shapes of blocks a device gets
//   windows.cuh               keys in a thread's registers, a warp's window, a block's tile
//   tiles.cuh                 a block sorts a tile
//   passes.cuh                where to cut, and the tiles that a pass reads
//   count_buckets.cuh         the first half of a pass
//   bucket_sort.cuh           the sort by a sample, of which stages replace steps
#pragma once

#include "10_bitonic_registers.cuh"
#include "11_merge_windows.cuh"
#include "12_sample_sort.cuh"
#include "13_kept_buckets.cuh"
#include "14_bitonic_best.cuh"
#include "15_register_buckets.cuh"
#include "16_few_ways.cuh"
#include "17_ordered_tiles.cuh"
#include "18_computed_places.cuh"
#include "19_sample_best.cuh"
#include "pack.cuh"
