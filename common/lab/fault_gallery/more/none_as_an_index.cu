// The table holds -1 for what has no place, and that is used as a place.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_by_place(const int* kinds, const int* place_of, int n, int* counts) {
    __shared__ int own[8];
    if (threadIdx.x < 8) own[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < n) {
        const int place = place_of[kinds[threadIdx.x]];
        atomicAdd(&own[place], 1);
    }
    __syncthreads();
    if (threadIdx.x < 8) counts[threadIdx.x] = own[threadIdx.x];
}

int main() {
    int *kinds, *place_of, *counts;
    cudaMallocManaged(&kinds, 64 * sizeof(int));
    cudaMallocManaged(&place_of, 16 * sizeof(int));
    cudaMallocManaged(&counts, 8 * sizeof(int));
    for (int i = 0; i < 64; ++i) kinds[i] = i % 16;
    for (int i = 0; i < 16; ++i) place_of[i] = i < 8 ? i : -1;
    count_by_place<<<1, 64>>>(kinds, place_of, 64, counts);
    cudaDeviceSynchronize();
    std::printf("%d\n", counts[7]);
    cudaFree(kinds);
    cudaFree(place_of);
    cudaFree(counts);
    return 0;
}
