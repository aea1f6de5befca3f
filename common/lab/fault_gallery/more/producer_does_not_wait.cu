// `empty` expects only the producers: they go on before the others have read.
#include <cuda_runtime.h>
#include <cuda/barrier>

#include <cstdio>

__global__ void pass_through_tile(const int* in, int* out, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    __shared__ int tile[32];
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        init(&empty, blockDim.x / 2);
    }
    __syncthreads();
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int round = 0; round < rounds; ++round) {
            if (round > 0) empty.arrive_and_wait();
            tile[lane] = in[round * 32 + lane];
            (void)full.arrive();
        }
    } else {
        for (int round = 0; round < rounds; ++round) {
            full.arrive_and_wait();
            out[round * 32 + lane] = tile[31 - lane];
            if (round + 1 < rounds) (void)empty.arrive();
        }
    }
}

int main() {
    constexpr int kItems = 64;
    int items[kItems], results[kItems] = {};
    for (int i = 0; i < kItems; ++i) items[i] = i;
    int *in, *out;
    cudaMalloc(&in, sizeof(items));
    cudaMalloc(&out, sizeof(items));
    cudaMemcpy(in, items, sizeof(items), cudaMemcpyHostToDevice);
    pass_through_tile<<<1, 64>>>(in, out, 2);
    cudaMemcpy(results, out, sizeof(items), cudaMemcpyDeviceToHost);
    std::printf("the last is %d\n", results[kItems - 1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
