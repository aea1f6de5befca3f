// 15. segment_maxima: the best key of every segment is published; block 0 finds the k best
// segments, and reads these again.
//
// From vector_queue: 16-byte reads. From candidate_set: the set, for block 0. New: no threshold at
// all while the keys are read. A segment is the adjacent keys that four warps read. If k segments
// are better than this one, each of them has a key that is better than all keys here; so the k best
// keys are in the k best segments. A summary is never 0: block 0 reads each until it has arrived.
// All other blocks end when they have published theirs, and wait for nothing.
#pragma once

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../topk.hpp"
#include "block.cuh"
#include "candidates.cuh"

namespace topk {

/// A segment's best radix key, and its position: see make_summary. It compares as a KeyIndex does.
using SegmentSummary = KeyIndex;

constexpr unsigned kMaxWarpsPerSegment = 4;
constexpr unsigned kSegmentRow =
    kWarpSize * 4;                     ///< keys that a warp reads with one vector per lane
constexpr SegmentSummary kNoKeys = 1;  ///< of a segment without a key

constexpr unsigned kMaxSegmentK = 32;  ///< the largest k of the stages that read segments again
constexpr unsigned kGroups = 64;       ///< of neighbouring threads: twice the largest k

/// Shared memory of the collecting block.
struct Collector {
    KeyIndex bests[kGroups];                ///< of add: of groups of neighbouring threads
    unsigned full_rescan_segments;          ///< segments of which all rows are read again
    unsigned full_rescan[kMaxSegmentK];     ///< their numbers, the best first
    SegmentSummary segments[kMaxSegmentK];  ///< the summaries of the best segments, the best first
};

// ---- All blocks: the summaries ---------------------------------------------------------------

/// The best radix key of the keys. One instruction per key: max() and min() return NaN only if all
/// are NaN, and order -0 below +0.
template <unsigned kKeys, class Key>
__device__ __forceinline__ unsigned best_radix_key(const Key (&keys)[kKeys], unsigned order_mask) {
    Key best = keys[0];
    if (order_mask == KeyOrder<Key>::order_mask(true)) {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = max(best, keys[i]);
    } else {
#pragma unroll
        for (unsigned i = 1; i < kKeys; ++i) best = min(best, keys[i]);
    }
    return KeyOrder<Key>::radix_key(best, order_mask);
}

/// The best radix key of every 32nd of `count` keys from this lane's own on; 0 if there is none.
/// Not inlined: only the last segment is not full, and all others would have to jump over this.
template <unsigned kKeys, class Key>
__device__ __noinline__ unsigned best_radix_key_of_part(const Key* keys, unsigned count,
                                                        unsigned order_mask) {
    Key mine[kKeys];
#pragma unroll
    for (unsigned i = 0; i < kKeys; ++i) {
        const unsigned at = i * kWarpSize + threadIdx.x % kWarpSize;
        mine[i] = at < count ? keys[at] : KeyOrder<Key>::key(0, order_mask);
    }
    return best_radix_key(mine, order_mask);
}

/// The best radix key of this lane's keys of the kReads rows at `base`, all of them requested
/// before the first is used; 0 if there is none. Calls meanwhile() while they are on their way.
template <unsigned kReads, class Key, class Meanwhile>
__device__ __forceinline__ unsigned best_radix_key_of_lane(const TopKParams<Key>& params,
                                                           unsigned base,
                                                           const Meanwhile& meanwhile) {
    constexpr unsigned kKeys = kReads * 4;
    const unsigned left = base < params.n ? params.n - base : 0;
    if (left < kReads * kSegmentRow) {
        return best_radix_key_of_part<kKeys>(params.keys + base, left, params.order_mask);
    }
    using Vector = typename VectorOf<Key>::Type;
    const auto* const vectors = reinterpret_cast<const Vector*>(params.keys + base);
    Key keys[kKeys];
#pragma unroll
    for (unsigned i = 0; i < kReads; ++i) {
        const Vector vector = vectors[i * kWarpSize + threadIdx.x % kWarpSize];
        keys[4 * i] = vector.x;
        keys[4 * i + 1] = vector.y;
        keys[4 * i + 2] = vector.z;
        keys[4 * i + 3] = vector.w;
    }
    meanwhile();
    return best_radix_key(keys, params.order_mask);
}

constexpr unsigned kLeadBits = 5;    ///< of a summary, the lowest ones
constexpr unsigned kReaderBits = 7;  ///< above them: which thread of the segment
constexpr unsigned kSegmentBit = kLeadBits + kReaderBits;

/// A segment's summary: its best radix key; below it the segment's number, as complement, so that
/// of equal radix keys the first segment is the best; which of its threads read the best key; and
/// how much better that is than the keys of all other threads: by at least 2^lead, or, if lead is
/// 0, perhaps not at all.
__device__ inline SegmentSummary make_summary(unsigned radix_key, unsigned segment, unsigned thread,
                                              unsigned lead) {
    return SegmentSummary{radix_key} << 32 |
           static_cast<unsigned>(~(segment << kSegmentBit | thread << kLeadBits | lead));
}
__device__ inline unsigned segment_of(SegmentSummary summary) {
    return ~static_cast<unsigned>(summary) >> kSegmentBit;
}
__device__ inline unsigned thread_of(SegmentSummary summary) {
    return ~static_cast<unsigned>(summary) >> kLeadBits & ((1u << kReaderBits) - 1);
}
__device__ inline unsigned lead_of(SegmentSummary summary) {
    return ~static_cast<unsigned>(summary) & ((1u << kLeadBits) - 1);
}

// ---- Block 0: the best segments --------------------------------------------------------------

/// Adds the threads' items that reach the threshold to the set. If more than kOrdered threads have
/// one, the threshold is raised first: to the k-th best of the groups' maxima. All threads of the
/// block must call it.
template <unsigned kItems, class Set>
__device__ __forceinline__ void add(const Set& set, Items<kItems>& mine, Collector& collector) {
    KeyIndex best = mine.best();
    const unsigned threads = __syncthreads_count(best >= set.state->threshold);
    if (threads == 0) return;
    if (threads > kOrdered) {
        constexpr unsigned kLanes = kThreads / kGroups;  // of a group
#pragma unroll
        for (unsigned distance = 1; distance < kLanes; distance *= 2) {
            best = max(best, __shfl_xor_sync(kFullMask, best, distance));
        }
        if (threadIdx.x % kLanes == 0) collector.bests[threadIdx.x / kLanes] = best;
        __syncthreads();  // the groups' maxima are known
        in_order<kGroups>(collector.bests, kGroups, [&](unsigned place, KeyIndex item) {
            // Groups without a key are equal, and several may share a place.
            if (place != set.k - 1 || item <= kNoKeys) return;
            set.state->threshold = max(set.state->threshold, item);
        });
        __syncthreads();  // the threshold is known
    }
    set.insert_items(mine, 0);
}

/// This thread's summaries of the batch that begins with number `first`. Requests all of them
/// before it uses one, waits until they have arrived, and clears them, so that the next launch
/// finds zeros again.
template <unsigned kItems>
__device__ __forceinline__ void take(SegmentSummary* summaries, unsigned first, unsigned count,
                                     Items<kItems>& batch) {
    SegmentSummary(&summary)[kItems] = batch.item;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
        summary[i] = first + i * kThreads + threadIdx.x < count ? 0 : kNoKeys;
    }
    SegmentSummary* const mine = summaries + first + threadIdx.x;
    bool are_there = false;
    for (; !are_there; spin_yield()) {
        SegmentSummary seen[kItems];
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) {
            seen[i] = summary[i] == 0 ? load_relaxed(mine + i * kThreads) : 0;
        }
        are_there = true;
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) {
            if (seen[i] != 0) store_relaxed(mine + i * kThreads, SegmentSummary{0});
            summary[i] |= seen[i];
            are_there = are_there && summary[i] != 0;
        }
    }
}

