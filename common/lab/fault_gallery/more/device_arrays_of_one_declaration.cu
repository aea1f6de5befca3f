// Two __device__ arrays of one declaration, and an index past the first
#include <cuda_runtime.h>

__device__ int lower_bounds[8], upper_bounds[8];

__global__ void set_bounds() {
    const int i = static_cast<int>(threadIdx.x);
    upper_bounds[i] = 2 * i;
    lower_bounds[i + 1] = 2 * i;
}

int main() {
    set_bounds<<<1, 8>>>();
    cudaDeviceSynchronize();
    return 0;
}
