// A hash table's slot is not wrapped around after the last one.
#include <cuda_runtime.h>

constexpr int kSlots = 64, kKeys = 40;

__global__ void insert_key_kernel(const int* keys, int* table) {
    if (threadIdx.x >= kKeys) return;
    const int key = keys[threadIdx.x];
    int slot = key % kSlots;
    while (atomicCAS(&table[slot], 0, key) != 0) {
        ++slot;
    }
}

int main() {
    int keys[kKeys];
    for (int i = 0; i < kKeys; ++i) keys[i] = 50 + kSlots * i;
    int *d_keys = nullptr, *d_table = nullptr;
    cudaMalloc(&d_keys, sizeof keys);
    cudaMalloc(&d_table, kSlots * sizeof(int));
    cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
    cudaMemset(d_table, 0, kSlots * sizeof(int));
    insert_key_kernel<<<1, kSlots>>>(d_keys, d_table);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    cudaFree(d_table);
    return 0;
}
