// A short is read from an address that is not a multiple of 2.
#include <cuda_runtime.h>

__global__ void read_2_bytes(const char* bytes, short* out) {
    *out = *reinterpret_cast<const short*>(bytes + 1);
}

int main() {
    char* d_bytes = nullptr;
    short* d_out = nullptr;
    cudaMalloc(&d_bytes, 64);
    cudaMalloc(&d_out, sizeof(short));
    cudaMemset(d_bytes, 0, 64);
    read_2_bytes<<<1, 1>>>(d_bytes, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_bytes);
    cudaFree(d_out);
    return 0;
}
