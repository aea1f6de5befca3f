// sample_best: a sample of the keys, sorted, says where to cut; two passes put every key into its
// bucket, each smaller than a block's tile; then each block sorts a bucket, and nothing is merged.
//
// From the ladder: sample_sort. New: two passes, each into so few buckets that a block stores
// several keys of each together; splitters in shared memory; a byte per key, so that it is searched
// once per pass; the windows of merge_best, to sort a bucket. In the order of the launches, for
// many keys:
//
//   sample_kernel, splitters_kernel   a sample, which merge_best sorts; where it cuts
//   count_buckets_kernel              how many keys of each tile go to each of the first buckets
//   begin_tiles_kernel                where the buckets begin
//   move_to_buckets_kernel            every key goes to its bucket
//   count_buckets_kernel, begin_last_kernel, move_to_buckets_kernel
//                                     the same within each bucket
//   sort_buckets_kernel               a block sorts a bucket
//
// For few keys sample_grid_kernel is all of it (sample_in_one_launch.cuh).
//
// Keys that are equal may go to any of the buckets between which their splitters lie, so even
// keys that are all the same fill the buckets evenly. For keys alone: a key does not keep its place
// among its equals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../../common/harness/programmatic_launch.hpp"
#include "sample_in_one_launch.cuh"

namespace sorting {

// ---- All of it -------------------------------------------------------------------------------

/// Two passes of `ways`, and what they need, in the scratch memory of a sort.
class SampleSort {
  public:
    SampleSort(const SortParams<int>& params, unsigned ways) : params_(params), ways_(ways) {
        const unsigned last = ways * ways;
        unsigned* at = static_cast<unsigned*>(params.scratch);
        const auto take = [&](std::size_t count) {
            unsigned* const taken = at;
            at += (count + 3) / 4 * 4;
            return taken;
        };
        sample_ = take(last * kSampled);
        splitters_ = {reinterpret_cast<const int*>(sample_), reinterpret_cast<int*>(take(last)),
                      take(last), take(last), last};
        unsigned* const counts = take(ways + last);
        counters_ = ways + last;
        unsigned* const begin = take(2);
        unsigned* const middle = take(ways + 1);
        unsigned* const end = take(last + 1);
        first_tile_ = take(2);
        middle_tile_ = take(ways + 1);
        unsigned* const next = take(last);
        passes_[0] = {1, ways, ways, begin, first_tile_, counts, middle, next};
        passes_[1] = {ways, ways, 1, middle, middle_tile_, counts + ways, end, next};
        begin_ = begin;
        tile_counts_ = reinterpret_cast<unsigned short*>(take(tile_counts(params.n, ways) / 2));
        slots_ = reinterpret_cast<unsigned char*>(take(params.n / 4 + 4));
        rest_ = at;
    }

    /// Bytes of scratch memory that it takes, those for the sort of the sample among them.
    static std::size_t bytes(std::size_t n, unsigned ways) {
        const std::size_t last = static_cast<std::size_t>(ways) * ways;
        const std::size_t count = last * (kSampled + 6) + 6 * std::size_t{ways} + 64;
        return sizeof(unsigned) * count + 2 * tile_counts(n, ways) + n + 64 + last * kSampled / 32 +
               4096;
    }

    /// P: a PassShape; S: a bucket's Shape.
    template <class P, class S>
    void run() {
        static_assert(P::kTile >= kMinTile, "there is room for the counts of so many tiles");
        const unsigned n = static_cast<unsigned>(params_.n);
        const unsigned sampled = splitters_.buckets * kSampled;
        sample_kernel<<<divide_up(sampled, kPackThreads), kPackThreads>>>(
            params_.keys, n, params_.type, sample_, sampled, passes_[0].counts, counters_);
        CUDA_CHECK_LAUNCH();
        merge_best(sample_job());
        const int* const keys = reinterpret_cast<const int*>(params_.keys);
        const unsigned skew = skew_of(keys);
        launch_programmatic(splitters_kernel, divide_up(splitters_.buckets, kPackThreads),
                            kPackThreads, splitters_, n, tiles_of(skew, n + skew, P::kTile), begin_,
                            first_tile_);
        allow_shared(move_to_buckets_kernel<P>, sizeof(MovedTile<P>));
        count<P>(passes_[0], keys, params_.type);
        launch_programmatic(begin_tiles_kernel, 1, 256, passes_[0], middle_tile_, P::kTile,
                            skew_of(params_.spare));
        move<P>(passes_[0], keys, params_.type, params_.spare);
        // Ints, whatever the keys were: packed where the keys have been.
        count<P>(passes_[1], params_.spare, KeyType::signed_int);
        launch_programmatic(begin_last_kernel, ways_, 256, passes_[1]);
        move<P>(passes_[1], params_.spare, KeyType::signed_int, params_.packed);
        sort_buckets<S>();
    }

    /// Keys of the largest bucket, after run(); for tests.
    unsigned largest_bucket() const {
        std::vector<unsigned> begins(splitters_.buckets + 1);
        CUDA_CHECK(cudaMemcpy(begins.data(), passes_[1].new_begin, begins.size() * sizeof(unsigned),
                              cudaMemcpyDeviceToHost));
        unsigned largest = 0;
        for (std::size_t i = 1; i < begins.size(); ++i) {
            largest = std::max(largest, begins[i] - begins[i - 1]);
        }
        return largest;
    }

