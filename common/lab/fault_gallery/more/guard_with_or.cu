// The guard says x < width || y < height: a thread outside in one direction writes too
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void draw_chessboard(int* image, int width, int height) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width || y < height) image[y * width + x] = (x + y) & 1;
}

int main() {
    const int width = 30, height = 21;
    std::vector<int> image(width * height);
    int* d_image = nullptr;
    cudaMalloc(&d_image, image.size() * sizeof(int));
    draw_chessboard<<<dim3(4, 3), dim3(8, 8)>>>(d_image, width, height);
    cudaMemcpy(image.data(), d_image, image.size() * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", image.back());
    cudaFree(d_image);
    return 0;
}
