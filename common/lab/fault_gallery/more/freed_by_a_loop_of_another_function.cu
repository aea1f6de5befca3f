// A function frees its caller's array in the first round of a loop that has two arrays in turn.
#include <cuda_runtime.h>

__global__ void add_left_neighbour(const int* from, int* to, int n) {
    const int i = threadIdx.x;
    if (i < n) to[i] = from[i] + (i > 0 ? from[i - 1] : 0);
}

void smooth_rounds(int* data, int n, int rounds) {
    int* from = data;
    for (int round = 0; round < rounds; ++round) {
        int* to = nullptr;
        cudaMalloc(&to, n * sizeof(int));
        add_left_neighbour<<<1, n>>>(from, to, n);
        cudaFree(from);
        from = to;
    }
    cudaMemcpy(data, from, n * sizeof(int), cudaMemcpyDeviceToDevice);
    cudaFree(from);
}

int main() {
    constexpr int kItems = 64;
    static int h_items[kItems];
    int* d_items = nullptr;
    cudaMalloc(&d_items, sizeof h_items);
    cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
    smooth_rounds(d_items, kItems, 3);
    cudaMemcpy(h_items, d_items, sizeof h_items, cudaMemcpyDeviceToHost);
    cudaFree(d_items);
    return 0;
}
