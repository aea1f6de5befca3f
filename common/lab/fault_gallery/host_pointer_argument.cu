// A kernel gets the host's array instead of its copy on the device.
#include <cuda_runtime.h>

#include <vector>

__global__ void clear_kernel(float* items) { items[threadIdx.x] = 0.0f; }

int main() {
    std::vector<float> items(32, 1.0f);
    clear_kernel<<<1, 32>>>(items.data());
    cudaDeviceSynchronize();
}
