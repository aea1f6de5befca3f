// One event is recorded in two streams, and a wait for it is only for the last record.
#include <cuda_runtime.h>

__global__ void fill_half(int* items, int value) { items[threadIdx.x] = value; }
__global__ void add_halves(const int* items, int* sums) {
    sums[threadIdx.x] = items[threadIdx.x] + items[threadIdx.x + 64];
}

int main() {
    int *d_items, *d_sums;
    cudaMalloc(&d_items, 128 * sizeof(int));
    cudaMalloc(&d_sums, 64 * sizeof(int));
    cudaStream_t halves[2], whole;
    for (cudaStream_t& each : halves) cudaStreamCreate(&each);
    cudaStreamCreate(&whole);
    cudaEvent_t done;
    cudaEventCreate(&done);
    for (int i = 0; i < 2; ++i) {
        fill_half<<<1, 64, 0, halves[i]>>>(d_items + 64 * i, i);
        cudaEventRecord(done, halves[i]);
    }
    cudaStreamWaitEvent(whole, done, 0);
    add_halves<<<1, 64, 0, whole>>>(d_items, d_sums);
    cudaDeviceSynchronize();
    cudaEventDestroy(done);
    for (cudaStream_t& each : halves) cudaStreamDestroy(each);
    cudaStreamDestroy(whole);
    cudaFree(d_items);
    cudaFree(d_sums);
    return 0;
}
