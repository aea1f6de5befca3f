// Chapter 1's ablations: what was tried for `persistent` and did not win. Needs a GPU of compute
// capability 9.0 or later, because of thread block clusters.
//
// Every row differs from `persistent` in one thing. The chapter's experiment checks and times them.
//
//   cmake --preset cuda && cmake --build build/cuda --target ch01_bubble_ablations
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "../common/harness/chapter.hpp"

#define main chapter_main
#include "main.cu"
#undef main

#if defined(__CUDACC__)
#include <cooperative_groups.h>
#endif

namespace {

/// The shape in which n keys are sorted; blocks = 0 if this GPU's registers cannot hold them: then
/// `halo` sorts them, as in `persistent`.
template <class Windows>
HaloShape shape_for(unsigned n) {
    return choose_shape<Windows>(n, device_info().sm_count);
}

// ---- Other windows ---------------------------------------------------------------------------

/// `persistent` with a different choice of windows.
template <class Windows, class Key>
void sort_in_windows(Key* keys, unsigned n, void* scratch) {
    if (n < 2) return;
    const HaloShape shape = shape_for<Windows>(n);
    if (shape.blocks == 0) return halo(keys, n, scratch);
    launch_persistent<Windows>(keys, n, scratch, shape, n);
}

// keys_12: 12 keys per thread whatever n is, so that halos are narrow.
// Removes: some of the comparisons that two blocks make.
// Remains: a narrow halo is used up sooner: more exchanges, and more refreshes. (For small n
// `persistent` has 12 keys per thread as well; then only how far warps and blocks overlap differs.)
template <class Key>
void keys_12(Key* keys, unsigned n, void* scratch) {
    sort_in_windows<std::tuple<Window<12, 4, 24>>>(keys, n, scratch);
}

// keys_16: 16 keys per thread whatever n is, so that halos are wide.
// Removes: exchanges.
// Remains: comparisons that two blocks make, and more of them.
template <class Key>
void keys_16(Key* keys, unsigned n, void* scratch) {
    sort_in_windows<std::tuple<Window<16, 4, 32>>>(keys, n, scratch);
}

/// A window of eight warps.
template <int keys, int overlap, int unroll>
struct EightWarps : Window<keys, overlap, unroll> {
    static constexpr int kWarps = 8;
    static constexpr int kThreads = kWarps * kWarpSize;
    static constexpr int kGroups = kWarps * EightWarps::kOwnLanes + 2 * overlap;
    static constexpr int kSeamPairs = (kWarps - 1) * 2 * overlap * keys / 2;
};

// warps_8: eight warps with about half the keys per thread.
// Removes: idle cycles: a scheduler has two warps, and one computes while the other waits.
// Remains: more than twice the seams between warps, twice the shuffles for the same keys.
using EightWarpsWindows = std::tuple<EightWarps<8, 6, 24>, EightWarps<10, 4, 20>,
                                     EightWarps<20, 2, 20>, EightWarps<36, 1, 9>>;

template <class Key>
void warps_8(Key* keys, unsigned n, void* scratch) {
    sort_in_windows<EightWarpsWindows>(keys, n, scratch);
}

// ---- Mailboxes in the shared memory of a cluster ----------------------------------------------

#if defined(__CUDACC__)
namespace cg = cooperative_groups;

/// Where a thread sends or receives its group: now, and at the next exchange.
struct Mailbox {
    TaggedKey* now;
    TaggedKey* next;
};

/// Both buffers in global memory, as in `persistent`.
template <class Window>
__device__ Mailbox mailbox_in_global(TaggedKey* mailboxes, int border, int slot, int blocks) {
    constexpr int kBorderKeys = kMailStride<Window> * Window::kKeys;
    TaggedKey* const now = mailboxes + border * kBorderKeys + slot;
    return {now, now + (blocks - 1) * kBorderKeys};
}

/// A block of persistent_kernel of main.cu. `mailbox_at(border, at_left, receives, slot)` is the
/// thread's Mailbox: at the border between the blocks `border` and `border + 1`, at this block's
/// left end or not; whether it receives or sends there; and its index among the groups of the
/// border, which is the same for sender and receiver.
template <class Key, class Window, class MailboxAt>
__device__ void sort_window(Key* keys, int n, int half_steps, HaloShape shape,
                            const TwoPipes& two_pipes, const MailboxAt& mailbox_at) {
    __shared__ int2 seams[2 * Window::kSeamPairs];
    const LanePosition<Window> position;
    ExchangeBuffers<Window> buffers(seams, position);
    const int group = position.group;
    const int block = static_cast<int>(blockIdx.x);
    const int at = (block * shape.own + group - shape.margin) * Window::kKeys;
    int key[Window::kKeys];
    load_group(keys, 0, n, at, key);
    __syncthreads();  // all keys are loaded before any is stored; few keys are not refreshed below

    const bool at_left = group < 2 * shape.margin && block > 0;
    const bool at_right = group >= shape.own && block + 1 < shape.blocks;
    const bool owned = group >= shape.margin && group < shape.margin + shape.own;
    const bool receives = (at_left || at_right) && !owned;
    const bool sends = (at_left || at_right) && owned && !position.is_copy;
    Mailbox mailbox = mailbox_at(block - (at_left ? 1 : 0), at_left, receives,
                                 at_left ? group : group - shape.own);

    const unsigned first_exchange = shape.blocks > 1 ? shape.refreshes : UINT_MAX;
    unsigned next_exchange = first_exchange;
    int left = half_steps;
    for (unsigned interval = 1; left > Window::kInterval; ++interval) {
        one_interval<Window>(key, two_pipes);
        left -= Window::kInterval;
        if (interval != next_exchange) {
            refresh_seams(key, position, buffers);
            continue;
        }
        // Two buffers suffice, and there is no deadlock: the argument is persistent_kernel's.
        if (sends) {
            if (interval == first_exchange) __threadfence();  // release, as in persistent_kernel
            send_group<Window>(key, interval, mailbox.now);
        }
        refresh_seams(key, position, buffers);
        receive_group<Window>(key, interval, mailbox.now, receives);
        if (interval == first_exchange) __threadfence();  // acquire
        mailbox = {mailbox.next, mailbox.now};
        next_exchange += shape.refreshes;
    }
    last_half_steps(key, left, two_pipes);
    if (owned && !position.is_copy) store_group(keys, 0, n, at, key);
}

/// Tagged keys in the shared memory of a block: two buffers, each from the left and from the right.
template <class Window>
__host__ __device__ constexpr int shared_mailbox_keys() {
    return 2 * 2 * kMailStride<Window> * Window::kKeys;
}

// cluster: within a thread block cluster, keys are sent into the neighbour's shared memory.
// Removes: the trip through the L2 cache, at the borders within a cluster.
// Remains: that trip at the clusters' ends. No block gets ahead of a neighbour by more than an
// exchange, so the slowest borders set the pace.
template <class Key, class Window>
__global__ void __launch_bounds__(kBlockThreads, 1)
    cluster_kernel(Key* keys, int n, int half_steps, TaggedKey* mailboxes, HaloShape shape,
                   TwoPipes two_pipes) {
    extern __shared__ TaggedKey shared_mailboxes[];
    constexpr int kSideKeys = kMailStride<Window> * Window::kKeys;
    const cg::cluster_group cluster = cg::this_cluster();
    const int rank = static_cast<int>(cluster.block_rank());
    const int size = static_cast<int>(cluster.num_blocks());
    // No interval has the number 0.
    for (int i = threadIdx.x; i < shared_mailbox_keys<Window>(); i += kBlockThreads)
        shared_mailboxes[i] = 0;
    cluster.sync();  // all blocks of the cluster have started, and cleared what others write to
    // Keys are tagged and buffers take turns as in global memory: the same argument holds. The grid
    // is a whole number of clusters; blocks that own no keys have nothing to do in between.
    if (static_cast<int>(blockIdx.x) < shape.blocks) {
        sort_window<Key, Window>(
            keys, n, half_steps, shape, two_pipes,
            [&](int border, bool at_left, bool receives, int slot) -> Mailbox {
                const int neighbour = at_left ? rank - 1 : rank + 1;
                if (neighbour < 0 || neighbour >= size) {
                    return mailbox_in_global<Window>(mailboxes, border, slot, shape.blocks);
                }
                // The receiver reads its own memory: what comes from the left, or from the right. A
                // block is its left neighbour's right neighbour.
                const bool from_left = at_left == receives;
                TaggedKey* const whose = receives
                                             ? shared_mailboxes
                                             : cluster.map_shared_rank(shared_mailboxes, neighbour);
                TaggedKey* const now = whose + (from_left ? 0 : kSideKeys) + slot;
                return {now, now + 2 * kSideKeys};
            });
    }
    cluster.sync();  // no block ends while another may still write to its shared memory
}

/// A launch in clusters of `size`: all blocks of the shape run at once, or none does.
///
/// It asks for at least half of a multiprocessor's shared memory, and the kernel's own comes on
/// top, so that no two blocks share a multiprocessor. In `persistent` each has one because the
/// device distributes blocks evenly; for clusters there is no such guarantee.
template <class Window>
struct ClusterLaunch {
    std::array<cudaLaunchAttribute, 2> attributes = {};
    cudaLaunchConfig_t config = {};

