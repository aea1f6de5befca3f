// The branch that only the inner items take reads its neighbours and stores, without a barrier.
#include <cuda_runtime.h>

__global__ void cool_kernel(float* rods, int rounds) {
    __shared__ float rod[128];
    const int i = static_cast<int>(threadIdx.x);
    rod[i] = rods[i];
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        if (i > 0 && i < 127) {
            const float left = rod[i - 1];
            const float right = rod[i + 1];
            rod[i] = 0.5f * (left + right);
        }
        __syncthreads();
    }
    if (i > 0 && i < 127)
        rod[threadIdx.x] =
            0.25f * rod[threadIdx.x - 1] + 0.5f * rod[threadIdx.x] + 0.25f * rod[threadIdx.x + 1];
    __syncthreads();
    rods[i] = rod[i];
}

int main() {
    float h_rods[128] = {1};
    float* d_rods = nullptr;
    cudaMalloc(&d_rods, sizeof h_rods);
    cudaMemcpy(d_rods, h_rods, sizeof h_rods, cudaMemcpyHostToDevice);
    cool_kernel<<<1, 128>>>(d_rods, 5);
    cudaDeviceSynchronize();
    cudaFree(d_rods);
    return 0;
}
