// Right: the kernel begins when the host says so, while it runs. That cannot be tried here.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void double_when_told(const volatile int* go, int* items) {
    if (threadIdx.x == 0) {
        while (*go == 0) {
        }
    }
    __syncthreads();
    items[threadIdx.x] *= 2;
}

int main() {
    int* go;
    int* items;
    cudaHostAlloc(&go, sizeof(int), cudaHostAllocMapped);
    cudaMalloc(&items, 64 * sizeof(int));
    cudaMemset(items, 0, 64 * sizeof(int));
    *go = 0;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    double_when_told<<<1, 64, 0, stream>>>(go, items);
    *go = 1;
    cudaStreamSynchronize(stream);
    std::printf("done\n");
    cudaStreamDestroy(stream);
    cudaFree(items);
    cudaFreeHost(go);
    return 0;
}
