// The result is copied in a stream that was destroyed a line before: the copy fails unseen
#include <cuda_runtime.h>

#include <cstdio>

__global__ void cube_in_a_stream(int* items) {
    const int i = static_cast<int>(threadIdx.x);
    items[i] = i * i * i;
}

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cube_in_a_stream<<<1, 64, 0, stream>>>(d_items);
    int items[64] = {};
    cudaStreamDestroy(stream);
    cudaMemcpyAsync(items, d_items, sizeof items, cudaMemcpyDeviceToHost, stream);
    cudaDeviceSynchronize();
    std::printf("%d\n", items[63]);
    cudaFree(d_items);
    return 0;
}
