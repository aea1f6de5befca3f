// Each round gives a host function the same local variable, before the stream has called it.
#include <cuda_runtime.h>

#include <cstdio>

struct Round {
    const int* counts;
    int number;
};

__global__ void count_rounds(int* count) { atomicAdd(count, 1); }

void say_count(void* data) {
    const Round* const round = static_cast<Round*>(data);
    std::printf("round %d: %d\n", round->number, *round->counts);
}

int main() {
    int *d_count = nullptr, *counts = nullptr;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&counts, 3 * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemsetAsync(d_count, 0, sizeof(int), stream);
    for (int i = 0; i < 3; ++i) {
        Round round{counts + i, i};
        count_rounds<<<1, 32, 0, stream>>>(d_count);
        cudaMemcpyAsync(counts + i, d_count, sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaLaunchHostFunc(stream, say_count, &round);
    }
    cudaStreamSynchronize(stream);
    cudaFree(d_count);
    cudaFreeHost(counts);
    cudaStreamDestroy(stream);
    return 0;
}
