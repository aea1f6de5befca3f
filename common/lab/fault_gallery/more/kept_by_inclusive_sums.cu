// The places come from a sum with each item's own count, so the first is 1 and the last too many.
#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {

__global__ void gather_long_words(const int* lengths, const int* places, int* gathered, int words) {
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w < words && lengths[w] > 6) gathered[places[w]] = lengths[w];
}

}  // namespace

int main() {
    constexpr int kWords = 300;
    std::vector<int> lengths(kWords), places(kWords);
    for (int w = 0; w < kWords; ++w) {
        lengths[w] = w % 11;
        places[w] = lengths[w] > 6 ? 1 : 0;
    }
    for (int w = 1; w < kWords; ++w) places[w] += places[w - 1];
    const int count = places.back();
    int *d_lengths, *d_places, *d_gathered, *d_room;
    cudaMalloc(&d_lengths, kWords * sizeof(int));
    cudaMalloc(&d_places, kWords * sizeof(int));
    cudaMalloc(&d_gathered, count * sizeof(int));
    cudaMalloc(&d_room, kWords * sizeof(int));
    cudaMemcpy(d_lengths, lengths.data(), kWords * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_places, places.data(), kWords * sizeof(int), cudaMemcpyHostToDevice);
    // With room for more, nothing is out of bounds.
    gather_long_words<<<3, 128>>>(d_lengths, d_places, d_room, kWords);
    std::vector<int> room(count);
    cudaMemcpy(room.data(), d_room, count * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", std::accumulate(room.begin(), room.end(), 0) > 0);
    gather_long_words<<<3, 128>>>(d_lengths, d_places, d_gathered, kWords);
    cudaFree(d_lengths);
    cudaFree(d_places);
    cudaFree(d_gathered);
    cudaFree(d_room);
    return 0;
}
