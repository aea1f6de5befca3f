// The loop has only one barrier: others may read what this thread has already written.
#include <cuda_runtime.h>

__global__ void hillis_steele(int* data) {
    __shared__ int sums[128];
    const int t = static_cast<int>(threadIdx.x);
    sums[t] = data[t];
    for (int step = 1; step < 128; step *= 2) {
        __syncthreads();
        if (t >= step) sums[t] += sums[t - step];
    }
    data[t] = sums[t];
}

int main() {
    int* d_data = nullptr;
    int h_data[128];
    for (int i = 0; i < 128; ++i) h_data[i] = 1;
    cudaMalloc(&d_data, sizeof h_data);
    cudaMemcpy(d_data, h_data, sizeof h_data, cudaMemcpyHostToDevice);
    hillis_steele<<<1, 128>>>(d_data);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    return 0;
}