    ClusterLaunch(int blocks, int size) {
        attributes[0].id = cudaLaunchAttributeClusterDimension;
        attributes[0].val.clusterDim.x = size;
        attributes[0].val.clusterDim.y = 1;
        attributes[0].val.clusterDim.z = 1;
        attributes[1].id = cudaLaunchAttributeCooperative;
        attributes[1].val.cooperative = 1;
        config.gridDim = dim3(divide_up(blocks, size) * size);
        config.blockDim = dim3(kBlockThreads);
        config.dynamicSmemBytes = std::max(device_info().shared_per_sm / 2,
                                           shared_mailbox_keys<Window>() * sizeof(TaggedKey));
        config.attrs = attributes.data();
        config.numAttrs = 2;
    }
    ClusterLaunch(const ClusterLaunch&) = delete;  // config points to attributes
    ClusterLaunch& operator=(const ClusterLaunch&) = delete;
};

constexpr std::array<int, 3> kClusterSizes = {8, 4, 2};

/// How many blocks of this kernel run at once in clusters of each of these sizes.
template <class Key, class Window>
std::array<int, 3> resident_in_clusters() {
    const auto kernel = cluster_kernel<Key, Window>;
    const ClusterLaunch<Window> any(1, 1);
    std::array<int, 3> blocks = {};
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(any.config.dynamicSmemBytes)) != cudaSuccess) {
        cudaGetLastError();  // no block of this device may have this much
        return blocks;
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const int size = kClusterSizes[i];
        ClusterLaunch<Window> launch(size, size);
        launch.config.numAttrs = 1;  // the question is about clusters alone
        int clusters = 0;
        if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config) == cudaSuccess) {
            blocks[i] = clusters * size;
        } else {
            cudaGetLastError();  // this device cannot run clusters of this size
        }
    }
    return blocks;
}

