// cudaStreamQuery() does not wait: it says whether the copy is done, and the program ignores that.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void number_for_query(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    int *d_items = nullptr, *items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMallocHost(&items, 64 * sizeof(int));
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    number_for_query<<<1, 64, 0, stream>>>(d_items);
    cudaMemcpyAsync(items, d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamQuery(stream);
    if (items[63] != 63) std::puts("wrong");
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(items);
    cudaFree(d_items);
    return 0;
}
