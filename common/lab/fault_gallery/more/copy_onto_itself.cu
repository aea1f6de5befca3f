// cudaMemcpy moves the items of an array by eight places: source and destination overlap
#include <cuda_runtime.h>

__global__ void number_to_move(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 128 * sizeof(int));
    number_to_move<<<1, 128>>>(d_items);
    cudaMemcpy(d_items, d_items + 8, 120 * sizeof(int), cudaMemcpyDeviceToDevice);
    cudaFree(d_items);
    return 0;
}
