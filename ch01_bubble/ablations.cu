// Chapter 1, beside it: what was tried for `halo` and did not win. For GPUs of compute capability
// 9.0 or later only, where thread block clusters are.
//
// Every row differs from `halo` in one thing. Checked and timed by the chapter's own experiment.
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

/// Launches for halo's shape, or a row's own: run(shape, mailboxes). Where the registers of this
/// GPU's multiprocessors do not hold all keys, `registers` sorts, as in `halo`.
template <class Windows, class Key, class Run>
void in_shape(Job<Key> job, const Run& run) {
    if (job.n < 2) return;
    const HaloShape shape = choose_halo<Windows>(job.n, device_info().sm_count);
    if (shape.blocks == 0) return registers(job);
    Word* const mailboxes = static_cast<Word*>(job.scratch);
    if (shape.blocks > 1) {
        CUDA_CHECK(cudaMemsetAsync(mailboxes, 0, mailbox_words(shape) * sizeof(Word)));
    }
    run(shape, mailboxes);
}

// ---- Other windows ---------------------------------------------------------------------------

/// `halo` with other windows to choose from.
template <class Windows, class Key>
void in_windows(Job<Key> job) {
    in_shape<Windows>(job, [&](HaloShape shape, Word* mailboxes) {
        for_each_window<Windows>([&](auto window) {
            if (window.kKeys != shape.keys) return;
            int n = static_cast<int>(job.n);
            Factors factors;
            void* arguments[] = {&job.keys, &n, &n, &mailboxes, &shape, &factors};
            CUDA_CHECK(launch_cooperatively(halo_kernel<Key, decltype(window)>, dim3(shape.blocks),
                                            dim3(window.kThreads), arguments));
        });
    });
}

// loop: a loop of two half-steps.
// Removes: most of the code; a loop of two half-steps fits into the smallest instruction cache.
// Remains: a branch after every two half-steps, across which the compiler moves no instruction.
using LoopWindows = std::tuple<Window<12, 6, 1>, Window<14, 4, 1>, Window<18, 3, 1>,
                               Window<22, 2, 1>, Window<40, 2, 1>, Window<72, 1, 1>>;

template <class Key>
void loop(Job<Key> job) {
    in_windows<LoopWindows>(job);
}

// keys_12: 12 keys a thread whatever n is, so that halos are narrow.
// Removes: a part of the comparisons that two blocks do.
// Remains: a narrow halo is used up sooner: more exchanges, and more refreshes. (For few keys
// `halo` has 12 keys a thread, too; then only how far warps and blocks overlap differs.)
template <class Key>
void keys_12(Job<Key> job) {
    in_windows<std::tuple<Window<12, 4, 24>>>(job);
}

// keys_16: 16 keys a thread whatever n is, so that halos are wide.
// Removes: exchanges.
// Remains: comparisons that two blocks do, more of them.
template <class Key>
void keys_16(Job<Key> job) {
    in_windows<std::tuple<Window<16, 4, 32>>>(job);
}

/// A window of eight warps.
template <int keys, int overlap, int unroll>
struct EightWarps : Window<keys, overlap, unroll> {
    static constexpr int kWarps = 8;
    static constexpr int kThreads = kWarps * kWarpSize;
    static constexpr int kGroups = kWarps * EightWarps::kOwnLanes + 2 * overlap;
    static constexpr int kMailStride = kGroups / 2;
    static constexpr int kSeamPairs = (kWarps - 1) * 2 * overlap * keys / 2;
};

// warps_8: eight warps with about half of the keys a thread.
// Removes: idle clocks: a scheduler has two warps, and one computes while the other waits.
// Remains: more than twice the seams between warps, twice the shuffles for the same keys.
using EightWarpsWindows = std::tuple<EightWarps<8, 6, 24>, EightWarps<10, 4, 20>,
                                     EightWarps<20, 2, 20>, EightWarps<36, 1, 9>>;

template <class Key>
void warps_8(Job<Key> job) {
    in_windows<EightWarpsWindows>(job);
}

// ---- Other ways to do a half-step, to refresh, and to wait -----------------------------------

/// What `halo` does, in the terms of the rows below: each of them changes one line.
struct HaloWay {
    static constexpr int kPlainOneIn = 3;    // of so many pairs one has no products
    static constexpr unsigned kSleep = 0;    // nanoseconds, between two looks at the mail
    static constexpr bool kInPairs = false;  // warps wait for their neighbours, not for the block
};