/// Writes the summaries of the k best of `count` segments to collector.segments, in order; fewer if
/// fewer segments have a key. Returns how many. The set is empty; the threshold becomes one for
/// keys. All threads of the block must call it.
template <unsigned kAtOnce, class Set>
__device__ __forceinline__ unsigned best_segments(const Set& set, SegmentSummary* summaries,
                                                  unsigned count, Collector& collector) {
#pragma unroll 1
    for (unsigned first = 0; first < count; first += kAtOnce * kThreads) {
        Items<kAtOnce> mine;
        take(summaries, first, count, mine);
        add(set, mine, collector);
    }
    // At least k keys have the k-th summary's radix key or a better one.
    const unsigned found = set.state->candidates;
    if (threadIdx.x == 0 && found < set.k) set.state->threshold = 1;
    in_order(set.slots, found, [&](unsigned position, SegmentSummary summary) {
        if (position < set.k) collector.segments[position] = summary;
        if (position == set.k - 1) {
            set.state->threshold = max(KeyIndex{radix_key_of(summary)} << 32, KeyIndex{1});
        }
    });
    __syncthreads();  // the segments are in order, and the threshold is known
    return min(found, set.k);
}

// ---- Block 0: the best segments again -----------------------------------------------------------

constexpr unsigned kRowsOfWarp = 2;  ///< that a warp reads at once
constexpr unsigned kRowsAtOnce = kRowsOfWarp * kWarps;
static_assert(kMaxSegmentK <= kRowsAtOnce && kMaxSegmentK <= kWarpSize);

