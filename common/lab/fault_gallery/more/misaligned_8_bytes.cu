// A double is read from an address that is not a multiple of 8.
#include <cuda_runtime.h>

__global__ void read_8_bytes(const char* bytes, double* out) {
    *out = *reinterpret_cast<const double*>(bytes + 4);
}

int main() {
    char* d_bytes = nullptr;
    double* d_out = nullptr;
    cudaMalloc(&d_bytes, 64);
    cudaMalloc(&d_out, sizeof(double));
    cudaMemset(d_bytes, 0, 64);
    read_8_bytes<<<1, 1>>>(d_bytes, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_bytes);
    cudaFree(d_out);
    return 0;
}
