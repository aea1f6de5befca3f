// Chapter 5, beside it: what was tried for `sample_best`, keys alone, and did not win. For GPUs of
// compute capability 9.0 or later only, where launches overlap.
//
// Every row differs from it, or from the row that it names, in one thing. Checked and timed by the
// chapter's own experiment, with the chapter's own kernels.
//
//   cmake --preset cuda && cmake --build build/cuda --target ch05_merge_bitonic_ablations
#include "../common/harness/programmatic_launch.hpp"

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
using SmallBucket = Shapes::Large;

// merges: no sample; tiles are sorted and merged in pairs in one launch, for many keys as for few.
// Removes: the sample, and both moves of every key.
// Remains: a sweep over the memory for each doubling of the runs.
void merges(SortParams<int> params) { merge_in_one_launch<Shapes::Large>(params); }

/// A kernel on the default stream: it begins when the one before it has ended.
struct SerializedLaunch {
    template <class... Parameters, class... Arguments>
    void operator()(std::size_t shared_bytes, void (*kernel)(Parameters...), unsigned blocks,
                    unsigned threads, Arguments... arguments) const {
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared_bytes;
        CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
    }
};

/// Sorts in many launches, whatever n is: run(sort, pass shape). For the ways into buckets, `tile`
/// is what a bucket's tile holds.
template <class Run>
void in_many_launches(const SortParams<int>& params, std::size_t tile, const Run& run) {
    if (params.n <= Shapes::Small::kTile) return few_keys(params);
    SampleSort<int> sort(params, cuts_for(params.n, tile));
    if (params.n <= std::size_t{1} << 27) {  // as sample_best()
        run(sort, Shapes::FewWays());
    } else {
        run(sort, Shapes::ManyWays());
    }
}

// launches: for few keys too all that is done for many.
// Removes: waits of all blocks for each other.
// Remains: ten launches; a move more; fewer buckets than multiprocessors.
void launches(SortParams<int> params) {
    in_many_launches(params, Bucket::kTile,
                     [](auto& sort, auto pass) { sort.template run<decltype(pass), Bucket>(); });
}

// best_serialized: `launches`, none of which overlaps the one before it.
// Removes: nothing but a promise of each kernel, to wait before it touches memory.
// Remains: the gap between two launches, ten times.
void best_serialized(SortParams<int> params) {
    in_many_launches(params, Bucket::kTile, [](auto& sort, auto pass) {
        sort.template cut<decltype(pass)>(SerializedLaunch());
        sort.template sort_buckets<Bucket>(SerializedLaunch());
    });
}

// fuller: `launches`, into fewer buckets: they fill three quarters of a tile, not three fifths.
// Removes: a fifth of the buckets; windows that are empty while others are sorted.
// Remains: more buckets than before that a tile does not hold, which one block sorts slowly.
void fuller(SortParams<int> params) {
    in_many_launches(params, Bucket::kTile * 5 / 4,
                     [](auto& sort, auto pass) { sort.template run<decltype(pass), Bucket>(); });
}

// small_buckets: `launches`, into twice as many buckets, for blocks half as large.
// Removes: a merge in shared memory, and half of the threads that a barrier holds.
// Remains: a tile of a pass has fewer keys for each bucket, and so writes shorter pieces.
void small_buckets(SortParams<int> params) {
    in_many_launches(params, SmallBucket::kTile, [](auto& sort, auto pass) {
        sort.template run<decltype(pass), SmallBucket>();
    });
}

// sixteen: `launches`; a bucket is sorted with 16 keys per thread, by blocks of 32 warps.
// Removes: half of the keys that a thread sorts alone.
// Remains: windows half as large, so a merge in shared memory more; one block on a multiprocessor,
// so all of it waits at a barrier.
void sixteen(SortParams<int> params) {
    using Sixteen = Shape<int, 16, 32>;
    static_assert(Sixteen::kTile == Bucket::kTile, "only the keys per thread differ");
    in_many_launches(params, Bucket::kTile,
                     [](auto& sort, auto pass) { sort.template run<decltype(pass), Sixteen>(); });
}

// other_pass: `launches`, whose passes take large tiles for few ways, and small ones for many.
// Removes: for few ways, pieces of few keys.
// Remains: for few ways, fewer blocks on a multiprocessor; for many, pieces of still fewer keys,
// each of which begins and ends within a sector.
void other_pass(SortParams<int> params) {
    in_many_launches(params, Bucket::kTile, [](auto& sort, auto pass) {
        constexpr bool kIsFew = std::is_same_v<decltype(pass), Shapes::FewWays>;
        using Other = std::conditional_t<kIsFew, Shapes::ManyWays, Shapes::FewWays>;
        sort.template run<Other, Bucket>();
    });
}

// three_passes: `launches`, in three passes where two would do.
// Removes: ways; what a tile has for a bucket is more keys in a row.
// Remains: a pass more, which reads the keys twice and writes them once.
void three_passes(SortParams<int> params) {
    if (params.n <= Shapes::Small::kTile) return few_keys(params);
    unsigned ways = 2;
    while (std::size_t{ways} * ways * ways * Bucket::kTile * 3 / 5 < params.n) ++ways;
    SampleSort<int>(params, {3, ways}).run<Shapes::FewWays, Bucket>();
}

// ---- The table -------------------------------------------------------------------------------

using Table = std::vector<Stage<Launch<int>>>;

const Table& rows() {
    static const Table table = {
        {{"sample_best", "the chapter's: many launches; few keys in one"}, sample_best<int>},
        {{"merges", "no sample, merges in one launch, for many keys too"}, merges},
        {{"launches", "many launches, for few keys too"}, launches},
        {{"best_serialized", "launches that do not overlap"}, best_serialized},
        {{"fuller", "buckets that fill three quarters of a tile"}, fuller},
        {{"small_buckets", "buckets for tiles of 8,192 keys"}, small_buckets},
        {{"sixteen", "buckets sorted with 16 keys per thread"}, sixteen},
        {{"other_pass", "the passes' tiles of the other size"}, other_pass},
        {{"three_passes", "three passes where two would do"}, three_passes},
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
