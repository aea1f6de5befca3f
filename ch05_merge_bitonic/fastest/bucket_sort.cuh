// A sort by a sample: how many buckets, the layout of the scratch memory, and the launches in their
// order. For large n:
//
//   sample_kernel, splitters_kernel   a sample, which the same stage sorts; where it cuts
//   count_buckets_kernel              how many keys of each tile go to each of the first buckets
//   begin_buckets_kernel              where the buckets begin
//   Steps::move()                     every key goes to its bucket
//   count_buckets_kernel, begin_buckets_kernel, Steps::move()
//                                     the same within each bucket
//   sort_buckets_kernel               a block sorts a bucket
//
// A pass has at most kMaxWays ways: with them one pass is enough for a million keys, and two for
// hundreds of millions. Steps, a struct of each stage, says how keys move and how a bucket is
// sorted (16_few_ways.cuh).
//
// Keys with values are sorted by the same kernels. Equal keys, or pairs, may go to any of the
// buckets between which their splitters lie, so even keys that are all the same fill the buckets
// evenly.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../common/harness/cuda_check.hpp"
#include "../../common/harness/device_code.cuh"
#include "../../common/harness/device_info.hpp"
#include "../../common/harness/programmatic_launch.hpp"
#include "../../common/harness/resident_blocks.hpp"
#include "../keys.hpp"
#include "15_register_buckets.cuh"
#include "count_buckets.cuh"
#include "pack.cuh"
#include "passes.cuh"
#include "shapes.cuh"
#include "tiles.cuh"

namespace sorting {

// ---- The sort of the buckets -----------------------------------------------------------------

/// Each block sorts a bucket of `moved`, and unpacks it: nearly always one tile. `packed` and
/// `spare`, of which `moved` is one, have room for all; the output's keys may share the memory of
/// `packed`. Sort: ByNetwork, or another.
template <class S, class Sort>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_buckets_kernel(const typename S::SortKey* moved, typename S::SortKey* packed,
                        typename S::SortKey* spare, const unsigned* begins, Arrays output) {
    grid_dependency_synchronize();
    const unsigned begin = begins[blockIdx.x];
    const unsigned end = begins[blockIdx.x + 1];
    sort_and_merge<S, Sort>(moved, begin, end, packed, spare, output, OneBlock());
}

/// One block sorts all n keys.
template <class S, class Sort>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_one_bucket_kernel(Arrays arrays, unsigned n, typename S::SortKey* packed,
                           typename S::SortKey* spare) {
    sort_and_merge<S, Sort>(arrays, 0, n, packed, spare, arrays, OneBlock());
}

// ---- How many buckets --------------------------------------------------------------------------

/// The number of passes, and into how many each cuts every bucket.
struct Cuts {
    unsigned passes, ways;

