// A kernel stores to a __constant__ variable, which only the host can change.
#include <cuda_runtime.h>

__constant__ int weights_of_all[4];

__global__ void write_weights() { weights_of_all[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    write_weights<<<1, 4>>>();
    cudaDeviceSynchronize();
    return 0;
}
