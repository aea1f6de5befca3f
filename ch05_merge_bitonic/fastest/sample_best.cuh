// sample_best: a sample of the keys, sorted, says where to cut; one pass or two put every key into
// its bucket, each smaller than a block's tile; then each block sorts a bucket, and nothing is
// merged.
//
// From the ladder: sample_sort. New: passes, each into so few buckets that a block stores
// several keys of each together; splitters in shared memory; a byte per key, so that it is searched
// once per pass; a bucket sorted by interpolation. In the order of the launches, for many keys:
//
//   sample_kernel, splitters_kernel   a sample, which sample_best sorts; where it cuts
//   count_buckets_kernel              how many keys of each tile go to each of the first buckets
//   begin_tiles_kernel                where the buckets begin
//   move_to_buckets_kernel            every key goes to its bucket
//   count_buckets_kernel, begin_last_kernel, move_to_buckets_kernel
//                                     the same within each bucket
//   sort_buckets_kernel               a block sorts a bucket
//
// A pass has at most kMaxWays ways: with them one pass does for a million keys, and two do for
// hundreds of millions. Few keys are merged in one launch, merge_grid_kernel
// (merge_in_one_launch.cuh); a tile is sorted by one block, sort_tile_kernel (tiles.cuh).
//
// Keys with values are sorted by the same kernels. Equal keys, or pairs, may go to any of the
// buckets between which their splitters lie, so even keys that are all the same fill the buckets
// evenly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../common/harness/programmatic_launch.hpp"
#include "merge_in_one_launch.cuh"
#include "sort_bucket.cuh"

namespace sorting {

template <class SortKey>
void sample_best(SortParams<SortKey> params);
template <class SortKey>
std::size_t sample_best_bytes(std::size_t n);

// ---- All of it -------------------------------------------------------------------------------

/// So many passes, each of which cuts every bucket into so many.
struct Cuts {
    unsigned passes, ways;

    unsigned buckets() const {
        unsigned buckets = 1;
        for (unsigned pass = 0; pass < passes; ++pass) buckets *= ways;
        return buckets;
    }
};

/// Cuts n keys into buckets that fill half of a tile, three fifths where there are many of them: a
/// sample is not exact, and a bucket that a tile does not hold is sorted slowly. Where buckets are
/// few, all wait for that one.
inline Cuts cuts_for(std::size_t n, std::size_t tile) {
    constexpr unsigned kFewWays = 100;
    for (unsigned passes = 1;; ++passes) {
        for (unsigned ways = 2; ways <= kMaxWays; ++ways) {
            const Cuts cuts = {passes, ways};
            const std::size_t keys = ways <= kFewWays ? tile / 2 : tile * 3 / 5;
            if (cuts.buckets() * keys >= n) return cuts;
        }
    }
}

/// Launches each kernel before the one before it has ended.
struct OverlappedLaunch {
    template <class Kernel, class... Arguments>
    void operator()(std::size_t shared_bytes, Kernel* kernel, unsigned blocks, unsigned threads,
                    Arguments... arguments) const {
        launch_programmatic_with(shared_bytes, kernel, blocks, threads, arguments...);
    }
};

/// The passes, and what they need, in the scratch memory of a sort.
template <class SortKey>
class SampleSort {
  public:
    SampleSort(const SortParams<SortKey>& params, Cuts cuts) : params_(params) {
        const unsigned last = cuts.buckets();
        unsigned* const sample = take(last * kSampled);
        unsigned* const values = kHasValue<SortKey> ? take(last * kSampled) : nullptr;
        splitters_ = {{sample, values, KeyType::signed_int},
                      reinterpret_cast<SortKey*>(take(last * sizeof(SortKey) / sizeof(unsigned))),
                      take(last),
                      take(last),
                      last};
        unsigned* const next = take(last);
        unsigned* begin = take(2);
        unsigned* first_tile = take(2);
        for (unsigned buckets = 1; buckets < last; buckets *= cuts.ways) {
            const unsigned after = buckets * cuts.ways;
            unsigned* const new_begin = take(after + 1);
            passes_.push_back(
                {buckets, cuts.ways, last / after, begin, first_tile, nullptr, new_begin, next});
            counters_ += after;
            begin = new_begin;
            first_tile = take(after + 1);
        }
        counts_ = take(counters_);
        unsigned* counts = counts_;
        for (Pass& pass : passes_) {
            pass.counts = counts;
            if (counts != nullptr) counts += pass.buckets * pass.ways;
        }
        const std::size_t tiles = params.n / kMinTile + 2 * std::size_t{last / cuts.ways} + 1;
        tile_counts_ = reinterpret_cast<unsigned short*>(take(tiles * 256 / 2));
        slots_ = reinterpret_cast<unsigned char*>(take(params.n / 4 + 4));
    }