    /// Before pass `pass`; after all of them.
    unsigned buckets_before(unsigned pass) const {
        unsigned buckets = 1;
        while (pass-- > 0) buckets *= ways;
        return buckets;
    }
    unsigned buckets() const { return buckets_before(passes); }
    std::size_t sampled() const { return std::size_t{buckets()} * kSampled; }  ///< keys
};

/// Cuts n keys into buckets that fill half a tile, or three fifths if there are many of them: a
/// sample is not exact, and a bucket that does not fit into a tile is sorted slowly. With only a
/// few buckets, all wait for that one. The ways are a multiple of `gpus`.
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

/// With more ways, buckets of the larger tile take less time.
constexpr unsigned kWaysOfBucket = 220;

/// Calls use(cuts, pass, bucket) with objects of the shapes that are best for n keys, where `Sort`
/// sorts a bucket.
template <class SortKey, class Sort, class Use>
void with_cuts(std::size_t n, const Use& use, unsigned gpus = 1) {
    with_shapes<SortKey>(device_info(), [&](auto shapes) {
        using Shapes = decltype(shapes);
        using Bucket = typename Shapes::Bucket;
        using LargeBucket = typename Shapes::LargeBucket;
        using OnlyPass = typename Shapes::OnlyPass;
        const Cuts cuts = cuts_for(n, Bucket::kTile, gpus);
        const Cuts fewer = cuts_for(n, LargeBucket::kTile, gpus);
        const bool is_large = fewer.passes < cuts.passes || cuts.ways > kWaysOfBucket;
        if (is_large && device_info().shared_per_block >= Sort::template kBytes<LargeBucket>) {
            if (fewer.passes == 1) return use(fewer, OnlyPass(), LargeBucket());
            return use(fewer, typename Shapes::ManyWays(), LargeBucket());
        }
        if (cuts.passes == 1) return use(cuts, OnlyPass(), Bucket());
        use(cuts, typename Shapes::FewWays(), Bucket());
    });
}

// ---- Memory ------------------------------------------------------------------------------------

constexpr unsigned kMaxPasses = 4;

/// Keys of a pass's tile, at least and at most.
constexpr unsigned kMinPassTile = 4096, kMaxPassTile = 12288;

/// The place in the scratch memory of each array of a sort by a sample, in words.
struct BucketLayout {
    std::size_t sample, sample_values, splitters, run_begin, run_end, next, begin;
    std::size_t first_tiles[kMaxPasses + 1];  ///< of each pass, and of what the last one leaves
    std::size_t new_begin[kMaxPasses];        ///< of each pass's new buckets
    std::size_t counts[kMaxPasses];           ///< of their keys, one array after the other
    std::size_t counters;                     ///< how many counts there are
    std::size_t tile_counts, slots;
    std::size_t words;  ///< of all of it
};

/// `places`: how many keys the passes have room for.
template <class SortKey>
BucketLayout bucket_layout(std::size_t places, Cuts cuts) {
    BucketLayout layout = {};
    const auto take = [&layout](std::size_t words) {  // whole vectors
        const std::size_t at = layout.words;
        layout.words += (words + 3) / 4 * 4;
        return at;
    };
    const std::size_t last = cuts.buckets();
    layout.sample = take(last * kSampled);
    layout.sample_values = kHasValue<SortKey> ? take(last * kSampled) : layout.sample;
    layout.splitters = take(last * sizeof(SortKey) / sizeof(unsigned));
    layout.run_begin = take(last);
    layout.run_end = take(last);
    layout.next = take(last);
    layout.begin = take(2);
    layout.first_tiles[0] = take(2);
    for (unsigned pass = 0; pass < cuts.passes; ++pass) {
        const std::size_t after = cuts.buckets_before(pass + 1);
        layout.new_begin[pass] = take(after + 1);
        layout.first_tiles[pass + 1] = take(after + 1);
        layout.counts[pass] = layout.counters;
        layout.counters += after;
    }
    const std::size_t counts = take(layout.counters);
    for (std::size_t& count : layout.counts) count += counts;
    const std::size_t partial = 2 * (last / cuts.ways) + 1;  // tiles that are not whole
    layout.tile_counts = take((places / kMinPassTile + partial) * 256 / 2);
    layout.slots = take((places + partial * kMaxPassTile) / 4);
    return layout;
}

/// Scratch memory in bytes of a sort of n keys by a sample, on any device.
template <class SortKey>
std::size_t bucket_sort_bytes(std::size_t n);

/// The same if the cuts and the number of places are known.
template <class SortKey>
std::size_t bucket_sort_bytes(std::size_t places, Cuts cuts) {
    return bucket_layout<SortKey>(places, cuts).words * sizeof(unsigned) +
           bucket_sort_bytes<SortKey>(cuts.sampled());
}

template <class SortKey>
std::size_t bucket_sort_bytes(std::size_t n) {
    if (n <= RoomyShapes<SortKey>::Small::kTile) return 0;
    const auto bytes = [n](unsigned tile) {
        return bucket_sort_bytes<SortKey>(n, cuts_for(n, tile));
    };
    return std::max({bytes(RoomyShapes<SortKey>::Bucket::kTile),
                     bytes(RoomyShapes<SortKey>::LargeBucket::kTile),
                     bytes(TightShapes<SortKey>::Bucket::kTile)});
}

// ---- The whole sort ----------------------------------------------------------------------------

/// One block sorts all keys, if there are only a few.
template <class Sort, class SortKey>
void sort_in_one_block(const SortParams<SortKey>& params) {
    if (params.n == 0) return;
    with_shapes<SortKey>(device_info(), [&](auto shapes) {
        using S = typename decltype(shapes)::Bucket;
        constexpr std::size_t kBytes = Sort::template kBytes<S>;
        const unsigned n = static_cast<unsigned>(params.n);
        allow_shared(sort_one_bucket_kernel<S, Sort>, kBytes);
        sort_one_bucket_kernel<S, Sort>
            <<<1, S::kThreads, kBytes>>>(arrays_of(params), n, params.packed, params.spare);
        CUDA_CHECK_LAUNCH();
    });
}

template <class Steps, class SortKey>
void sort_by_sample(const SortParams<SortKey>& params);

/// Buckets that are cut further together: the first pass's new buckets [first, first + count).
struct Part {
    unsigned first, count;
    unsigned keys;          ///< in all of them
    Pieces pieces;          ///< where they lie
    const unsigned* begin;  ///< where each of them goes: count + 1
};

/// The passes, and what they need, in the scratch memory of a sort.
template <class SortKey, class Steps>
struct BucketSort {
    BucketSort(const SortParams<SortKey>& params, Cuts cuts)
        : BucketSort(params, cuts, params.spare, params.n) {}

