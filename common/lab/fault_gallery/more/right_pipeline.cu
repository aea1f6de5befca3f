// A pipeline of two stages: a stage is filled again when all have released it
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cuda/pipeline>

__global__ void stages_kernel(const int* in, int* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int stages[2][64];
    const auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int filled = 0, sum = 0;
    for (int batch = 0; batch < 4; ++batch) {
        for (; filled < 4 && filled < batch + 2; ++filled) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stages[filled % 2], in + 64 * filled, 64 * sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stages[batch % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 256 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemset(d_in, 0, 256 * sizeof(int));
    stages_kernel<<<1, 64>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
