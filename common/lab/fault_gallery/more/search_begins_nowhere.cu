// Neither the least distance nor its place has a value before the search.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void nearest_of_row(const int* distances, int* nearest, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int least, place;
    for (int i = 0; i < columns; ++i) {
        if (distances[row * columns + i] < least) {
            least = distances[row * columns + i];
            place = i;
        }
    }
    nearest[row] = place;
}

int main() {
    constexpr int kRows = 32, kColumns = 8;
    std::vector<int> distances(kRows * kColumns), nearest(kRows);
    for (int i = 0; i < kRows * kColumns; ++i) distances[i] = 100 - i % kColumns;
    int *d_distances, *d_nearest;
    cudaMalloc(&d_distances, distances.size() * sizeof(int));
    cudaMalloc(&d_nearest, kRows * sizeof(int));
    cudaMemcpy(d_distances, distances.data(), distances.size() * sizeof(int),
               cudaMemcpyHostToDevice);
    nearest_of_row<<<1, kRows>>>(d_distances, d_nearest, kRows, kColumns);
    cudaMemcpy(nearest.data(), d_nearest, kRows * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_distances);
    cudaFree(d_nearest);
    if (nearest[5] != kColumns - 1) std::printf("wrong\n");
    return 0;
}
