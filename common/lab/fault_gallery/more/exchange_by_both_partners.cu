// Each thread of a pair exchanges the pair's two items, both at the same time.
#include <cuda_runtime.h>

struct Pixel {
    float red, green, blue;
};

__device__ void swap_pixels(Pixel& one, Pixel& other) {
    const Pixel kept = one;
    one = other;
    other = kept;
}

__global__ void mirror_row(Pixel* row, int width) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int opposite = width - 1 - x;
    if (x < width && x != opposite) swap_pixels(row[x], row[opposite]);
}

__global__ void exchange_bits(int* items, int distance) {
    const int i = static_cast<int>(threadIdx.x);
    const int kept = items[i];
    items[i] = items[i ^ distance];
    items[i ^ distance] = kept;
}

int main() {
    Pixel* d_row = nullptr;
    int* d_items = nullptr;
    cudaMalloc(&d_row, 100 * sizeof(Pixel));
    cudaMalloc(&d_items, 64 * sizeof(int));
    Pixel row[100];
    int items[64];
    for (int x = 0; x < 100; ++x) row[x] = Pixel{static_cast<float>(x), 0.0f, 1.0f};
    for (int i = 0; i < 64; ++i) items[i] = i;
    cudaMemcpy(d_row, row, sizeof row, cudaMemcpyHostToDevice);
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    mirror_row<<<4, 32>>>(d_row, 100);
    exchange_bits<<<1, 64>>>(d_items, 32);
    cudaDeviceSynchronize();
    cudaFree(d_row);
    cudaFree(d_items);
    return 0;
}
