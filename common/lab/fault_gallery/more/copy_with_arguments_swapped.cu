// The input is to go to the device, but the copy's arguments are exchanged, and cudaMemcpyDefault
// allows that.
#include <cuda_runtime.h>

__global__ void halve_items(float* items) { items[threadIdx.x] /= 2; }

int main() {
    float* d_items = nullptr;
    float items[64] = {1, 2, 3};
    cudaMalloc(&d_items, sizeof items);
    cudaMemcpy(items, d_items, sizeof items, cudaMemcpyDefault);
    halve_items<<<1, 64>>>(d_items);
    cudaMemcpy(items, d_items, sizeof items, cudaMemcpyDefault);
    cudaFree(d_items);
    return items[0] > 0 ? 0 : 1;
}
