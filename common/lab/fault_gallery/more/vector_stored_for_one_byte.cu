// Each thread changes its byte of a uchar4, but loads and stores all four.
#include <cuda_runtime.h>

__global__ void mark_by_vector(uchar4* out) {
    const unsigned t = threadIdx.x;
    uchar4 four = out[t / 4];
    (&four.x)[t % 4] = static_cast<unsigned char>(t + 1);
    out[t / 4] = four;
}

int main() {
    uchar4* d_out = nullptr;
    cudaMalloc(&d_out, 64);
    cudaMemset(d_out, 0, 64);
    mark_by_vector<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
