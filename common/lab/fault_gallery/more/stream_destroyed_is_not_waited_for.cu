// cudaStreamDestroy does not wait for the stream's work: the host reads before the copy has
// arrived.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void number_items(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    int *d_items = nullptr, *h_items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMallocHost(&h_items, 64 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    number_items<<<1, 64, 0, stream>>>(d_items);
    cudaMemcpyAsync(h_items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamDestroy(stream);
    std::printf("%d\n", h_items[5]);
    cudaDeviceSynchronize();
    cudaFreeHost(h_items);
    cudaFree(d_items);
    return 0;
}
