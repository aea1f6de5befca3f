// Reading fast takes many bytes in flight: bytes in flight = bandwidth x latency (Little's law), so
// each thread asks for several 16-byte words before it uses the first.
#include "memory_kernels.hpp"

#include <cuda_runtime.h>

#include <algorithm>

#include "cuda_check.hpp"
#include "device_info.hpp"

namespace tutorial {
namespace {

constexpr int kWarpSize = 32;

/// Reads `count` items in tiles of blockDim.x * kInFlight: the threads of a warp read neighbouring
/// items, and each thread kInFlight of them, a block apart, before it needs the first (how many of
/// these loads the compiler puts side by side is its choice). A block takes every gridDim.x-th
/// tile. The block size is a multiple of the warp's.
template <int kInFlight>
__global__ void read_kernel(const uint4* __restrict__ data, std::size_t count,
                            std::uint32_t* __restrict__ partials) {
    const std::size_t tile = static_cast<std::size_t>(blockDim.x) * kInFlight;
    std::uint32_t mine = 0;
    for (std::size_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
        const uint4* from = data + begin + threadIdx.x;
        if (begin + tile <= count) {
            uint4 items[kInFlight];
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) {
                items[i] = from[i * blockDim.x];
            }
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) {
                mine ^= items[i].x ^ items[i].y ^ items[i].z ^ items[i].w;
            }
        } else {
            for (std::size_t i = begin + threadIdx.x; i < count; i += blockDim.x) {
                const uint4 item = data[i];
                mine ^= item.x ^ item.y ^ item.z ^ item.w;
            }
        }
    }
    // A result that nobody stores would let the compiler remove the loads.
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
        mine ^= __shfl_xor_sync(0xffffffffu, mine, distance);
    }
    if (threadIdx.x % kWarpSize == 0) {
        partials[(static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarpSize] =
            mine;
    }
}

/// The same for copies.
template <int kInFlight>
__global__ void copy_kernel(const uint4* __restrict__ from, uint4* __restrict__ to,
                            std::size_t count) {
    const std::size_t tile = static_cast<std::size_t>(blockDim.x) * kInFlight;
    for (std::size_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
        const std::size_t first = begin + threadIdx.x;
        if (begin + tile <= count) {
            uint4 items[kInFlight];
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) items[i] = from[first + i * blockDim.x];
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) to[first + i * blockDim.x] = items[i];
        } else {
            for (std::size_t i = first; i < count; i += blockDim.x) to[i] = from[i];
        }
    }
}

/// Writes data with no pattern.
__global__ void scramble_kernel(uint4* data, std::size_t count) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += threads) {
        const auto x = static_cast<std::uint32_t>(i) * 2654435761u;
        data[i] = make_uint4(x, x ^ (x >> 15), x * 2246822519u, x * 3266489917u);
    }
}

struct Shape {
    int threads;        ///< per block
    int in_flight;      ///< 16-byte items in flight per thread: 8 or 16
    int blocks_per_sm;  ///< 0: as many blocks as there are tiles, one each
};

constexpr Shape kShapes[] = {{512, 8, 4},  {256, 8, 8}, {1024, 8, 2}, {512, 8, 2}, {256, 16, 4},
                             {512, 16, 2}, {256, 8, 0}, {512, 8, 0},  {256, 16, 0}};

unsigned blocks_for(const Shape& shape, std::size_t count) {
    const std::size_t tile = static_cast<std::size_t>(shape.threads) * shape.in_flight;
    const std::size_t tiles = (count + tile - 1) / tile;
    if (shape.blocks_per_sm == 0) return static_cast<unsigned>(tiles);
    const auto most = static_cast<std::size_t>(device_info().sm_count) * shape.blocks_per_sm;
    return static_cast<unsigned>(std::min(tiles, most));
}

}  // namespace

int read_shapes() { return static_cast<int>(sizeof(kShapes) / sizeof(kShapes[0])); }

std::size_t read_partials(std::size_t bytes, int shape) {
    return static_cast<std::size_t>(blocks_for(kShapes[shape], bytes / sizeof(uint4))) *
           (kShapes[shape].threads / kWarpSize);
}

void read_everything(const void* d_data, std::size_t bytes, int shape, std::uint32_t* d_partials) {
    const std::size_t count = bytes / sizeof(uint4);
    if (count == 0) return;
    const unsigned blocks = blocks_for(kShapes[shape], count);
    const int threads = kShapes[shape].threads;
    const auto* d_items = static_cast<const uint4*>(d_data);
    if (kShapes[shape].in_flight == 8) {
        read_kernel<8><<<blocks, threads>>>(d_items, count, d_partials);
    } else {
        read_kernel<16><<<blocks, threads>>>(d_items, count, d_partials);
    }
    CUDA_CHECK_LAUNCH();
}

void copy_everything(const void* d_from, void* d_to, std::size_t bytes, int shape) {
    const std::size_t count = bytes / sizeof(uint4);
    if (count == 0) return;
    const unsigned blocks = blocks_for(kShapes[shape], count);
    const int threads = kShapes[shape].threads;
    const auto* d_items = static_cast<const uint4*>(d_from);
    auto* d_copies = static_cast<uint4*>(d_to);
    if (kShapes[shape].in_flight == 8) {
        copy_kernel<8><<<blocks, threads>>>(d_items, d_copies, count);
    } else {
        copy_kernel<16><<<blocks, threads>>>(d_items, d_copies, count);
    }
    CUDA_CHECK_LAUNCH();
}

void scramble(void* d_data, std::size_t bytes) {
    const std::size_t count = bytes / sizeof(uint4);
    if (count == 0) return;
    scramble_kernel<<<device_info().sm_count * 4, 512>>>(static_cast<uint4*>(d_data), count);
    CUDA_CHECK_LAUNCH();
}

}  // namespace tutorial
