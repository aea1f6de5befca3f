// Chapter 5, beside it: what was tried for `merge_best` and `sample_best`, keys alone, and did not
// win. For GPUs of compute capability 9.0 or later only, where bulk copies are and launches
// overlap.
//
// Every row differs from one of these two, or from the row that it names, in one thing; --of says
// from which. Checked and timed by the chapter's own experiment, with the chapter's own kernels.
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
using Tile = Shapes::Tile;
using Huge = Shapes::Huge;
using Merge = Shapes::Merge;

// ---- Merge sort: other ways from sorted tiles to one run -------------------------------------

// sweeps: four runs per sweep and a launch each, for few keys too.
// Removes: waits of all blocks for each other, and half of the levels in global memory.
// Remains: two launches per sweep; few keys give few blocks, each of which waits for its first
// tile.
void sweeps(SortParams<int> params) { merge_four_at_a_time<Huge, Merge>(params).merge_all(); }

// one_launch: all levels in one launch, for many keys too.
// Removes: launches; cuts that are found by kernels of their own.
// Remains: two runs per level, so twice as many ways through the memory, none of which a copy
// hides.
void one_launch(SortParams<int> params) { merge_in_one_launch<Shapes::Large>(params); }

// small_tiles: tiles half as large are sorted before the sweeps.
// Removes: a merge in shared memory, and half of the threads that a barrier holds.
// Remains: a sweep more, at those n at which the chapter takes the larger ones.
void small_tiles(SortParams<int> params) { merge_four_at_a_time<Tile, Merge>(params).merge_all(); }

/// Half of a window's keys take fewer registers: more blocks fit than the chapter's shape asks for.
struct NarrowShape : SweepShape<16, 8> {
    static constexpr unsigned kBlocks = 4;
};

// narrow: sweeps with 16 keys per thread.
// Removes: registers, and half of the shared memory of a block, so more warps fit.
// Remains: twice as many windows, and so twice as many searches for where they begin.
void narrow(SortParams<int> params) { merge_four_at_a_time<Huge, NarrowShape>(params).merge_all(); }

/// Two buffers: the keys go from the first to the second and back, `levels` times in all, and the
/// last time not to where they lie, which is the memory of the keys.
struct Buffers {
    int *from, *to;
    Buffers(const SortParams<int>& params, int levels)
        : from(levels % 2 != 0 ? params.spare : params.packed),
          to(levels % 2 != 0 ? params.packed : params.spare) {}
};

/// The chapter's sorted tiles; more than one.
void sort_tiles(const SortParams<int>& params, int* to) {
    allow_shared(merge_best_tile_kernel<Huge>, Huge::kBytes);
    merge_best_tile_kernel<Huge>
        <<<divide_up(static_cast<unsigned>(params.n), Huge::kTile), Huge::kThreads, Huge::kBytes>>>(
            params.keys, nullptr, static_cast<unsigned>(params.n), params.type, to, nullptr);
    CUDA_CHECK_LAUNCH();
}

// two_runs: two runs per sweep; a warp takes its window right out of global memory.
// Removes: the second round in shared memory, and the barriers of a block.
// Remains: twice as many sweeps; each window's search waits for the memory.
template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    two_runs_kernel(const int* from, int* to, unsigned n, unsigned run, Output output) {
    merge_level<S>(shared_tile<int>(), from, to, n, run, blockIdx.x, gridDim.x, output);
}

void two_runs(SortParams<int> params) {
    using S = Tile;
    if (params.n <= Huge::kTile) return sort_one_tile<Huge>(params);
    const unsigned n = static_cast<unsigned>(params.n);
    Buffers buffers(params, levels_above(n, Huge::kTile));
    sort_tiles(params, buffers.from);
    const Output output = {params.type, nullptr, params.keys, nullptr};
    allow_shared(two_runs_kernel<S>, S::kBytes);
    for (unsigned run = Huge::kTile; run < n; run *= 2) {
        two_runs_kernel<S><<<divide_up(n, S::kTile), S::kThreads, S::kBytes>>>(
            buffers.from, buffers.to, n, run, output);
        CUDA_CHECK_LAUNCH();
        std::swap(buffers.from, buffers.to);
    }
}

