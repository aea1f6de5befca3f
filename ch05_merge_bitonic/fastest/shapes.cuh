// Which shapes of blocks merge_best and bitonic_best use on a device.
//
// They were chosen by measurement on an H200. What other devices lack is shared memory: a shape is
// used where a multiprocessor's shared memory holds enough warps of it to hide each other's waits.
// Where it does not (100 KB: compute capability 8.6, 8.9 and 12.0; 64 KB: 7.5) blocks are smaller,
// and so hold as many warps as there.
#pragma once

#include "../../common/harness/device_info.hpp"
#include "../keys.hpp"

namespace sorting {

template <class SortKey, int kKeysPerThread, int kWarpsPerBlock>
struct Shape;  // windows.cuh
template <int kKeysPerThread, int kWarpsPerBlock>
struct SweepShape;
template <int kPairsPerThread, int kWarpsPerBlock>
struct PairShape;

/// Warps of a multiprocessor that hide each other's waits, at least.
constexpr int kEnoughWarps = 16;

/// Whether a multiprocessor holds enough warps of this shape.
template <class S>
bool holds_enough(const DeviceInfo& device) {
    const int warps = static_cast<int>(S::kThreads / kWarpSize);
    return blocks_held(device, S::kThreads, S::kBytes) * warps >= kEnoughWarps;
}

// Tiny, Small         one block that sorts all keys
// Middle, Large       all levels in one launch; Large where there are more keys per multiprocessor
// Tile, Huge          tiles that are sorted before the sweeps; Huge where that saves a sweep
// Merge               a block of a sweep
// BitonicMiddle, BitonicLarge   bitonic_best, up to 2^20 keys and beyond

/// Where a multiprocessor has about 160 KB of shared memory or more; for pairs, about 100 KB. A
/// pair is twice as many bytes: half as many in a thread's registers, or in a block.
template <class SortKey>
struct RoomyShapes {
    using Tiny = Shape<SortKey, 8, 4>;
    using Small = Shape<SortKey, 8, 8>;
    using Middle = Shape<SortKey, 16, 8>;
    using Large = Shape<SortKey, 32, 8>;
    using Tile = Shape<SortKey, 32, 8>;
    using Huge = Shape<SortKey, 32, 16>;
    using Merge = SweepShape<32, 8>;
    using BitonicMiddle = Shape<SortKey, 16, 8>;
    using BitonicLarge = Shape<SortKey, 32, 16>;
};
template <>
struct RoomyShapes<KeyIndex> {
    using Tiny = Shape<KeyIndex, 4, 4>;
    using Small = Shape<KeyIndex, 4, 8>;
    using Middle = Shape<KeyIndex, 8, 8>;
    using Large = Shape<KeyIndex, 16, 8>;
    using Tile = PairShape<17, 8>;
    using Huge = PairShape<17, 16>;
    using Merge = PairShape<23, 4>;
    using BitonicMiddle = Shape<KeyIndex, 16, 8>;
    using BitonicLarge = Shape<KeyIndex, 16, 8>;
};

/// Where it has about 100 KB. A sweep of keys needs room for the pieces of two tiles.
template <class SortKey>
struct MiddlingShapes : RoomyShapes<SortKey> {
    using Merge = SweepShape<16, 8>;
};
template <>
struct MiddlingShapes<KeyIndex> : RoomyShapes<KeyIndex> {};

/// Where it has 64 KB.
template <class SortKey>
struct TightShapes : RoomyShapes<SortKey> {
    using Large = Shape<SortKey, 16, 8>;
    using Tile = Shape<SortKey, 16, 8>;
    using Huge = Shape<SortKey, 16, 16>;
    using Merge = SweepShape<8, 8>;
    using BitonicLarge = Shape<SortKey, 16, 8>;
};
template <>
struct TightShapes<KeyIndex> : RoomyShapes<KeyIndex> {
    using Large = Shape<KeyIndex, 8, 8>;
    using Tile = PairShape<15, 8>;
    using Huge = PairShape<15, 16>;
    using Merge = PairShape<15, 4>;
    using BitonicMiddle = Shape<KeyIndex, 8, 8>;
    using BitonicLarge = Shape<KeyIndex, 8, 8>;
};

/// Whether the device holds enough warps of all of them. Tiny and Small come one block at a time.
template <class Shapes>
bool suits(const DeviceInfo& device) {
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
template <class SortKey, class Sort>
void with_shapes(const DeviceInfo& device, const Sort& sort) {
    if (suits<RoomyShapes<SortKey>>(device)) return sort(RoomyShapes<SortKey>());
    if constexpr (kMayBeTight) {
        if (!suits<MiddlingShapes<SortKey>>(device)) return sort(TightShapes<SortKey>());
    }
    sort(MiddlingShapes<SortKey>());
}

}  // namespace sorting
