// Which shapes of blocks merge_best and bitonic_best use on a device.
//
// They were chosen by measurement on an H200. What other devices lack is shared memory: a shape is
// used where a multiprocessor's shared memory holds enough warps of it to hide each other's waits.
// Where it does not (100 KB: compute capability 8.6, 8.9 and 12.0; 64 KB: 7.5) blocks are smaller,
// and so hold as many warps as there.
#pragma once

#include "../common/harness/device_info.hpp"
#include "words.cuh"

namespace sorting {

template <class Word, int kKeysPerThread, int kWarpsPerBlock>
struct Shape;  // merge_best.cuh
template <int kKeysPerThread, int kWarpsPerBlock>
struct SweepShape;
template <int kPairsPerThread, int kWarpsPerBlock>
struct PairShape;

/// Warps of a multiprocessor that hide each other's waits, at least.
constexpr int kEnoughWarps = 16;

/// Whether a multiprocessor holds enough warps of this shape.
template <class S>
bool holds_enough(const tutorial::DeviceInfo& device) {
    const int warps = static_cast<int>(S::kThreads) / kWarpSize;
    return tutorial::blocks_held(device, S::kThreads, S::kBytes) * warps >= kEnoughWarps;
}

// Tiny, Small         one block that sorts all keys
// Middle, Large       all levels in one launch; Large where there are more keys a multiprocessor
// Tile, Huge          tiles that are sorted before the sweeps; Huge where that saves a sweep
// Merge               a block of a sweep
// BitonicMiddle, BitonicLarge   bitonic_best, up to 2^20 keys and beyond

/// Where a multiprocessor has about 160 KB of shared memory or more; for pairs, about 100 KB. A
/// pair is twice as many bytes: half as many in a thread's registers, or in a block.
template <class Word>
struct RoomyShapes {
    using Tiny = Shape<Word, 8, 4>;
    using Small = Shape<Word, 8, 8>;
    using Middle = Shape<Word, 16, 8>;
    using Large = Shape<Word, 32, 8>;
    using Tile = Shape<Word, 32, 8>;
    using Huge = Shape<Word, 32, 16>;
    using Merge = SweepShape<32, 8>;
    using BitonicMiddle = Shape<Word, 16, 8>;
    using BitonicLarge = Shape<Word, 32, 16>;
};
template <>
struct RoomyShapes<PairWord> {
    using Tiny = Shape<PairWord, 4, 4>;
    using Small = Shape<PairWord, 4, 8>;
    using Middle = Shape<PairWord, 8, 8>;
    using Large = Shape<PairWord, 16, 8>;
    using Tile = PairShape<17, 8>;
    using Huge = PairShape<17, 16>;
    using Merge = PairShape<23, 4>;
    using BitonicMiddle = Shape<PairWord, 16, 8>;
    using BitonicLarge = Shape<PairWord, 16, 8>;
};

/// Where it has about 100 KB. A sweep of keys needs room for the pieces of two tiles.
template <class Word>
struct MiddlingShapes : RoomyShapes<Word> {
    using Merge = SweepShape<16, 8>;
};
template <>
struct MiddlingShapes<PairWord> : RoomyShapes<PairWord> {};

/// Where it has 64 KB.
template <class Word>
struct TightShapes : RoomyShapes<Word> {
    using Large = Shape<Word, 16, 8>;
    using Tile = Shape<Word, 16, 8>;
    using Huge = Shape<Word, 16, 16>;
    using Merge = SweepShape<8, 8>;
    using BitonicLarge = Shape<Word, 16, 8>;
};
template <>
struct TightShapes<PairWord> : RoomyShapes<PairWord> {
    using Large = Shape<PairWord, 8, 8>;
    using Tile = PairShape<15, 8>;
    using Huge = PairShape<15, 16>;
    using Merge = PairShape<15, 4>;
    using BitonicMiddle = Shape<PairWord, 8, 8>;
    using BitonicLarge = Shape<PairWord, 8, 8>;
};

/// Whether the device holds enough warps of all of them. Tiny and Small come one block at a time.
template <class Shapes>
bool suits(const tutorial::DeviceInfo& device) {
    return holds_enough<typename Shapes::Middle>(device) &&
           holds_enough<typename Shapes::Large>(device) &&
           holds_enough<typename Shapes::Tile>(device) &&
           holds_enough<typename Shapes::Huge>(device) &&
           holds_enough<typename Shapes::Merge>(device) &&
           holds_enough<typename Shapes::BitonicMiddle>(device) &&
           holds_enough<typename Shapes::BitonicLarge>(device);
}

/// Whether this program may run on a device that none of the others suit. Compiling kernels of both
/// takes twice as long, and from compute capability 8.0 on every device has enough shared memory.
#ifdef __CUDA_ARCH_LIST__  // nvcc: what it compiles for, in ascending order
constexpr int kCompiledFor[] = {__CUDA_ARCH_LIST__};
constexpr bool kMayBeTight = kCompiledFor[0] < 800;
#else
constexpr bool kMayBeTight = true;
#endif

/// Calls sort(shapes) with an object of RoomyShapes, MiddlingShapes or TightShapes: the first that
/// suits the device.
template <class Word, class Sort>
void with_shapes(const tutorial::DeviceInfo& device, const Sort& sort) {
    if (suits<RoomyShapes<Word>>(device)) return sort(RoomyShapes<Word>());
    if constexpr (kMayBeTight) {
        if (!suits<MiddlingShapes<Word>>(device)) return sort(TightShapes<Word>());
    }
    sort(MiddlingShapes<Word>());
}

}  // namespace sorting
