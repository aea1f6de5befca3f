// How a block of four warps holds keys in registers: which thread has which, and how those that two
// warps hold are kept right.
//
// A thread holds a group of consecutive keys, as their orders. Neighbouring warps overlap: both
// hold the 2 * overlap groups around their seam. A warp's outermost keys lack a neighbour, so they
// are wrong after one half-step, the next ones after two, and so on: `overlap` groups at either end
// of a warp are wrong after overlap * keys half-steps, and then copied from the warp that has them
// right.
#pragma once

#include <cuda_runtime.h>

#include <climits>

#include "../common/harness/key_order.hpp"

namespace bubble {

constexpr int kWarpSize = 32;
constexpr unsigned kFullMask = 0xffffffffu;
constexpr int kBlockWarps = 4;  // one for each scheduler of a multiprocessor
constexpr int kBlockThreads = kBlockWarps * kWarpSize;

/// How a block holds its keys, all of them in registers. The inner loop does `unroll` times two
/// half-steps; with few keys a thread that is a whole interval, and no loop at all.
template <int keys, int overlap, int unroll>
struct Window {
    static constexpr int kWarps = kBlockWarps;
    static constexpr int kThreads = kBlockThreads;
    static constexpr int kKeys = keys;        // of a thread: one group
    static constexpr int kOverlap = overlap;  // in groups
    static constexpr int kOwnLanes = kWarpSize - 2 * overlap;
    static constexpr int kGroups = kBlockWarps * kOwnLanes + 2 * overlap;  // each counted once
    static constexpr int kInterval = overlap * keys;  // half-steps from one refresh to the next
    static constexpr int kUnroll = unroll;
    static constexpr int kMailStride = kGroups / 2;  // no two margins are wider: HaloShape
    static constexpr int kSeamPairs = (kBlockWarps - 1) * 2 * overlap * keys / 2;
    static_assert(keys % 2 == 0, "groups begin with even keys, and are copied two keys at a time");
    static_assert(kInterval % (2 * unroll) == 0, "an interval is a whole number of inner loops");
};

/// Where a thread's group lies in its block's window.
template <class Window>
struct Place {
    int group;          // 0 .. kGroups - 1
    bool is_copy;       // another warp holds this group too, and holds it right for longer
    bool is_source;     // another warp holds a copy of this group
    int seam_position;  // among all groups that two warps hold

    __device__ Place() {
        constexpr int kOverlap = Window::kOverlap;
        const int lane = threadIdx.x % kWarpSize;
        const int warp = threadIdx.x / kWarpSize;
        const int seam = lane < 2 * kOverlap ? warp - 1 : warp;  // the nearest one
        const int in_seam = lane < 2 * kOverlap ? lane : lane - Window::kOwnLanes;
        const bool in_two_warps = in_seam >= 0 && seam >= 0 && seam < Window::kWarps - 1;
        group = warp * Window::kOwnLanes + lane;
        is_copy = in_two_warps && (lane < kOverlap || lane >= kWarpSize - kOverlap);
        is_source = in_two_warps && !is_copy;
        seam_position = seam * 2 * kOverlap + in_seam;
    }
};

/// Where a thread puts its group for a neighbour warp, or finds it: in one of two buffers in shared
/// memory, of kSeamPairs each, which are used in turn. So a fast warp may write the next one while
/// a slow warp still reads this one.
template <class Window>
struct Spots {
    int2* now;
    int2* next;

    __device__ Spots(int2* seams, const Place<Window>& place)
        : now(seams + place.seam_position * (Window::kKeys / 2)), next(now + Window::kSeamPairs) {}

    __device__ void swap() {
        int2* const used = now;
        now = next;
        next = used;
    }
};

/// Copies groups from the warps that have them right to the others, through shared memory.
template <class Window>
__device__ void refresh_seams(int (&key)[Window::kKeys], const Place<Window>& place,
                              Spots<Window>& spots) {
    if (place.is_source) {
#pragma unroll
        for (int i = 0; i < Window::kKeys; i += 2) {
            spots.now[i / 2] = make_int2(key[i], key[i + 1]);
        }
    }
    __syncthreads();  // between the writes above and the reads below by the neighbour warp
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

/// Loads the orders of keys[at .. at + kKeys), all at once. Before `begin` and from `end` on there
/// are keys that stay where they are; a load outside is made inside instead, and its result
/// dropped: a branch around each load would have to be waited for one after the other.
template <class Key, int kKeys>
__device__ void load_group(const Key* keys, int begin, int end, int at, int (&key)[kKeys]) {
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        key[i] = tutorial::ordered_int(keys[min(max(at + i, begin), end - 1)]);
    }
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
        if (at + i < begin) key[i] = INT_MIN;
        if (at + i >= end) key[i] = INT_MAX;
    }
}

/// Stores those of the keys that lie in [begin, end): in most groups all of them.
template <class Key, int kKeys>
__device__ void store_group(Key* keys, int begin, int end, int at, const int (&key)[kKeys]) {
    Key to_store[kKeys];
#pragma unroll
    for (int i = 0; i < kKeys; ++i) to_store[i] = tutorial::key_from_ordered_int<Key>(key[i]);
    if (at >= begin && at + kKeys <= end) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) keys[at + i] = to_store[i];
    } else {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if (at + i >= begin && at + i < end) keys[at + i] = to_store[i];
        }
    }
}

}  // namespace bubble
