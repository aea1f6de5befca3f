// A float4 is read from an address that is not a multiple of 16.
#include <cuda_runtime.h>

__global__ void read_16_bytes(const char* bytes, float4* out) {
    *out = *reinterpret_cast<const float4*>(bytes + 4);
}

int main() {
    char* d_bytes = nullptr;
    float4* d_out = nullptr;
    cudaMalloc(&d_bytes, 64);
    cudaMalloc(&d_out, sizeof(float4));
    cudaMemset(d_bytes, 0, 64);
    read_16_bytes<<<1, 1>>>(d_bytes, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_bytes);
    cudaFree(d_out);
    return 0;
}
