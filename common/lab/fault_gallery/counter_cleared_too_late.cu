// Thread 0 clears the counter, but the others may already have added to it.
#include <cuda_runtime.h>

__global__ void count_kernel(const int* items, unsigned* positive) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    if (items[threadIdx.x] > 0) atomicAdd(&count, 1u);
    __syncthreads();  // all have been counted
    if (threadIdx.x == 0) *positive = count;
}

int main() {
    int items[128];
    for (int i = 0; i < 128; ++i) items[i] = 1;
    int* d_items = nullptr;
    unsigned* d_positive = nullptr;
    cudaMalloc(&d_items, sizeof(items));
    cudaMalloc(&d_positive, sizeof(unsigned));
    cudaMemcpy(d_items, items, sizeof(items), cudaMemcpyHostToDevice);
    count_kernel<<<1, 128>>>(d_items, d_positive);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_positive);
}
