// Several threads find the key, and each stores its own index to the same place.
#include <cuda_runtime.h>

__global__ void find_key(const int* keys, int* position, int key) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (keys[i] == key) *position = i;
}

int main() {
    int h_keys[128];
    for (int i = 0; i < 128; ++i) h_keys[i] = i % 50;
    int *d_keys = nullptr, *d_position = nullptr;
    cudaMalloc(&d_keys, sizeof h_keys);
    cudaMalloc(&d_position, sizeof(int));
    cudaMemcpy(d_keys, h_keys, sizeof h_keys, cudaMemcpyHostToDevice);
    cudaMemset(d_position, 0xff, sizeof(int));
    find_key<<<2, 64>>>(d_keys, d_position, 17);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    cudaFree(d_position);
    return 0;
}
