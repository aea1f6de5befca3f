// Odd-even transposition sort ("bubble sort") of N float or int keys, from one block in global
// memory to a whole GPU that sorts in registers.
//
// The algorithm: a half-step compares and exchanges the pairs (0 1)(2 3)(4 5)..., the next one the
// pairs (1 2)(3 4)(5 6)..., and so on in turn. N half-steps sort N keys, whatever the keys are.
//
// You will learn: global, shared and register memory, barriers, coalescing, warp shuffles, halos,
// blocks that talk to each other, and how to count what a GPU can do at best.
//
//   nvcc -std=c++17 -O3 -arch=native -I. ch01_bubble/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch01
//   cmake --build build/cuda --target ch01_bubble    (or build/cpu, where there is no GPU)
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <string>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/cooperative_launch.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/key_order.hpp"
#include "estimate.hpp"
#include "experiment.hpp"
#include "halo_shape.hpp"
#include "library.cuh"
#include "window.cuh"

namespace {

using namespace tutorial;
using namespace bubble;

/// The one operation of this chapter: afterwards `low` does not come after `high`.
template <class Key>
__host__ __device__ void compare_exchange(Key& low, Key& high) {
    if (ordered_int(high) < ordered_int(low)) {
        const Key other = low;
        low = high;
        high = other;
    }
}

// ---- The host's versions ---------------------------------------------------------------------

/// The classic bubble sort: each pass carries the largest key that is left to the end.
template <class Key>
void bubble_host(Job<Key> job) {
    for (unsigned end = job.n; end > 1; --end) {
        for (unsigned i = 0; i + 1 < end; ++i) compare_exchange(job.keys[i], job.keys[i + 1]);
    }
}

/// The odd-even sort: the same comparisons in an order that leaves those of a half-step
/// independent.
template <class Key>
void odd_even_host(Job<Key> job) {
    for (unsigned step = 0; step < job.n; ++step) {
        for (unsigned i = step % 2; i + 1 < job.n; i += 2) {
            compare_exchange(job.keys[i], job.keys[i + 1]);
        }
    }
}

// ---- One block -------------------------------------------------------------------------------

// global: a block shares the pairs of a half-step out among its threads.
// Removes: the loop over the pairs, all of which are independent.
// Remains: every comparison reads and writes global memory; one multiprocessor does all the work.
template <class Key>
__global__ void global_kernel(Key* keys, unsigned n) {
    for (unsigned step = 0; step < n; ++step) {
        for (unsigned i = 2 * threadIdx.x + step % 2; i + 1 < n; i += 2 * blockDim.x) {
            compare_exchange(keys[i], keys[i + 1]);
        }
        __syncthreads();  // between half-steps: the next one's pairs straddle these
    }
}

constexpr unsigned kMaxThreads = 1024;  // of a block, on every GPU
constexpr std::size_t kGlobalMaxKeys = std::size_t{1} << 16;

template <class Key>
void global(Job<Key> job) {
    if (job.n < 2) return;
    global_kernel<<<1, std::min(job.n / 2, kMaxThreads)>>>(job.keys, job.n);
    CUDA_CHECK_LAUNCH();
}

/// Sorts `count` orders of keys in shared memory; thread t compares the t-th pair of each
/// half-step. Call it after a barrier; it ends with one.
__device__ inline void sort_shared(int* tile, unsigned count) {
    for (unsigned step = 0; step < count; ++step) {
        const unsigned i = 2 * threadIdx.x + step % 2;
        if (i + 1 < count) compare_exchange(tile[i], tile[i + 1]);
        __syncthreads();  // between half-steps, as above; after the last: before the keys are read
    }
}

constexpr unsigned kSharedMaxKeys = 2 * kMaxThreads + 1;

// shared: the keys are copied to shared memory (as their orders), sorted there, and copied back.
// Removes: the way to global memory and back in every half-step.
// Remains: one multiprocessor, a barrier per half-step, and no more keys than two a thread.
template <class Key>
__global__ void shared_kernel(Key* keys, unsigned n) {
    __shared__ int tile[kSharedMaxKeys];
    // Stride blockDim.x, about n/2: neighbouring threads load neighbouring keys in either half.
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) tile[i] = ordered_int(keys[i]);
    __syncthreads();  // loaded by other threads than will compare them
    sort_shared(tile, n);
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        keys[i] = key_from_ordered_int<Key>(tile[i]);
}

