// Which shapes of blocks sample_best and bitonic_best use on a device.
//
// They were chosen by measurement on an H200. What other devices lack is shared memory: a shape is
// used where a multiprocessor's shared memory holds enough warps of it to hide each other's waits.
// Where it does not (64 KB: compute capability 7.5) blocks are smaller, and so hold as many warps
// as there.
#pragma once

#include "../../common/harness/device_info.hpp"
#include "../keys.hpp"

namespace sorting {

template <class SortKey, int kKeysPerThread, int kWarpsPerBlock>
struct Shape;  // windows.cuh
template <class SortKey, int kThreadsPerBlock, int kVectorsPerThread, int kBlocksPerSm>
struct PassShape;  // sample_buckets.cuh
template <class S>
struct Interpolation;  // interpolation.cuh

/// Warps of a multiprocessor that hide each other's waits, at least.
constexpr int kEnoughWarps = 16;

/// Whether a multiprocessor holds enough warps of this shape.
template <class S>
bool holds_enough(const DeviceInfo& device, std::size_t bytes = S::kBytes) {
    const int warps = static_cast<int>(S::kThreads / kWarpSize);
    return blocks_held(device, S::kThreads, bytes) * warps >= kEnoughWarps;
}

// Tiny, Small         one block that sorts all keys; Small also the tiles that are merged
// OnlyPass, FewWays, ManyWays   a pass of sample_best: the only one wants many threads, since its
//                     tiles are few; many ways want longer tiles, since what a tile has for a
//                     bucket is written together
// Bucket, LargeBucket the sort of a bucket, and of all keys by one block; LargeBucket for many
//                     keys, where a block may have so much shared memory
// BitonicMiddle, BitonicLarge   bitonic_best, up to 2^20 keys and beyond

/// Where a multiprocessor has about 100 KB of shared memory or more. A KeyValue is twice as many
/// bytes: half as many in a thread's registers, or in a block.
template <class SortKey>
struct RoomyShapes {
    using Tiny = Shape<SortKey, 8, 4>;
    using Small = Shape<SortKey, 8, 8>;
    using OnlyPass = PassShape<SortKey, 512, 4, 2>;
    using FewWays = PassShape<SortKey, 256, 8, 4>;
    using ManyWays = PassShape<SortKey, 384, 8, 3>;
    using Bucket = Shape<SortKey, 16, 16>;
    using LargeBucket = Shape<SortKey, 32, 16>;
    using BitonicMiddle = Shape<SortKey, 16, 8>;
    using BitonicLarge = Shape<SortKey, 32, 16>;
};
template <>
struct RoomyShapes<KeyValue> {
    using Tiny = Shape<KeyValue, 4, 4>;
    using Small = Shape<KeyValue, 4, 8>;
    using OnlyPass = PassShape<KeyValue, 512, 4, 2>;
    using FewWays = OnlyPass;
    using ManyWays = OnlyPass;
    using Bucket = Shape<KeyValue, 16, 16>;
    using LargeBucket = Bucket;
    using BitonicMiddle = Shape<KeyValue, 16, 8>;
    using BitonicLarge = Shape<KeyValue, 16, 8>;
};

/// Where it has 64 KB.
template <class SortKey>
struct TightShapes : RoomyShapes<SortKey> {
    using BitonicLarge = Shape<SortKey, 16, 8>;
};
template <>
struct TightShapes<KeyValue> : RoomyShapes<KeyValue> {
    using OnlyPass = PassShape<KeyValue, 256, 4, 2>;
    using FewWays = OnlyPass;
    using ManyWays = OnlyPass;
    using Bucket = Shape<KeyValue, 8, 16>;
    using LargeBucket = Bucket;
    using BitonicMiddle = Shape<KeyValue, 8, 8>;
    using BitonicLarge = Shape<KeyValue, 8, 8>;
};

/// Whether the device holds enough warps of all of them. Tiny and Small come one block at a time.
template <class Shapes>
bool suits(const DeviceInfo& device) {
    return holds_enough<typename Shapes::Bucket>(device,
                                                 sizeof(Interpolation<typename Shapes::Bucket>)) &&
           holds_enough<typename Shapes::BitonicMiddle>(device) &&
           holds_enough<typename Shapes::BitonicLarge>(device);
}

/// Whether this program may run on a device that RoomyShapes do not suit. Compiling kernels of both
/// takes twice as long, and from compute capability 8.0 on every device has enough shared memory.
#ifdef __CUDA_ARCH_LIST__  // nvcc: what it compiles for, in ascending order
constexpr int kCompiledFor[] = {__CUDA_ARCH_LIST__};
constexpr bool kMayBeTight = kCompiledFor[0] < 800;
#else
constexpr bool kMayBeTight = true;
#endif

/// Calls sort(shapes) with an object of the RoomyShapes or TightShapes: which suits the device.
template <class SortKey, class Sort>
void with_shapes(const DeviceInfo& device, const Sort& sort) {
    if constexpr (kMayBeTight) {
        if (!suits<RoomyShapes<SortKey>>(device)) return sort(TightShapes<SortKey>());
    }
    sort(RoomyShapes<SortKey>());
}

}  // namespace sorting
