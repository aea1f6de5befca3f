// memcpy copies seven more words than there are.
#include <cuda_runtime.h>
#include <cstring>

__global__ void copy_tail(const int* in, int* out) {
    if (threadIdx.x == 0) memcpy(out, in + 32, 40 * sizeof(int));
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    copy_tail<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
