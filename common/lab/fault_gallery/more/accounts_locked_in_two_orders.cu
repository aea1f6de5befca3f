// Two locks are taken in the order of a transfer, and another transfer goes the other way: each of
// two threads may hold what the other waits for.
#include <cuda_runtime.h>

#include <cstdio>

__device__ void take_account(int* lock) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
}

__device__ void give_account(int* lock) {
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void move_money(int* locks, int* money, const int* from, const int* to) {
    if (threadIdx.x != 0) return;
    const int a = from[blockIdx.x], b = to[blockIdx.x];
    take_account(&locks[a]);
    take_account(&locks[b]);
    money[a] -= 1;
    money[b] += 1;
    give_account(&locks[b]);
    give_account(&locks[a]);
}

int main() {
    const int from[4] = {0, 1, 0, 1}, to[4] = {1, 0, 1, 0};
    int money[2] = {10, 10}, *d_from, *d_to, *d_money, *locks;
    cudaMalloc(&d_from, sizeof from);
    cudaMalloc(&d_to, sizeof to);
    cudaMalloc(&d_money, sizeof money);
    cudaMalloc(&locks, 2 * sizeof(int));
    cudaMemcpy(d_from, from, sizeof from, cudaMemcpyHostToDevice);
    cudaMemcpy(d_to, to, sizeof to, cudaMemcpyHostToDevice);
    cudaMemcpy(d_money, money, sizeof money, cudaMemcpyHostToDevice);
    cudaMemset(locks, 0, 2 * sizeof(int));
    move_money<<<4, 32>>>(locks, d_money, d_from, d_to);
    cudaMemcpy(money, d_money, sizeof money, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", money[0], money[1]);
    cudaFree(d_from);
    cudaFree(d_to);
    cudaFree(d_money);
    cudaFree(locks);
    return 0;
}
