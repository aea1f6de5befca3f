// A sort of several blocks in one launch: a block's barrier does not wait for other blocks.
#include <cuda_runtime.h>

__global__ void sort_kernel(int* keys, int n) {
    const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    for (int round = 0; round < n; ++round) {
        const int i = 2 * t + round % 2;
        if (i + 1 < n && keys[i] > keys[i + 1]) {
            const int key = keys[i];
            keys[i] = keys[i + 1];
            keys[i + 1] = key;
        }
        __syncthreads();
    }
}

int main() {
    int h_keys[128];
    for (int i = 0; i < 128; ++i) h_keys[i] = 127 - i;
    int* d_keys = nullptr;
    cudaMalloc(&d_keys, sizeof h_keys);
    cudaMemcpy(d_keys, h_keys, sizeof h_keys, cudaMemcpyHostToDevice);
    sort_kernel<<<2, 32>>>(d_keys, 128);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    return 0;
}
