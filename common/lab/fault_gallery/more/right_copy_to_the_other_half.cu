// cudaMemcpy copies the first half of an array to the second: the two touch, and do not overlap
#include <cuda_runtime.h>

__global__ void number_half(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    int *d_items = nullptr, last = 0;
    cudaMalloc(&d_items, 128 * sizeof(int));
    number_half<<<1, 64>>>(d_items);
    cudaMemcpy(d_items + 64, d_items, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
    cudaMemcpy(&last, d_items + 127, sizeof last, cudaMemcpyDeviceToHost);
    cudaFree(d_items);
    return last - 63;
}