    /// On several GPUs. The sample and the first pass are of this GPU's keys; the pass leaves them
    /// in `moved`, which has `places` for keys: those of other GPUs are put there as well.
    BucketSort(const SortParams<SortKey>& params, Cuts cuts, SortKey* moved, std::size_t places)
        : params(params), cuts(cuts), moved(moved), layout(bucket_layout<SortKey>(places, cuts)) {}

    /// P: a PassShape; S: a bucket's Shape.
    template <class P, class S>
    void run() const {
        take_sample(0, 1);
        choose_splitters<P>();
        count_first<P>();
        move_first<P>();
        for (unsigned i = 1; i < cuts.passes; ++i) do_pass<P>(i, whole_pass(i), n());
        sort_buckets<S>(whole_pass(cuts.passes - 1));
    }

    /// Takes the `part`-th of `parts` equal parts of the sample; returns the whole sample.
    Arrays take_sample(unsigned part, unsigned parts) const {
        const Arrays sample = splitters().sample;
        const unsigned count = cuts.buckets() * kSampled / parts;
        const unsigned counters = static_cast<unsigned>(layout.counters);
        Arrays mine = sample;
        mine.keys += part * count;
        if (kHasValue<SortKey>) mine.values += part * count;
        const unsigned threads = std::max(count, counters);
        sample_kernel<SortKey><<<divide_up(threads, kPackThreads), kPackThreads>>>(
            arrays_of(params), n(), scrambled(params.seed + part), mine, count,
            at(layout.counts[0]), counters);
        CUDA_CHECK_LAUNCH();
        return sample;
    }

    /// From the whole sample, which it sorts. Nothing has used the other arrays yet.
    template <class P>
    void choose_splitters() const {
        SortParams<SortKey> sample = params;
        sample.keys = at(layout.sample);
        sample.values = kHasValue<SortKey> ? at(layout.sample_values) : nullptr;
        sample.n = cuts.sampled();
        sample.type = KeyType::signed_int;
        if constexpr (!kHasValue<SortKey>) sample.packed = reinterpret_cast<int*>(sample.keys);
        sample.scratch = at(layout.words);
        sort_by_sample<Steps>(sample);
        launch_programmatic(splitters_kernel<SortKey>, divide_up(cuts.buckets(), kPackThreads),
                            kPackThreads, splitters(), n(), P::kTile, at(layout.begin),
                            at(layout.first_tiles[0]));
    }

    /// Returns where the first pass's new buckets will begin, and the end of the last.
    template <class P>
    const unsigned* count_first() const {
        count<P>(0, whole_pass(0), n());
        return at(layout.new_begin[0]);
    }

    template <class P>
    void move_first() const {
        move<P>(0, whole_pass(0), n());
    }

    /// The passes after the first one, at least one; and the sort of the buckets.
    template <class P, class S>
    void sort_part(const Part& part) const {
        for (unsigned i = 1; i < cuts.passes; ++i) do_pass<P>(i, pass_of(i, part), part.keys);
        sort_buckets<S>(pass_of(cuts.passes - 1, part));
    }

    /// Where the buckets begin, and the end of the last: on the device, after run().
    const unsigned* bucket_begins() const { return at(layout.new_begin[cuts.passes - 1]); }

    unsigned n() const { return static_cast<unsigned>(params.n); }
    unsigned* at(std::size_t word) const { return static_cast<unsigned*>(params.scratch) + word; }

    Splitters<SortKey> splitters() const {
        unsigned* const values = kHasValue<SortKey> ? at(layout.sample_values) : nullptr;
        return {{at(layout.sample), values, KeyType::signed_int},
                reinterpret_cast<SortKey*>(at(layout.splitters)),
                at(layout.run_begin),
                at(layout.run_end),
                cuts.buckets()};
    }

