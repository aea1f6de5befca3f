// Chapter 2: the sum of N floats, the way it is first written on a GPU.
//
// You will learn: what a block of threads can add together in shared memory, what divergence and
// bank conflicts cost and how to do without, how to add the blocks' partial sums, what a time with
// copies and one without have in common (little), and why the result is not that of the host.
//
// Build just this chapter:
//   cmake --preset cuda && cmake --build build/cuda --target ch02_reduce_baseline
//   nvcc -std=c++17 -O3 -arch=native -I. ch02_*/main.cu common/harness/*.cpp common/harness/*.cu -lfmt -o ch02
#include <cuda_runtime.h>

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>

#include "../common/harness/cub_limits.hpp"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/library_count.hpp"
#include "../common/harness/sum_experiment.hpp"

namespace {

using namespace tutorial;

constexpr unsigned kThreads = 512;  // per block; one item each

/// The sum on the host, one item after the other, in float as on the device.
float serial_sum(const float* items, std::size_t n) {
    float sum = 0.0f;
    for (std::size_t i = 0; i < n; ++i) sum += items[i];
    return sum;
}

// ---- Kernels ---------------------------------------------------------------------------------

/// This thread's place among all threads of the grid.
__device__ std::size_t grid_index() {
    return static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
}

// atomic: every thread adds its item to the one sum, which only an atomic operation does safely.
// Removes: (the starting point).
// Remains: all n additions go through one word of memory, one after the other; and in an order
// that differs from run to run, so that the result does too.
__global__ void atomic_kernel(const float* items, std::size_t n, float* sum) {
    const std::size_t i = grid_index();
    if (i < n) atomicAdd(sum, items[i]);
}

// neighbour: a block adds its items in shared memory: pairs, pairs of pairs, and so on.
// Removes: the one word that all wait for; each block leaves one partial sum.
// Remains: divergence: every second thread idles, then three of four, and so on; but all warps
// still take part, mostly empty.
__global__ void neighbour_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = grid_index();
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned s = 1; s < kThreads; s *= 2) {
        if (t % (2 * s) == 0) sums[t] += sums[t + s];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

// compact: the same additions, done by the first threads of the block.
// Removes: divergence: whole warps work or are done.
// Remains: neighbouring threads add items 2s apart, so that more and more of a warp's 32 accesses
// fall into the same bank of shared memory, and wait for each other as warps did before.
__global__ void compact_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = grid_index();
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned s = 1; s < kThreads; s *= 2) {
        const unsigned left = 2 * s * t;
        if (left < kThreads) sums[left] += sums[left + s];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

// sequential: each thread adds the item half a block away, then a quarter, and so on.
// Removes: bank conflicts: neighbouring threads use neighbouring words.
// Remains: half of the threads do nothing after loading their one item. Chapter 3 goes on here.
__global__ void sequential_kernel(const float* items, std::size_t n, float* partial) {
    __shared__ float sums[kThreads];
    const unsigned t = threadIdx.x;
    const std::size_t i = grid_index();
    sums[t] = i < n ? items[i] : 0.0f;
    __syncthreads();  // every item is there
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();  // this level is complete before the next reads it
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

// ---- Launchers -------------------------------------------------------------------------------

/// One block for no items at all, so that somebody writes the 0.
unsigned blocks_for(std::size_t n) {
    return static_cast<unsigned>(std::max<std::size_t>(1, (n + kThreads - 1) / kThreads));
}

void atomic(const float* d_items, std::size_t n, float* d_sum) {
    CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(float)));  // 0.0f is four bytes of 0
    atomic_kernel<<<blocks_for(n), kThreads>>>(d_items, n, d_sum);
    CUDA_CHECK_LAUNCH();
}

void neighbour(const float* d_items, std::size_t n, float* d_partial) {
    neighbour_kernel<<<blocks_for(n), kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}

void compact(const float* d_items, std::size_t n, float* d_partial) {
    compact_kernel<<<blocks_for(n), kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}

void sequential(const float* d_items, std::size_t n, float* d_partial) {
    sequential_kernel<<<blocks_for(n), kThreads>>>(d_items, n, d_partial);
    CUDA_CHECK_LAUNCH();
}

// ---- The table -------------------------------------------------------------------------------

/// One launch, which turns n items into partials(n) sums.
struct Adder {
    void (*launch)(const float* d_items, std::size_t n, float* d_partial);
    unsigned (*partials)(std::size_t n);
    double (*depth)(std::size_t n);  ///< additions that an item goes through at most
};

unsigned one_sum(std::size_t) { return 1; }

/// One after the other, in any order.
double serial_depth(std::size_t n) { return static_cast<double>(n); }

/// The levels of a tree over 512 = 2^9 threads.
double tree_depth(std::size_t) { return 9.0; }

const std::vector<Stage<Adder>>& stages() {
    static const std::vector<Stage<Adder>> table = {
        {{"atomic", "every thread adds to one word"}, {atomic, one_sum, serial_depth}},
        {{"neighbour", "adjacent pairs in shared memory"}, {neighbour, blocks_for, tree_depth}},
        {{"compact", "the same pairs, added by the first threads"},
         {compact, blocks_for, tree_depth}},
        {{"sequential", "half a block away, then a quarter"}, {sequential, blocks_for, tree_depth}},
    };
    return table;
}

/// Who adds the partial sums: the host, as in the article, or the same kernel, launched again.
enum class Finish { host, launch };

/// Partial sums on the device: where and how many.
struct Partials {
    float* d_sums;
    std::size_t count;
};

