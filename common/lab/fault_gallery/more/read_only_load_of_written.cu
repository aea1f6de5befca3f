// __ldg reads what the same kernel writes.
#include <cuda_runtime.h>

__global__ void smooth_rows(float* data) {
    const int i = static_cast<int>(threadIdx.x);
    data[i] = 2.0f * __ldg(&data[i]);
    __syncthreads();
    if (i > 0) data[i] = 0.5f * __ldg(&data[i]);
}

int main() {
    float* d_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(float));
    cudaMemset(d_data, 0, 64 * sizeof(float));
    smooth_rows<<<1, 64>>>(d_data);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