/// clean_window(), or the same with a `max` for every greater of two: none is worked out on the
/// pipe that multiplies.
template <bool kMultiply, int kKeys>
__device__ void clean_window_by(int (&key)[kKeys], int* tile, unsigned begin) {
    if constexpr (kMultiply) {
        clean_window(key, tile, begin);
    } else {
        const auto clean = [&] {
#pragma unroll
            for (int distance = kKeys / 2; distance > 0; distance /= 2) {
#pragma unroll
                for (int i = 0; i < kKeys; ++i) {
                    if ((i & distance) == 0) compare_exchange(key[i], key[i + distance], false);
                }
            }
        };
        clean();
        store_striped(key, tile, begin);
        __syncwarp();  // written by other lanes than will read
        load_blocked(key, tile, begin);
        __syncwarp();  // all have read before the window is written again
        clean_lanes(key, kWarpSize / 2 / kKeys);
        clean();
    }
}

// loaded: a block for each tile, whose threads load the pieces through their registers; no bulk
// copies, and nothing is fetched ahead.
// Removes: the second tile in shared memory; vectors, layouts and copies that are waited for.
// Remains: the loads of a tile are waited for, unless other blocks have something to do meanwhile.
//
// plain_max: `loaded`, and the greater of two keys is always a `max`.
// Removes: an instruction of every second pair, which had three.
// Remains: both of the two that are left go to the ALU pipe, which is the busy one.
template <class S, bool kMultiply>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    loaded_kernel(const int* from, int* to, Groups groups, const unsigned* cuts, bool last_sweep,
                  KeyType type, std::uint32_t* keys) {
    int* const tile = shared_tile<int>();
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    const Pieces pieces(groups, cuts, blockIdx.x);
    const unsigned(&start)[kWays + 1] = pieces.start;
    int key[S::kKeys] = {};
    load_pieces<S>(key, from, start, pieces.shift, out);
    store_striped(key, tile, out);
    __syncthreads();  // loaded by other warps than will merge

    // The two rounds of merge_best_kernel.
    const unsigned total = start[kWays];
    const unsigned begin_upper = (start[2] + S::kWindow - 1) / S::kWindow * S::kWindow;
    const auto merge_round = [&](const Runs& runs, unsigned first) {
        const unsigned count = runs.count_a + runs.count_b;
        const unsigned left = count - min(first, count);
        if (left > 0) {
            load_window<PaddedLayout<int>, S::kShare / 2>(key, tile, runs, first,
                                                          min(S::kWindow, left));
        }
        __syncthreads();  // all have read before a window is written
        if (left > 0) clean_window_by<kMultiply>(key, tile, out);
        return left > 0;
    };
    const Runs lower_runs = {0, start[1], start[1], start[2] - start[1]};
    const Runs upper_runs = {start[2], start[3] - start[2], start[3], total - start[3]};
    const bool upper = out >= begin_upper;
    if (merge_round(upper ? upper_runs : lower_runs, upper ? out - begin_upper : out)) {
        store_blocked(key, tile, out);
    }
    __syncthreads();  // the windows are written before others read them
    if (!merge_round({0, start[2], begin_upper, total - start[2]}, out)) return;
    const unsigned first = pieces.before + out;
    const unsigned end = pieces.before + total;
    if (last_sweep) {
        store_sorted_blocked_window(key, tile, out, first, end, type, nullptr, keys, nullptr);
    } else {
        store_blocked_window(key, tile, out, to, first, end);
    }
}

