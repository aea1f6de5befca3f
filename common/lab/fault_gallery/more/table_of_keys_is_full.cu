// More keys than the table has items: the last ones look for a free item forever.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kFree = -1;

__global__ void fill_small_table(int* table, int items, const int* keys) {
    const int key = keys[threadIdx.x];
    int at = key % items;
    for (;;) {
        const int found = atomicCAS(&table[at], kFree, key);
        if (found == kFree || found == key) return;
        at = at + 1 == items ? 0 : at + 1;
    }
}

int main() {
    constexpr int kItems = 32, kKeys = 40;
    int numbers[kKeys];
    for (int i = 0; i < kKeys; ++i) numbers[i] = 3 * i;
    int *table, *keys;
    cudaMalloc(&table, kItems * sizeof(int));
    cudaMalloc(&keys, sizeof(numbers));
    cudaMemset(table, 0xff, kItems * sizeof(int));
    cudaMemcpy(keys, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    fill_small_table<<<1, kKeys>>>(table, kItems, keys);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::printf("%d keys inserted\n", kKeys);
    cudaFree(table);
    cudaFree(keys);
    return 0;
}
