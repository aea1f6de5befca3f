// The size given to cudaMemset is the number of items; one item gets its value by a copy after it.
#include <cuda_runtime.h>

__global__ void next_level_kernel(const int* levels, int* next, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) next[i] = levels[i] < 0 ? 0 : levels[i] + 1;
}

int main() {
    constexpr int count = 300;
    const int first = 0;
    int* d_levels = nullptr;
    int* d_next = nullptr;
    cudaMalloc(&d_levels, count * sizeof(int));
    cudaMalloc(&d_next, count * sizeof(int));
    cudaMemset(d_levels, -1, count);
    cudaMemcpy(d_levels + 7, &first, sizeof first, cudaMemcpyHostToDevice);
    next_level_kernel<<<3, 128>>>(d_levels, d_next, count);
    cudaDeviceSynchronize();
    cudaFree(d_levels);
    cudaFree(d_next);
    return 0;
}
