// The last block begins its sum with 0, and others add before that. Only a few blocks run.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_of_all_blocks(const float* in, int n, unsigned* done, volatile float* sums) {
    __shared__ bool is_last;
    __shared__ float sum;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) sum = 0.0f;
    __syncthreads();
    if (i < n) atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        if (threadIdx.x == 0) sum = 0.0f;
        for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
            atomicAdd(&sum, sums[block]);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            sums[0] = sum;
            *done = 0;
        }
    }
}

int main() {
    constexpr int kItems = 512;
    float host[kItems], *in, *sums;
    unsigned* done;
    for (float& each : host) each = 1.0f;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sums, 8 * sizeof(float));
    cudaMalloc(&done, sizeof(unsigned));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(done, 0, sizeof(unsigned));
    sum_of_all_blocks<<<8, 64>>>(in, kItems, done, sums);
    cudaMemcpy(host, sums, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%f\n", host[0]);
    cudaFree(in);
    cudaFree(sums);
    cudaFree(done);
    return 0;
}
