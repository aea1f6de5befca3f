// An asynchronous copy of a struct of 12 bytes: it has 4, 8 or 16
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

struct Corner {
    float x, y, z;
};

__global__ void mirror_corners(const Corner* in, Corner* out) {
    __shared__ Corner tile[64];
    const unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], sizeof(Corner));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[63 - t];
}

int main() {
    Corner *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(Corner));
    cudaMalloc(&d_out, 64 * sizeof(Corner));
    cudaMemset(d_in, 0, 64 * sizeof(Corner));
    mirror_corners<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
