// The struct is copied to the GPU, but what its pointer points to is not.
#include <cuda_runtime.h>

#include <vector>

struct Vector {
    float* items;
    int size;
};

__global__ void clear_kernel(Vector vector) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < vector.size) vector.items[i] = 0.0f;
}

int main() {
    std::vector<float> items(32, 1.0f);
    clear_kernel<<<1, 32>>>(Vector{items.data(), 32});
    cudaDeviceSynchronize();
}
