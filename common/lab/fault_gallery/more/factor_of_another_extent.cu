// Rows have width items, but are height items apart: different threads store the same item
#include <cuda_runtime.h>

__global__ void ramp(int* out, int width, int height) {
    const int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) out[y * height + x] = 100 * y + x;
}

int main() {
    constexpr int kWidth = 20, kHeight = 12;
    int* d_out;
    cudaMalloc(&d_out, kWidth * kHeight * sizeof(int));
    ramp<<<1, dim3(kWidth, kHeight)>>>(d_out, kWidth, kHeight);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
