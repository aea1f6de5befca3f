// Cooperative groups: a block, a tile of a warp, the lanes that are here together, the whole grid.
// Names and meaning are CUDA's; clusters are not supported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "barrier.hpp"
#include "builtins.hpp"
#include "large_tile.hpp"
#include "warp.hpp"

namespace emulator {

/// Whether the running kernel was launched with cudaLaunchCooperativeKernel.
bool launch_is_cooperative();

/// The calling thread's number in its block: over x, then y, then z.
inline unsigned thread_number() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned long long block_number() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
}

/// Lanes of this lane's warp that exist; fewer than 32 in a block's last warp.
inline unsigned existing_lanes() {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned first = thread_number() / 32 * 32;
    return threads - first >= 32 ? 0xffffffffu : (1u << (threads - first)) - 1u;
}

/// The position of the (n + 1)-th set bit.
inline int nth_lane(unsigned mask, unsigned n) {
    while (n-- != 0) mask &= mask - 1;
    return __builtin_ctz(mask);
}

/// A shuffle of any type that is moved as 8-byte pieces.
template <class T>
T shuffle_pieces(unsigned mask, const T& value, int source, Site site) {
    static_assert(std::is_trivially_copyable<T>::value && (sizeof(T) <= 32),
                  "a group shuffles trivially copyable types of at most 32 bytes");
    T result;
    const char* const from = reinterpret_cast<const char*>(&value);
    char* const to = reinterpret_cast<char*>(&result);
    for (std::size_t at = 0; at < sizeof(T); at += 8) {
        const std::size_t bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
        std::uint64_t piece = 0;
        __builtin_memcpy(&piece, from + at, bytes);
        piece = warp_collective(Collective::shuffle, mask, piece, source, site);
        __builtin_memcpy(to + at, &piece, bytes);
    }
    return result;
}

/// What a tile and a coalesced group have in common: lanes of one warp, given by their mask.
/// A thread's rank is its place among those lanes.
class LaneGroup {
  public:
    explicit LaneGroup(unsigned mask) : mask_(mask) {}

    unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const {
        return static_cast<unsigned>(__builtin_popcount(mask_ & ((1u << lane_id()) - 1u)));
    }
    void sync(Site site = Site::here()) const {
        warp_collective(Collective::syncwarp, mask_, 0, 0, site);
    }
    int any(int predicate, Site site = Site::here()) const {
        return __any_sync(mask_, predicate, site);
    }
    int all(int predicate, Site site = Site::here()) const {
        return __all_sync(mask_, predicate, site);
    }
    /// Bit r is the vote of the thread of rank r.
    unsigned ballot(int predicate, Site site = Site::here()) const {
        return by_rank(__ballot_sync(mask_, predicate, site));
    }
    template <class T>
    unsigned match_any(T value, Site site = Site::here()) const {
        return by_rank(__match_any_sync(mask_, value, site));
    }
    template <class T>
    unsigned match_all(T value, int& predicate, Site site = Site::here()) const {
        return by_rank(__match_all_sync(mask_, value, &predicate, site));
    }

  protected:
    /// The rank's lane; ranks beyond the group wrap around.
    int lane_of(unsigned rank) const { return nth_lane(mask_, rank % num_threads()); }

    unsigned by_rank(unsigned lanes) const {
        unsigned ranks = 0, rank = 0;
        for (unsigned left = mask_; left != 0; left &= left - 1, ++rank) {
            if ((lanes & left & (0u - left)) != 0) ranks |= 1u << rank;
        }
        return ranks;
    }

    unsigned mask_;
};

}  // namespace emulator

namespace cooperative_groups {

using emulator::Site;

/// All threads of a block.
class thread_block {
  public:
    struct arrival_token {};

    static void sync(Site site = Site::here()) { emulator::block_barrier(false, site); }
    /// Arriving does nothing by itself: wait() waits until all threads wait.
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token&&, Site site = Site::here()) const { sync(site); }

    static unsigned thread_rank() { return emulator::thread_number(); }
    static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
    static dim3 dim_threads() { return blockDim; }
    static dim3 group_dim() { return blockDim; }
};

inline thread_block this_thread_block() { return {}; }

/// What a device needs in shared memory for tiles of more than a warp. Here it stays unused.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
    unsigned char reserved[8];
};
template <unsigned MaxBlockSize>
thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
    return {};
}

/// All threads of a cooperative launch.
class grid_group {
  public:
    struct arrival_token {};

    bool is_valid() const { return emulator::launch_is_cooperative(); }
    void sync(Site site = Site::here()) const { emulator::grid_barrier(site); }
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token&&, Site site = Site::here()) const { sync(site); }

    static unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    static unsigned long long block_rank() { return emulator::block_number(); }
    static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() {
        return block_rank() * thread_block::num_threads() + emulator::thread_number();
    }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 group_dim() { return gridDim; }
    static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 dim_threads() {
        return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z};
    }
    static dim3 thread_index() {
        return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z};
    }
};