template <class Key>
void shared(Job<Key> job) {
    if (job.n < 2) return;
    shared_kernel<<<1, job.n / 2>>>(job.keys, job.n);
    CUDA_CHECK_LAUNCH();
}

// ---- Many blocks -----------------------------------------------------------------------------

// grid: a launch per half-step; the end of a launch is the barrier between the blocks.
// Removes: the limit of one multiprocessor.
// Remains: n launches, and each passes over all keys in global memory.
template <class Key>
__global__ void grid_kernel(Key* keys, unsigned n, unsigned first) {
    const unsigned i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) compare_exchange(keys[i], keys[i + 1]);
}

constexpr unsigned kGridThreads = 256;
constexpr std::size_t kGridMaxKeys = std::size_t{1} << 17;

constexpr unsigned divide_up(unsigned a, unsigned b) { return (a + b - 1) / b; }

template <class Key>
void grid(Job<Key> job) {
    const unsigned blocks = divide_up(job.n / 2, kGridThreads);
    for (unsigned step = 0; blocks > 0 && step < job.n; ++step) {
        grid_kernel<<<blocks, kGridThreads>>>(job.keys, job.n, step % 2);
        CUDA_CHECK_LAUNCH();
    }
}

/// How many rounds sort n keys when each round sorts segments of `segment` keys (an even number),
/// which begin at 0 in even rounds and at segment/2 in odd ones. Take half-segments for items: a
/// round sorts neighbouring items together, so rounds are the half-steps of an odd-even sort of
/// ceil(n / (segment/2)) items, in which a compare-exchange merges and splits two sorted runs
/// (Baudet and Stevenson, 1978). The first round sorts every item, and so many half-steps suffice.
unsigned rounds_needed(unsigned n, unsigned segment) {
    if (n <= segment) return n < 2 ? 0 : 1;
    return divide_up(n, segment / 2);
}

/// Calls launch(first, blocks) for each round: `blocks` segments, the first of which begins at key
/// `first`.
template <class Launch>
void alternate_segments(unsigned n, unsigned segment, const Launch& launch) {
    const unsigned rounds = rounds_needed(n, segment);
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned first = round % 2 * (segment / 2);
        launch(first, divide_up(n - first, segment));
        CUDA_CHECK_LAUNCH();
    }
}

constexpr unsigned kSegment = 1024;  // keys that a block sorts in tiles, coalesced and shuffle

// tiles: a block sorts a whole segment in shared memory before the blocks meet again; segments
// alternate, so that a key wanders half a segment per launch.
// Removes: n launches and n passes over global memory; about 4 n / segment are left of each.
// Remains: every key is compared twice as often as need be; a thread loads two neighbouring keys.
template <class Key>
__global__ void tiles_kernel(Key* keys, unsigned n, unsigned first) {
    __shared__ int tile[kSegment];
    const unsigned begin = first + blockIdx.x * kSegment;
    const unsigned count = min(kSegment, n - begin);
    const unsigned i = 2 * threadIdx.x;
    if (i < count) tile[i] = ordered_int(keys[begin + i]);
    if (i + 1 < count) tile[i + 1] = ordered_int(keys[begin + i + 1]);
    __syncthreads();  // `coalesced` needs it; here each thread first compares what it loaded
    sort_shared(tile, count);
    if (i < count) keys[begin + i] = key_from_ordered_int<Key>(tile[i]);
    if (i + 1 < count) keys[begin + i + 1] = key_from_ordered_int<Key>(tile[i + 1]);
}

template <class Key>
void tiles(Job<Key> job) {
    alternate_segments(job.n, kSegment, [&](unsigned first, unsigned blocks) {
        tiles_kernel<<<blocks, kSegment / 2>>>(job.keys, job.n, first);
    });
}

// coalesced: neighbouring threads load neighbouring keys, each warp whole sectors at once.
// Removes: half of the sectors that a request to global memory touched.
// Remains: two shared-memory reads, up to two writes and a barrier per pair and half-step.
template <class Key>
__global__ void coalesced_kernel(Key* keys, unsigned n, unsigned first) {
    __shared__ int tile[kSegment];
    const unsigned begin = first + blockIdx.x * kSegment;
    const unsigned count = min(kSegment, n - begin);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        tile[i] = ordered_int(keys[begin + i]);
    }
    __syncthreads();  // loaded by other threads than will compare them
    sort_shared(tile, count);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        keys[begin + i] = key_from_ordered_int<Key>(tile[i]);
    }
}