/// Enqueues the stage's one launch, or as many as it takes until one sum is left. `d_scratch`: two
/// arrays that hold the partial sums of n items.
Partials reduce(const Adder& adder, Finish finish, const float* d_items, std::size_t n,
                float* const (&d_scratch)[2]) {
    adder.launch(d_items, n, d_scratch[0]);
    Partials partials = {d_scratch[0], adder.partials(n)};
    for (int to = 1; finish == Finish::launch && partials.count > 1; to = 1 - to) {
        adder.launch(partials.d_sums, partials.count, d_scratch[to]);
        partials = {d_scratch[to], adder.partials(partials.count)};
    }
    return partials;
}

/// How many additions an item goes through at most on its way to the result: that is what the bound
/// on the result's error depends on.
double longest_way(const Adder& adder, Finish finish, std::size_t n) {
    double additions = adder.depth(n);
    std::size_t count = adder.partials(n);
    for (; finish == Finish::launch && count > 1; count = adder.partials(count)) {
        additions += adder.depth(count);
    }
    return additions + serial_depth(count - 1);
}

// ---- The experiment --------------------------------------------------------------------------

class BaselineExperiment : public SumExperiment {
  public:
    BaselineExperiment(const Options& options, Finish finish)
        : SumExperiment(options), finish_(finish) {}

    std::vector<RowInfo> rows() const override {
        std::vector<RowInfo> rows = rows_of(stages());
        rows.push_back({"host", "one addition after the other, on the host", RowKind::host});
#if defined(__CUDACC__)
        rows.push_back(
            {"thrust", "thrust::reduce, which hands the sum to the host", RowKind::library});
        rows.push_back({"cub", "cub::DeviceReduce::Sum", RowKind::library, cub_limits()});
#endif
        return rows;
    }

    bool times_copies() const override { return true; }

    /// What the article's clock held: copy the items there, add, copy the result back.
    bool run_with_copies(std::size_t row, int) override {
        if (row == stages().size()) return false;
        upload();
        sum(row, input());
        on_host_ = fetch();
        partials_ = {nullptr, 0};
        return true;
    }

  protected:
    std::size_t scratch_bytes(std::size_t n) const override {
        return 2 * blocks_for(n) * sizeof(float) + kLibraryBytes;
    }

    void allocate(std::size_t n) override {
        for (DeviceBuffer<float>& scratch : d_scratch_) {
            scratch = DeviceBuffer<float>(blocks_for(n));
        }
        d_library_ = DeviceBuffer<unsigned char>(kLibraryBytes);
    }

    void forget() override {
        for (DeviceBuffer<float>& scratch : d_scratch_) scratch.fill_bytes(0xff);  // NaN
        partials_ = {nullptr, 0};
        on_host_ = std::numeric_limits<float>::quiet_NaN();
    }

    void sum(std::size_t row, const Input& input) override {
        if (row < stages().size()) {
            partials_ = reduce(stages()[row].launch, finish_, input.d_items, input.n,
                               {d_scratch_[0].data(), d_scratch_[1].data()});
        } else if (row == stages().size()) {
            on_host_ = serial_sum(input.items, input.n);
        } else {
            library_sum(row - stages().size() - 1, input);
        }
    }

    /// The sum that the last run left: on the host, or in partial sums that the host adds.
    float fetch() override {
        if (partials_.count == 0) return on_host_;
        std::vector<float> sums(partials_.count);
        CUDA_CHECK(cudaMemcpy(sums.data(), partials_.d_sums, sums.size() * sizeof(float),
                              cudaMemcpyDeviceToHost));
        return serial_sum(sums.data(), sums.size());
    }

    /// A library does not say in what order it adds: the bound of any order at all.
    double depth(std::size_t row) const override {
        if (row < stages().size()) return longest_way(stages()[row].launch, finish_, n());
        return serial_depth(n());
    }

  private:
    /// More than CUB asks for, whatever n is: it says so itself where that were not enough.
    static constexpr std::size_t kLibraryBytes = std::size_t{1} << 20;

#if defined(__CUDACC__)
    void library_sum(std::size_t which, const Input& input) {
        if (which == 0) {
            on_host_ = thrust::reduce(thrust::device, input.d_items, input.d_items + input.n, 0.0f);
            return;
        }
        std::size_t bytes = d_library_.size();
        with_library_count(input.n, [&](auto count) {
            CUDA_CHECK(cub::DeviceReduce::Sum(d_library_.data(), bytes, input.d_items,
                                              d_scratch_[0].data(), count));
        });
        partials_ = {d_scratch_[0].data(), 1};
    }
#else
    void library_sum(std::size_t, const Input&) {}
#endif

    Finish finish_;
    float on_host_ = 0.0f;
    Partials partials_ = {nullptr, 0};
    DeviceBuffer<float> d_scratch_[2];
    DeviceBuffer<unsigned char> d_library_;
};

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t kMost = (std::size_t{1} << 31) + 3;
    std::string finish = "launch";
    return Chapter("ch02_reduce_baseline", "The sum of N floats, first tries", "float")
        .sizes(std::size_t{1} << 26, std::size_t{1} << 20, kMost, std::size_t{1} << 24)
        .choice("--finish", "who adds the blocks' partial sums", {"host", "launch"}, finish)
        .run(argc, argv, [&](const Options& options) {
            return std::make_unique<BaselineExperiment>(
                options, finish == "host" ? Finish::host : Finish::launch);
        });
}
