// The first thread replaces the block's count by its first place while others still count.
#include <cuda_runtime.h>

#include <cstdio>

#define CHECK(call)                                            \
    do {                                                       \
        if ((call) != cudaSuccess) std::printf("%s\n", #call); \
    } while (0)

__global__ void first_place_of_a_block(int* first, int* total, const int* in, int n) {
    __shared__ int count;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (i < n && in[i] > 0) atomicAdd(&count, 1);
    if (threadIdx.x == 0) count = atomicAdd(total, count);
    __syncthreads();
    if (i < n) first[i] = count;
}

int main() {
    constexpr int kItems = 128;
    int host[kItems], *in, *first, *total;
    for (int i = 0; i < kItems; ++i) host[i] = i % 2 == 0 ? -i : i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&first, sizeof host));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    CHECK(cudaMemset(first, 0, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    first_place_of_a_block<<<1, kItems>>>(first, total, in, kItems);
    CHECK(cudaMemcpy(host, total, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("%d\n", host[0]);
    cudaFree(in);
    cudaFree(first);
    cudaFree(total);
    return 0;
}