// plain: every pair by a minimum and a maximum.
// Removes: the products, and the wait for a sum and a difference one after the other.
// Remains: the pipe that does them is idle, and the other one is the limit.
struct PlainWay : HaloWay {
    static constexpr int kPlainOneIn = 1;
};

// half: products for every second pair.
// Removes: some instructions; a product takes two where a maximum takes one.
// Remains: the pipe for minima has more to do than the one for products.
struct HalfWay : HaloWay {
    static constexpr int kPlainOneIn = 2;
};

// sleep: a warp that waits for mail sleeps between two looks at it.
// Removes: requests that find nothing.
// Remains: the mail comes while the warp sleeps.
struct SleepWay : HaloWay {
    static constexpr unsigned kSleep = 20;
};

#if defined(__CUDACC__)
// pairs: at a refresh two neighbouring warps wait for each other, by a barrier of 64 threads.
// Removes: a block that waits for its slowest warp.
// Remains: warps between two others wait twice, one barrier after the other.
struct PairsWay : HaloWay {
    static constexpr bool kInPairs = true;
};
#endif

/// two_half_steps() of main.cu, with the share of plain pairs as a parameter.
template <int kPlainOneIn, int kKeys>
__device__ void two_half_steps_by(int (&key)[kKeys], Factors factors) {
    int pair = 0;
#pragma unroll
    for (int first = 0; first < 2; ++first) {
        int from_left = 0, from_right = 0;
        if (first == 1) {
            from_left = __shfl_up_sync(kFullMask, key[kKeys - 1], 1);
            from_right = __shfl_down_sync(kFullMask, key[0], 1);
        }
#pragma unroll
        for (int i = first; i + 1 < kKeys; i += 2) {
            const int low = min(key[i], key[i + 1]), high = max(key[i], key[i + 1]);
            const unsigned second_key = key[i + 1];
            const unsigned sum = static_cast<unsigned>(key[i]) * factors.one + second_key;
            const auto other_than = [&](int one) {
                return static_cast<int>(static_cast<unsigned>(one) * factors.minus_one + sum);
            };
            const bool plain = pair++ % kPlainOneIn == 0;
            const bool last = i + 2 == kKeys;
            key[i] = !plain && last ? other_than(high) : low;
            key[i + 1] = !plain && !last ? other_than(low) : high;
        }
        if (first == 1) {
            key[0] = max(key[0], from_left);
            key[kKeys - 1] = min(key[kKeys - 1], from_right);
        }
    }
}

/// Waits for the neighbour warp at the other side of a seam, and lets it see what this warp wrote.
__device__ inline void wait_at_seam([[maybe_unused]] int seam) {
#if defined(__CUDACC__)
    // Barrier 0 is __syncthreads().
    asm volatile("barrier.sync %0, %1;" ::"r"(seam + 1), "r"(2 * kWarpSize) : "memory");
#endif
}

/// refresh_seams() of window.cuh, with a barrier for each seam instead of the block's.
///
/// No warp waits in vain: what it waits for never waits for it. All warps come to the even seams
/// first, and then to the odd ones. So at an even seam a warp waits for what the other does before
/// this refresh; at an odd one for that, and for even seams; and mail is published before the
/// refresh of its exchange, and waited for after it.
///
/// Two buffers suffice, as with the block's barrier: what is overwritten was read by the neighbour
/// warp two refreshes ago, and since then both have met at the seam, in the last refresh.
template <class Window>
__device__ void refresh_seams_in_pairs(int (&key)[Window::kKeys], const Place<Window>& place,
                                       Spots<Window>& spots) {
    if (place.is_source) {
#pragma unroll
        for (int i = 0; i < Window::kKeys; i += 2) {
            spots.now[i / 2] = make_int2(key[i], key[i + 1]);
        }
    }
    __syncwarp();
    const int warp = threadIdx.x / kWarpSize;
    const int even_seam = warp / 2 * 2;           // left of an odd warp, right of an even one
    const int odd_seam = (warp + 1) / 2 * 2 - 1;  // the other side
    static_assert(Window::kWarps % 2 == 0, "each warp has an even seam");
    wait_at_seam(even_seam);
    if (odd_seam >= 0 && odd_seam < Window::kWarps - 1) wait_at_seam(odd_seam);
    if (place.is_copy) {
#pragma unroll
        for (int i = 0; i < Window::kKeys; i += 2) {
            const int2 two = spots.now[i / 2];
            key[i] = two.x;
            key[i + 1] = two.y;
        }
    }
    spots.swap();
}

