// An int is read from an address that is not a multiple of 4.
#include <cuda_runtime.h>

__global__ void read_4_bytes(const char* bytes, int* out) {
    *out = *reinterpret_cast<const int*>(bytes + 2);
}

int main() {
    char* d_bytes = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_bytes, 64);
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_bytes, 0, 64);
    read_4_bytes<<<1, 1>>>(d_bytes, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_bytes);
    cudaFree(d_out);
    return 0;
}
