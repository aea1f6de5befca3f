// Prefix sums of 2^20 ints: blocks of 256, then their sums, then both together.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kN = 1 << 20;
constexpr int kThreads = 256;

/// Each block's prefix sums, by Hillis and Steele; sums[b]: all of block b.
__global__ void scan_kernel(const int* in, int* out, int* sums, int n) {
    __shared__ int s[2][kThreads];
    const int t = threadIdx.x;
    const int i = blockIdx.x * kThreads + t;
    int from = 0;
    s[from][t] = i < n ? in[i] : 0;
    __syncthreads();  // all items are there
    for (int distance = 1; distance < kThreads; distance *= 2) {
        const int to = 1 - from;
        s[to][t] = t >= distance ? s[from][t] + s[from][t - distance] : s[from][t];
        from = to;
        __syncthreads();  // this round is complete
    }
    if (i < n) out[i] = s[from][t];
    if (t == kThreads - 1 && sums != nullptr) sums[blockIdx.x] = s[from][t];
}

__global__ void add_kernel(int* out, const int* sums, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
    std::vector<int> in(kN), out(kN);
    for (int i = 0; i < kN; ++i) in[i] = i % 9;
    constexpr int kBlocks = kN / kThreads, kGroups = kBlocks / kThreads;
    int *d_in = nullptr, *d_out = nullptr, *d_sums = nullptr, *d_groups = nullptr;
    cudaMalloc(&d_in, kN * sizeof(int));
    cudaMalloc(&d_out, kN * sizeof(int));
    cudaMalloc(&d_sums, kBlocks * sizeof(int));
    cudaMalloc(&d_groups, kGroups * sizeof(int));
    cudaMemcpy(d_in, in.data(), kN * sizeof(int), cudaMemcpyHostToDevice);
    scan_kernel<<<kBlocks, kThreads>>>(d_in, d_out, d_sums, kN);
    scan_kernel<<<kGroups, kThreads>>>(d_sums, d_sums, d_groups, kBlocks);
    scan_kernel<<<1, kThreads>>>(d_groups, d_groups, nullptr, kGroups);
    add_kernel<<<kGroups, kThreads>>>(d_sums, d_groups, kBlocks);
    add_kernel<<<kBlocks, kThreads>>>(d_out, d_sums, kN);
    cudaMemcpy(out.data(), d_out, kN * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0, wrong = 0;
    for (int i = 0; i < kN; ++i) wrong += out[i] != (sum += in[i]);
    std::printf("%d sums are wrong\n", wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_sums);
    cudaFree(d_groups);
    return wrong == 0 ? 0 : 1;
}
