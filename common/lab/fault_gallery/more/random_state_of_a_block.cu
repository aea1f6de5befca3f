// All threads of a block draw from one state of the random generator: it is for one thread
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cstdio>

__global__ void begin(curandState* states) {
    if (threadIdx.x == 0) curand_init(42, blockIdx.x, 0, &states[blockIdx.x]);
}

__global__ void throw_darts(curandState* states, unsigned* hits) {
    curandState* const state = &states[blockIdx.x];
    unsigned own = 0;
    for (int i = 0; i < 10; ++i) {
        const float x = curand_uniform(state);
        const float y = curand_uniform(state);
        if (x * x + y * y <= 1) ++own;
    }
    atomicAdd(hits, own);
}

int main() {
    const unsigned blocks = 4, threads = 64;
    curandState* states = nullptr;
    unsigned *d_hits = nullptr, hits = 0;
    cudaMalloc(&states, blocks * sizeof(curandState));
    cudaMalloc(&d_hits, sizeof hits);
    cudaMemset(d_hits, 0, sizeof hits);
    begin<<<blocks, threads>>>(states);
    throw_darts<<<blocks, threads>>>(states, d_hits);
    cudaMemcpy(&hits, d_hits, sizeof hits, cudaMemcpyDeviceToHost);
    std::printf("%d\n", hits > 1000 ? 1 : 0);
    cudaFree(d_hits);
    cudaFree(states);
    return 0;
}
