// If the length is 1, the step is 0 and the loop never ends.
#include <cuda_runtime.h>

__global__ void endless_search(const int* keys, int* found, int length) {
    int at = 0;
    while (at < length && keys[at] != 7) at += length / 2;
    *found = at;
}

int main() {
    int* d_keys = nullptr;
    int* d_found = nullptr;
    cudaMalloc(&d_keys, sizeof(int));
    cudaMalloc(&d_found, sizeof(int));
    cudaMemset(d_keys, 0, sizeof(int));
    endless_search<<<1, 1>>>(d_keys, d_found, 1);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    cudaFree(d_found);
    return 0;
}
