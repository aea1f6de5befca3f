// The kernel tests all three indexes, but the result has room for one slice only.
#include <cuda_runtime.h>

__global__ void scale_slices(float* out, int slices, int height, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= width || y >= height || z >= slices) return;
    out[((z * height) + y) * width + x] = 0.5f * z;
}

int main() {
    const int slices = 2, height = 20, width = 30;
    const std::size_t bytes = height * width * sizeof(float);
    float* d_out = nullptr;
    cudaMalloc(&d_out, bytes);
    const dim3 block(8, 8, 2), grid((width + 7) / 8, (height + 7) / 8, (slices + 1) / 2);
    scale_slices<<<grid, block>>>(d_out, slices, height, width);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
