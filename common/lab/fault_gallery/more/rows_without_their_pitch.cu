// The rows are a pitch apart, and the kernel reads them as if one followed the other.
#include <cuda_runtime.h>

#include <vector>

__global__ void brighten(const float* image, float* results, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) results[y * width + x] = 2 * image[y * width + x];
}

int main() {
    const int width = 40, height = 12;
    const std::vector<float> image(width * height, 0.25f);
    float *d_image = nullptr, *d_results = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&d_image, &pitch, width * sizeof(float), height);
    cudaMalloc(&d_results, width * height * sizeof(float));
    cudaMemcpy2D(d_image, pitch, image.data(), width * sizeof(float), width * sizeof(float), height,
                 cudaMemcpyHostToDevice);
    brighten<<<dim3(3, 2), dim3(16, 8)>>>(d_image, d_results, width, height);
    cudaDeviceSynchronize();
    cudaFree(d_results);
    cudaFree(d_image);
    return 0;
}
