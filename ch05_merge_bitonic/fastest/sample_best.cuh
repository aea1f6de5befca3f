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
//   begin_buckets_kernel              where the buckets begin
//   move_to_buckets_kernel            every key goes to its bucket
//   count_buckets_kernel, begin_buckets_kernel, move_to_buckets_kernel
//                                     the same within each bucket
//   sort_buckets_kernel               a block sorts a bucket
//
// A pass has at most kMaxWays ways: with them one pass does for a million keys, and two do for
// hundreds of millions. Few keys are sorted in one launch, merge_grid_kernel (sort_and_merge.cuh).
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
#include "sample_buckets.cuh"
#include "sort_and_merge.cuh"

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
/// few, all wait for that one. The ways are a multiple of `gpus`.
inline Cuts cuts_for(std::size_t n, std::size_t tile, unsigned gpus = 1) {
    constexpr unsigned kFewWays = 100;
    for (unsigned passes = gpus > 1 ? 2 : 1;; ++passes) {
        for (unsigned ways = std::max(2u, gpus); ways <= kMaxWays; ways += gpus) {
            const Cuts cuts = {passes, ways};
            const std::size_t keys = ways <= kFewWays ? tile / 2 : tile * 3 / 5;
            if (cuts.buckets() * keys >= n) return cuts;
        }
    }
}

/// What is cut further together: the first pass's new buckets [first, first + count).
struct Part {
    unsigned first, count;
    unsigned keys;          ///< in all of them
    Pieces pieces;          ///< where they lie
    const unsigned* begin;  ///< where each of them goes: count + 1
};

/// The passes, and what they need, in the scratch memory of a sort.
template <class SortKey>
class SampleSort {
  public:
    SampleSort(const SortParams<SortKey>& params, Cuts cuts)
        : SampleSort(params, cuts, params.spare, params.n) {}

    /// On several GPUs. Of the keys, the sample and the first pass are this GPU's; this pass leaves
    /// them in `moved`, which has `places` for keys: those of other GPUs come there as well.
    SampleSort(const SortParams<SortKey>& params, Cuts cuts, SortKey* moved, std::size_t places)
        : params_(params), moved_(moved) {
        const unsigned last = cuts.buckets();
        unsigned* const sample = take(last * kSampled);
        unsigned* const values = kHasValue<SortKey> ? take(last * kSampled) : nullptr;
        splitters_ = {{sample, values, KeyType::signed_int},
                      reinterpret_cast<SortKey*>(take(last * sizeof(SortKey) / sizeof(unsigned))),
                      take(last),
                      take(last),
                      last};
        unsigned* const next = take(last);
        begin_ = take(2);
        first_tiles_.push_back(take(2));
        const unsigned* begin = begin_;
        for (unsigned buckets = 1; buckets < last; buckets *= cuts.ways) {
            const unsigned after = buckets * cuts.ways;
            unsigned* const new_begin = take(after + 1);
            passes_.push_back(
                {0, buckets, cuts.ways, last / after, {}, begin, nullptr, new_begin, next});
            counters_ += after;
            begin = new_begin;
            first_tiles_.push_back(take(after + 1));
        }
        counts_ = take(counters_);
        unsigned* counts = counts_;
        for (Pass& pass : passes_) {
            pass.counts = counts;
            if (counts != nullptr) counts += pass.buckets * pass.ways;
        }
        const std::size_t tiles = places / kMinTile + 2 * std::size_t{last / cuts.ways} + 1;
        tile_counts_ = reinterpret_cast<unsigned short*>(take(tiles * 256 / 2));
        slots_ = take((places + (2 * std::size_t{last / cuts.ways} + 1) * kMaxTile) / 4);
    }

    /// Bytes of scratch memory that it takes, those for the sort of the sample among them.
    static std::size_t bytes(std::size_t places, Cuts cuts) {
        return SampleSort({}, cuts, nullptr, places).used_ * sizeof(unsigned) +
               sample_best_bytes<SortKey>(sampled(cuts));
    }

    /// Keys of the sample.
    static std::size_t sampled(Cuts cuts) { return std::size_t{cuts.buckets()} * kSampled; }

    /// P: a PassShape; S: a bucket's Shape. kInterpolates: as for sort_buckets_kernel().
    template <class P, class S, bool kInterpolates = true>
    void run() {
        take_sample(0, 1);
        choose_splitters<P>();
        count_first<P>();
        move_first<P>();
        for (std::size_t i = 1; i <= last(); ++i) {
            do_pass<P>(i, pass_of(i, 0, passes_[i].buckets), n());
        }
        sort_buckets<S, kInterpolates>(pass_of(last(), 0, passes_[last()].buckets));
    }

    /// The `part`-th of `parts` equal parts of the sample, the whole of which it returns.
    Arrays take_sample(unsigned part, unsigned parts) {
        const unsigned count = splitters_.buckets * kSampled / parts;
        Arrays mine = splitters_.sample;
        mine.keys += part * count;
        if (kHasValue<SortKey>) mine.values += part * count;
        const unsigned threads = std::max(count, counters_);
        sample_kernel<SortKey><<<divide_up(threads, kPackThreads), kPackThreads>>>(
            arrays_of(params_), n(), scrambled(params_.seed + part), mine, count, counts_,
            counters_);
        CUDA_CHECK_LAUNCH();
        return splitters_.sample;
    }

    /// From the whole sample.
    template <class P>
    void choose_splitters() {
        sample_best(sample_job());
        launch_programmatic(splitters_kernel<SortKey>, divide_up(splitters_.buckets, kPackThreads),
                            kPackThreads, splitters_, n(), P::kTile, begin_, first_tiles_[0]);
    }

