// Only the first bin of a local histogram is cleared.
#include <cuda_runtime.h>

__global__ void local_histogram(const int* in, int* out) {
    int bins[4];
    bins[0] = 0;
    for (int i = 0; i < 8; ++i) bins[in[i] & 3] += 1;
    for (int bin = 0; bin < 4; ++bin) out[bin] = bins[bin];
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 8 * sizeof(int));
    cudaMalloc(&d_out, 8 * sizeof(int));
    cudaMemset(d_in, 0, 8 * sizeof(int));
    local_histogram<<<1, 1>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
