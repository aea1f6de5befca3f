// All threads add to a __device__ variable.
#include <cuda_runtime.h>

__device__ int total_count;

__global__ void count_threads() { total_count += 1; }

int main() {
    count_threads<<<2, 64>>>();
    cudaDeviceSynchronize();
    return 0;
}
