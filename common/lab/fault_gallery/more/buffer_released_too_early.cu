// A pipeline of two buffers: each is released before it is read, and filled again.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cuda/pipeline>

__global__ void sum_released_buffers(const int* in, int* out, int rounds) {
    __shared__ int tiles[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto copies = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
    const int t = static_cast<int>(threadIdx.x);
    int sum = 0;
    for (int round = 0; round < 2; ++round) {
        copies.producer_acquire();
        cuda::memcpy_async(&tiles[round][t], &in[round * 64 + t], sizeof(int), copies);
        copies.producer_commit();
    }
    for (int round = 0; round < rounds; ++round) {
        copies.consumer_wait();
        copies.consumer_release();
        if (round + 2 < rounds) {
            const int* const next = &in[(round + 2) * 64];
            copies.producer_acquire();
            cuda::memcpy_async(&tiles[round % 2][t], &next[t], sizeof(int), copies);
            copies.producer_commit();
        }
        sum += tiles[round % 2][63 - t];
    }
    out[t] = sum;
}

int main() {
    int *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 4 * 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemset(d_in, 1, 4 * 64 * sizeof(int));
    sum_released_buffers<<<1, 64>>>(d_in, d_out, 4);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