/// The best segments, each of kRows rows, and how to read them again. Its members are values: with
/// a reference to the kernel's parameters, each thread of the grid would first copy these to its
/// local memory, because add_full_rescans is not inlined.
template <class Key, unsigned kRows>
struct SegmentReader {
    using Vector = typename VectorOf<Key>::Type;
    const Key* keys;
    unsigned n;
    unsigned order_mask;
    const SegmentSummary* segments;  ///< shared

    /// The index of the first key of a lane's vector in a row.
    __device__ __forceinline__ unsigned index(unsigned segment, unsigned row, unsigned lane) const {
        return (segment_of(segments[segment]) * kRows + row) * kSegmentRow + lane * 4;
    }

    /// The four keys at `index`; 0 past the last one.
    __device__ __forceinline__ Vector load(unsigned index) const {
        if (index < n && n - index >= 4) return *reinterpret_cast<const Vector*>(keys + index);
        Vector part = {};
        if (index < n) part.x = keys[index];
        if (index < n && n - index > 1) part.y = keys[index + 1];
        if (index < n && n - index > 2) part.z = keys[index + 2];
        return part;
    }

    /// The keys at each of several indices, all requested before the first is used.
    template <unsigned kVectorsAtOnce>
    __device__ __forceinline__ Items<4 * kVectorsAtOnce> items(
        const unsigned (&at)[kVectorsAtOnce]) const {
        Vector loaded[kVectorsAtOnce];
#pragma unroll
        for (unsigned i = 0; i < kVectorsAtOnce; ++i) loaded[i] = load(at[i]);
        Items<4 * kVectorsAtOnce> items;
#pragma unroll
        for (unsigned i = 0; i < kVectorsAtOnce; ++i) {
            const Key four[4] = {loaded[i].x, loaded[i].y, loaded[i].z, loaded[i].w};
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                const bool there = at[i] < n && j < n - at[i];
                items.item[4 * i + j] = there ? key_index_of(four[j], at[i] + j, order_mask) : 0;
            }
        }
        return items;
    }

    /// A warp's keys of kRowsAtOnce rows: from row `first` of `count` on, of the segments
    /// number(0), number(1)...
    template <class Number>
    __device__ __forceinline__ Items<4 * kRowsOfWarp> rows(unsigned first, unsigned count,
                                                           const Number& number) const {
        unsigned at[kRowsOfWarp];
#pragma unroll
        for (unsigned i = 0; i < kRowsOfWarp; ++i) {
            const unsigned row = first + threadIdx.x / kWarpSize + i * kWarps;
            at[i] =
                row < count ? index(number(row / kRows), row % kRows, threadIdx.x % kWarpSize) : n;
        }
        return items(at);
    }

    /// Can a key of this segment reach the threshold? If not, neither can a key of a later one.
    __device__ __forceinline__ bool may_reach(KeyIndex threshold, unsigned segment) const {
        const unsigned first = segment_of(segments[segment]) * kRows * kSegmentRow;
        return make_key_index(radix_key_of(segments[segment]), first) >= threshold;
    }
};

/// Adds all keys of the segments in the list collector->full_rescan, the best segments first, until
/// the threshold is above all that follow. All threads of the block must call it.
template <class Key, unsigned kRows, class Set>
__device__ __noinline__ void add_full_rescans(SegmentReader<Key, kRows> reader, Set set,
                                              Collector* collector) {
    const auto number = [&](unsigned i) { return collector->full_rescan[i]; };
    const unsigned rows = collector->full_rescan_segments * kRows;
    for (unsigned first = 0; first < rows; first += kRowsAtOnce) {
        if (!reader.may_reach(set.state->threshold, number(first / kRows))) return;
        Items<4 * kRowsOfWarp> mine = reader.rows(first, rows, number);
        add(set, mine, *collector);
    }
}

// ---- The kernel -------------------------------------------------------------------------------

/// No candidate yet, and no segment to read whole. All threads of the block must call it.
template <class Set>
__device__ __forceinline__ void start_collecting(const Set& set, Collector& collector) {
    if (threadIdx.x == 0) {
        set.state->threshold = kNoKeys + 1;
        set.state->candidates = 0;
        collector.full_rescan_segments = 0;
    }
    __syncthreads();  // the set is empty
}

