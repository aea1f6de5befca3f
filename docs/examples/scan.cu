// Scan (inclusive prefix sum), out[i] = in[0] + ... + in[i]: log2(n) launches, and three.
//
// The naive kernel adds the item that is 1, 2, 4, ... before, and each launch reads and writes
// everything. The other one scans in registers (shuffles) and shared memory; then the sums of the
// blocks are scanned and added. Count the bytes that both move.
//     ./tutorial explain docs/examples/scan.cu
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)

void check(cudaError_t result, const char* call, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(result));
    std::exit(1);
}

constexpr int kThreads = 256, kWarp = 32;

__global__ void scan_naive_kernel(const int* in, int* out, int n, int distance) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) out[i] = in[i] + (i >= distance ? in[i - distance] : 0);
}

__device__ int scan_of_warp(int value) {
    const int lane = threadIdx.x % kWarp;
    for (int distance = 1; distance < kWarp; distance *= 2) {
        const int before = __shfl_up_sync(0xffffffff, value, distance);
        if (lane >= distance) value += before;
    }
    return value;
}

__global__ void scan_block_kernel(const int* in, int* out, int* block_sums, int n) {
    __shared__ int warp_sums[kThreads / kWarp];
    const int i = blockIdx.x * kThreads + threadIdx.x, warp = threadIdx.x / kWarp;
    int value = scan_of_warp(i < n ? in[i] : 0);
    if (threadIdx.x % kWarp == kWarp - 1) warp_sums[warp] = value;
    __syncthreads();  // the sums of all warps are there before any thread adds them
    for (int before = 0; before < warp; ++before) value += warp_sums[before];
    if (i < n) out[i] = value;
    if (threadIdx.x == kThreads - 1) block_sums[blockIdx.x] = value;
}

__global__ void scan_add_kernel(int* out, const int* block_sums, int n) {
    const int i = (blockIdx.x + 1) * kThreads + threadIdx.x;  // the first block is complete
    if (i < n) out[i] += block_sums[blockIdx.x];
}

int main() {
    const int n = 10'000, blocks = (n + kThreads - 1) / kThreads;  // at most kThreads blocks
    std::vector<int> in(n), naive(n), shuffled(n);
    for (int i = 0; i < n; ++i) in[i] = i % 7 - 3;
    int *d_in = nullptr, *d_out = nullptr, *d_sums = nullptr;
    for (int** d_items : {&d_in, &d_out, &d_sums}) CHECK(cudaMalloc(d_items, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    scan_block_kernel<<<blocks, kThreads>>>(d_in, d_out, d_sums, n);
    scan_block_kernel<<<1, kThreads>>>(d_sums, d_sums, d_sums + blocks, blocks);
    scan_add_kernel<<<blocks - 1, kThreads>>>(d_out, d_sums, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(shuffled.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));

    for (int distance = 1; distance < n; distance *= 2, std::swap(d_in, d_out))
        scan_naive_kernel<<<blocks, kThreads>>>(d_in, d_out, n, distance);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(naive.data(), d_in, n * sizeof(int), cudaMemcpyDeviceToHost));

    int wrong = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[i];
        wrong += (naive[i] != sum) + (shuffled[i] != sum);
    }
    for (int* d_items : {d_in, d_out, d_sums}) CHECK(cudaFree(d_items));
    std::printf("scan, n = %d: %d sums are wrong\n", n, wrong);
    return wrong == 0 ? 0 : 1;
}