    /// Bytes of scratch memory that it takes, those for the sort of the sample among them.
    static std::size_t bytes(std::size_t n, Cuts cuts) {
        SortParams<SortKey> params = {};
        params.n = n;
        return SampleSort(params, cuts).used_ * sizeof(unsigned) +
               sample_best_bytes<SortKey>(std::size_t{cuts.buckets()} * kSampled);
    }

    /// P: a PassShape; S: a bucket's Shape.
    template <class P, class S>
    void run() {
        cut<P>(OverlappedLaunch());
        sort_buckets<S>(OverlappedLaunch());
    }

    /// All but the sort of the buckets. launch(bytes of shared memory, kernel, blocks, threads,
    /// arguments...) launches all kernels behind the sort of the sample.
    template <class P, class Launch>
    void cut(const Launch& launch) {
        static_assert(P::kTile >= kMinTile, "there is room for the counts of so many tiles");
        const unsigned n = static_cast<unsigned>(params_.n);
        const unsigned sampled = splitters_.buckets * kSampled;
        sample_kernel<SortKey><<<divide_up(sampled, kPackThreads), kPackThreads>>>(
            arrays_of(params_), n, scrambled(params_.seed), splitters_.sample, sampled, counts_,
            counters_);
        CUDA_CHECK_LAUNCH();
        sample_best(sample_job());
        const unsigned skew = skew_of(params_.keys);
        launch(0, splitters_kernel<SortKey>, divide_up(splitters_.buckets, kPackThreads),
               kPackThreads, splitters_, n, tiles_of(skew, n + skew, P::kTile), passes_[0].begin,
               passes_[0].first_tile);
        do_pass<P>(0, arrays_of(params_), launch);
        for (std::size_t i = 1; i < passes_.size(); ++i) {  // packed from now on
            if constexpr (kHasValue<SortKey>) {
                do_pass<P>(i, static_cast<const SortKey*>(moved_by(i - 1)), launch);
            } else {
                auto* const keys = reinterpret_cast<std::uint32_t*>(moved_by(i - 1));
                do_pass<P>(i, Arrays{keys, nullptr, KeyType::signed_int}, launch);
            }
        }
    }

    template <class S, bool kInterpolates = true, class Launch>
    void sort_buckets(const Launch& launch) const {
        const auto kernel = sort_buckets_kernel<S, kInterpolates>;
        allow_shared(kernel, sizeof(Interpolation<S>));
        launch(sizeof(Interpolation<S>), kernel, splitters_.buckets, S::kThreads,
               moved_by(passes_.size() - 1), params_.packed, params_.spare,
               passes_.back().new_begin, arrays_of(params_));
    }

