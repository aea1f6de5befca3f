// The largest value is found by an atomic operation, but its index is stored by another one.
#include <cuda_runtime.h>

__global__ void largest(const int* items, int* best, int* where) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int old = atomicMax(best, items[i]);
    if (items[i] > old) *where = i;
}

int main() {
    int h_items[128];
    for (int i = 0; i < 128; ++i) h_items[i] = i * 37 % 101;
    int *d_items = nullptr, *d_best = nullptr, *d_where = nullptr;
    cudaMalloc(&d_items, sizeof h_items);
    cudaMalloc(&d_best, sizeof(int));
    cudaMalloc(&d_where, sizeof(int));
    cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
    cudaMemset(d_best, 0xff, sizeof(int));
    cudaMemset(d_where, 0xff, sizeof(int));
    largest<<<2, 64>>>(d_items, d_best, d_where);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_best);
    cudaFree(d_where);
    return 0;
}