template <bool kMultiply>
void loaded(SortParams<int> params) {
    if (params.n <= Huge::kTile) return sort_one_tile<Huge>(params);
    const Buffers buffers(params, sweeps_above(params.n, Huge::kTile));
    sort_tiles(params, buffers.from);
    constexpr std::size_t kBytes = Merge::Base::kBytes;  // a tile
    allow_shared(loaded_kernel<Merge, kMultiply>, kBytes);
    const auto merge = [params](const int* runs, int* merged, const Groups& groups,
                                const unsigned* cuts, unsigned tiles, bool is_last, bool) {
        loaded_kernel<Merge, kMultiply><<<tiles, Merge::kThreads, kBytes>>>(
            runs, merged, groups, cuts, is_last, params.type, params.keys);
    };
    merge_up_to_last_sweep(buffers.from, buffers.to, static_cast<unsigned>(params.n), Huge::kTile,
                           Merge::kShare, static_cast<unsigned*>(params.scratch), merge)
        .merge_all();
}

// ---- Sample sort: other launches, and other buckets ------------------------------------------

/// A kernel on the default stream: it begins when the one before it has ended.
template <class... Parameters, class... Arguments>
void launch_serialized(std::size_t shared_bytes, void (*kernel)(Parameters...), unsigned blocks,
                       unsigned threads, Arguments... arguments) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/// The chapter's sort by a sample, whose steps can be had one by one.
class Steps : public SampleSort {
  public:
    using SampleSort::SampleSort;

    /// As run(), up to the sort of the buckets. launch(bytes of shared memory, kernel, blocks,
    /// threads, arguments...) launches all but the first kernel, and merge_best().
    template <class P, class Launch>
    void cut(const Launch& launch) {
        const unsigned n = static_cast<unsigned>(params_.n);
        const unsigned sampled = splitters_.buckets * kSampled;
        sample_kernel<<<divide_up(sampled, kPackThreads), kPackThreads>>>(
            params_.keys, n, params_.type, sample_, sampled, passes_[0].counts, counters_);
        CUDA_CHECK_LAUNCH();
        merge_best(sample_job());
        const int* const keys = reinterpret_cast<const int*>(params_.keys);
        const unsigned skew = skew_of(keys);
        launch(0, splitters_kernel, divide_up(splitters_.buckets, kPackThreads), kPackThreads,
               splitters_, n, tiles_of(skew, n + skew, P::kTile), begin_, first_tile_);
        const auto count = [&](const Pass& pass, const int* from, KeyType type) {
            launch(0, count_buckets_kernel<P>, tiles<P>(pass), P::kThreads, from, n, type, pass,
                   splitters_, slots_, tile_counts_);
        };
        allow_shared(move_to_buckets_kernel<P>, sizeof(MovedTile<P>));
        const auto move = [&](const Pass& pass, const int* from, KeyType type, int* to) {
            launch(sizeof(MovedTile<P>), move_to_buckets_kernel<P>, tiles<P>(pass), P::kThreads,
                   from, n, type, pass, slots_, tile_counts_, to);
        };
        count(passes_[0], keys, params_.type);
        launch(0, begin_tiles_kernel, 1, 256, passes_[0], middle_tile_, P::kTile,
               skew_of(params_.spare));
        move(passes_[0], keys, params_.type, params_.spare);
        count(passes_[1], params_.spare, KeyType::signed_int);
        launch(0, begin_last_kernel, ways_, 256, passes_[1]);
        move(passes_[1], params_.spare, KeyType::signed_int, params_.packed);
    }

    /// The sort of the buckets, by a kernel with the parameters of the chapter's.
    template <class S, class Kernel, class Launch>
    void sort_by(Kernel* kernel, const Launch& launch) {
        allow_shared(kernel, S::kBytes);
        launch(S::kBytes, kernel, splitters_.buckets, S::kThreads, params_.packed, params_.spare,
               static_cast<unsigned>(params_.n), passes_[1].new_begin, params_.type, params_.keys);
    }
};

/// Sorts in many launches, whatever n is: run(steps, pass shape). For the ways into buckets,
/// `tile` is what a bucket's tile holds.
template <class Run>
void in_many_launches(const SortParams<int>& params, std::size_t tile, const Run& run) {
    if (params.n == 0) return;
    const unsigned ways = ways_for(params.n, tile);
    if (ways > kMaxWays) return merge_best(params);
    Steps steps(params, ways);
    if (params.n <= std::size_t{1} << 27) {  // as sample_best()
        run(steps, PassShape<256, 8, 4>());
    } else {
        run(steps, PassShape<384, 8, 3>());
    }
}

