// Asks for what a device may not have, fetches the error, and does without
#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <vector>

__global__ void square_of_number(int* items) {
    const int i = static_cast<int>(threadIdx.x);
    items[i] = i * i;
}

int main() {
    if (cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess) cudaGetLastError();
    cudaStream_t made = nullptr;
    cudaStreamCreate(&made);
    const std::unique_ptr<CUstream_st, decltype(&cudaStreamDestroy)> stream(made,
                                                                            cudaStreamDestroy);
    int* d_items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    square_of_number<<<1, 64, 0, stream.get()>>>(d_items);
    const cudaMemLocation device{cudaMemLocationTypeDevice, 0};
    if (cudaMemPrefetchAsync(d_items, 64 * sizeof(int), device, 0, stream.get()) != cudaSuccess) {
        cudaGetLastError();  // not managed memory: it stays where it is
    }
    std::vector<int> items(64);
    cudaMemcpyAsync(items.data(), d_items, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream.get());
    while (cudaStreamQuery(stream.get()) == cudaErrorNotReady) {
    }
    if (items[63] != 63 * 63 || cudaGetLastError() != cudaSuccess) std::puts("wrong");
    cudaFree(d_items);
    return 0;
}