inline grid_group this_grid() { return {}; }

/// Thread block clusters are not supported.
#if __has_attribute(unavailable)  // from g++ 12 on; clang names a deleted function only in a note
__attribute__((unavailable("the emulator has no thread block clusters"))) void this_cluster();
#else
void this_cluster() = delete;
#endif

/// Any lanes of one warp.
class coalesced_group : public emulator::LaneGroup {
  public:
    explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : LaneGroup(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

    template <class T>
    T shfl(T value, unsigned rank, Site site = Site::here()) const {
        emulator::tell_of_rank(rank, num_threads(), false, site);
        return emulator::shuffle_pieces(mask_, value, lane_of(rank), site);
    }
    /// A rank beyond the group gives back the caller's own value.
    template <class T>
    T shfl_down(T value, unsigned delta, Site site = Site::here()) const {
        emulator::tell_of_distance(delta, num_threads(), site);
        const unsigned rank = thread_rank() + delta;
        return emulator::shuffle_pieces(
            mask_, value, rank < num_threads() ? lane_of(rank) : emulator::lane_id(), site);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, Site site = Site::here()) const {
        const unsigned rank = thread_rank();
        return emulator::shuffle_pieces(
            mask_, value, delta <= rank ? lane_of(rank - delta) : emulator::lane_id(), site);
    }

    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }

    /// The lanes as bits of the warp's mask; for partitions.
    unsigned lane_mask() const { return mask_; }

  private:
    unsigned meta_rank_, meta_size_;
};

/// The lanes of this warp that reach this call together.
inline coalesced_group coalesced_threads(Site site = Site::here()) {
    return coalesced_group(emulator::active_mask(site));
}

/// Size threads next to each other; the block is divided into such tiles. Tiles of at most a warp:
template <unsigned Size, class Parent = void, bool IsLarge = (Size > 32)>
class thread_block_tile : public emulator::LaneGroup {
    static_assert(Size != 0 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");

  public:
    thread_block_tile(unsigned meta_rank, unsigned meta_size)
        : LaneGroup(tile_mask()), meta_rank_(meta_rank), meta_size_(meta_size) {}
    /// A tile can be passed to functions for which its parent does not matter.
    template <class Other>
    thread_block_tile(const thread_block_tile<Size, Other>& other)
        : LaneGroup(tile_mask()),
          meta_rank_(other.meta_group_rank()),
          meta_size_(other.meta_group_size()) {}

    static constexpr unsigned num_threads() { return Size; }
    static constexpr unsigned size() { return Size; }
    static unsigned thread_rank() { return emulator::thread_number() % Size; }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }

    template <class T>
    T shfl(T value, int rank, Site site = Site::here()) const {
        emulator::tell_of_rank(static_cast<unsigned>(rank), Size, true, site);
        return emulator::shuffle_pieces(mask_, value, first_lane() + rank % static_cast<int>(Size),
                                        site);
    }
    /// A rank beyond the tile gives back the caller's own value.
    template <class T>
    T shfl_down(T value, unsigned delta, Site site = Site::here()) const {
        emulator::tell_of_distance(delta, num_threads(), site);
        const unsigned rank = thread_rank() + delta;
        return emulator::shuffle_pieces(
            mask_, value, first_lane() + static_cast<int>(rank < Size ? rank : thread_rank()),
            site);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, Site site = Site::here()) const {
        const unsigned rank = thread_rank();
        return emulator::shuffle_pieces(
            mask_, value, first_lane() + static_cast<int>(delta <= rank ? rank - delta : rank),
            site);
    }
    template <class T>
    T shfl_xor(T value, unsigned rank_mask, Site site = Site::here()) const {
        emulator::tell_of_distance(rank_mask, Size, site);
        const unsigned rank = thread_rank() ^ rank_mask;
        return emulator::shuffle_pieces(
            mask_, value, first_lane() + static_cast<int>(rank < Size ? rank : thread_rank()),
            site);
    }

  private:
    static int first_lane() {
        return static_cast<int>(emulator::thread_number() % 32 / Size * Size);
    }
    static unsigned tile_mask() {
        const unsigned lanes = Size == 32 ? 0xffffffffu : (1u << (Size % 32)) - 1u;
        return (lanes << first_lane()) & emulator::existing_lanes();
    }

    unsigned meta_rank_, meta_size_;
};

/// Tiles of more than a warp, which have no shuffles and no masks of lanes.
template <unsigned Size, class Parent>
class thread_block_tile<Size, Parent, true> {
    static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");