    /// Pass i, of its buckets [first, first + count) only.
    Pass pass_of(unsigned i, unsigned first, unsigned count) const {
        const unsigned* const begin = at(i == 0 ? layout.begin : layout.new_begin[i - 1]) + first;
        const unsigned next = first * cuts.ways;
        return {first,
                count,
                cuts.ways,
                cuts.buckets() / cuts.buckets_before(i + 1),
                {count, begin, begin + 1, at(layout.first_tiles[i]) + first},
                begin,
                at(layout.counts[i]) + next,
                at(layout.new_begin[i]) + next,
                at(layout.next) + next};
    }
    Pass whole_pass(unsigned i) const { return pass_of(i, 0, cuts.buckets_before(i)); }

    /// Pass i > 0, of this part only.
    Pass pass_of(unsigned i, const Part& part) const {
        const unsigned each = cuts.buckets_before(i) / cuts.ways;
        Pass pass = pass_of(i, part.first * each, part.count * each);
        if (i == 1) {
            pass.pieces = part.pieces;
            pass.begin = part.begin;
        }
        return pass;
    }

    /// Where pass i leaves the keys. `packed` may be where they were before.
    SortKey* moved_by(unsigned i) const {
        if (i == 0) return moved;
        return i % 2 == 0 ? params.spare : params.packed;
    }

    /// Calls use(keys) with what pass i reads.
    template <class Use>
    void with_source(unsigned i, const Use& use) const {
        if (i == 0) return use(arrays_of(params));
        if constexpr (kHasValue<SortKey>) {  // packed from now on
            use(static_cast<const SortKey*>(moved_by(i - 1)));
        } else {
            auto* const keys = reinterpret_cast<std::uint32_t*>(moved_by(i - 1));
            use(Arrays{keys, nullptr, KeyType::signed_int});
        }
    }

    /// The largest number of tiles of this size in a pass's pieces.
    template <class P>
    static unsigned most_tiles(const Pass& pass, unsigned keys) {
        static_assert(P::kTile >= kMinPassTile && P::kTile <= kMaxPassTile, "as the layout has it");
        return divide_up(keys, P::kTile) + 2 * pass.pieces.count;
    }

    template <class P>
    void count(unsigned i, const Pass& pass, unsigned keys) const {
        with_source(i, [&](auto from) {
            launch_programmatic(count_buckets_kernel<P, decltype(from)>, most_tiles<P>(pass, keys),
                                P::kThreads, from, pass, splitters(), at(layout.slots),
                                tile_counts());
        });
        launch_programmatic(begin_buckets_kernel, pass.buckets, 256, pass,
                            at(layout.first_tiles[i + 1]) + pass.first * pass.ways, P::kTile);
    }

    template <class P>
    void move(unsigned i, const Pass& pass, unsigned keys) const {
        with_source(i, [&](auto from) {
            Steps::template move<P>(most_tiles<P>(pass, keys), from, pass, at(layout.slots),
                                    tile_counts(), moved_by(i));
        });
    }

    template <class P>
    void do_pass(unsigned i, const Pass& pass, unsigned keys) const {
        count<P>(i, pass, keys);
        move<P>(i, pass, keys);
    }

    /// Sorts what the last pass has moved, or this part of it.
    template <class S>
    void sort_buckets(const Pass& pass) const {
        using Sort = typename Steps::Sort;
        const auto kernel = sort_buckets_kernel<S, Sort>;
        allow_shared(kernel, Sort::template kBytes<S>);
        launch_programmatic_with(Sort::template kBytes<S>, kernel, pass.buckets * pass.ways,
                                 S::kThreads, moved_by(cuts.passes - 1), params.packed,
                                 params.spare, pass.new_begin, arrays_of(params));
    }

    unsigned short* tile_counts() const {
        return reinterpret_cast<unsigned short*>(at(layout.tile_counts));
    }

    SortParams<SortKey> params;
    Cuts cuts;
    SortKey* moved;  ///< by the first pass
    BucketLayout layout;
};

template <class Steps, class SortKey>
void sort_by_sample(const SortParams<SortKey>& params) {
    using Sort = typename Steps::Sort;
    if (params.n <= Steps::template most_few<SortKey>()) {
        return Steps::template sort_few<Sort>(params);
    }
    with_cuts<SortKey, Sort>(params.n, [&](Cuts cuts, auto pass, auto bucket) {
        BucketSort<SortKey, Steps>(params, cuts).template run<decltype(pass), decltype(bucket)>();
    });
}

}  // namespace sorting
