// Blocks of several layers each change the same pixels, and the order of the layers matters.
#include <cuda_runtime.h>

#include <cstdio>

__device__ float mixed(float top, float bottom) { return 0.75f * top + 0.25f * bottom; }

__global__ void lay_over(const float* layers, float* image, int pixels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) image[i] = mixed(layers[blockIdx.y * pixels + i], image[i]);
}

int main() {
    constexpr int kPixels = 64, kLayers = 3;
    float *layers, *image;
    cudaMallocManaged(&layers, kLayers * kPixels * sizeof(float));
    cudaMallocManaged(&image, kPixels * sizeof(float));
    for (int i = 0; i < kLayers * kPixels; ++i) layers[i] = static_cast<float>(i / kPixels);
    for (int i = 0; i < kPixels; ++i) image[i] = 1;
    lay_over<<<dim3(kPixels / 32, kLayers), 32>>>(layers, image, kPixels);
    cudaDeviceSynchronize();
    std::printf("%d\n", image[0] >= 0);
    cudaFree(layers);
    cudaFree(image);
    return 0;
}
