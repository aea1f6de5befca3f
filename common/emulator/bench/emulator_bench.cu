// How fast the emulator runs kernels: medians of several runs, next to the goals for two cores.
//
// It is a benchmark, not a test: the table says which goals are missed, and the exit code stays
// 0. A wrong result or a CUDA error ends it with exit code 1.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <emulator/settings.hpp>
#include <numeric>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kReductionItems = 1 << 20;
constexpr int kBubbleKeys = 1024;
constexpr int kRounds = 1000;
constexpr int kSwitchThreads = 32;
constexpr int kBarrierThreads = 256;

[[noreturn]] void fail(const char* what, const char* reason) {
    std::fprintf(stderr, "emulator_bench: %s: %s\n", what, reason);
    std::exit(1);
}

void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) fail(what, cudaGetErrorString(status));
}

// ---- The kernels --------------------------------------------------------------------------------

__global__ void empty_kernel() {}

/// One item per thread, five shuffles per warp, one atomic per warp: as many threads as items.
__global__ void reduction_kernel(const int* in, int* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
}

/// Odd-even transposition sort: kBubbleKeys half-steps, a barrier before each.
__global__ void bubble_kernel(int* keys) {
    __shared__ int s[kBubbleKeys];
    const int t = threadIdx.x;
    s[t] = keys[t];
    s[t + kBubbleKeys / 2] = keys[t + kBubbleKeys / 2];
    for (int step = 0; step < kBubbleKeys; ++step) {
        __syncthreads();  // the last half-step is complete
        const int k = 2 * t + step % 2;
        if (k + 1 < kBubbleKeys && s[k + 1] < s[k]) {
            const int kept = s[k];
            s[k] = s[k + 1];
            s[k + 1] = kept;
        }
    }
    __syncthreads();  // s is sorted
    keys[t] = s[t];
    keys[t + kBubbleKeys / 2] = s[t + kBubbleKeys / 2];
}

/// Every call of __nanosleep lets another thread run.
__global__ void switch_kernel() {
    for (int round = 0; round < kRounds; ++round) __nanosleep(0);
}

__global__ void barrier_kernel() {
    for (int round = 0; round < kRounds; ++round) __syncthreads();  // only the barrier
}

// ---- Measuring ----------------------------------------------------------------------------------

struct Seconds {
    double median, least;
};

/// The time of one call: the median of at least 9 calls, of about a second at most.
template <class Prepare, class Run>
Seconds measure(Prepare prepare, Run run) {
    std::vector<double> samples;
    double total = 0;
    for (int i = 0; i < 101 && (i < 10 || total < 1.0); ++i) {
        prepare();
        const Clock::time_point start = Clock::now();
        run();
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        total += seconds;
        if (i > 0) samples.push_back(seconds);  // the first call creates stacks and workers
    }
    std::sort(samples.begin(), samples.end());
    return {samples[samples.size() / 2], samples.front()};
}

template <class Run>
Seconds measure(Run run) {
    return measure([] {}, run);
}

/// One row, in units of `scale` seconds. The median is compared with the goal (0: none is set); the
/// minimum shows what it would be if no other programs ran.
void row(const char* what, Seconds seconds, double scale, const char* unit, double goal) {
    const double median = seconds.median / scale;
    std::printf("%-40s %10.3f %10.3f %-3s", what, median, seconds.least / scale, unit);
    if (goal > 0) {
        std::printf(" %10g %-3s  %s\n", goal, unit, median <= goal ? "met" : "missed");
    } else {
        std::printf(" %10s\n", "-");
    }
    std::fflush(stdout);
}

// ---- The rows -----------------------------------------------------------------------------------

void measure_reduction() {
    std::vector<int> in(kReductionItems);
    std::uint32_t state = 1;
    for (int& item : in) item = int((state = state * 1664525u + 1013904223u) >> 24);
    const int expected = std::accumulate(in.begin(), in.end(), 0);
    int* d_in = nullptr;
    int* d_sum = nullptr;
    check(cudaMalloc(&d_in, in.size() * sizeof(int)), "cudaMalloc");
    check(cudaMalloc(&d_sum, sizeof(int)), "cudaMalloc");
    check(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice), "copy");
    const Seconds seconds =
        measure([&] { check(cudaMemset(d_sum, 0, sizeof(int)), "cudaMemset"); },
                [&] {
                    reduction_kernel<<<kReductionItems / 256, 256>>>(d_in, d_sum, kReductionItems);
                    check(cudaDeviceSynchronize(), "reduction");
                });
    int sum = 0;
    check(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost), "copy");
    if (sum != expected) fail("reduction", "wrong sum");
    check(cudaFree(d_in), "cudaFree");
    check(cudaFree(d_sum), "cudaFree");
    row("shuffle reduction, 2^20 items", seconds, 1e-3, "ms", 300);
}

void measure_bubble_sort() {
    std::vector<int> keys(kBubbleKeys), sorted(kBubbleKeys);
    for (int i = 0; i < kBubbleKeys; ++i) keys[i] = i * 389 % kBubbleKeys;
    int* d_keys = nullptr;
    check(cudaMalloc(&d_keys, kBubbleKeys * sizeof(int)), "cudaMalloc");
    const Seconds seconds = measure(
        [&] {
            check(
                cudaMemcpy(d_keys, keys.data(), kBubbleKeys * sizeof(int), cudaMemcpyHostToDevice),
                "copy");
        },
        [&] {
            bubble_kernel<<<1, kBubbleKeys / 2>>>(d_keys);
            check(cudaDeviceSynchronize(), "bubble sort");
        });
    check(cudaMemcpy(sorted.data(), d_keys, kBubbleKeys * sizeof(int), cudaMemcpyDeviceToHost),
          "copy");
    if (!std::is_sorted(sorted.begin(), sorted.end()) || sorted[1] != 1) {
        fail("bubble sort", "not sorted");
    }
    check(cudaFree(d_keys), "cudaFree");
    row("bubble sort, 1024 keys, one block", seconds, 1e-3, "ms", 40);
}

void measure_overheads() {
    const Seconds launch = measure([] {
        empty_kernel<<<1, 1>>>();
        check(cudaDeviceSynchronize(), "empty launch");
    });
    row("empty launch", launch, 1e-3, "ms", 0.1);
    const Seconds switches = measure([] {
        switch_kernel<<<1, kSwitchThreads>>>();
        check(cudaDeviceSynchronize(), "switches");
    });
    row("switch to another thread (__nanosleep)", switches, 1e-9 * kSwitchThreads * kRounds, "ns",
        0);
    const Seconds barriers = measure([] {
        barrier_kernel<<<1, kBarrierThreads>>>();
        check(cudaDeviceSynchronize(), "barriers");
    });
    row("__syncthreads, for each thread", barriers, 1e-9 * kBarrierThreads * kRounds, "ns", 0);
}

}  // namespace

int main() {
    std::printf("emulator, %d worker%s; goals are for two cores\n", emulator::workers(),
                emulator::workers() == 1 ? "" : "s");
    std::printf("%-40s %10s %10s %14s\n", "", "median", "least", "goal");
    measure_reduction();
    measure_bubble_sort();
    measure_overheads();
    return 0;
}