template <class Way, class Window>
__device__ void refresh(int (&key)[Window::kKeys], const Place<Window>& place,
                        Spots<Window>& spots) {
    if constexpr (Way::kInPairs) {
        refresh_seams_in_pairs(key, place, spots);
    } else {
        refresh_seams(key, place, spots);
    }
}

/// consume() of main.cu, with a sleep between two looks.
template <class Way, class Window>
__device__ void consume_by(int (&key)[Window::kKeys], unsigned interval, volatile Word* mailbox,
                           bool receives) {
    if constexpr (Way::kSleep == 0) {
        consume<Window>(key, interval, mailbox, receives);
    } else {
        bool arrived = !receives;
        while (!__all_sync(kFullMask, arrived)) {
            if (receives) {
                arrived = true;
#pragma unroll
                for (int i = 0; i < Window::kKeys; ++i) {
                    const Word word = mailbox[i * Window::kMailStride];
                    key[i] = static_cast<int>(word);
                    arrived = arrived && static_cast<unsigned>(word >> 32) == interval;
                }
            }
            if (!__all_sync(kFullMask, arrived)) __nanosleep(Way::kSleep);
        }
    }
}

/// Where a thread puts its mail, or finds it: now, and at the next exchange.
struct Mail {
    Word* now;
    Word* next;
};

/// Both mailboxes in global memory, where those of `halo` are.
template <class Window>
__device__ Mail mail_in_global(Word* mailboxes, int border, int slot, int blocks) {
    constexpr int kBorderWords = Window::kMailStride * Window::kKeys;
    Word* const now = mailboxes + border * kBorderWords + slot;
    return {now, now + (blocks - 1) * kBorderWords};
}

/// A block of halo_kernel of main.cu. `mail_at(border, at_left, receives, slot)` is the thread's
/// Mail: at the border between the blocks `border` and `border + 1`, which is this block's left one
/// or not; whether it receives there or publishes; and its place among the groups of the border,
/// which is the same for who publishes and who receives.
template <class Key, class Window, class Way, class MailAt>
__device__ void sort_window(Key* keys, int n, int half_steps, HaloShape shape, Factors factors,
                            const MailAt& mail_at) {
    __shared__ int2 seams[2 * Window::kSeamPairs];
    const Place<Window> place;
    Spots<Window> spots(seams, place);
    const int group = place.group;
    const int block = static_cast<int>(blockIdx.x);
    const int at = (block * shape.own + group - shape.margin) * Window::kKeys;
    int key[Window::kKeys];
    load_group(keys, 0, n, at, key);
    __syncthreads();  // all keys are loaded before any is stored: few keys need no refresh below

    const bool at_left = group < 2 * shape.margin && block > 0;
    const bool at_right = group >= shape.own && block + 1 < shape.blocks;
    const bool owned = group >= shape.margin && group < shape.margin + shape.own;
    const bool receives = (at_left || at_right) && !owned;
    const bool publishes = (at_left || at_right) && owned && !place.is_copy;
    Mail mail =
        mail_at(block - (at_left ? 1 : 0), at_left, receives, at_left ? group : group - shape.own);

    const unsigned first_exchange = shape.blocks > 1 ? shape.refreshes : UINT_MAX;
    unsigned next_exchange = first_exchange;
    int left = half_steps;
    for (unsigned interval = 1; left > Window::kInterval; ++interval) {
#pragma unroll 1
        for (int step = 0; step < Window::kInterval; step += 2 * Window::kUnroll) {
#pragma unroll
            for (int i = 0; i < Window::kUnroll; ++i) {
                two_half_steps_by<Way::kPlainOneIn>(key, factors);
            }
        }
        left -= Window::kInterval;
        if (interval != next_exchange) {
            refresh<Way>(key, place, spots);
            continue;
        }
        // Two buffers suffice, and no block waits in vain: the argument is halo_kernel's. It says
        // that whoever read the words of an exchange has met, in the refreshes before the next one,
        // whoever then publishes. By barriers in pairs that goes one warp a refresh, and there are
        // refreshes - 1 of them between two exchanges. The words that are read lie beside those
        // that the block publishes, margin groups or fewer away, and a copy overlap groups more:
        // (refreshes + 1) * overlap groups, in warps, are never more than refreshes - 1 if
        // 3 * overlap groups are no more than one warp's.
        static_assert(!Way::kInPairs || 3 * Window::kOverlap <= Window::kOwnLanes);
        if (publishes) {
            if (interval == first_exchange) __threadfence();  // release, as in halo_kernel
            publish<Window>(key, interval, mail.now);
        }
        refresh<Way>(key, place, spots);
        consume_by<Way, Window>(key, interval, mail.now, receives);
        if (interval == first_exchange) __threadfence();  // acquire
        mail = {mail.next, mail.now};
        next_exchange += shape.refreshes;
    }
#pragma unroll 1
    for (int step = 0; step < left; step += 2) two_half_steps_by<Way::kPlainOneIn>(key, factors);
    if (owned && !place.is_copy) store_group(keys, 0, n, at, key);
}

