// Reading fast takes many bytes in flight: bytes in flight = bandwidth x latency (Little's law), so
// each thread asks for several 16-byte words before it uses the first.
#include "memory_kernels.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "cuda_check.hpp"
#include "device_code.cuh"
#include "device_info.hpp"
#include "programmatic_launch.hpp"
#include "resident_blocks.hpp"

namespace tutorial {
namespace {

__device__ std::uint32_t mixed(uint4 item) { return item.x ^ item.y ^ item.z ^ item.w; }

/// Reads `count` items. A round is blockDim.x * kInFlight of them: the threads of a warp read
/// neighbouring items, and each thread kInFlight of them, a block apart, before it needs the first
/// (how many of these loads are in flight together is the compiler's choice). A block takes
/// `rounds` neighbouring rounds, then those gridDim.x times as far on. The block size is a multiple
/// of the warp's.
template <int kInFlight, bool kStreaming>
__global__ void read_kernel(const uint4* __restrict__ data, std::size_t count, int rounds,
                            std::uint32_t* __restrict__ partials) {
    const std::size_t round = static_cast<std::size_t>(blockDim.x) * kInFlight;
    const std::size_t tile = round * rounds;
    std::uint32_t mine = 0;
    for (std::size_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
        const std::size_t end = begin + tile < count ? begin + tile : count;
        std::size_t first = begin;
        for (; first + round <= end; first += round) {
            const uint4* from = data + first + threadIdx.x;
            uint4 items[kInFlight];
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) {
                items[i] = load_vector<kStreaming>(from + i * blockDim.x);
            }
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) mine ^= mixed(items[i]);
        }
        for (std::size_t i = first + threadIdx.x; i < end; i += blockDim.x) mine ^= mixed(data[i]);
    }
    // A result that is not stored would let the compiler remove the loads.
    for (unsigned distance = kWarpSize / 2; distance > 0; distance /= 2) {
        mine ^= __shfl_xor_sync(kFullMask, mine, distance);
    }
    if (threadIdx.x % kWarpSize == 0) {
        partials[(static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarpSize] =
            mine;
    }
}

/// The same for copies; `kStreaming` then applies to both sides.
template <int kInFlight, bool kStreaming>
__global__ void copy_kernel(const uint4* __restrict__ from, uint4* __restrict__ to,
                            std::size_t count, int rounds) {
    const std::size_t round = static_cast<std::size_t>(blockDim.x) * kInFlight;
    const std::size_t tile = round * rounds;
    for (std::size_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
        const std::size_t end = begin + tile < count ? begin + tile : count;
        std::size_t first = begin;
        for (; first + round <= end; first += round) {
            const std::size_t at = first + threadIdx.x;
            uint4 items[kInFlight];
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) {
                items[i] = load_vector<kStreaming>(from + at + i * blockDim.x);
            }
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) {
                if constexpr (kStreaming) {
                    __stcs(to + at + i * blockDim.x, items[i]);
                } else {
                    to[at + i * blockDim.x] = items[i];
                }
            }
        }
        for (std::size_t i = first + threadIdx.x; i < end; i += blockDim.x) to[i] = from[i];
    }
}

/// Does nothing: what remains is the launch.
__global__ void empty_kernel() {}

/// The same for launches that may overlap: it waits for the previous one, as such kernels must.
__global__ void empty_overlapped_kernel() { grid_dependency_synchronize(); }

/// Writes data with no pattern.
__global__ void scramble_kernel(uint4* data, std::size_t count) {
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += threads) {
        const auto x = static_cast<std::uint32_t>(i) * 2654435761u;
        data[i] = make_uint4(x, x ^ (x >> 15), x * 2246822519u, x * 3266489917u);
    }
}

/// How many blocks a multiprocessor gets.
enum class Grid {
    tiles,       ///< as many blocks as there are tiles, one each
    half_tiles,  ///< the same, but only half as many fit at a time
    pairs,       ///< half as many blocks as tiles: each takes two, half the data apart
    half_pairs,  ///< the same, but only half as many fit at a time
    full,        ///< as many as fit, and they share all tiles
    half,        ///< half as many
};

struct Shape {
    int threads;     ///< per block
    int in_flight;   ///< 16-byte items in flight per thread: 4, 8 or 16
    bool read_once;  ///< loads that the cache need not keep
    int rounds;      ///< a tile is rounds x in_flight x threads items
    Grid grid;
};

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = [] {
        std::vector<Shape> list;
        for (const int in_flight : {4, 8, 16}) {
            for (const bool read_once : {false, true}) {
                for (const int threads : {256, 512}) {
                    list.push_back({threads, in_flight, read_once, 1, Grid::full});
                    list.push_back({threads, in_flight, read_once, 1, Grid::half});
                    list.push_back({threads, in_flight, read_once, 1, Grid::tiles});
                    list.push_back({threads, in_flight, read_once, 2, Grid::tiles});
                    list.push_back({threads, in_flight, read_once, 1, Grid::pairs});
                }
                list.push_back({512, in_flight, read_once, 1, Grid::half_tiles});
                list.push_back({512, in_flight, read_once, 2, Grid::half_tiles});
                list.push_back({512, in_flight, read_once, 1, Grid::half_pairs});
            }
        }
        return list;
    }();
    return all;
}

/// A kernel with the grid that its shape asks for.
struct Launch {
    unsigned blocks;
    unsigned threads;
    std::size_t shared_bytes;  ///< not used, but takes room, so that fewer blocks fit
};

