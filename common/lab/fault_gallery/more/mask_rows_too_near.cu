// The rows of a mask are multiplied by the height; the threads that meet store equal values.
#include <cuda_runtime.h>

__global__ void mark_bright(const unsigned char* image, int* mask, int width, int height) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y);
    if (x >= width || y >= height) return;
    mask[y * height + x] = image[y * width + x] > 127 ? 1 : 0;
}

int main() {
    constexpr int kWidth = 48, kHeight = 16;
    unsigned char* d_image = nullptr;
    int* d_mask = nullptr;
    cudaMalloc(&d_image, kWidth * kHeight);
    cudaMalloc(&d_mask, kWidth * kHeight * sizeof(int));
    cudaMemset(d_image, 0, kWidth * kHeight);
    cudaMemset(d_mask, 0, kWidth * kHeight * sizeof(int));
    mark_bright<<<dim3(2, kHeight), 32>>>(d_image, d_mask, kWidth, kHeight);
    cudaDeviceSynchronize();
    cudaFree(d_image);
    cudaFree(d_mask);
    return 0;
}
