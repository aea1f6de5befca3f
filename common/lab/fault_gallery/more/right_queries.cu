// Polls a stream, then an event, and waits if a query says "not ready": all three count as waits
#include <cuda_runtime.h>

#include <cstdio>

__global__ void number_from(int* items, int first) {
    items[threadIdx.x] = first + static_cast<int>(threadIdx.x);
}

int main() {
    int *d_items = nullptr, *items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMallocHost(&items, 64 * sizeof(int));
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaEvent_t done = nullptr;
    cudaEventCreate(&done);
    int last = 0;
    for (int round = 0; round < 3; ++round) {
        number_from<<<1, 64, 0, stream>>>(d_items, round);
        cudaMemcpyAsync(items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaEventRecord(done, stream);
        if (round == 0) {
            while (cudaStreamQuery(stream) == cudaErrorNotReady) {
            }
        } else if (round == 1) {
            while (cudaEventQuery(done) != cudaSuccess) {
            }
        } else if (cudaStreamQuery(stream) != cudaSuccess) {
            cudaStreamSynchronize(stream);
        }
        last += items[63];
    }
    if (last != 3 * 63 + 3 || cudaGetLastError() != cudaSuccess) std::puts("wrong");
    cudaEventDestroy(done);
    cudaStreamDestroy(stream);
    cudaFreeHost(items);
    cudaFree(d_items);
    return 0;
}