template <class Key>
void coalesced(Job<Key> job) {
    alternate_segments(job.n, kSegment, [&](unsigned first, unsigned blocks) {
        coalesced_kernel<<<blocks, kSegment / 2>>>(job.keys, job.n, first);
    });
}

// shuffle: a thread keeps one key, as its order, in a register; neighbours in a warp exchange
// theirs by shuffles, and only the first and last lanes of a warp use shared memory.
// Removes: shared memory and the barrier from half of the half-steps, most of it from the others.
// Remains: a shuffle per key and half-step; both threads of a pair do the same comparison.
template <class Key>
__global__ void shuffle_kernel(Key* keys, unsigned n, unsigned first) {
    constexpr int kWarps = kSegment / kWarpSize;
    __shared__ int first_of_warp[2][kWarps];  // two of each: one is read, the next one written
    __shared__ int last_of_warp[2][kWarps];
    const unsigned at = first + blockIdx.x * kSegment + threadIdx.x;
    const int lane = threadIdx.x % kWarpSize;
    const int warp = threadIdx.x / kWarpSize;
    const unsigned count = min(kSegment, n - (first + blockIdx.x * kSegment));
    int key = at < n ? ordered_int(keys[at]) : INT_MAX;  // what is past the end stays there
    for (unsigned step = 0; step < count; step += 2) {
        // The even half-step: lanes (0 1)(2 3)... of each warp.
        int other = __shfl_xor_sync(kFullMask, key, 1);
        key = lane % 2 == 0 ? min(key, other) : max(key, other);
        // The odd half-step: lanes (1 2)(3 4)..., and lane 31 with lane 0 of the next warp.
        const int buffer = step / 2 % 2;
        if (lane == 0) first_of_warp[buffer][warp] = key;
        if (lane == kWarpSize - 1) last_of_warp[buffer][warp] = key;
        __syncthreads();  // between the writes above and the reads below by the neighbour warps
        other = __shfl_sync(kFullMask, key, lane % 2 == 0 ? lane - 1 : lane + 1);
        if (lane == 0) other = warp > 0 ? last_of_warp[buffer][warp - 1] : INT_MIN;
        if (lane == kWarpSize - 1) {
            other = warp + 1 < kWarps ? first_of_warp[buffer][warp + 1] : INT_MAX;
        }
        key = lane % 2 == 0 ? max(key, other) : min(key, other);
    }
    if (at < n) keys[at] = key_from_ordered_int<Key>(key);
}

template <class Key>
void shuffle(Job<Key> job) {
    alternate_segments(job.n, kSegment, [&](unsigned first, unsigned blocks) {
        shuffle_kernel<<<blocks, kSegment>>>(job.keys, job.n, first);
    });
}

// ---- Several keys a thread -------------------------------------------------------------------

// From here on a block is four warps, and each thread holds a group of consecutive keys, as their
// orders, in registers. window.cuh says how the groups lie, and how neighbouring warps overlap.

/// 1 and -1, as a kernel parameter: so the compiler cannot know them.
struct Factors {
    unsigned one = 1;
    unsigned minus_one = ~0u;
};

/// An even and an odd half-step of the warp's keys.
///
/// A compare-exchange is a min and a max, and the multiprocessor's ALU pipe, which does both, takes
/// half a warp per scheduler and clock. The pipe that multiplies would be idle. So of two pairs in
/// three it computes one of the two, as what is left of the pair's sum without the other, which is
/// exact modulo 2^32. Then both pipes, and the issue of instructions, are equally busy. The sum and
/// the difference are products with 1 and -1: the compiler would do plain ones on the ALU. The sum
/// does not wait for the minimum.
template <int kKeys>
__device__ void two_half_steps(int (&key)[kKeys], Factors factors) {
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
            const unsigned first_key = key[i], second_key = key[i + 1];
            if (pair++ % 3 == 0) {
                const int low = min(key[i], key[i + 1]);
                key[i + 1] = max(key[i], key[i + 1]);
                key[i] = low;
            } else if (i + 2 == kKeys) {  // the maximum first: a shuffle waits for the last key
                const int high = max(key[i], key[i + 1]);
                const unsigned sum = first_key * factors.one + second_key;
                key[i] = static_cast<int>(static_cast<unsigned>(high) * factors.minus_one + sum);
                key[i + 1] = high;
            } else {
                const int low = min(key[i], key[i + 1]);
                const unsigned sum = first_key * factors.one + second_key;
                key[i + 1] = static_cast<int>(static_cast<unsigned>(low) * factors.minus_one + sum);
                key[i] = low;
            }
        }
        if (first == 1) {
            key[0] = max(key[0], from_left);
            key[kKeys - 1] = min(key[kKeys - 1], from_right);
        }
    }
}

