// Two streams copy, compute and copy back, each its own half of pinned memory.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void plus_seven(int* data) { data[threadIdx.x] += 7; }

int main() {
    int* h_data = nullptr;
    int* d_data = nullptr;
    cudaMallocHost(&h_data, 128 * sizeof(int));
    cudaMalloc(&d_data, 128 * sizeof(int));
    for (int i = 0; i < 128; ++i) h_data[i] = i;
    cudaStream_t streams[2];
    for (int s = 0; s < 2; ++s) {
        cudaStreamCreate(&streams[s]);
        cudaMemcpyAsync(d_data + 64 * s, h_data + 64 * s, 64 * sizeof(int), cudaMemcpyHostToDevice,
                        streams[s]);
        plus_seven<<<1, 64, 0, streams[s]>>>(d_data + 64 * s);
        cudaMemcpyAsync(h_data + 64 * s, d_data + 64 * s, 64 * sizeof(int), cudaMemcpyDeviceToHost,
                        streams[s]);
    }
    int sum = 0;
    for (int s = 0; s < 2; ++s) {
        cudaStreamSynchronize(streams[s]);
        for (int i = 64 * s; i < 64 * s + 64; ++i) sum += h_data[i];
        cudaStreamDestroy(streams[s]);
    }
    std::printf("%d\n", sum);
    cudaFreeHost(h_data);
    cudaFree(d_data);
    return 0;
}
