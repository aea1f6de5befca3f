// Streams, events, asynchronous copies, a two-dimensional copy; what the device says about itself.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_kernel(int* items, int n, int more) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) items[i] += more;
}

int main() {
    constexpr int kCount = 96;
    int *host = nullptr, *d_items = nullptr;
    cudaMallocHost(&host, kCount * sizeof(int));
    cudaMalloc(&d_items, kCount * sizeof(int));
    for (int i = 0; i < kCount; ++i) host[i] = i;
    cudaStream_t first, second;
    cudaEvent_t done;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&done);
    cudaMemcpyAsync(d_items, host, kCount * sizeof(int), cudaMemcpyHostToDevice, first);
    add_kernel<<<1, 32, 0, first>>>(d_items, kCount, 100);
    cudaEventRecord(done, first);
    cudaStreamWaitEvent(second, done, 0);
    add_kernel<<<1, 64, 0, second>>>(d_items, kCount, 1000);
    cudaMemcpy2DAsync(host, 8 * sizeof(int), d_items, 12 * sizeof(int), 8 * sizeof(int), 8,
                      cudaMemcpyDeviceToHost, second);
    cudaStreamSynchronize(second);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    std::printf("%d %d; warp %d\n", host[9], host[63], properties.warpSize);
    cudaEventDestroy(done);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(d_items);
    cudaFreeHost(host);
}
