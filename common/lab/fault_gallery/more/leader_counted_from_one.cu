// __ffs() counts from 1: the lane that it is taken for is not among those with the same colour.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void places_by_colour(const int* colour, int* next, int* place) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    const unsigned same = __match_any_sync(0xffffffff, colour[i]);
    const int first = __ffs(same);
    const int before = __popc(same & ((1u << lane) - 1));
    int begin = 0;
    if (lane == first) begin = atomicAdd(&next[colour[i]], __popc(same));
    begin = __shfl_sync(same, begin, first);
    place[i] = begin + before;
}

int main() {
    constexpr int kItems = 256, kColours = 5;
    int colours[kItems], places[kItems];
    for (int i = 0; i < kItems; ++i) colours[i] = i * 7 % 11 % kColours;
    int *colour, *next, *place;
    cudaMalloc(&colour, sizeof(colours));
    cudaMalloc(&next, kColours * sizeof(int));
    cudaMalloc(&place, sizeof(places));
    cudaMemcpy(colour, colours, sizeof(colours), cudaMemcpyHostToDevice);
    cudaMemset(next, 0, kColours * sizeof(int));
    places_by_colour<<<2, 128>>>(colour, next, place);
    cudaMemcpy(places, place, sizeof(places), cudaMemcpyDeviceToHost);
    std::printf("the first is in place %d\n", places[0]);
    cudaFree(colour);
    cudaFree(next);
    cudaFree(place);
    return 0;
}