/// With the largest clusters in which all of the shape's blocks run at once; false if none do.
template <class Key, class Window>
bool launch_in_clusters(Key* keys, int n, HaloShape shape, TaggedKey* mailboxes) {
    static const std::array<int, 3> resident = resident_in_clusters<Key, Window>();
    for (std::size_t i = 0; i < kClusterSizes.size(); ++i) {
        const ClusterLaunch<Window> launch(shape.blocks, kClusterSizes[i]);
        if (resident[i] < static_cast<int>(launch.config.gridDim.x)) continue;
        const cudaError_t error = cudaLaunchKernelEx(&launch.config, cluster_kernel<Key, Window>,
                                                     keys, n, n, mailboxes, shape, TwoPipes{});
        if (error == cudaSuccess) return true;
        cudaGetLastError();  // refused, and nothing has run
    }
    return false;
}

template <class Key>
void cluster(Key* keys, unsigned n, void* scratch) {
    if (n < 2) return;
    const HaloShape shape = shape_for<PersistentWindows>(n);
    if (shape.blocks == 0) return halo(keys, n, scratch);
    TaggedKey* const mailboxes = cleared_mailboxes(shape, scratch);
    bool launched = false;
    for_each_window([&](auto window) {
        if (window.kKeys != shape.keys) return;
        launched =
            launch_in_clusters<Key, decltype(window)>(keys, static_cast<int>(n), shape, mailboxes);
    });
    if (launched) return;
    // Then this row is not what is measured, and the reader must know.
    static const int said = std::fprintf(
        stderr, "cluster: not all blocks can run at once in clusters; persistent runs instead.\n");
    static_cast<void>(said);
    persistent(keys, n, scratch);
}
#endif

// ---- The table -------------------------------------------------------------------------------

template <class Key>
const std::vector<Stage<Launch<Key>>>& ablations() {
    const Limits few_keys = {std::size_t{1} << 17, "the registers of an H200 hold only a few more"};
    static const std::vector<Stage<Launch<Key>>> table = {
        {{"persistent", "the chapter's: one launch, blocks exchange halos"}, persistent<Key>},
        {{"keys_12", "12 keys per thread: narrow halos, exchanged often", RowKind::stage, few_keys},
         keys_12<Key>},
        {{"keys_16", "16 keys per thread: wide halos, exchanged rarely", RowKind::stage, few_keys},
         keys_16<Key>},
        {{"warps_8", "eight warps with half the keys per thread"}, warps_8<Key>},
#if defined(__CUDACC__)
        {{"cluster", "mailboxes in the shared memory of a cluster"}, cluster<Key>},
#endif
    };
    return table;
}

template <class Key>
std::unique_ptr<Experiment> ablation_experiment() {
    return std::make_unique<BubbleSort<Key>>(ablations<Key>(), scratch_bytes, many_block_work,
                                             false);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t k1024 = 1024;
    std::string type = "float";
    Chapter chapter("ch01_ablations", "Odd-even transposition sort, what did not win", "key");
    chapter.sizes(128 * k1024, 2 * k1024, k1024 * k1024, 16 * k1024)
        .choice("--type", "type of the keys", {"float", "int"}, type);
    return chapter.run(argc, argv, [&](const Options&) -> std::unique_ptr<Experiment> {
        if (type == "int") return ablation_experiment<int>();
        return ablation_experiment<float>();
    });
}
