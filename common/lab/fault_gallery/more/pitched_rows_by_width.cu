// Rows of cudaMallocPitch, which the kernel assumes to be without gaps.
#include <cuda_runtime.h>

#include <cstddef>

__global__ void number_rows(float* data, int width) {
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
    if (x < width) data[y * width + x] = static_cast<float>(y);
}

int main() {
    const int width = 30, height = 20;
    static float h_data[height][width];
    float* d_data = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&d_data, &pitch, width * sizeof(float), height);
    number_rows<<<height, 32>>>(d_data, width);
    cudaMemcpy2D(h_data, width * sizeof(float), d_data, pitch, width * sizeof(float), height,
                 cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    return h_data[height - 1][0] == height - 1 ? 0 : 1;
}