/// Shared memory per block such that only `blocks` of them fit on a multiprocessor.
template <class Kernel>
std::size_t room_for(int blocks, Kernel* kernel) {
    constexpr std::size_t kOne = 1024;  // the system's own, of each block
    const std::size_t least =
        device_info().shared_per_sm / (static_cast<std::size_t>(blocks) + 1) + kOne;
    const std::size_t bytes = std::min(least, device_info().shared_per_block);
    allow_shared(kernel, bytes);
    return bytes;
}

template <class Kernel>
Launch launch_of(Kernel* kernel, const Shape& shape, std::size_t count) {
    const std::size_t tile =
        static_cast<std::size_t>(shape.threads) * shape.in_flight * shape.rounds;
    const std::size_t tiles = divide_up(count, tile);
    Launch launch = {static_cast<unsigned>(tiles), static_cast<unsigned>(shape.threads), 0};
    const bool in_pairs = shape.grid == Grid::pairs || shape.grid == Grid::half_pairs;
    if (in_pairs) launch.blocks = divide_up(launch.blocks, 2u);
    if (shape.grid == Grid::tiles || shape.grid == Grid::pairs) return launch;
    int fit = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, shape.threads, 0));
    const int half = std::max(1, fit / 2);
    if (shape.grid == Grid::half_tiles || shape.grid == Grid::half_pairs) {
        launch.shared_bytes = room_for(half, kernel);
        return launch;
    }
    const auto most = static_cast<std::size_t>(device_info().sm_count) *
                      (shape.grid == Grid::full ? std::max(1, fit) : half);
    launch.blocks = static_cast<unsigned>(std::min(tiles, most));
    return launch;
}

using ReadKernel = void(const uint4*, std::size_t, int, std::uint32_t*);
using CopyKernel = void(const uint4*, uint4*, std::size_t, int);

ReadKernel* read_kernel_of(const Shape& shape) {
    switch (shape.in_flight) {
        case 4:
            return shape.read_once ? read_kernel<4, true> : read_kernel<4, false>;
        case 8:
            return shape.read_once ? read_kernel<8, true> : read_kernel<8, false>;
        default:
            return shape.read_once ? read_kernel<16, true> : read_kernel<16, false>;
    }
}

CopyKernel* copy_kernel_of(const Shape& shape) {
    switch (shape.in_flight) {
        case 4:
            return shape.read_once ? copy_kernel<4, true> : copy_kernel<4, false>;
        case 8:
            return shape.read_once ? copy_kernel<8, true> : copy_kernel<8, false>;
        default:
            return shape.read_once ? copy_kernel<16, true> : copy_kernel<16, false>;
    }
}

}  // namespace

int read_shapes() { return static_cast<int>(shapes().size()); }

std::string read_shape_text(int shape) {
    const Shape& s = shapes()[static_cast<std::size_t>(shape)];
    const char* const grids[] = {"one tile per block",  "one tile per block at half occupancy",
                                 "two tiles per block", "two tiles per block at half occupancy",
                                 "full occupancy",      "half occupancy"};
    return std::to_string(s.threads) + " threads, " + std::to_string(s.in_flight) +
           (s.read_once ? " __ldcs" : " plain") + " loads in flight, " +
           std::to_string(s.rounds * s.in_flight) + " per tile, " + grids[static_cast<int>(s.grid)];
}

std::size_t read_partials(std::size_t bytes, int shape) {
    const Shape& s = shapes()[static_cast<std::size_t>(shape)];
    return static_cast<std::size_t>(launch_of(read_kernel_of(s), s, bytes / sizeof(uint4)).blocks) *
           (s.threads / kWarpSize);
}

void read_everything(const void* d_data, std::size_t bytes, int shape, std::uint32_t* d_partials) {
    const std::size_t count = bytes / sizeof(uint4);
    if (count == 0) return;
    const Shape& s = shapes()[static_cast<std::size_t>(shape)];
    ReadKernel* const kernel = read_kernel_of(s);
    const Launch launch = launch_of(kernel, s, count);
    kernel<<<launch.blocks, launch.threads, launch.shared_bytes>>>(
        static_cast<const uint4*>(d_data), count, s.rounds, d_partials);
    CUDA_CHECK_LAUNCH();
}

void copy_everything(const void* d_from, void* d_to, std::size_t bytes, int shape) {
    const std::size_t count = bytes / sizeof(uint4);
    if (count == 0) return;
    const Shape& s = shapes()[static_cast<std::size_t>(shape)];
    CopyKernel* const kernel = copy_kernel_of(s);
    const Launch launch = launch_of(kernel, s, count);
    kernel<<<launch.blocks, launch.threads, launch.shared_bytes>>>(
        static_cast<const uint4*>(d_from), static_cast<uint4*>(d_to), count, s.rounds);
    CUDA_CHECK_LAUNCH();
}

void launch_nothing(bool overlapped) {
    if (overlapped) {
        launch_programmatic(empty_overlapped_kernel, 1, kWarpSize);
        return;
    }
    empty_kernel<<<1, kWarpSize>>>();
    CUDA_CHECK_LAUNCH();
}

void scramble(void* d_data, std::size_t bytes) {
    const std::size_t count = bytes / sizeof(uint4);
    if (count == 0) return;
    scramble_kernel<<<device_info().sm_count * 4, 512>>>(static_cast<uint4*>(d_data), count);
    CUDA_CHECK_LAUNCH();
}

}  // namespace tutorial