/// The half-steps from one refresh to the next.
template <class Window>
__device__ void one_interval(int (&key)[Window::kKeys], Factors factors) {
#pragma unroll 1
    for (int step = 0; step < Window::kInterval; step += 2 * Window::kUnroll) {
#pragma unroll
        for (int i = 0; i < Window::kUnroll; ++i) two_half_steps(key, factors);
    }
}

/// So many half-steps, or one more; no more than an interval.
template <int kKeys>
__device__ void last_half_steps(int (&key)[kKeys], int count, Factors factors) {
#pragma unroll 1
    for (int step = 0; step < count; step += 2) two_half_steps(key, factors);
}

using RegistersWindow = Window<16, 4, 32>;
// The window's first and last groups hold no keys of the segment: the ends must not move.
constexpr int kRegistersSegment = (RegistersWindow::kGroups - 2) * RegistersWindow::kKeys;

// registers: a thread holds 16 consecutive keys, so most pairs lie within one thread.
// Removes: all but two shuffles per two half-steps, and all but one barrier in 64 half-steps.
// Remains: launches, and every key is still compared twice as often as need be.
template <class Key>
__global__ void __launch_bounds__(kBlockThreads, 1)
    registers_kernel(Key* keys, int n, int first, Factors factors) {
    using W = RegistersWindow;
    __shared__ int2 seams[2 * W::kSeamPairs];
    const Place<W> place;
    Spots<W> spots(seams, place);
    const int begin = first + blockIdx.x * kRegistersSegment;
    const int end = min(begin + kRegistersSegment, n);
    const int at = begin + (place.group - 1) * W::kKeys;
    int key[W::kKeys];
    load_group(keys, begin, end, at, key);
    __syncthreads();  // all keys are loaded before any is stored: few keys need no refresh below
    int left = end - begin;
    for (; left > W::kInterval; left -= W::kInterval) {
        one_interval<W>(key, factors);
        refresh_seams(key, place, spots);
    }
    last_half_steps(key, left, factors);
    if (!place.is_copy) store_group(keys, begin, end, at, key);
}

template <class Key>
void registers(Job<Key> job) {
    alternate_segments(job.n, kRegistersSegment, [&](unsigned first, unsigned blocks) {
        registers_kernel<<<blocks, kBlockThreads>>>(job.keys, static_cast<int>(job.n),
                                                    static_cast<int>(first), Factors{});
    });
}

// ---- Halo: blocks that stay, and exchange keys with their neighbours -------------------------

/// A key for a neighbour block, and the number of the interval after which it was published. A
/// thread reads and writes all 8 bytes of a word at once, so a reader that sees the number sees the
/// key.
using Word = unsigned long long;

/// `mailbox` is the thread's place in global memory; its words are kMailStride apart, so that
/// neighbouring threads write neighbouring words.
template <class Window>
__device__ void publish(const int (&key)[Window::kKeys], unsigned interval,
                        volatile Word* mailbox) {
#pragma unroll
    for (int i = 0; i < Window::kKeys; ++i) {
        mailbox[i * Window::kMailStride] = Word{interval} << 32 | static_cast<unsigned>(key[i]);
    }
}

/// Lets others run: a CPU that imitates the device needs to be told. A GPU does not, and its
/// shortest sleep is longer than the trip to a word.
__device__ void let_others_run() {
#if !defined(__CUDACC__)
    __nanosleep(0);
#endif
}

/// Waits until all keys of this interval have been published for those of the warp's threads that
/// are receivers. All threads of the warp stay together: shuffles among diverged threads cost more.
template <class Window>
__device__ void consume(int (&key)[Window::kKeys], unsigned interval, volatile Word* mailbox,
                        bool receives) {
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
        let_others_run();
    }
}

