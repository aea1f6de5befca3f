// The wait comes before this round's commit, so it does not cover the copy that is needed.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void sum_batch_kernel(const int* in, int* out, int rounds) {
    __shared__ int tiles[2][64];
    const int t = static_cast<int>(threadIdx.x);
    int sum = 0;
    __pipeline_memcpy_async(&tiles[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < rounds; ++i) {
        const int next = i + 1;
        if (next < rounds) __pipeline_memcpy_async(&tiles[next % 2][t], &in[next * 64 + t], 4);
        __pipeline_wait_prior(1);
        __pipeline_commit();
        __syncthreads();
        sum += tiles[i % 2][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

int main() {
    int h_in[512];
    for (int& each : h_in) each = 1;
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    sum_batch_kernel<<<1, 64>>>(d_in, d_out, 8);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
