// x + 1 of the last column is the first one of the next row, and in the last row there is none
#include <cuda_runtime.h>

__global__ void gradient(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[y * width + x] = in[y * width + x + 1] - in[y * width + x];
}

int main() {
    constexpr int kWidth = 33, kHeight = 10;
    float *d_in, *d_out;
    cudaMalloc(&d_in, kWidth * kHeight * sizeof(float));
    cudaMalloc(&d_out, kWidth * kHeight * sizeof(float));
    cudaMemset(d_in, 0, kWidth * kHeight * sizeof(float));
    gradient<<<dim3(3, 2), dim3(16, 8)>>>(d_in, d_out, kWidth, kHeight);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    cudaFree(d_in);
    return 0;
}