// halo: each block keeps its keys in registers for the whole sort. Its window reaches into its
// neighbours' keys, and every so many half-steps the blocks exchange these halos.
// Removes: all launches but one, the passes over the keys, and the doubled comparisons.
// Remains: the halos are computed twice, and a block that waits for its neighbour does nothing.
template <class Key, class Window>
__global__ void __launch_bounds__(Window::kThreads, 1)
    halo_kernel(Key* keys, int n, int half_steps, Word* mailboxes, HaloShape shape,
                Factors factors) {
    __shared__ int2 seams[2 * Window::kSeamPairs];
    const Place<Window> place;
    Spots<Window> spots(seams, place);
    const int group = place.group;
    const int at =
        (static_cast<int>(blockIdx.x) * shape.own + group - shape.margin) * Window::kKeys;
    int key[Window::kKeys];
    load_group(keys, 0, n, at, key);
    __syncthreads();  // all keys are loaded before any is stored: few keys need no refresh below

    // Around the border between two blocks lie 2 * margin groups that both hold. Of these each
    // block owns the half on its side: it publishes that half, and receives the other.
    const bool at_left = group < 2 * shape.margin && blockIdx.x > 0;
    const bool at_right = group >= shape.own && blockIdx.x + 1 < gridDim.x;
    const bool owned = group >= shape.margin && group < shape.margin + shape.own;
    const bool receives = (at_left || at_right) && !owned;
    const bool publishes = (at_left || at_right) && owned && !place.is_copy;
    const int border = static_cast<int>(blockIdx.x) - (at_left ? 1 : 0);
    constexpr int kBorderWords = Window::kMailStride * Window::kKeys;
    Word* mailbox = mailboxes + border * kBorderWords + (at_left ? group : group - shape.own);
    Word* next_mailbox = mailbox + (static_cast<int>(gridDim.x) - 1) * kBorderWords;

    const unsigned first_exchange = gridDim.x > 1 ? shape.refreshes : UINT_MAX;
    unsigned next_exchange = first_exchange;
    int left = half_steps;
    for (unsigned interval = 1; left > Window::kInterval; ++interval) {
        one_interval<Window>(key, factors);
        left -= Window::kInterval;
        if (interval != next_exchange) {
            refresh_seams(key, place, spots);
            continue;
        }

        if (publishes) {
            // Release: a neighbour that sees our first words knows that this block, all of whose
            // threads have come to a refresh since, has loaded its keys. Later words need no fence:
            // each carries its own number.
            if (interval == first_exchange) __threadfence();
            publish<Window>(key, interval, mailbox);
        }
        refresh_seams(key, place, spots);
        // Two buffers suffice. We overwrite our words of two exchanges ago, and those have been
        // read: their reader has published since, and before it publishes, all its threads have
        // come to the barrier of a refresh after the exchange before (refreshes >= 2). And no block
        // waits in vain: each publishes before it consumes words of the same exchange.
        consume<Window>(key, interval, mailbox, receives);
        // Acquire: the neighbours have loaded their windows, ends of our keys included. All our
        // threads know it when they store their keys: a refresh lies between, because n half-steps
        // are more than two exchanges.
        if (interval == first_exchange) __threadfence();
        Word* const used = mailbox;
        mailbox = next_mailbox;
        next_mailbox = used;
        next_exchange += shape.refreshes;
    }
    last_half_steps(key, left, factors);
    if (owned && !place.is_copy) store_group(keys, 0, n, at, key);
}

/// So many half-steps with this shape; its blocks must hold all keys, and each of them some.
template <class Key>
void launch_halo(Job<Key> job, HaloShape shape, unsigned half_steps) {
    Word* mailbox = static_cast<Word*>(job.scratch);
    if (shape.blocks > 1) {
        CUDA_CHECK(cudaMemsetAsync(mailbox, 0, mailbox_words(shape) * sizeof(Word)));
    }
    for_each_window([&](auto window) {
        if (window.kKeys != shape.keys) return;
        int n = static_cast<int>(job.n);
        int steps = static_cast<int>(half_steps);
        Factors factors;
        void* arguments[] = {&job.keys, &n, &steps, &mailbox, &shape, &factors};
        // Cooperative: all blocks run at once, or none does. Blocks that wait for each other need
        // it.
        CUDA_CHECK(launch_cooperatively(halo_kernel<Key, decltype(window)>, dim3(shape.blocks),
                                        dim3(kBlockThreads), arguments));
    });
}