    /// Keys of the largest bucket, after run(); for tests.
    unsigned largest_bucket() const {
        std::vector<unsigned> begins(splitters_.buckets + 1);
        CUDA_CHECK(cudaMemcpy(begins.data(), passes_.back().new_begin,
                              begins.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
        unsigned largest = 0;
        for (std::size_t i = 1; i < begins.size(); ++i) {
            largest = std::max(largest, begins[i] - begins[i - 1]);
        }
        return largest;
    }

  private:
    /// Counts of a pass's tiles, none of which has fewer keys than this.
    static constexpr unsigned kMinTile = 4096;

    /// The next `count` words of the scratch memory, as vectors; nullptr where there is none.
    unsigned* take(std::size_t count) {
        unsigned* const scratch = static_cast<unsigned*>(params_.scratch);
        unsigned* const taken = scratch == nullptr ? nullptr : scratch + used_;
        used_ += (count + 3) / 4 * 4;
        return taken;
    }

    /// The sort of the sample. What comes later has not used the other arrays yet.
    SortParams<SortKey> sample_job() const {
        SortParams<SortKey> sample = params_;
        sample.keys = splitters_.sample.keys;
        sample.values = splitters_.sample.values;
        sample.n = std::size_t{splitters_.buckets} * kSampled;
        sample.type = splitters_.sample.type;
        if constexpr (!kHasValue<SortKey>) sample.packed = reinterpret_cast<int*>(sample.keys);
        sample.scratch = static_cast<unsigned*>(params_.scratch) + used_;
        return sample;
    }

    /// Where pass i leaves the keys. `packed` may be where they have been.
    SortKey* moved_by(std::size_t i) const { return i % 2 == 0 ? params_.spare : params_.packed; }

    template <class P, class From, class Launch>
    void do_pass(std::size_t i, From from, const Launch& launch) const {
        const Pass& pass = passes_[i];
        const unsigned tiles =  // at most
            divide_up(static_cast<unsigned>(params_.n), P::kTile) + 2 * pass.buckets;
        launch(0, count_buckets_kernel<P, From>, tiles, P::kThreads, from, pass, splitters_, slots_,
               tile_counts_);
        if (i + 1 < passes_.size()) {
            launch(0, begin_tiles_kernel, 1, 256, pass, passes_[i + 1].first_tile, P::kTile,
                   skew_of(moved_by(i)));
        } else {
            launch(0, begin_last_kernel, pass.buckets, 256, pass);
        }
        allow_shared(move_to_buckets_kernel<P, From>, P::kBytes);
        launch(P::kBytes, move_to_buckets_kernel<P, From>, tiles, P::kThreads, from, pass, slots_,
               tile_counts_, moved_by(i));
    }

    SortParams<SortKey> params_;
    std::size_t used_ = 0;  ///< words of the scratch memory
    Splitters<SortKey> splitters_;
    std::vector<Pass> passes_;
    unsigned* counts_;
    unsigned counters_ = 0;
    unsigned short* tile_counts_;
    unsigned char* slots_;
};

/// Scratch memory of sample_best() in bytes, on any device.
template <class SortKey>
std::size_t sample_best_bytes(std::size_t n) {
    if (n <= RoomyShapes<SortKey>::Small::kTile) return 0;
    const auto bytes = [n](unsigned tile) {
        return SampleSort<SortKey>::bytes(n, cuts_for(n, tile));
    };
    return std::max({bytes(RoomyShapes<SortKey>::Bucket::kTile),
                     bytes(RoomyShapes<SortKey>::LargeBucket::kTile),
                     bytes(TightShapes<SortKey>::Bucket::kTile)});
}

// sample_best: cut by a sample, move each key twice, into a bucket that a block sorts.
// Removes: searches in global memory; stores far apart, and an atomic addition there for each.
// Remains: two moves of each key, whatever n is; the search for its bucket, and the sort of a tile.

/// Up to so many keys for each multiprocessor, merging takes less time than cutting: it has more
/// levels the more keys there are, but needs one launch.
constexpr std::size_t kMaxMergedShare = 1500;

/// With more ways, buckets of the larger tile take less time.
constexpr unsigned kWaysOfBucket = 220;

/// Calls sort(cuts, pass, bucket) with objects of the shapes that are best for n keys.
template <class SortKey, class Sort>
void with_cuts(std::size_t n, const Sort& sort) {
    with_shapes<SortKey>(device_info(), [&](auto shapes) {
        using Shapes = decltype(shapes);
        using Bucket = typename Shapes::Bucket;
        using LargeBucket = typename Shapes::LargeBucket;
        using OnlyPass = typename Shapes::OnlyPass;
        const Cuts cuts = cuts_for(n, Bucket::kTile);
        const Cuts fewer = cuts_for(n, LargeBucket::kTile);
        const bool is_large = fewer.passes < cuts.passes || cuts.ways > kWaysOfBucket;
        if (is_large && device_info().shared_per_block >= sizeof(Interpolation<LargeBucket>)) {
            if (fewer.passes == 1) return sort(fewer, OnlyPass(), LargeBucket());
            return sort(fewer, typename Shapes::ManyWays(), LargeBucket());
        }
        if (cuts.passes == 1) return sort(cuts, OnlyPass(), Bucket());
        sort(cuts, typename Shapes::FewWays(), Bucket());
    });
}

template <class SortKey>
void sample_best(SortParams<SortKey> params) {
    const auto sm_count = static_cast<std::size_t>(device_info().sm_count);
    if (params.n <=
        std::max(kMaxMergedShare * sm_count, std::size_t{RoomyShapes<SortKey>::Bucket::kTile})) {
        return few_keys(params);
    }
    with_cuts<SortKey>(params.n, [&](Cuts cuts, auto pass, auto bucket) {
        SampleSort<SortKey>(params, cuts).template run<decltype(pass), decltype(bucket)>();
    });
}

}  // namespace sorting
