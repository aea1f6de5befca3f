// A local array of 9 items is sorted by a function that is told that they are 10.
#include <cuda_runtime.h>

__device__ int median_of(int* items, int count) {
    for (int i = 1; i < count; ++i) {
        const int item = items[i];
        int at = i;
        for (; at > 0 && items[at - 1] > item; --at) items[at] = items[at - 1];
        items[at] = item;
    }
    return items[count / 2];
}

__global__ void median_of_nine(const int* in, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    int around[9];
    for (int k = 0; k < 9; ++k) around[k] = in[(i + k) % n];
    out[i] = median_of(around, 10);
}

int main() {
    constexpr int kItems = 100;
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, kItems * sizeof(int));
    cudaMalloc(&d_out, kItems * sizeof(int));
    cudaMemset(d_in, 0, kItems * sizeof(int));
    median_of_nine<<<2, 64>>>(d_in, d_out, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
