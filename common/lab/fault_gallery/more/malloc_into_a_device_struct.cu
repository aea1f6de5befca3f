// cudaMalloc is to store its pointer in a struct that is itself in device memory
#include <cuda_runtime.h>

struct NumberedArray {
    int* items;
    int count;
};

__global__ void number_array(NumberedArray* array) {
    if (static_cast<int>(threadIdx.x) < array->count) array->items[threadIdx.x] = 1;
}

int main() {
    NumberedArray* d_array = nullptr;
    cudaMalloc(&d_array, sizeof(NumberedArray));
    cudaMalloc(&d_array->items, 64 * sizeof(int));
    cudaFree(d_array);
    return 0;
}