// launches: for few keys too all that is done for many.
// Removes: waits of all blocks for each other.
// Remains: ten launches; a move more; fewer buckets than multiprocessors.
void launches(SortParams<int> params) {
    in_many_launches(params, Huge::kTile,
                     [](Steps& steps, auto pass) { steps.run<decltype(pass), Huge>(); });
}

// best_serialized: `launches`, none of which overlaps the one before it.
// Removes: nothing but a promise of each kernel, to wait before it touches memory.
// Remains: the gap between two launches, ten times.
void best_serialized(SortParams<int> params) {
    in_many_launches(params, Huge::kTile, [](Steps& steps, auto pass) {
        const auto launch = [](auto... arguments) { launch_serialized(arguments...); };
        steps.cut<decltype(pass)>(launch);
        steps.sort_by<Huge>(sort_buckets_kernel<Huge>, launch);
    });
}

// fuller: `launches`, into fewer buckets: they fill three quarters of a tile, not three fifths.
// Removes: a fifth of the buckets; windows that are empty while others are sorted.
// Remains: more buckets than before that a tile does not hold, which one block sorts slowly.
void fuller(SortParams<int> params) {
    in_many_launches(params, Huge::kTile * 5 / 4,
                     [](Steps& steps, auto pass) { steps.run<decltype(pass), Huge>(); });
}

// small_buckets: `launches`, into twice as many buckets, for blocks half as large.
// Removes: a merge in shared memory, and half of the threads that a barrier holds.
// Remains: a tile of a pass has fewer keys for each bucket, and so writes shorter pieces.
void small_buckets(SortParams<int> params) {
    in_many_launches(params, Tile::kTile,
                     [](Steps& steps, auto pass) { steps.run<decltype(pass), Tile>(); });
}

// sixteen: `launches`; a bucket is sorted with 16 keys per thread, by blocks of 32 warps.
// Removes: half of the keys that a thread sorts alone.
// Remains: windows half as large, so a merge in shared memory more; one block on a multiprocessor,
// so all of it waits at a barrier.
void sixteen(SortParams<int> params) {
    using Bucket = Shape<int, 16, 32>;
    static_assert(Bucket::kTile == Huge::kTile, "only the keys per thread differ");
    in_many_launches(params, Huge::kTile,
                     [](Steps& steps, auto pass) { steps.run<decltype(pass), Bucket>(); });
}

// other_pass: `launches`, whose passes take large tiles for few ways, and small ones for many.
// Removes: for few ways, pieces of few keys.
// Remains: for few ways, fewer blocks on a multiprocessor; for many, pieces of still fewer keys,
// each of which begins and ends within a sector.
void other_pass(SortParams<int> params) {
    in_many_launches(params, Huge::kTile, [](Steps& steps, auto pass) {
        constexpr bool kIsSmall = decltype(pass)::kThreads == 256;
        using Other = std::conditional_t<kIsSmall, PassShape<384, 8, 3>, PassShape<256, 8, 4>>;
        steps.run<Other, Huge>();
    });
}

