// Each round of the sort exchanges what other threads have exchanged in the round before.
#include <cuda_runtime.h>

__device__ void put_in_order(int& a, int& b, bool is_rising) {
    if ((a > b) == is_rising) {
        const int other = a;
        a = b;
        b = other;
    }
}

__global__ void sort_keys(int* keys) {
    __shared__ int tile[128];
    const unsigned t = threadIdx.x;
    tile[t] = keys[t];
    __syncthreads();
    for (unsigned size = 2; size <= 128; size *= 2) {
        for (unsigned step = size / 2; step > 0; step /= 2) {
            const unsigned partner = t ^ step;
            if (partner > t) put_in_order(tile[t], tile[partner], (t & size) == 0);
        }
    }
    __syncthreads();
    keys[t] = tile[t];
}

int main() {
    int h_keys[128];
    for (int i = 0; i < 128; ++i) h_keys[i] = (i * 73 + 19) % 128;
    int* d_keys = nullptr;
    cudaMalloc(&d_keys, sizeof h_keys);
    cudaMemcpy(d_keys, h_keys, sizeof h_keys, cudaMemcpyHostToDevice);
    sort_keys<<<1, 128>>>(d_keys);
    cudaMemcpy(h_keys, d_keys, sizeof h_keys, cudaMemcpyDeviceToHost);
    cudaFree(d_keys);
    return 0;
}
