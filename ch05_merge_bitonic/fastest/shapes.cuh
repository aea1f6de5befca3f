// Which shapes of blocks sample_best and bitonic_best use on a device.
//
// They were chosen by measurement on an H200. Other devices have less shared memory: if a
// multiprocessor has 64 KB (compute capability 7.5), blocks are smaller, so that it holds enough
// warps to hide each other's waits.
#pragma once

#include "../../common/harness/device_info.hpp"
#include "../keys.hpp"

namespace sorting {

template <class SortKey, int kKeysPerThread, int kWarpsPerBlock>
struct Shape;  // windows.cuh
template <class SortKey, int kThreadsPerBlock, int kVectorsPerThread, int kBlocksPerSm>
struct PassShape;  // passes.cuh

// Tiny, Small         one block that sorts all keys; Small also the tiles that are merged
// OnlyPass, FewWays, ManyWays   a pass of sample_best: a single pass needs many threads, since it
//                     has only a few tiles; many ways need longer tiles, since the keys that a tile
//                     has for one bucket are written together
// Bucket, LargeBucket the sort of a bucket, and of all keys by one block; LargeBucket for many
//                     keys, if a block may have that much shared memory

/// For multiprocessors with about 100 KB of shared memory or more. A KeyValue has twice the bytes,
/// so a thread's registers, or a block, hold half as many.
template <class SortKey>
struct RoomyShapes {
    using Tiny = Shape<SortKey, 8, 4>;
    using Small = Shape<SortKey, 8, 8>;
    using OnlyPass = PassShape<SortKey, 512, 4, 2>;
    using FewWays = PassShape<SortKey, 256, 8, 4>;
    using ManyWays = PassShape<SortKey, 384, 8, 3>;
    using Bucket = Shape<SortKey, 16, 16>;
    using LargeBucket = Shape<SortKey, 32, 16>;
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
};

/// For 64 KB.
template <class SortKey>
struct TightShapes : RoomyShapes<SortKey> {
    using LargeBucket = typename RoomyShapes<SortKey>::Bucket;
};
template <>
struct TightShapes<KeyValue> : RoomyShapes<KeyValue> {
    using OnlyPass = PassShape<KeyValue, 256, 4, 2>;
    using FewWays = OnlyPass;
    using ManyWays = OnlyPass;
    using Bucket = Shape<KeyValue, 8, 8>;
    using LargeBucket = Bucket;
};

/// Shared memory of a multiprocessor that RoomyShapes need.
constexpr std::size_t kRoomyBytes = 96 * 1024;

/// Whether this program may run on a device that RoomyShapes do not suit. Compiling kernels of both
/// takes twice as long, and from compute capability 8.0 on every device has enough shared memory.
#ifdef __CUDA_ARCH_LIST__  // nvcc: what it compiles for, in ascending order
constexpr int kCompiledFor[] = {__CUDA_ARCH_LIST__};
constexpr bool kMayBeTight = kCompiledFor[0] < 800;
#else
constexpr bool kMayBeTight = true;
#endif

/// Calls sort(shapes) with an object of RoomyShapes or TightShapes, whichever suits the device.
template <class SortKey, class Sort>
void with_shapes(const DeviceInfo& device, const Sort& sort) {
    if constexpr (kMayBeTight) {
        if (device.shared_per_sm < kRoomyBytes) return sort(TightShapes<SortKey>());
    }
    sort(RoomyShapes<SortKey>());
}

}  // namespace sorting