// by_size: `launches`; buckets that half of a block can hold are sorted by blocks half as large, in
// a launch of their own.
// Removes: warps that have no keys.
// Remains: each of the two launches has its own end, at which few blocks run; and in both of them
// there are blocks that find nothing to do.
template <class S, bool kSmall>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    sort_some_buckets_kernel(int* packed, int* spare, unsigned n, const unsigned* begins,
                             KeyType type, std::uint32_t* keys) {
    grid_dependency_synchronize();
    int* const tile = shared_tile<int>();
    const unsigned begin = begins[blockIdx.x];
    const unsigned end = begins[blockIdx.x + 1];
    const unsigned count = end - begin;
    if (kSmall != (count <= Tile::kTile)) return;
    // From here on as sort_buckets_kernel.
    const unsigned out = threadIdx.x / kWarpSize * S::kWindow;
    if (kSmall || count <= S::kTile) {
        int key[S::kKeys];
        const Source source(packed, n);
        const unsigned first = begin + source.skew;
        const unsigned last = end + source.skew;
        const unsigned from = last - first / 4 * 4 <= S::kTile ? first / 4 * 4 : first;
        const unsigned used = (last - from + S::kWindow - 1) / S::kWindow * S::kWindow;
        load_around(key, source.vectors, from + out, first, last);
        sort_parts_of_tile<S>(key, tile, 0, used, used);
        if (out < used) {
            store_sorted_blocked_window(key, tile, out, begin + out, end, type, nullptr, keys,
                                        nullptr);
        }
        return;
    }
    if constexpr (!kSmall) {
        sort_large_bucket<S>(tile, packed + begin, spare + begin, count, type, keys + begin);
    }
}

void by_size(SortParams<int> params) {
    in_many_launches(params, Huge::kTile, [](Steps& steps, auto pass) {
        const auto launch = [](auto... arguments) { launch_programmatic_with(arguments...); };
        steps.cut<decltype(pass)>(launch);
        steps.sort_by<Huge>(sort_some_buckets_kernel<Huge, false>, launch);
        steps.sort_by<Tile>(sort_some_buckets_kernel<Tile, true>, launch);
    });
}

// ---- The tables ------------------------------------------------------------------------------

using Table = std::vector<Stage<Launch<int>>>;

const Table& of_merge_best() {
    static const Table table = {
        {{"merge_best", "the chapter's: four runs per sweep; few keys in one launch"},
         merge_best<int>},
        {{"sweeps", "four runs per sweep, for few keys too"}, sweeps},
        {{"one_launch", "all levels in one launch, for many keys too"}, one_launch},
        {{"two_runs", "two runs per sweep"}, two_runs},
        {{"small_tiles", "tiles of 8,192 keys before the sweeps"}, small_tiles},
        {{"narrow", "sweeps with 16 keys per thread"}, narrow},
        {{"loaded", "sweeps without bulk copies"}, loaded<true>},
        {{"plain_max", "loaded, nothing on the pipe that multiplies"}, loaded<false>},
    };
    return table;
}

const Table& of_sample_best() {
    static const Table table = {
        {{"sample_best", "the chapter's: many launches; few keys in one"}, sample_best},
        {{"launches", "many launches, for few keys too"}, launches},
        {{"best_serialized", "launches that do not overlap"}, best_serialized},
        {{"fuller", "buckets that fill three quarters of a tile"}, fuller},
        {{"small_buckets", "buckets for tiles of 8,192 keys"}, small_buckets},
        {{"sixteen", "buckets sorted with 16 keys per thread"}, sixteen},
        {{"by_size", "small and large buckets in a launch each"}, by_size},
        {{"other_pass", "the passes' tiles of the other size"}, other_pass},
    };
    return table;
}

template <class Key>
std::unique_ptr<Experiment> ablation(const Table& table) {
    return std::make_unique<SortExperiment<Key, int>>(table);
}

}  // namespace

int main(int argc, char** argv) {
    std::string of = "merge_best";
    std::string type = "int";
    Chapter chapter("ch05_ablations", "merge sort and sample sort, what did not win", "key");
    chapter.sizes(std::size_t{1} << 24, 4000, kMaxKeys, std::size_t{1} << 18)
        .choice("--of", "the fastest version that the others are compared with",
                {"merge_best", "sample_best"}, of)
        .choice("--type", "type of the keys", {"int", "unsigned", "float"}, type);
    return chapter.run(argc, argv, [&](const Options&) {
        const Table& table = of == "merge_best" ? of_merge_best() : of_sample_best();
        if (type == "float") return ablation<float>(table);
        if (type == "unsigned") return ablation<unsigned>(table);
        return ablation<int>(table);
    });
}