  public:
    thread_block_tile(unsigned meta_rank, unsigned meta_size)
        : meta_rank_(meta_rank), meta_size_(meta_size) {}
    template <class Other>
    thread_block_tile(const thread_block_tile<Size, Other, true>& other)
        : meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}

    static constexpr unsigned num_threads() { return Size; }
    static constexpr unsigned size() { return Size; }
    static unsigned thread_rank() { return emulator::thread_number() % Size; }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }

    void sync(Site site = Site::here()) const { emulator::tile_barrier(Size, site); }
    int any(int predicate, Site site = Site::here()) const { return count(predicate, site) != 0; }
    int all(int predicate, Site site = Site::here()) const {
        return count(predicate, site) == existing();
    }
    /// The threads that exist: a block's last tile may lack some.
    static unsigned existing() {
        const unsigned left = thread_block::num_threads() - emulator::thread_number() / Size * Size;
        return left < Size ? left : Size;
    }

  private:
    static unsigned count(int predicate, Site site) {
        const unsigned char own = predicate != 0;
        const auto* const given =
            static_cast<const unsigned char*>(emulator::tile_values(Size, &own, 1, site));
        unsigned sum = 0;
        for (unsigned rank = 0; rank < existing(); ++rank) sum += given[rank];
        return sum;
    }

    unsigned meta_rank_, meta_size_;
};

/// Any of the groups above, for functions that only count, rank and wait.
class thread_group {
  public:
    thread_group(const thread_block&) : kind_(Kind::block) {}
    thread_group(const grid_group&) : kind_(Kind::grid) {}
    thread_group(const emulator::LaneGroup& lanes) : kind_(Kind::lanes), lanes_(lanes) {}

    unsigned long long num_threads() const {
        if (kind_ == Kind::grid) return grid_group::num_threads();
        return kind_ == Kind::block ? thread_block::num_threads() : lanes_.num_threads();
    }
    unsigned long long size() const { return num_threads(); }
    unsigned long long thread_rank() const {
        if (kind_ == Kind::grid) return grid_group::thread_rank();
        return kind_ == Kind::block ? thread_block::thread_rank() : lanes_.thread_rank();
    }
    void sync(Site site = Site::here()) const {
        if (kind_ == Kind::grid) {
            emulator::grid_barrier(site);
        } else if (kind_ == Kind::block) {
            thread_block::sync(site);
        } else {
            lanes_.sync(site);
        }
    }

  private:
    enum class Kind { block, grid, lanes };
    Kind kind_;
    emulator::LaneGroup lanes_{0};
};

template <unsigned Size>
thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
    return {emulator::thread_number() / Size, (thread_block::num_threads() + Size - 1) / Size};
}
template <unsigned Size, unsigned ParentSize, class Parent>
thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent>& parent) {
    static_assert(Size <= ParentSize, "a tile cannot be larger than the group that it is cut from");
    return {parent.thread_rank() / Size, ParentSize / Size};
}

/// Parts of `size` ranks next to each other; the last one may be smaller.
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
    const unsigned part = parent.thread_rank() / size;
    unsigned mask = 0;
    for (unsigned rank = part * size; rank < (part + 1) * size && rank < parent.size(); ++rank) {
        mask |= 1u << emulator::nth_lane(parent.lane_mask(), rank);
    }
    return coalesced_group(mask, part, (parent.size() + size - 1) / size);
}
template <unsigned Size>
coalesced_group tiled_partition(const coalesced_group& parent) {
    return tiled_partition(parent, Size);
}
/// For a block: parts of a warp, so the size is a power of two up to 32.
inline coalesced_group tiled_partition(const thread_block&, unsigned size,
                                       Site site = Site::here()) {
    emulator::check_shuffle_width(static_cast<int>(size), site);
    const unsigned number = emulator::thread_number();
    const unsigned lanes = size == 32 ? 0xffffffffu : (1u << size) - 1u;
    return coalesced_group((lanes << (number % 32 / size * size)) & emulator::existing_lanes(),
                           number / size, (thread_block::num_threads() + size - 1) / size);
}

/// The threads of the group that pass the same label.
template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label, Site site = Site::here()) {
    const unsigned ranks = group.match_any(label, site);
    unsigned mask = 0;
    const int own = emulator::lane_id();
    // Ranks to lanes: the group's own lane is known, and lanes of a group ascend with rank.
    for (unsigned rank = 0; rank < group.size(); ++rank) {
        const int lane = group.shfl(own, static_cast<int>(rank), site);
        if ((ranks >> rank & 1u) != 0) mask |= 1u << lane;
    }
    return coalesced_group(mask);
}
template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate, Site site = Site::here()) {
    return labeled_partition(group, static_cast<int>(predicate), site);
}

template <class Group>
void sync(const Group& group, Site site = Site::here()) {
    group.sync(site);
}
template <class Group>
auto thread_rank(const Group& group) {
    return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
    return group.size();
}

/// Calls the function in one thread of the group.
template <class Group, class Function>
void invoke_one(const Group& group, Function function) {
    if (group.thread_rank() == 0) function();
}

}  // namespace cooperative_groups
