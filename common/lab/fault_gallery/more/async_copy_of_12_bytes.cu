// An asynchronous copy of a struct of 12 bytes: it has 4, 8 or 16
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

struct PackedCorner {
    float x, y, z;
};

__global__ void mirror_corners(const PackedCorner* in, PackedCorner* out) {
    __shared__ PackedCorner tile[64];
    const unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], sizeof(PackedCorner));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[63 - t];
}

int main() {
    PackedCorner *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(PackedCorner));
    cudaMalloc(&d_out, 64 * sizeof(PackedCorner));
    cudaMemset(d_in, 0, 64 * sizeof(PackedCorner));
    mirror_corners<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
