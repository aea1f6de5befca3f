// Histogram: how often each of 64 values occurs; the naive kernel and one histogram per block.
//
// The naive kernel adds each item to global memory. The other one adds to a histogram in shared
// memory, and then each block adds its 64 sums to global memory. Count the global atomic
// operations of both.
//     ./tutorial explain docs/examples/histogram.cu
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)

void check(cudaError_t result, const char* call, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(result));
    std::exit(1);
}

constexpr int kBins = 64;

__global__ void histogram_naive_kernel(const int* items, int* bins, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[items[i]], 1);
}

__global__ void histogram_shared_kernel(const int* items, int* bins, int n) {
    __shared__ int block_bins[kBins];
    for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) block_bins[bin] = 0;
    __syncthreads();  // all bins are 0 before any thread adds
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&block_bins[items[i]], 1);
    __syncthreads();  // all have added before the sums are read
    for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x)
        atomicAdd(&bins[bin], block_bins[bin]);
}

int main() {
    const int n = 10'000;
    std::vector<int> items(n), bins(kBins);
    unsigned random = 1;
    for (int& item : items) {
        random = random * 1664525 + 1013904223;
        item = static_cast<int>(random >> 16) % kBins;
    }
    int *d_items = nullptr, *d_bins = nullptr;
    CHECK(cudaMalloc(&d_items, n * sizeof(int)));
    CHECK(cudaMalloc(&d_bins, kBins * sizeof(int)));
    CHECK(cudaMemcpy(d_items, items.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    std::vector<int> expected(kBins);
    for (const int item : items) ++expected[item];
    int wrong = 0;
    for (auto* kernel : {histogram_naive_kernel, histogram_shared_kernel}) {
        CHECK(cudaMemset(d_bins, 0, kBins * sizeof(int)));
        kernel<<<4, 256>>>(d_items, d_bins, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(bins.data(), d_bins, kBins * sizeof(int), cudaMemcpyDeviceToHost));
        for (int bin = 0; bin < kBins; ++bin) wrong += bins[bin] != expected[bin];
    }
    CHECK(cudaFree(d_items));
    CHECK(cudaFree(d_bins));
    std::printf("histogram of %d items: %d bins are wrong\n", n, wrong);
    return wrong == 0 ? 0 : 1;
}
