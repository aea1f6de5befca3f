// The direction says host to device, but the pointers say the opposite.
#include <cuda_runtime.h>

int main() {
    int items[16] = {};
    int* d_items = nullptr;
    cudaMalloc(&d_items, sizeof items);
    cudaMemset(d_items, 0, sizeof items);
    cudaMemcpy(items, d_items, sizeof items, cudaMemcpyHostToDevice);
    cudaFree(d_items);
}
