// The next call of upload() writes into the pinned buffer that the copy of the last one may still
// read.
#include <cuda_runtime.h>

__global__ void double_all(int* items) { items[threadIdx.x] *= 2; }

static int* staging;

static void upload(int* d_items, int first, cudaStream_t stream) {
    for (int i = 0; i < 64; ++i) staging[i] = first + i;
    cudaMemcpyAsync(d_items, staging, 64 * sizeof(int), cudaMemcpyHostToDevice, stream);
}

int main() {
    cudaMallocHost(&staging, 64 * sizeof(int));
    int* d_items[2];
    for (int*& each : d_items) cudaMalloc(&each, 64 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    upload(d_items[0], 0, stream);
    upload(d_items[1], 100, stream);
    for (int* each : d_items) double_all<<<1, 64, 0, stream>>>(each);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    for (int* each : d_items) cudaFree(each);
    cudaFreeHost(staging);
    return 0;
}
