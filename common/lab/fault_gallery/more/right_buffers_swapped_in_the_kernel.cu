// Two buffers change places in each round of the kernel: one grid.sync() between two rounds is
// enough.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void jacobi_of_the_grid(float* from, float* to, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    for (int round = 0; round < 3; ++round) {
        if (i > 0 && i + 1 < n) to[i] = 0.5f * (from[i - 1] + from[i + 1]);
        cooperative_groups::this_grid().sync();
        float* const other = from;
        from = to;
        to = other;
    }
}

int main() {
    float *d_from = nullptr, *d_to = nullptr;
    cudaMalloc(&d_from, 256 * sizeof(float));
    cudaMalloc(&d_to, 256 * sizeof(float));
    cudaMemset(d_from, 0, 256 * sizeof(float));
    cudaMemset(d_to, 0, 256 * sizeof(float));
    int n = 256;
    void* arguments[] = {&d_from, &d_to, &n};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(jacobi_of_the_grid), dim3(2), dim3(128),
                                arguments, 0, nullptr);
    cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
    return 0;
}