  protected:  // ablations.cu launches the same kernels in other ways
    /// The sort of the sample.
    SortParams<int> sample_job() const {
        SortParams<int> sample = params_;
        sample.keys = sample_;
        sample.n = std::size_t{splitters_.buckets} * kSampled;
        sample.type = KeyType::signed_int;
        sample.packed = reinterpret_cast<int*>(sample_);
        sample.scratch = rest_;
        return sample;
    }

    /// Counts of a pass's tiles, none of which has fewer keys than this.
    static constexpr unsigned kMinTile = 4096;
    static std::size_t tile_counts(std::size_t n, unsigned ways) {
        return (n / kMinTile + 2 * std::size_t{ways} + 1) * 256;
    }
    static unsigned skew_of(const int* from) {
        return reinterpret_cast<std::uintptr_t>(from) / sizeof(int) % 4;
    }

    /// Tiles of a pass, at most.
    template <class P>
    unsigned tiles(const Pass& pass) const {
        return divide_up(static_cast<unsigned>(params_.n), P::kTile) + 2 * pass.buckets;
    }

    template <class P>
    void count(const Pass& pass, const int* from, KeyType type) const {
        launch_programmatic(count_buckets_kernel<P>, tiles<P>(pass), P::kThreads, from,
                            static_cast<unsigned>(params_.n), type, pass, splitters_, slots_,
                            tile_counts_);
    }

    template <class P>
    void move(const Pass& pass, const int* from, KeyType type, int* to) const {
        launch_programmatic_with(sizeof(MovedTile<P>), move_to_buckets_kernel<P>, tiles<P>(pass),
                                 P::kThreads, from, static_cast<unsigned>(params_.n), type, pass,
                                 slots_, tile_counts_, to);
    }

    template <class S>
    void sort_buckets() const {
        allow_shared(sort_buckets_kernel<S>, S::kBytes);
        launch_programmatic_with(S::kBytes, sort_buckets_kernel<S>, splitters_.buckets, S::kThreads,
                                 params_.packed, params_.spare, static_cast<unsigned>(params_.n),
                                 passes_[1].new_begin, params_.type, params_.keys);
    }

    SortParams<int> params_;
    unsigned ways_;
    unsigned* sample_;
    Splitters splitters_;
    unsigned counters_;
    unsigned *begin_, *first_tile_, *middle_tile_;
    Pass passes_[2];
    unsigned short* tile_counts_;
    unsigned char* slots_;
    unsigned* rest_;
};

/// Into how many buckets a pass cuts, so that n keys fill the last ones to three fifths of a tile:
/// a sample is not exact, and what a tile does not hold is sorted more slowly. More than kMaxWays:
/// there are too many keys.
inline unsigned ways_for(std::size_t n, std::size_t tile) {
    unsigned ways = 2;
    while (std::size_t{ways} * ways * tile * 3 / 5 < n) ++ways;
    return ways;
}

/// Scratch memory of sample_best() in bytes, on any device.
inline std::size_t sample_best_bytes(std::size_t n) {
    const unsigned ways = ways_for(n, 8192);  // the least that shapes.cuh has for Huge
    const std::size_t passes = SampleSort::bytes(n, std::min(std::max(ways, 16u), kMaxWays));
    const bool may_be_few = n <= kMaxBlocks * std::size_t{ManyShare::kTile / 2};
    return may_be_few ? std::max(passes, grid_sort_scratch(n)) : passes;
}

// sample_best: cut by a sample, move each key twice, into a bucket that a block sorts.
// Removes: searches in global memory; stores far apart, and an atomic addition there for each.
// Remains: two moves of each key, whatever n is; the search for its bucket, and the sort of a tile.

/// Keys alone. So few that they stay in the L2 cache are sorted in one launch: by a sample, or, if
/// there are still fewer or more, by merge_best().
inline void sample_best(SortParams<int> params) {
    const auto blocks = static_cast<std::size_t>(device_info().sm_count);
    if (2 * params.n * sizeof(int) <= device_info().l2_bytes) {
        if (params.n < kMinShare * blocks) return merge_best(params);
        if (holds_in_one_launch<FewShare>(params.n)) return sample_in_one_launch<FewShare>(params);
        if (holds_in_one_launch<MiddleShare>(params.n))
            return sample_in_one_launch<MiddleShare>(params);
        return sample_in_one_launch<ManyShare>(params);
    }
    with_shapes<int>(device_info(), [&](auto shapes) {
        using Bucket = typename decltype(shapes)::Huge;
        const unsigned ways = ways_for(params.n, Bucket::kTile);
        if (ways > kMaxWays) return merge_best(params);
        SampleSort sort(params, ways);
        // More ways want longer tiles: what a tile has for each bucket is written together.
        if (params.n <= std::size_t{1} << 27) {
            sort.run<PassShape<256, 8, 4>, Bucket>();
        } else {
            sort.run<PassShape<384, 8, 3>, Bucket>();
        }
    });
}

}  // namespace sorting