template <class Key, class Window, class Way>
__global__ void __launch_bounds__(kBlockThreads, 1)
    way_kernel(Key* keys, int n, int half_steps, Word* mailboxes, HaloShape shape,
               Factors factors) {
    sort_window<Key, Window, Way>(
        keys, n, half_steps, shape, factors, [&](int border, bool, bool, int slot) {
            return mail_in_global<Window>(mailboxes, border, slot, shape.blocks);
        });
}

/// `halo` in another way.
template <class Way, class Key>
void by_way(Job<Key> job) {
    in_shape<HaloWindows>(job, [&](HaloShape shape, Word* mailboxes) {
        for_each_window([&](auto window) {
            if (window.kKeys != shape.keys) return;
            int n = static_cast<int>(job.n);
            Factors factors;
            void* arguments[] = {&job.keys, &n, &n, &mailboxes, &shape, &factors};
            CUDA_CHECK(launch_cooperatively(way_kernel<Key, decltype(window), Way>,
                                            dim3(shape.blocks), dim3(kBlockThreads), arguments));
        });
    });
}

// ---- Another way for the mail ----------------------------------------------------------------

#if defined(__CUDACC__)
namespace cg = cooperative_groups;

/// Words of shared memory for a block's mail: two buffers, each from the left and from the right.
template <class Window>
__host__ __device__ constexpr int mail_words() {
    return 2 * 2 * Window::kMailStride * Window::kKeys;
}

// cluster: within a thread block cluster the mail goes into the neighbour's shared memory.
// Removes: the way through the L2 cache, at the borders within a cluster.
// Remains: that way at the clusters' ends. Nobody gets ahead of a neighbour by more than an
// exchange, so all blocks go at the pace of those.
template <class Key, class Window>
__global__ void __launch_bounds__(kBlockThreads, 1)
    cluster_kernel(Key* keys, int n, int half_steps, Word* mailboxes, HaloShape shape,
                   Factors factors) {
    extern __shared__ Word shared_mail[];
    constexpr int kSideWords = Window::kMailStride * Window::kKeys;
    const cg::cluster_group cluster = cg::this_cluster();
    const int rank = static_cast<int>(cluster.block_rank());
    const int size = static_cast<int>(cluster.num_blocks());
    // No interval has the number 0.
    for (int i = threadIdx.x; i < mail_words<Window>(); i += kBlockThreads) shared_mail[i] = 0;
    cluster.sync();  // all blocks of the cluster have started, and cleared what others write to
    // Words are numbered and used in turn as those in global memory: the same argument holds. The
    // grid is a whole number of clusters; blocks that own no keys have nothing to do in between.
    if (static_cast<int>(blockIdx.x) < shape.blocks) {
        sort_window<Key, Window, HaloWay>(
            keys, n, half_steps, shape, factors,
            [&](int border, bool at_left, bool receives, int slot) -> Mail {
                const int neighbour = at_left ? rank - 1 : rank + 1;
                if (neighbour < 0 || neighbour >= size) {
                    return mail_in_global<Window>(mailboxes, border, slot, shape.blocks);
                }
                // The receiver reads its own memory: what comes from the left, or from the right.
                // To the left neighbour a block is the right one.
                const bool from_left = at_left == receives;
                Word* const whose =
                    receives ? shared_mail : cluster.map_shared_rank(shared_mail, neighbour);
                Word* const now = whose + (from_left ? 0 : kSideWords) + slot;
                return {now, now + 2 * kSideWords};
            });
    }
    cluster.sync();  // no block ends while another may still write to its shared memory
}

