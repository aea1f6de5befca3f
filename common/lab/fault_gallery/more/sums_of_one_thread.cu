// Each block has a sum, but only the first thread of the grid stores one.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void sums_of_blocks(const int* in, int* sums, int n) {
    __shared__ int part[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (i == 0) sums[blockIdx.x] = part[0];
}

int main() {
    constexpr int kItems = 500, kBlocks = 4;
    std::vector<int> in(kItems, 1), sums(kBlocks);
    int *d_in, *d_sums;
    cudaMalloc(&d_in, kItems * sizeof(int));
    cudaMalloc(&d_sums, kBlocks * sizeof(int));
    cudaMemcpy(d_in, in.data(), kItems * sizeof(int), cudaMemcpyHostToDevice);
    sums_of_blocks<<<kBlocks, 128>>>(d_in, d_sums, kItems);
    cudaMemcpy(sums.data(), d_sums, kBlocks * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_sums);
    if (sums[0] + sums[1] + sums[2] + sums[3] != kItems) std::printf("wrong\n");
    return 0;
}
