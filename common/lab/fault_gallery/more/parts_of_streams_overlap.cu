// Two halves of an array in two streams, the first of which is one item too long.
#include <cuda_runtime.h>

__global__ void fill_part(int* part, int n, int value) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) part[i] = value;
}

int main() {
    const int n = 1000;
    int* d_data = nullptr;
    cudaStream_t first = nullptr, second = nullptr;
    cudaMalloc(&d_data, 2 * n * sizeof(int));
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    fill_part<<<4, 256, 0, first>>>(d_data, n + 1, 1);
    fill_part<<<4, 256, 0, second>>>(d_data + n, n, 2);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(d_data);
    return 0;
}
