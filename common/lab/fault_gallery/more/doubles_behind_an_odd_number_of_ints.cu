// In one dynamic array doubles follow an odd number of ints.
#include <cuda_runtime.h>

__global__ void keys_and_sums(double* out, int n) {
    extern __shared__ char memory_of_block[];
    int* keys = reinterpret_cast<int*>(memory_of_block);
    double* sums = reinterpret_cast<double*>(keys + n);
    const int i = threadIdx.x;
    keys[i] = i;
    sums[i] = 0.5 * i;
    __syncthreads();
    out[i] = sums[i] + keys[n - 1 - i];
}

int main() {
    constexpr int kItems = 45;
    double* d_out = nullptr;
    cudaMalloc(&d_out, kItems * sizeof(double));
    keys_and_sums<<<1, kItems, kItems*(sizeof(int) + sizeof(double))>>>(d_out, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
