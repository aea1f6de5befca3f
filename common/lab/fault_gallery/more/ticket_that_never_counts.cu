// atomicAdd of 0 gives all threads the same place.
#include <cuda_runtime.h>

__global__ void append_kernel(int* tail, int* items) {
    const int place = atomicAdd(tail, 0);
    items[place] = static_cast<int>(threadIdx.x);
}

int main() {
    int *d_tail = nullptr, *d_items = nullptr;
    cudaMalloc(&d_tail, sizeof(int));
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMemset(d_tail, 0, sizeof(int));
    append_kernel<<<1, 64>>>(d_tail, d_items);
    cudaDeviceSynchronize();
    cudaFree(d_tail);
    cudaFree(d_items);
    return 0;
}
