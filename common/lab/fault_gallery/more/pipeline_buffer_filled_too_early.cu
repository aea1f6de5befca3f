// Two buffers: nothing keeps a thread from refilling one that others still read.
#include <cuda_runtime.h>

#include <cuda/pipeline>

__global__ void sum_in_two_buffers(const int* in, int* out, int rounds) {
    __shared__ int tiles[2][128];
    const int t = static_cast<int>(threadIdx.x);
    int sum = 0;
    auto copies = cuda::make_pipeline();
    cuda::memcpy_async(&tiles[0][t], &in[t], sizeof(int), copies);
    copies.producer_commit();
    for (int round = 0; round < rounds; ++round) {
        if (round + 1 < rounds) {
            const int next = round + 1;
            cuda::memcpy_async(&tiles[next % 2][t], &in[next * 128 + t], sizeof(int), copies);
        }
        copies.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(copies);
        __syncthreads();
        sum += tiles[round % 2][127 - t];
    }
    out[t] = sum;
}

int main() {
    int *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 4 * 128 * sizeof(int));
    cudaMalloc(&d_out, 128 * sizeof(int));
    cudaMemset(d_in, 0, 4 * 128 * sizeof(int));
    sum_in_two_buffers<<<1, 128>>>(d_in, d_out, 4);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
