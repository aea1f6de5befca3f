// The right halo belongs one item further on: two threads write the same one.
#include <cuda_runtime.h>

__global__ void smooth_tile_kernel(const int* in, int* out, int n) {
    __shared__ int tile[66];
    const int t = static_cast<int>(threadIdx.x);
    const int i = static_cast<int>(blockIdx.x) * 64 + t;
    tile[t + 1] = in[i];
    if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    if (t == 0) tile[64] = i + 64 < n ? in[i + 64] : 0;
    __syncthreads();
    out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

int main() {
    int h_in[256];
    for (int i = 0; i < 256; ++i) h_in[i] = i + 1;
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof h_in);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    smooth_tile_kernel<<<4, 64>>>(d_in, d_out, 256);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