template <class Key>
void halo(Job<Key> job) {
    if (job.n < 2) return;
    const HaloShape shape = choose_halo(job.n, device_info().sm_count);
    if (shape.blocks > 0) {
        launch_halo(job, shape, job.n);
    } else {
        registers(job);  // a GPU with few multiprocessors: their registers do not hold all keys
    }
}

// ---- The table -------------------------------------------------------------------------------

template <class Key>
const std::vector<Stage<Launch<Key>>>& stages() {
    static const std::vector<Stage<Launch<Key>>> table = {
        {{"bubble_host",
          "host: the classic bubble sort",
          RowKind::host,
          {std::size_t{1} << 15, "more would take many seconds"}},
         bubble_host<Key>},
        {{"odd_even_host",
          "host: odd-even half-steps",
          RowKind::host,
          {std::size_t{1} << 15, "more would take many seconds"}},
         odd_even_host<Key>},
        {{"global",
          "one block, keys in global memory",
          RowKind::stage,
          {kGlobalMaxKeys, "one multiprocessor would take many seconds"}},
         global<Key>},
        {{"shared",
          "one block, keys in shared memory",
          RowKind::stage,
          {kSharedMaxKeys, "one block holds two keys per thread"}},
         shared<Key>},
        {{"grid",
          "many blocks, a launch per half-step",
          RowKind::stage,
          {kGridMaxKeys, "so many launches would take many seconds"}},
         grid<Key>},
        {{"tiles", "a block sorts a segment in shared memory; segments alternate"}, tiles<Key>},
        {{"coalesced", "neighbouring threads load neighbouring keys"}, coalesced<Key>},
        {{"shuffle", "a key a thread in registers, warp shuffles"}, shuffle<Key>},
        {{"registers", "several keys per thread, warps overlap"}, registers<Key>},
        {{"halo", "one launch: blocks keep their keys and exchange halos"}, halo<Key>},
#if defined(__CUDACC__)
        {{"cub_radix", "a better algorithm: cub's radix sort", RowKind::library}, cub_radix<Key>},
#endif
    };
    return table;
}

/// What the many-block stages do, for the estimate.
std::vector<Work> many_block_work(unsigned n, int multiprocessors) {
    const auto segments = [n](const char* stage, unsigned segment) {
        return Work{stage, 1.0 * rounds_needed(n, segment), 1.0 * divide_up(n, segment),
                    1.0 * std::min(n, segment), 1.0 * std::min(n, segment)};
    };
    std::vector<Work> work = {
        {"grid", 1.0 * n, 1.0 * divide_up(n / 2, kGridThreads), 1.0, 2.0 * kGridThreads},
        segments("tiles", kSegment),
        segments("coalesced", kSegment),
        segments("shuffle", kSegment),
        segments("registers", kRegistersSegment),
    };
    const HaloShape shape = choose_halo(n, multiprocessors);
    if (shape.blocks > 0) {
        const double window = 1.0 * (shape.own + 2 * shape.margin) * shape.keys;
        work.push_back({"halo", 1.0, 1.0 * shape.blocks, 1.0 * n, window});
    }
    return work;
}

/// Scratch memory in bytes: halo's mailboxes (16 n, see HaloShape), or what cub's sort needs.
std::size_t scratch_bytes(std::size_t n) { return 16 * n + kLibraryScratch; }

template <class Key>
std::unique_ptr<Experiment> experiment(bool estimate) {
    const Parts<Key> parts = {stages<Key>(), scratch_bytes, many_block_work};
    return std::make_unique<BubbleSort<Key>>(parts, estimate);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t k1024 = 1024;
    std::string type = "float";
    bool estimate = false;
    Chapter chapter("ch01_bubble", "odd-even transposition sort, one key at a time", "key");
    chapter.sizes(64 * k1024, 2 * k1024, k1024 * k1024, 16 * k1024)
        .choice("--type", "type of the keys", {"float", "int"}, type)
        .flag("--estimate", "print what counting predicts for each many-block stage", estimate);
    return chapter.run(argc, argv, [&](const Options&) -> std::unique_ptr<Experiment> {
        if (type == "int") return experiment<int>(estimate);
        return experiment<float>(estimate);
    });
}
