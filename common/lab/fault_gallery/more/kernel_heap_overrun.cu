// Each thread allocates four numbers in the kernel's heap and writes five.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void five_of_four(int* out) {
    int* const numbers = static_cast<int*>(malloc(4 * sizeof(int)));
    if (numbers == nullptr) return;
    for (int i = 0; i <= 4; ++i) numbers[i] = i;
    out[threadIdx.x] = numbers[3];
    free(numbers);
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    five_of_four<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
