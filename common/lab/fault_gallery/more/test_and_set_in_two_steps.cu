// A thread tests whether a slot of a hash table is free, and takes it in a second step.
#include <cuda_runtime.h>

__global__ void insert_keys(int* slots, int n) {
    const int key = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int slot = key % 16 * 7;
    while (true) {
        if (slots[slot] == -1) {
            slots[slot] = key;
            break;
        }
        slot = (slot + 1) % n;
    }
}

int main() {
    int* d_slots = nullptr;
    cudaMalloc(&d_slots, 256 * sizeof(int));
    cudaMemset(d_slots, 0xff, 256 * sizeof(int));
    insert_keys<<<4, 32>>>(d_slots, 256);
    cudaDeviceSynchronize();
    cudaFree(d_slots);
    return 0;
}
