// A butterfly sum in a block of 48: the second warp has 16 lanes.
#include <cuda_runtime.h>

__global__ void butterfly_sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    out[threadIdx.x] = sum;
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 48 * sizeof(int));
    cudaMalloc(&d_out, 48 * sizeof(int));
    cudaMemset(d_in, 0, 48 * sizeof(int));
    butterfly_sum<<<1, 48>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