    /// Returns where the first pass's new buckets will begin, and the end of the last.
    template <class P>
    const unsigned* count_first() const {
        count<P>(0, pass_of(0, 0, 1), n());
        return passes_[0].new_begin;
    }

    template <class P>
    void move_first() const {
        move<P>(0, pass_of(0, 0, 1), n());
    }

    /// The passes behind the first one, of which there must be some; and the sort of the buckets.
    template <class P, class S>
    void sort_part(const Part& part) const {
        for (std::size_t i = 1; i <= last(); ++i) {
            do_pass<P>(i, pass_of(i, part), part.keys);
        }
        sort_buckets<S, true>(pass_of(last(), part));
    }

    /// Where the buckets begin, and the end of the last: on the device, after run().
    const unsigned* bucket_begins() const { return passes_.back().new_begin; }

  private:
    unsigned n() const { return static_cast<unsigned>(params_.n); }

    std::size_t last() const { return passes_.size() - 1; }

    /// Pass i, of its buckets [first, first + count) only.
    Pass pass_of(std::size_t i, unsigned first, unsigned count) const {
        Pass pass = passes_[i];
        pass.first = first;
        pass.buckets = count;
        pass.begin += first;
        pass.pieces = {count, pass.begin, pass.begin + 1, first_tiles_[i] + first};
        pass.counts += first * pass.ways;
        pass.new_begin += first * pass.ways;
        pass.next += first * pass.ways;
        return pass;
    }

    /// Pass i > 0, of this part only.
    Pass pass_of(std::size_t i, const Part& part) const {
        const unsigned each = passes_[i].buckets / passes_[0].ways;
        Pass pass = pass_of(i, part.first * each, part.count * each);
        if (i == 1) {
            pass.pieces = part.pieces;
            pass.begin = part.begin;
        }
        return pass;
    }

    /// Keys of a pass's tile, at least and at most.
    static constexpr unsigned kMinTile = 4096, kMaxTile = 12288;

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
    SortKey* moved_by(std::size_t i) const {
        if (i == 0) return moved_;
        return i % 2 == 0 ? params_.spare : params_.packed;
    }

    /// Calls use(keys) with what pass i reads.
    template <class Use>
    void with_source(std::size_t i, const Use& use) const {
        if (i == 0) return use(arrays_of(params_));
        if constexpr (kHasValue<SortKey>) {  // packed from now on
            use(static_cast<const SortKey*>(moved_by(i - 1)));
        } else {
            auto* const keys = reinterpret_cast<std::uint32_t*>(moved_by(i - 1));
            use(Arrays{keys, nullptr, KeyType::signed_int});
        }
    }

    /// Tiles of so many keys in a pass's pieces, at most.
    template <class P>
    static unsigned most_tiles(const Pass& pass, unsigned keys) {
        return divide_up(keys, P::kTile) + 2 * pass.pieces.count;
    }

    template <class P>
    void count(std::size_t i, const Pass& pass, unsigned keys) const {
        with_source(i, [&](auto from) {
            launch_programmatic(count_buckets_kernel<P, decltype(from)>, most_tiles<P>(pass, keys),
                                P::kThreads, from, pass, splitters_, slots_, tile_counts_);
        });
        launch_programmatic(begin_buckets_kernel, pass.buckets, 256, pass,
                            first_tiles_[i + 1] + pass.first * pass.ways, P::kTile);
    }

    template <class P>
    void move(std::size_t i, const Pass& pass, unsigned keys) const {
        with_source(i, [&](auto from) {
            const auto kernel = move_to_buckets_kernel<P, decltype(from)>;
            allow_shared(kernel, P::kBytes);
            launch_programmatic_with(P::kBytes, kernel, most_tiles<P>(pass, keys), P::kThreads,
                                     from, pass, slots_, tile_counts_, moved_by(i));
        });
    }

    template <class P>
    void do_pass(std::size_t i, const Pass& pass, unsigned keys) const {
        count<P>(i, pass, keys);
        move<P>(i, pass, keys);
    }

    /// What the last pass has moved, or this part of it.
    template <class S, bool kInterpolates>
    void sort_buckets(const Pass& pass) const {
        const auto kernel = sort_buckets_kernel<S, kInterpolates>;
        allow_shared(kernel, sizeof(Interpolation<S>));
        launch_programmatic_with(sizeof(Interpolation<S>), kernel, pass.buckets * pass.ways,
                                 S::kThreads, moved_by(last()), params_.packed, params_.spare,
                                 pass.new_begin, arrays_of(params_));
    }

    SortParams<SortKey> params_;
    SortKey* moved_;        ///< by the first pass
    std::size_t used_ = 0;  ///< words of the scratch memory
    Splitters<SortKey> splitters_;
    std::vector<Pass> passes_;
    unsigned* begin_;                     ///< of the only bucket of the first pass
    std::vector<unsigned*> first_tiles_;  ///< of each pass
    unsigned* counts_;
    unsigned counters_ = 0;
    unsigned short* tile_counts_;
    unsigned* slots_;
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
void with_cuts(std::size_t n, const Sort& sort, unsigned gpus = 1) {
    with_shapes<SortKey>(device_info(), [&](auto shapes) {
        using Shapes = decltype(shapes);
        using Bucket = typename Shapes::Bucket;
        using LargeBucket = typename Shapes::LargeBucket;
        using OnlyPass = typename Shapes::OnlyPass;
        const Cuts cuts = cuts_for(n, Bucket::kTile, gpus);
        const Cuts fewer = cuts_for(n, LargeBucket::kTile, gpus);
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
