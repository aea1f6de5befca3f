// An argument points to freed memory, but the kernel uses it only if asked to
#include <cuda_runtime.h>

__global__ void set_or_copy(int* out, const int* old, bool use_old) {
    out[threadIdx.x] = use_old ? old[threadIdx.x] : 1;
}

int main() {
    int *d_out = nullptr, *d_old = nullptr;
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMalloc(&d_old, 64 * sizeof(int));
    cudaFree(d_old);
    set_or_copy<<<1, 64>>>(d_out, d_old, false);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
