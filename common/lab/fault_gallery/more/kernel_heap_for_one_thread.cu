// 32 threads take 800 KB each from a heap of 8 MB, and none tests whether it got them
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void use_scratch(int* out, int items) {
    int* const scratch = static_cast<int*>(malloc(items * sizeof(int)));
    scratch[items - 1] = static_cast<int>(threadIdx.x);
    out[threadIdx.x] = scratch[items - 1];
    free(scratch);
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    use_scratch<<<1, 32>>>(d_out, 200000);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
