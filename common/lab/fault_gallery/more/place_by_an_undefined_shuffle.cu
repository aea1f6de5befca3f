// The lanes that keep an item ask for the place of one that does not, and store with what they get.
#include <cuda_runtime.h>

__device__ int places_of_kept(int* counter) {
    const unsigned kept = __activemask();
    const int lane = threadIdx.x % 32, first = __ffs(kept);
    int begin = 0;
    if (lane == first - 1) begin = atomicAdd(counter, __popc(kept));
    begin = __shfl_sync(kept, begin, first);
    return begin + __popc(kept & ((1u << lane) - 1));
}

__global__ void keep_multiples_of_four(const int* items, int* kept, int* counter) {
    if (items[threadIdx.x] % 4 == 0) kept[places_of_kept(counter)] = items[threadIdx.x];
}

int main() {
    static int h_items[128];
    for (int i = 0; i < 128; ++i) h_items[i] = i;
    int *d_items = nullptr, *d_kept = nullptr, *d_counter = nullptr;
    cudaMalloc(&d_items, sizeof h_items);
    cudaMalloc(&d_kept, sizeof h_items);
    cudaMalloc(&d_counter, sizeof(int));
    cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
    cudaMemset(d_counter, 0, sizeof(int));
    keep_multiples_of_four<<<1, 128>>>(d_items, d_kept, d_counter);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_kept);
    cudaFree(d_counter);
    return 0;
}