/// A launch in clusters of `size`: all blocks of the shape run at once, or none does.
///
/// It asks for at least half of a multiprocessor's shared memory, and the kernel's own comes on
/// top, so that no two blocks share a multiprocessor. Those of `halo` have one each because the
/// device deals blocks out evenly; of clusters nothing says that it does.
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
        config.gridDim = dim3((blocks + size - 1) / size * size);
        config.blockDim = dim3(kBlockThreads);
        config.dynamicSmemBytes =
            std::max(device_info().shared_per_sm / 2, mail_words<Window>() * sizeof(Word));
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
        cudaGetLastError();  // no block of this device may have so much
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
            cudaGetLastError();  // clusters of this size are not for this device
        }
    }
    return blocks;
}

/// In the largest clusters in which all of the shape's blocks run at once; false if there are none.
template <class Key, class Window>
bool launch_in_clusters(Job<Key> job, HaloShape shape, Word* mailboxes) {
    static const std::array<int, 3> resident = resident_in_clusters<Key, Window>();
    for (std::size_t i = 0; i < kClusterSizes.size(); ++i) {
        const ClusterLaunch<Window> launch(shape.blocks, kClusterSizes[i]);
        if (resident[i] < static_cast<int>(launch.config.gridDim.x)) continue;
        const int n = static_cast<int>(job.n);
        const cudaError_t error = cudaLaunchKernelEx(&launch.config, cluster_kernel<Key, Window>,
                                                     job.keys, n, n, mailboxes, shape, Factors{});
        if (error == cudaSuccess) return true;
        cudaGetLastError();  // refused, and nothing has run
    }
    return false;
}

template <class Key>
void cluster(Job<Key> job) {
    in_shape<HaloWindows>(job, [&](HaloShape shape, Word* mailboxes) {
        for_each_window([&](auto window) {
            if (window.kKeys != shape.keys) return;
            if (launch_in_clusters<Key, decltype(window)>(job, shape, mailboxes)) return;
            // What is measured then is not this row, and the reader must know.
            static const int said = std::fprintf(
                stderr, "cluster: not all blocks run at once in clusters; halo runs.\n");
            static_cast<void>(said);
            halo(job);
        });
    });
}
#endif

// ---- The table -------------------------------------------------------------------------------

template <class Key>
const std::vector<Stage<Launch<Key>>>& ablations() {
    const Limits few_keys = {std::size_t{1} << 17, "the registers of an H200 hold few more"};
    static const std::vector<Stage<Launch<Key>>> table = {
        {{"halo", "the chapter's: one launch, blocks exchange halos"}, halo<Key>},
        {{"plain", "each pair by minimum and maximum, no products"}, by_way<PlainWay, Key>},
        {{"half", "products for every second pair, not for two of three"}, by_way<HalfWay, Key>},
        {{"loop", "a loop of two half-steps"}, loop<Key>},
        {{"keys_12", "12 keys per thread: narrow halos, exchanged often", RowKind::stage, few_keys},
         keys_12<Key>},
        {{"keys_16", "16 keys per thread: wide halos, exchanged seldom", RowKind::stage, few_keys},
         keys_16<Key>},
        {{"warps_8", "eight warps with half of the keys per thread"}, warps_8<Key>},
        {{"sleep", "who waits for mail sleeps"}, by_way<SleepWay, Key>},
#if defined(__CUDACC__)
        {{"pairs", "neighbouring warps wait for each other, not the block"}, by_way<PairsWay, Key>},
        {{"cluster", "mail through the shared memory of a cluster"}, cluster<Key>},
#endif
    };
    return table;
}

template <class Key>
std::unique_ptr<Experiment> tried_experiment() {
    return std::make_unique<BubbleSort<Key>>(
        Parts<Key>{ablations<Key>(), scratch_bytes, many_block_work}, false);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t k1024 = 1024;
    std::string type = "float";
    Chapter chapter("ch01_ablations", "Odd-even transposition sort, what did not win", "key");
    chapter.sizes(128 * k1024, 2 * k1024, k1024 * k1024, 16 * k1024)
        .choice("--type", "type of the keys", {"float", "int"}, type);
    return chapter.run(argc, argv, [&](const Options&) -> std::unique_ptr<Experiment> {
        if (type == "int") return tried_experiment<int>();
        return tried_experiment<float>();
    });
}
