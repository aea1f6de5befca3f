// Memory of cudaMallocAsync is given back in both streams that have used it.
#include <cuda_runtime.h>

__global__ void set_pool_items(int* items) { items[threadIdx.x] = 1; }

int main() {
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    int* d_items = nullptr;
    cudaMallocAsync(&d_items, 64 * sizeof(int), one);
    set_pool_items<<<1, 64, 0, one>>>(d_items);
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(two, done, 0);
    cudaFreeAsync(d_items, two);
    cudaFreeAsync(d_items, one);
    cudaDeviceSynchronize();
    cudaEventDestroy(done);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    return 0;
}