/// How many summaries a thread of block 0 reads at once. Up to 2^22 keys, when all blocks finish at
/// about the same time, that is all of the summaries.
template <unsigned kReads>
constexpr unsigned kSummariesAtOnce = kReads < 4 ? 1 : 4;

/// In the collecting block: writes the k best of the set to the answer, in order. All threads of
/// the block must call it.
template <class Key, class Set>
__device__ __forceinline__ void write_answer(const TopKParams<Key>& params, const Set& set) {
    const unsigned keys = set.state->candidates;
    in_order(set.slots, keys, [&](unsigned position, KeyIndex candidate) {
        if (position < params.k) params.result.write(position, candidate, params.order_mask);
    });
    if (threadIdx.x == 0) *params.result.count = min(keys, params.k);
}

/// Publishes the best radix key of each of this block's segments of four warps. All threads of the
/// block must call it.
template <unsigned kReads, class Key>
__device__ __forceinline__ void publish_maxima(const TopKParams<Key>& params, unsigned* of_warps) {
    constexpr unsigned kKeys = kMaxWarpsPerSegment * kReads * kSegmentRow;  // of a segment
    constexpr unsigned kSegments = kWarps / kMaxWarpsPerSegment;            // of a block
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned base = (blockIdx.x * kWarps + warp) * kReads * kSegmentRow;
    const unsigned best = warp_max(best_radix_key_of_lane<kReads>(params, base, [] {}));
    if (threadIdx.x % kWarpSize == 0) of_warps[warp] = best;
    __syncthreads();  // all warps' maxima are known
    if (threadIdx.x >= kSegments) return;
    unsigned of_segment = 0;
#pragma unroll
    for (unsigned i = 0; i < kMaxWarpsPerSegment; ++i) {
        of_segment = max(of_segment, of_warps[threadIdx.x * kMaxWarpsPerSegment + i]);
    }
    const unsigned segment = blockIdx.x * kSegments + threadIdx.x;
    const bool has_key = segment * kKeys < params.n && KeyOrder<Key>::is_value(of_segment);
    store_relaxed(&params.scratch.summaries[segment],
                  has_key ? make_summary(of_segment, segment, 0, 0) : kNoKeys);
}

// segment_maxima: four warps read a segment, and publish its best key. Block 0 finds the k best
// segments, and reads all their keys again.
// Removes: the sample, the grid-wide barrier, the cooperative launch; the list of all blocks.
// Remains: block 0 reads k whole segments, although nearly all of their keys are too small.
// Block 0 waits for blocks that may not have started. No other block waits, so they finish in the
// room that block 0 leaves. That works on every GPU we have tried; CUDA does not promise it.
template <class Key, unsigned kReads>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    segment_maxima_kernel(TopKParams<Key> params) {
    using Set = CandidateSet<false, kSlotsForSmallK>;
    constexpr unsigned kRows = kReads * kMaxWarpsPerSegment;
    __shared__ unsigned of_warps[kWarps];
    __shared__ KeyIndex slots[Set::kSlots];
    __shared__ BlockState state;
    __shared__ Collector collector;
    publish_maxima<kReads>(params, of_warps);
    if (blockIdx.x != 0) return;
    const Set set{slots, &state, params.k};
    start_collecting(set, collector);
    const unsigned segments = best_segments<kSummariesAtOnce<kReads>>(
        set, params.scratch.summaries, gridDim.x * (kWarps / kMaxWarpsPerSegment), collector);
    if (threadIdx.x == 0) {
        state.candidates = 0;
        collector.full_rescan_segments = segments;
    }
    if (threadIdx.x < segments) collector.full_rescan[threadIdx.x] = threadIdx.x;
    __syncthreads();  // the set is empty, and all best segments are in the list
    const SegmentReader<Key, kRows> reader = {params.keys, params.n, params.order_mask,
                                              collector.segments};
    add_full_rescans(reader, set, &collector);
    write_answer(params, set);
}

template <class Key>
void segment_maxima(const TopKParams<Key>& params) {
    tutorial::require_aligned(params.keys, "segment_maxima");
    const unsigned vectors = divide_up(params.n, 4u);
    const unsigned reads = reads_per_thread(vectors, kThreads);
    auto* kernel = segment_maxima_kernel<Key, kMaxReads>;
    if (reads == 1) kernel = segment_maxima_kernel<Key, 1>;
    if (reads == 2) kernel = segment_maxima_kernel<Key, 2>;
    if (reads == 4) kernel = segment_maxima_kernel<Key, 4>;
    kernel<<<divide_up(vectors, kThreads * reads), kThreads>>>(params);
    CUDA_CHECK_LAUNCH();
}

}  // namespace topk
