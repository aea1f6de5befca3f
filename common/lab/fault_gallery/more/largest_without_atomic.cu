// The largest item: each thread tests, and stores a line later
#include <cuda_runtime.h>

#include <vector>

__global__ void find_largest(const int* items, int count, int* largest) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count && items[i] > *largest) *largest = items[i];
}

int main() {
    std::vector<int> items(256);
    for (int i = 0; i < 256; ++i) items[i] = i * 37 % 256;
    int *d_items = nullptr, *d_largest = nullptr;
    cudaMalloc(&d_items, 256 * sizeof(int));
    cudaMalloc(&d_largest, sizeof(int));
    cudaMemcpy(d_items, items.data(), 256 * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_largest, 0, sizeof(int));
    find_largest<<<2, 128>>>(d_items, 256, d_largest);
    cudaDeviceSynchronize();
    cudaFree(d_largest);
    cudaFree(d_items);
    return 0;
}
