// Threads without an item store nothing, but the sum of the block reads what they should have
// stored.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void add_up_blocks(const int* in, int* sum, int n) {
    __shared__ int part[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n) part[t] = in[i];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, part[0]);
}

int main() {
    constexpr int kItems = 500;
    std::vector<int> in(kItems, 1);
    int *d_in, *d_sum, sum = 0;
    cudaMalloc(&d_in, kItems * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemset(d_sum, 0, sizeof(int));
    cudaMemcpy(d_in, in.data(), kItems * sizeof(int), cudaMemcpyHostToDevice);
    add_up_blocks<<<(kItems + 127) / 128, 128>>>(d_in, d_sum, kItems);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_sum);
    if (sum != kItems) std::printf("wrong\n");
    return 0;
}
