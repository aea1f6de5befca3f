// Chapter 5, beside it: what was tried for `sample_best`, keys alone, and did not win. For GPUs of
// compute capability 9.0 or later only, where launches overlap.
//
// Every row differs from it, or from the row that it names, in one thing. Checked and timed by the
// chapter's own experiment, with the chapter's own kernels.
//
//   cmake --preset cuda && cmake --build build/cuda --target ch05_merge_bitonic_ablations
#include "../common/harness/chapter.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

using namespace tutorial;
using namespace sorting;

/// Those of a device with much shared memory, as shapes.cuh has them.
using Shapes = RoomyShapes<int>;
using Bucket = Shapes::Bucket;

// merges: no sample; tiles are sorted and merged in pairs in one launch, for many keys as for few.
// Removes: the sample, and the moves of every key.
// Remains: a sweep over the memory for each doubling of the runs.
void merges(SortParams<int> params) { merge_in_one_launch<Shape<int, 32, 8>>(params); }

/// Sorts by a sample, however few keys there are: run(sort, pass shape, bucket shape).
template <class Run>
void by_sample(const SortParams<int>& params, const Run& run) {
    if (params.n <= Shapes::Bucket::kTile) return few_keys(params);
    with_cuts<int>(params.n, [&](Cuts cuts, auto pass, auto bucket) {
        SampleSort<int> sort(params, cuts);
        run(sort, pass, bucket);
    });
}

// fuller: `sample_best`, into fewer buckets: they fill a quarter more of a tile.
// Removes: a fifth of the buckets.
// Remains: more buckets than before that a tile does not hold, which one block sorts slowly.
void fuller(SortParams<int> params) {
    by_sample(params, [&](auto&, auto pass, auto bucket) {
        const Cuts cuts = cuts_for(params.n, decltype(bucket)::kTile * 5 / 4);
        SampleSort<int>(params, cuts).run<decltype(pass), decltype(bucket)>();
    });
}

// other_bucket: `sample_best`, with large tiles where buckets are few, and small ones where they
// are many.
// Removes: for few keys, ways; for many, keys that a block waits for at a barrier.
// Remains: for few keys, fewer blocks; for many, a tile of a pass has fewer keys for each bucket.
void other_bucket(SortParams<int> params) {
    by_sample(params, [&](auto&, auto pass, auto bucket) {
        constexpr bool kIsLarge = std::is_same_v<decltype(bucket), Shapes::LargeBucket>;
        using Other = std::conditional_t<kIsLarge, Shapes::Bucket, Shapes::LargeBucket>;
        const Cuts cuts = cuts_for(params.n, Other::kTile);
        SampleSort<int>(params, cuts).run<decltype(pass), Other>();
    });
}

// by_comparisons: `sample_best`; a bucket is sorted by the network, and no key's place is computed.
// Removes: the bins, and that it matters how keys lie between the least and the greatest.
// Remains: some 40 comparisons of each key instead of six.
void by_comparisons(SortParams<int> params) {
    by_sample(params, [](auto& sort, auto pass, auto bucket) {
        sort.template run<decltype(pass), decltype(bucket), false>();
    });
}

// other_pass: `sample_best`, whose passes take large tiles for few ways, and small ones for many.
// Removes: for few ways, pieces of few keys.
// Remains: for few ways, fewer blocks on a multiprocessor; for many, pieces of still fewer keys,
// each of which begins and ends within a sector.
void other_pass(SortParams<int> params) {
    by_sample(params, [](auto& sort, auto pass, auto bucket) {
        constexpr bool kIsMany = std::is_same_v<decltype(pass), Shapes::ManyWays>;
        using Other = std::conditional_t<kIsMany, Shapes::FewWays, Shapes::ManyWays>;
        sort.template run<Other, decltype(bucket)>();
    });
}

// more_passes: `sample_best`, in a pass more than it needs.
// Removes: ways; what a tile has for a bucket is more keys in a row.
// Remains: a pass more, which reads the keys twice and writes them once.
void more_passes(SortParams<int> params) {
    by_sample(params, [&](auto&, auto, auto bucket) {
        const std::size_t keys = decltype(bucket)::kTile * 3 / 5;
        Cuts cuts = {cuts_for(params.n, decltype(bucket)::kTile).passes + 1, 2};
        while (cuts.buckets() * keys < params.n) ++cuts.ways;
        SampleSort<int>(params, cuts).run<Shapes::FewWays, decltype(bucket)>();
    });
}

// ---- The table -------------------------------------------------------------------------------

using Table = std::vector<Stage<Launch<int>>>;

const Table& rows() {
    static const Table table = {
        {{"sample_best", "the chapter's: a pass or two; few keys are merged"}, sample_best<int>},
        {{"merges", "no sample, merges in one launch, for many keys too"}, merges},
        {{"fuller", "buckets that fill a quarter more of a tile"}, fuller},
        {{"other_bucket", "the buckets' tiles of the other size"}, other_bucket},
        {{"by_comparisons", "buckets sorted by comparisons alone"}, by_comparisons},
        {{"other_pass", "the passes' tiles of the other size"}, other_pass},
        {{"more_passes", "a pass more than is needed"}, more_passes},
    };
    return table;
}

template <class Key>
std::unique_ptr<Experiment> ablation() {
    return std::make_unique<SortExperiment<Key, int>>(rows());
}

}  // namespace

int main(int argc, char** argv) {
    std::string type = "int";
    Chapter chapter("ch05_ablations", "sample sort, what did not win", "key");
    chapter.sizes(std::size_t{1} << 24, 4000, kMaxKeys, std::size_t{1} << 18)
        .choice("--type", "type of the keys", {"int", "unsigned", "float"}, type);
    return chapter.run(argc, argv, [&](const Options&) {
        if (type == "float") return ablation<float>();
        if (type == "unsigned") return ablation<unsigned>();
        return ablation<int>();
    });
}
