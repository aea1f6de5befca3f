// An asynchronous copy of 16 bytes to an address that is a multiple of 4 only
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void copy_beside_a_halo(const float* in, float* out) {
    __shared__ alignas(16) float tile[260];
    const unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t + 1], &in[4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (unsigned i = t; i < 256; i += blockDim.x) out[i] = tile[i + 1];
}

int main() {
    float *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 256 * sizeof(float));
    cudaMalloc(&d_out, 256 * sizeof(float));
    cudaMemset(d_in, 0, 256 * sizeof(float));
    copy_beside_a_halo<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
