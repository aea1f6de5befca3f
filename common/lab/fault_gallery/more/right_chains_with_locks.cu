// Right: a block stores a pointer and waits for a lock while the next block begins.
#include <cuda_runtime.h>

#include <cstdio>

struct ChainItem {
    int* value;
    ChainItem* next;
};

__global__ void chain_items(ChainItem** heads, ChainItem* pool, int* values, int* locks, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int lane = 0; lane < 32; ++lane) {
        if (threadIdx.x % 32 != lane || i >= n) continue;
        const int chain = values[i] % 2;
        pool[i].value = &values[i];
        while (atomicCAS(&locks[chain], 0, 1) != 0) {
        }
        __threadfence();
        pool[i].next = heads[chain];
        heads[chain] = &pool[i];
        __threadfence();
        atomicExch(&locks[chain], 0);
    }
}

int main() {
    constexpr int kItems = 256;
    int host[kItems], *values, *locks;
    for (int i = 0; i < kItems; ++i) host[i] = i * 7 % 31;
    ChainItem **heads, *pool;
    cudaMalloc(&values, sizeof host);
    cudaMalloc(&locks, 2 * sizeof(int));
    cudaMalloc(&heads, 2 * sizeof(ChainItem*));
    cudaMalloc(&pool, kItems * sizeof(ChainItem));
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(locks, 0, 2 * sizeof(int));
    cudaMemset(heads, 0, 2 * sizeof(ChainItem*));
    chain_items<<<4, 64>>>(heads, pool, values, locks, kItems);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(values);
    cudaFree(locks);
    cudaFree(heads);
    cudaFree(pool);
    return 0;
}
