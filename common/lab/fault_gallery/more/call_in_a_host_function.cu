// A function that a stream calls frees the memory: such functions must not call CUDA
#include <cuda_runtime.h>

#include <cstdio>

__global__ void number_and_forget(int* items) {
    items[threadIdx.x] = static_cast<int>(threadIdx.x);
}

static void CUDART_CB release(void* items) { cudaFree(items); }

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    number_and_forget<<<1, 64, 0, stream>>>(d_items);
    cudaLaunchHostFunc(stream, release, d_items);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return 0;
}
