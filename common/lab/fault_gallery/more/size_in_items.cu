// An allocation with as many bytes as there are items: the copy fails, and the kernel overruns.
#include <cuda_runtime.h>

__global__ void double_items(int* data, int n) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < n) data[i] *= 2;
}

int main() {
    int items[32] = {1, 2, 3};
    int* d_items = nullptr;
    cudaMalloc(&d_items, 32);
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    double_items<<<1, 32>>>(d_items, 32);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
